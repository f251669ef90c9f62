/** Recording events of external tools through the write API (contract-events §1). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const post = (json: unknown, as: "dev" | "max" | "rep" | "stan" | "ada" = "dev", headers = {}) =>
  world.call("/api/v4/projects/acme%2Frocket/events", { as, json, headers });

const push = (more: object = {}) => ({
  action: "pushed",
  push_data: {
    ref: "refs/heads/main",
    commit_from: "a".repeat(40),
    commit_to: "b".repeat(40),
    commit_count: 2,
    commit_title: "Count berths\n\nand more",
    ...more,
  },
});

test("the response to a write is the record of the project's list, with its members in the documented order (contract-events §1; spec: Event)", async () => {
  const created = await post({
    action: "commented",
    target_type: "DiffNote",
    target_title: "Late vessels",
    note: { body: "hm", noteable_type: "MergeRequest", noteable_iid: 7 },
    external_id: "order-1",
  });
  assert.equal(created.status, 201);
  assert.deepEqual(Object.keys(created.json), [
    ...["id", "title", "project_id", "action_name", "action", "target_id", "target_iid", "target_type"],
    ...["author_id", "data", "target_title", "created_at", "note", "author", "imported", "imported_from"],
    ...["author_username", "external_id"],
  ]);
  assert.equal(created.json.target_title, "Late vessels");
  assert.equal(created.json.note.type, "DiffNote");
  assert.equal(created.json.note.id, created.json.target_id);
  assert.equal(created.json.note.noteable_iid, 7);
  assert.equal(created.json.note.resolvable, true);
  const listed = await world.call("/api/v4/projects/acme%2Frocket/events", { as: "dev" });
  const { external_id: _, ...inList } = created.json;
  assert.deepEqual(listed.json[0], inList);
});

test("the note of an imported comment has imported and imported_from as well (reference events A8, note)", async () => {
  const note = { body: "Brought over", noteable_type: "Issue", noteable_iid: 7 };
  for (const [more, told] of [
    [{ imported_from: "github" }, [true, "github"]],
    [{}, [false, "none"]],
  ] as const) {
    const { status, json } = await post({ action: "commented", target_type: "Note", note, ...more });
    assert.equal(status, 201);
    assert.deepEqual([json.imported, json.imported_from], told);
    assert.deepEqual([json.note.imported, json.note.imported_from], told);
  }
});

test("titles and external ids are limited by characters as documented, with emoji counted as one (contract-events §1, target_title, external_id)", async () => {
  const of = (title: number, key: number) => ({
    ...{ action: "created", target_type: "Issue" },
    ...{ target_title: "🚢".repeat(title), external_id: "⚓🚢".repeat(key) },
  });
  const created = await post(of(1024, 127));
  assert.equal(created.status, 201, created.text);
  assert.equal(created.json.target_title, "🚢".repeat(1024));
  const again = await post(of(1024, 127));
  assert.deepEqual([again.status, again.json.id], [200, created.json.id]);
  assert.deepEqual((await post(of(1025, 128))).json, {
    error:
      "target_title is too long (maximum is 1024 characters), external_id is too long (maximum is 255 characters)",
  });
});

test("a push has push_data, and null as target_id and target_type (spec: Events 5; spec: Event push_data)", async () => {
  const pushed = await post(push());
  assert.equal(pushed.json.action_name, "pushed");
  assert.equal(pushed.json.target_id, null);
  assert.equal(pushed.json.target_iid, null);
  assert.equal(pushed.json.target_type, null);
  assert.deepEqual(pushed.json.push_data, {
    commit_count: 2,
    action: "pushed",
    ref_type: "branch",
    commit_from: "a".repeat(40),
    commit_to: "b".repeat(40),
    ref: "main",
    commit_title: "Count berths",
    ref_count: null,
  });
});

test("a push that creates or removes a ref says so and has no old or new commit; its title is the first line with text, shortened (contract §4, action_name)", async () => {
  const made = await post(push({ action: "created", ref: "refs/tags/v1" }));
  assert.equal(made.json.action_name, "pushed new");
  assert.deepEqual(
    [made.json.push_data.ref_type, made.json.push_data.ref, made.json.push_data.commit_from],
    ["tag", "v1", null],
  );
  const removed = await post(push({ action: "removed" }));
  assert.equal(removed.json.action_name, "deleted");
  assert.equal(removed.json.push_data.commit_to, null);
  const long = await post(push({ commit_title: "x".repeat(71) }));
  assert.equal(long.json.push_data.commit_title, `${"x".repeat(67)}...`);
  const late = await post(push({ commit_title: "\n \nCount berths\nand more" }));
  assert.equal(late.json.push_data.commit_title, "Count berths", "git ignores blank lines before a title");
  const none = await post(push({ commit_title: " \n" }));
  assert.equal(none.json.push_data.commit_title, null, "a missing title is null");
});

test("every allowed pair of action and target type is accepted, and every other one is refused with 422 (contract-events §1)", async () => {
  const made = ["Issue", "WorkItem", "Incident", "MergeRequest", "Milestone", "Snippet"];
  const tracked = ["Issue", "WorkItem", "Incident", "MergeRequest", "Milestone"];
  const membership = ["Project", "User", null];
  const allowed: Record<string, (string | null)[]> = {
    created: [...made, "WikiPage::Meta", "Project", null],
    updated: [...made, "WikiPage::Meta", "Project", null],
    closed: tracked,
    reopened: tracked,
    destroyed: ["Milestone", "Snippet", "WikiPage::Meta"],
    merged: ["MergeRequest"],
    approved: ["MergeRequest"],
    commented: ["Note", "DiscussionNote", "DiffNote"],
    joined: membership,
    left: membership,
    expired: membership,
    pushed: [null],
  };
  const words: Record<string, string> = {
    commented: "commented on",
    merged: "accepted",
    expired: "removed due to membership expiration from",
  };
  const targets = [...made, "WikiPage::Meta", "Project", "User", "Note", "DiscussionNote", "DiffNote", null];
  for (const action of Object.keys(allowed)) {
    for (const target_type of targets) {
      const body = {
        action,
        target_type,
        ...(action === "pushed" ? push() : {}),
        ...(action === "commented" ? { note: { body: "x" } } : {}),
      };
      const reply = await post(body);
      const isAllowed = allowed[action]?.includes(target_type);
      assert.equal(reply.status, isAllowed ? 201 : 422, `${action} ${target_type}: ${reply.text}`);
      if (!isAllowed) {
        assert.equal(typeof reply.json.message, "string");
        continue;
      }
      const opened = action === "created" && made.includes(target_type ?? "");
      assert.equal(reply.json.action_name, opened ? "opened" : (words[action] ?? action));
      assert.equal(reply.json.action, action);
    }
  }
});

test('target types can be written as in the filters, and an imported project has the action_name "imported" (contract-events §1)', async () => {
  const issue = await post({ action: "created", target_type: "issue", target_iid: 70 });
  assert.equal(issue.json.target_type, "Issue");
  const project = await post({ action: "created", target_type: "project", imported_from: "github" });
  assert.deepEqual(
    [project.json.action_name, project.json.imported, project.json.imported_from],
    ["imported", true, "github"],
  );
});

test("target_id and target_iid are returned as sent, assigned where missing, and kept for the target (contract-events §1)", async () => {
  const both = await post({ action: "created", target_type: "Issue", target_iid: 81, target_id: 9081 });
  assert.deepEqual([both.json.target_id, both.json.target_iid], [9081, 81]);
  const again = await post({ action: "closed", target_type: "Issue", target_iid: 81 });
  assert.deepEqual([again.json.target_id, again.json.target_iid], [9081, 81]);
  const idOnly = await post({ action: "created", target_type: "Issue", target_id: 9082 });
  assert.deepEqual([idOnly.json.target_id, idOnly.json.target_iid], [9082, 9082]);
  const iidOnly = await post({ action: "created", target_type: "Milestone", target_iid: 83 });
  assert.ok(iidOnly.json.target_id >= 1);
  const closed = await post({ action: "closed", target_type: "Milestone", target_iid: 83 });
  assert.equal(closed.json.target_id, iidOnly.json.target_id);
  const none = await post({ action: "created", target_type: "Snippet" });
  assert.ok(none.json.target_id >= 1);
  assert.equal(none.json.target_iid, none.json.target_id);
  const other = await post({ action: "created", target_type: "Snippet" });
  assert.notEqual(other.json.target_id, none.json.target_id);
});

test("the title of the newest event with one applies to all events of the target, past ones included (contract-events §1)", async () => {
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const titled = (target_title: string | undefined, minutes: number) =>
    post({
      action: "updated",
      target_type: "Issue",
      target_iid: 90,
      ...(target_title === undefined ? {} : { target_title }),
      created_at: at(minutes),
    });
  const first = await titled("First", 30);
  await titled("Newest", 10);
  await titled("Late arrival, older", 20);
  const comment = await post({
    action: "commented",
    target_type: "Note",
    note: { body: "!", noteable_type: "Issue", noteable_iid: 90 },
  });
  assert.equal(comment.json.target_title, "Newest");
  const tie = at(5);
  await post({
    action: "updated",
    target_type: "Issue",
    target_iid: 90,
    target_title: "A",
    created_at: tie,
  });
  const last = await post({
    action: "updated",
    target_type: "Issue",
    target_iid: 90,
    target_title: "B",
    created_at: tie,
  });
  assert.equal(last.json.target_title, "B");
  const list = await world.call("/api/v4/projects/acme%2Frocket/events?target_type=issue&per_page=100", {
    as: "dev",
  });
  const mine = list.json.filter((event: { target_iid: number }) => event.target_iid === 90);
  assert.deepEqual(
    new Set(mine.map((event: { target_title: string }) => event.target_title)),
    new Set(["B"]),
  );
  assert.ok(mine.some((event: { id: number }) => event.id === first.json.id));
});

test("a repeated external_id returns the same record for an equal body, and 409 for another body (contract-events §1)", async () => {
  const body = { action: "created", target_type: "Issue", target_iid: 95, target_title: "K" };
  const first = await post({ ...body, external_id: "k1" });
  assert.equal(first.status, 201);
  assert.equal(first.json.external_id, "k1");
  const { target_title, ...rest } = body;
  const again = await post({ target_title, external_id: "k1", unknown: true, ...rest });
  assert.equal(again.status, 200);
  assert.deepEqual(again.json, first.json);
  const byHeader = await post(body, "dev", { "idempotency-key": "k1" });
  assert.equal(byHeader.status, 200);
  assert.equal(byHeader.json.id, first.json.id);
  const other = await post({ ...body, target_title: "L", external_id: "k1" });
  assert.equal(other.status, 409);
  assert.equal(typeof other.json.message, "string");
});

test("20 concurrent requests with one external_id record one event (contract-events §1)", async () => {
  const body = { action: "created", target_type: "Issue", target_iid: 96, external_id: "race" };
  const replies = await Promise.all(Array.from({ length: 20 }, () => post(body)));
  assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  assert.equal(replies.filter(({ status }) => status === 200).length, 19);
  assert.equal(new Set(replies.map(({ json }) => json.id)).size, 1);
});

test("only a Maintainer may name another author, and an unknown author is refused (contract-events §1)", async () => {
  const body = { action: "created", target_type: "Issue", target_iid: 97 };
  const forbidden = await post({ ...body, author_username: "stan" });
  assert.equal(forbidden.status, 403);
  assert.deepEqual(forbidden.json, { message: "403 Forbidden" });
  assert.equal((await post({ ...body, author_username: "DEV" })).status, 201);
  const byMax = await post({ ...body, author_id: world.ids.stan }, "max");
  assert.equal(byMax.json.author_username, "stan");
  assert.equal((await post({ ...body, author_id: 999_999 }, "max")).status, 422);
  assert.equal((await post({ ...body, author_username: "nobody" }, "ada")).status, 422);
});

test("writing requires the Developer role and a write scope, and the project is 404 for people who cannot see it (contract-events §1)", async () => {
  const body = { action: "created", target_type: "Issue" };
  assert.equal((await post(body, "rep")).status, 403);
  assert.deepEqual((await post(body, "stan")).json, { message: "404 Project Not Found" });
  const path = "/api/v4/projects/acme%2Frocket/events";
  const reader = await world.call(path, { token: await world.tokenOf("dev", "read_api"), json: body });
  assert.equal(reader.status, 403);
  assert.equal(reader.json.error, "insufficient_scope");
  const writer = await world.tokenOf("dev", "write_events");
  assert.equal((await world.call(path, { token: writer, json: body })).status, 201);
  assert.equal((await world.call(path, { token: writer })).status, 403);
  assert.equal((await world.call(path, { json: body })).status, 401);
});

test("invalid members are all named in one 400, and contradictory ones are refused with 422 (contract-events §1)", async () => {
  const cases: [unknown, number, unknown][] = [
    [{}, 400, { error: "action is missing" }],
    [{ action: "danced" }, 400, { error: "action does not have a valid value" }],
    [
      { action: "Created", created_at: 5 },
      400,
      { error: "action does not have a valid value, created_at is invalid" },
    ],
    [{ action: "created", created_at: "yesterday" }, 400, { error: "created_at is invalid" }],
    [{ action: "created", created_at: "2026-02-30T00:00:00Z" }, 400, { error: "created_at is invalid" }],
    [{ action: "commented", target_type: "Note" }, 400, { error: "note is missing" }],
    [{ action: "commented", target_type: "Note", note: {} }, 400, { error: "note[body] is missing" }],
    [
      { action: "nix", created_at: "yesterday", note: { id: 0 }, push_data: [] },
      400,
      {
        error:
          "action does not have a valid value, push_data is invalid, note[body] is missing, note[id] does not have a valid value, created_at is invalid",
      },
    ],
    [{ action: "pushed" }, 400, { error: "push_data is missing" }],
    [{ action: "pushed", push_data: { ref: 5 } }, 400, { error: "push_data[ref] is invalid" }],
  ];
  for (const [body, status, answer] of cases) {
    const reply = await post(body);
    assert.equal(reply.status, status, JSON.stringify(body));
    assert.deepEqual(reply.json, answer);
  }
  const issue = { action: "created", target_type: "Issue" };
  for (const more of [
    { push_data: {} },
    { note: { body: "x" } },
    { wiki_page: { slug: "a", title: "A" } },
    { created_at: "2001-01-01T00:00:00Z" },
    { created_at: new Date(Date.now() + 3_600_000).toISOString() },
  ]) {
    const reply = await post({ ...issue, ...more });
    assert.equal(reply.status, 422, JSON.stringify(more));
    assert.equal(typeof reply.json.message, "string");
  }
});

test("created_at accepts the extended and basic formats of ISO 8601 with any offset, and is truncated to milliseconds (contract-events §1)", async () => {
  const [before, day] = [4, 3].map((days) =>
    new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
  ) as [string, string];
  for (const [written, read] of [
    [`${day}T10:20:30.123999Z`, `${day}T10:20:30.123Z`],
    [`${day}T10:20:30`, `${day}T10:20:30.000Z`],
    [`${day}T10:20:30.5+05:30`, `${day}T04:50:30.500Z`],
    [`${day} 10:20`, `${day}T10:20:00.000Z`],
    [`${day}T10Z`, `${day}T10:00:00.000Z`],
    [`${day.replaceAll("-", "")}T10-0130`, `${day}T11:30:00.000Z`],
    [`${day.replaceAll("-", "")}T102030.25Z`, `${day}T10:20:30.250Z`],
    [`${day.replaceAll("-", "")}T1020+0100`, `${day}T09:20:00.000Z`],
    [`${day}T22:59:60Z`, `${day}T23:00:00.000Z`],
    [`${before}T24:00:00Z`, `${day}T00:00:00.000Z`],
  ]) {
    const reply = await post({ action: "created", target_type: "Issue", created_at: written });
    assert.equal(reply.json.created_at, read, written);
  }
  for (const written of [
    `${day}T24:00:01Z`,
    `${day}T25:00:00Z`,
    `${day}T10:20:60Z`,
    `${day}T10:60:00Z`,
    `${day}T`,
  ]) {
    const reply = await post({ action: "created", target_type: "Issue", created_at: written });
    assert.deepEqual([reply.status, reply.json], [400, { error: "created_at is invalid" }], written);
  }
});

test("a push of several refs records one event per ref, and a single one for more than three refs of a kind (contract-events §1)", async () => {
  const [from, to, none] = ["1".repeat(40), "2".repeat(40), "0".repeat(40)];
  const change = (ref: string, before = from, after = to) => ({ ref, before, after, commit_count: 1 });
  const pushes = (changes: unknown, more = {}) =>
    world.call("/api/v4/projects/acme%2Frocket/pushes", { as: "dev", json: { changes, ...more } });
  const body = [
    change("refs/heads/a"),
    change("refs/heads/b", none),
    change("refs/heads/c", from, none),
    ...[1, 2, 3, 4].map((n) => change(`refs/tags/v${n}`, none)),
  ];
  const reply = await pushes(body, { external_id: "push-1" });
  assert.equal(reply.status, 201);
  assert.deepEqual(
    reply.json.map((event: { action_name: string }) => event.action_name),
    ["pushed", "pushed new", "deleted", "pushed new"],
  );
  const { push_data: many } = reply.json[3];
  assert.deepEqual(many, {
    commit_count: 0,
    action: "created",
    ref_type: "tag",
    commit_from: null,
    commit_to: null,
    ref: null,
    commit_title: null,
    ref_count: 4,
  });
  const again = await pushes(body, { external_id: "push-1" });
  assert.equal(again.status, 200);
  assert.deepEqual(again.json, reply.json);
  assert.equal((await pushes([])).status, 400);
  assert.equal((await pushes([change("refs/notes/x")])).status, 422);
  assert.equal((await pushes([change("refs/heads/x", none, none)])).status, 422);
  const { json: left } = await pushes([change("refs/heads/x", none, none), change("refs/heads/d")]);
  assert.deepEqual(
    left.map((event: { push_data: { ref: string } }) => event.push_data.ref),
    ["d"],
  );
  assert.equal((await pushes("x")).status, 400);
});

test("a push of the maximum of 10,000 refs records one event (contract-events §1)", async () => {
  const push = (count: number) =>
    world.call("/api/v4/projects/acme%2Frocket/pushes", {
      as: "dev",
      json: {
        changes: Array.from({ length: count }, (_, i) => ({
          ref: `refs/tags/v${i}`,
          before: "0".repeat(40),
          after: "2".repeat(40),
          commit_count: 1,
          commit_title: `Release ${i} of the ground station, with all that came since the one before`,
        })),
      },
    });
  const { status, json } = await push(10_000);
  assert.deepEqual([status, json.length, json[0]?.push_data.ref_count], [201, 1, 10_000]);
  assert.equal((await push(10_001)).status, 400);
});

test("the event lists of the caller and of users do not accept POST (contract-events §1)", async () => {
  for (const path of ["/api/v4/events", "/api/v4/users/dev/events"]) {
    const reply = await world.call(path, { as: "dev", json: {} });
    assert.equal(reply.status, 405);
    assert.deepEqual(reply.json, { error: "405 Not Allowed" });
  }
});

test("no content type, size or encoding of a body causes a 5xx (reference reliability A)", async () => {
  const path = "/api/v4/projects/acme%2Frocket/events";
  const json = { "content-type": "application/json" };
  const bodies: [string | Uint8Array, Record<string, string>][] = [
    ["", json],
    ["null", json],
    ["[]", json],
    ["5", json],
    ['"x"', json],
    ["{", json],
    [new Uint8Array([0x7b, 0xff, 0x7d]), json],
    ['{"action":"created","target_type":"Issue","target_title":"\\u0000"}', json],
    ['{"action":"created","target_type":"Issue","target_title":"\\ud800"}', json],
    ['{"action":"commented","target_type":"Note","note":{"body":"x","attachment":{"a":"\\u0000"}}}', json],
    ['{"action":"commented","target_type":"Note","note":[]}', json],
    ['{"action":"created","target_type":"Issue","target_iid":1e300}', json],
    ['{"action":"created","target_type":"Issue","target_iid":9007199254740993}', json],
    ['{"action":"created","target_type":"Issue","target_iid":-1}', json],
    ['{"action":"created","target_type":"Issue","target_iid":1.5}', json],
    ['{"action":"created","target_type":"Issue","assignee_ids":[[1]]}', json],
    ['{"action":"created","target_type":"Issue","confidential":"yes"}', json],
    [`{"action":"created","target_type":"Issue","target_title":"${"x".repeat(1025)}"}`, json],
    [`{"action":"created","target_type":"Issue","external_id":"${"x".repeat(256)}"}`, json],
    [`{"action":"created","x":${"[".repeat(5000)}${"]".repeat(5000)}}`, json],
    [`{"action":"${"x".repeat(1_100_000)}"}`, json],
    ["action=created", { "content-type": "text/plain" }],
    ["<a/>", { "content-type": "application/xml" }],
  ];
  for (const [body, headers] of bodies) {
    const reply = await world.call(path, { as: "dev", method: "POST", body, headers });
    assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status} for ${String(body).slice(0, 80)}`);
  }
});

test("a compressed body is refused with 415 that names the encoding, and a plain body with that header is accepted (RFC 9110 §15.5.16)", async () => {
  const path = "/api/v4/projects/acme%2Frocket/events";
  const body = JSON.stringify({ action: "created", target_type: "Issue" });
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  const packed = await world.call(path, { as: "dev", headers, body: gzipSync(body) });
  const words = "415 Unsupported Media Type. Send it without Content-Encoding: gzip.";
  assert.deepEqual([packed.status, packed.json], [415, { message: words }]);
  const form = { ...headers, "content-type": "application/x-www-form-urlencoded" };
  const packedForm = await world.call(path, { as: "dev", headers: form, body: gzipSync("action=created") });
  assert.deepEqual([packedForm.status, packedForm.json], [415, { message: words }]);
  assert.equal((await world.call(path, { as: "dev", headers, body })).status, 201);
});
