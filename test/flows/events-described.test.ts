/** The OpenAPI document describes the record of an event, and records match it (reference events E8). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { assertDescribed, assertFits, type Json, responsesOf, whole } from "../support/described.ts";
import { membersOf } from "../support/described-members.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
let document: Json;
before(async () => {
  world = await startWorld();
  document = (await world.call("/openapi.json")).json;
});

/** The documented schema of an operation's response, with references resolved. */
function answerOf(method: string, path: string, status: number): Json {
  const responses = responsesOf(document, document.paths[`/api/v4${path}`][method]);
  return whole(responses[status]?.content["application/json"].schema, document);
}

/** The pairs of action and target type in the document, from `created, updated: Issue … null; …`. */
function describedPairs(): [string, string | null][] {
  const words: string =
    /go with them\. (.*?)\. /.exec(document.components.schemas.Event.description)?.[1] ?? "";
  return words.split("; ").flatMap((line) => {
    const [actions = "", types = ""] = line.split(": ");
    return actions
      .split(", ")
      .flatMap((action) =>
        types.split(" ").map((type): [string, string | null] => [action, type === "null" ? null : type]),
      );
  });
}

function bodyOf(action: string, target_type: string | null): object {
  const note = { body: "words", noteable_type: "Commit", commit_id: "abcdef" };
  const commits = [{ id: "abcdef", title: "One", author_name: "Dev", timestamp: "2026-03-04T05:06:07Z" }];
  return {
    action,
    target_type,
    ...(target_type !== null && { target_iid: 7, target_title: "Late vessels" }),
    ...(action === "pushed" && { push_data: { ref: "main", commit_to: "abcdef", commits } }),
    ...(action === "commented" && { note }),
    ...(target_type === "WikiPage::Meta" && { wiki_page: { slug: "home", title: "Home" } }),
  };
}

test("records of every pair of action and target match the OpenAPI document, in responses and lists, and every documented member occurs (reference events E8; contract-events §1)", async () => {
  const path = "/api/v4/projects/acme%2Frocket/events";
  const pairs = describedPairs();
  assert.equal(pairs.length, 46);
  const seen: Json[] = [];
  for (const [action, type] of pairs) {
    const made = await world.call(path, { as: "max", json: bodyOf(action, type) });
    assert.equal(made.status, 201, `${action} ${type}: ${made.text}`);
    assertFits(answerOf("post", "/projects/{id}/events", 201), made.json, `${action} ${type}`);
    seen.push(made.json);
  }
  const lists = {
    "/projects/{id}/events": path,
    "/users/{id}/events": "/api/v4/users/max/events",
    "/groups/{id}/events": "/api/v4/groups/acme/events",
    "/events": "/api/v4/events",
  };
  for (const [operation, address] of Object.entries(lists)) {
    for (const include of ["", "&include=project,target,commits"]) {
      const list = await world.call(`${address}?per_page=100${include}`, { as: "max" });
      assertFits(answerOf("get", operation, 200), list.json, operation);
      for (const header of Object.keys(document.paths[`/api/v4${operation}`].get.responses[200].headers)) {
        if (header !== "X-Next-Since") assert.ok(list.headers.has(header), `${operation} ${header}`);
      }
      seen.push(...list.json);
    }
  }
  for (const [member, values] of membersOf(whole(document.components.schemas.Event, document), seen))
    assert.ok(values.length > 0, `no record has ${member}`);
});

test("GET /events/schema lists the pairs that can be written, the action names of their records, and the filters that find them (reference events E8; contract-events §1)", async () => {
  const { json: schema, status } = await world.call("/api/v4/events/schema", { as: "stan" });
  assert.equal(status, 200);
  assertFits(answerOf("get", "/events/schema", 200), schema, "schema");
  type Pair = { action: string; target_type: string | null; action_names: string[]; filters: string[] };
  const nameOf = ({ action, target_type }: Pick<Pair, "action" | "target_type">) =>
    `${action} ${target_type}`;
  const named = (pairs: readonly Pair[]) => pairs.map(nameOf).sort();
  const pairs: Pair[] = schema.pairs;
  assert.deepEqual(
    named(pairs),
    describedPairs()
      .map((pair) => pair.map(String).join(" "))
      .sort(),
  );

  const record = whole(document.components.schemas.Event, document);
  const types: (string | null)[] = [...record.properties.target_type.anyOf[0].enum, null];
  const push = (action: string) => ({
    ...bodyOf("pushed", null),
    push_data: { ref: "main", action, commit_to: action === "removed" ? null : "abcdef" },
  });
  const bodies: object[] = [
    ...schema.actions.flatMap((action: string) => types.map((type) => bodyOf(action, type))),
    ...[null, "Project"].map((type) => ({ ...bodyOf("created", type), imported_from: "elsewhere" })),
    push("created"),
    push("removed"),
  ];
  const rows = bodies.map((body) => ({ project_id: "acme/rocket", ...body }));
  const batch = await world.call("/api/v4/events/bulk", { as: "max", json: rows });
  const written = bodies.filter((_, index) => batch.json.results[index].status === "created") as Pair[];
  assert.deepEqual([...new Set(named(written))], named(pairs));

  const list = async (
    query: string,
  ): Promise<{ action: string; target_type: string; action_name: string }[]> =>
    (await world.call(`/api/v4/projects/acme%2Frocket/events?per_page=100&${query}`, { as: "max" })).json;
  for (const action of schema.actions) {
    const events = await list(`action=${action}`);
    for (const pair of pairs.filter((each) => each.action === action)) {
      const names = events
        .filter((event) => nameOf(event) === nameOf(pair))
        .map((event) => event.action_name);
      assert.deepEqual([...new Set(names)].sort(), [...pair.action_names].sort(), nameOf(pair));
    }
  }
  for (const word of schema.target_types) {
    const found = (await list(`target_type=${word}`)) as unknown as Pair[];
    const meant = pairs.filter(({ filters }) => filters.includes(word));
    assert.deepEqual([...new Set(named(found))], named(meant), word);
  }
});

test("responses of bulk writes and calendars, and refusals, match the OpenAPI document (reference events E8; contract-events §2, §4)", async () => {
  const rows = [{ project_id: "acme/rocket", ...bodyOf("created", "Issue") }, { action: "danced" }];
  const batch = await world.call("/api/v4/events/bulk", { as: "max", json: rows });
  assert.deepEqual([batch.json.created, batch.json.invalid], [1, 1]);
  assertFits(answerOf("post", "/events/bulk", 200), batch.json, "batch");
  const calendar = await world.call("/api/v4/users/max/calendar", { as: "max" });
  assertFits(answerOf("get", "/users/{id}/calendar", 200), calendar.json, "calendar");
  const path = "/api/v4/projects/acme%2Frocket/events";
  const keyed = { ...bodyOf("created", "Issue"), external_id: "once" };
  await world.call(path, { as: "max", json: keyed });
  const refusals: Record<number, Reply> = {
    400: await world.call(path, { as: "max", json: {} }),
    401: await world.call(path, { json: keyed, token: "nobody's" }),
    403: await world.call(path, { as: "gus", json: keyed }),
    404: await world.call("/api/v4/projects/acme%2Fnone/events", { as: "max", json: keyed }),
    409: await world.call(path, { as: "max", json: { ...keyed, target_title: "Other" } }),
    422: await world.call(path, { as: "max", json: bodyOf("merged", "Issue") }),
  };
  for (const [status, reply] of Object.entries(refusals)) {
    assert.equal(reply.status, Number(status), reply.text);
    assertFits(answerOf("post", "/projects/{id}/events", Number(status)), reply.json, status);
  }
  assertFits(
    answerOf("post", "/projects/{id}/events", 200),
    (await world.call(path, { as: "max", json: keyed })).json,
    "200",
  );
});

test("responses to deliveries match the OpenAPI document, and exports and streams have the documented media types and headers (reference events E8; contract-events §3, §4)", async () => {
  const receive = "/projects/{id}/event_sources/{identifier}/receive";
  const source = await world.call("/api/v4/projects/acme%2Frocket/event_sources", {
    as: "max",
    json: { name: "CE", type: "cloudevents" },
  });
  const send = (json: unknown, secret = source.json.secret) =>
    world.call(source.json.url.slice(world.url.length), {
      method: "POST",
      body: JSON.stringify(json),
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/cloudevents+json" },
    });
  const event = { specversion: "1.0", id: "1", source: "/x", type: "gatehouse.event" };
  const replies = [
    await send({ ...event, data: bodyOf("created", "Issue") }),
    await send({ ...event, data: bodyOf("created", "Issue") }),
    await send({ ...event, id: "2", type: "org.example.other", data: {} }),
    await send(event, "another secret"),
    await send("no event"),
  ];
  assert.deepEqual(
    replies.map(({ status, json }) => [status, json.status]),
    [
      [202, "accepted"],
      [202, "duplicate"],
      [202, "ignored"],
      [401, undefined],
      [400, undefined],
    ],
  );
  for (const { status, json } of replies) assertFits(answerOf("post", receive, status), json, receive);
  for (const [path, address] of Object.entries({
    "/events/export": "/api/v4/events/export",
    "/projects/{id}/events/export": "/api/v4/projects/acme%2Frocket/events/export",
  })) {
    const said = document.paths[`/api/v4${path}`].get.responses[200];
    const sent = await Promise.all(
      ["ndjson", "csv"].map((format) => world.call(`${address}?format=${format}`, { as: "max" })),
    );
    const types = sent.map(({ headers }) => headers.get("content-type")?.split(";")[0]);
    assert.deepEqual(Object.keys(said.content), types, path);
    for (const name of Object.keys(said.headers))
      for (const { headers } of sent) assert.ok(headers.has(name), `${path} ${name}`);
    assert.ok("X-Next-Since" in said.headers, path);
  }
  const stream = document.paths["/api/v4/projects/{id}/events/stream"].get.responses[200];
  assert.deepEqual(Object.keys(stream.content), ["text/event-stream"]);
  // Not read to its end, which never comes.
  const url = `${world.url}/api/v4/projects/acme%2Fopen/events/stream`;
  const { status, headers, body } = await fetch(url);
  await body?.cancel();
  await assertDescribed(world.app, "GET", url, { status, headers, text: "", json: undefined });
});
