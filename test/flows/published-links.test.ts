/** Every URL that a record, header, feed or discovery document publishes leads somewhere for those who may read it. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { about, comment, push, record } from "../support/events.ts";
import { daysAgo } from "../support/past-days.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld({ GATEHOUSE_RATE_LIMITS: "off" });
  await fill();
});

const ROCKET = "/api/v4/projects/acme%2Frocket";

/** Creates records of every kind. */
async function fill(): Promise<void> {
  const { rocket, open, ids } = world;
  const at = { projectId: rocket.id, authorId: ids.dev };
  await record(world, [
    { ...push, ...at },
    { ...about("created", "MergeRequest", 3), ...at },
    { ...about("created", "Issue", 9), ...at },
    { ...comment("MergeRequest", 3), ...at },
    { ...push, projectId: open.id, authorId: ids.rep },
    { ...about("created", "Issue", 1), projectId: open.id, authorId: ids.stan },
    { action: "joined", targetType: null, projectId: open.id, authorId: ids.gus },
  ]);
  const made = async (path: string, json: unknown, as: Person = "max") => {
    const reply = await world.call(path, { as, json });
    assert.ok(reply.status < 300, `${path}: ${reply.text}`);
    return reply.json;
  };
  const parent = (await world.call("/api/v4/groups/acme", { as: "olga" })).json.id;
  const crew = await made(
    "/api/v4/groups",
    { name: "Crew", path: "crew", parent_id: parent, visibility: "private" },
    "olga",
  );
  await made(
    "/api/v4/projects",
    { name: "Deep", path: "deep", namespace_id: crew.id, visibility: "private" },
    "olga",
  );
  await made("/api/v4/projects", { name: "Own", path: "own", visibility: "private" }, "dev");
  await made(`${ROCKET}/environments`, { name: "production" });
  const integration = await made(`${ROCKET}/alert_integrations`, {
    name: "Door",
    type: "http",
    active: true,
  });
  const alert = await world.call(new URL(integration.url).pathname, {
    json: { title: "Smoke" },
    headers: { authorization: `Bearer ${integration.authorization_key}` },
  });
  assert.equal(alert.status, 200, alert.text);
  await made(`${ROCKET}/issues`, { title: "Fire" });
  await made(`${ROCKET}/issues/1/notes`, { body: "On it" });
  await made(`${ROCKET}/hooks`, { url: "https://ci.example.org/hook" });
  const source = await made(`${ROCKET}/event_sources`, { name: "GitHub", type: "github" });
  const body = JSON.stringify({
    action: "opened",
    issue: { id: 5, number: 5, title: "Told" },
    sender: { login: "octo", html_url: "https://github.com/octo" },
  });
  const delivered = await fetch(source.url, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-github-event": "issues",
      "x-github-delivery": "1",
      "x-hub-signature-256": `sha256=${createHmac("sha256", source.secret).update(body).digest("hex")}`,
    },
  });
  assert.equal(delivered.status, 202, await delivered.text());
  await made(
    "/api/v4/applications",
    { name: "App", redirect_uri: "https://app.example.org/cb", scopes: "api" },
    "ada",
  );
}

/** Members that only identify a resource (RFC 8707 §2; RFC 9728 §4): clients compare them instead of requesting them. */
const IDENTIFIES = /\.(resource|protected_resources)$/;

/** All strings in a value that are URLs of the service, with the names of the members that contain them. */
function linksIn(value: unknown, name = ""): [string, string][] {
  if (IDENTIFIES.test(name)) return [];
  if (typeof value === "string") return value.startsWith(`${world.url}/`) ? [[name, value]] : [];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, member]) =>
    linksIn(member, Array.isArray(value) ? name : `${name}.${key}`),
  );
}

/** The paths of the API that can be read, with their parameters replaced by existing ids. */
async function addresses(as: Person | undefined): Promise<string[]> {
  const { paths } = JSON.parse(readFileSync("openapi.json", "utf8")) as {
    paths: Record<string, { get?: object }>;
  };
  const found: string[] = [];
  const roots = {
    projects: ["acme%2Frocket", "acme%2Fopen", "acme%2Fcrew%2Fdeep", "dev%2Fown"],
    groups: ["acme", "acme%2Fcrew"],
    users: ["dev", "stan", "olga"],
    applications: ["1"],
    personal_access_tokens: ["self"],
  };
  const fillIn = async (path: string): Promise<string[]> => {
    const [, before = "", root = "", rest = ""] = /^(\/api\/v4\/(\w+)\/)\{id\}(.*)$/.exec(path) ?? [];
    const begun =
      root === "" ? [path] : (roots[root as keyof typeof roots] ?? []).map((id) => `${before}${id}${rest}`);
    const whole: string[] = [];
    for (let address of begun) {
      for (let open = address.indexOf("/{"); open >= 0; open = address.indexOf("/{")) {
        const list = await world.call(address.slice(0, open), as ? { as } : {});
        const first = Array.isArray(list.json) ? list.json[0] : undefined;
        const id = first?.iid ?? first?.id;
        if (id === undefined) break;
        address = address.replace(/\{\w+\}/, String(id));
      }
      if (!address.includes("{")) whole.push(address);
    }
    return whole;
  };
  for (const [path, { get }] of Object.entries(paths)) {
    if (get && path.startsWith("/api/v4/") && !path.endsWith("/stream")) found.push(...(await fillIn(path)));
  }
  return [
    ...found,
    "/api/v4/events?scope=all&include=project,target",
    ...["pagination=keyset", "page=2", "search=issue"].map((query) => `${ROCKET}/events?per_page=1&${query}`),
    ...["acme%2Frocket", "acme%2Fopen"].map((id) => `/api/v4/projects/${id}/events?include=project,target`),
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/acme/open.json",
    "/acme/open.atom",
    "/acme.json",
    "/stan.json",
    "/",
  ];
}

/** Endpoints for POST requests. */
const POSTED =
  /\/event_sources\/[0-9a-f]+\/receive$|\/alerts\/notify|\/oauth\/(par|token|revoke|introspect|authorize_device)$/;

test("a comment on a merge request that is known only by a commit does not hide other merge requests (reference events B4)", async () => {
  const note = { body: "Look", noteable_type: "MergeRequest", commit_id: "abc123" };
  const json = { action: "commented", target_type: "DiffNote", note };
  const written = await world.call("/api/v4/projects/acme%2Frocket/events", { as: "dev", json });
  assert.equal(written.status, 201, written.text);
  const list = await world.call(`${ROCKET}/merge_requests`, { as: "dev" });
  assert.deepEqual([list.status, list.json.map(({ iid }: { iid: number }) => iid)], [200, [3]]);
});

test("the merge requests of a project are derived from its events, with their state, for those who may see these events (reference events B2, B4)", async () => {
  const { open, ids } = world;
  const first = daysAgo(100).getTime();
  const dateOf = (day: number) => new Date(first + day * 86_400_000);
  const at = (action: "created" | "closed" | "reopened" | "merged", iid: number, day: number) => ({
    ...about(action, "MergeRequest", iid),
    projectId: open.id,
    authorId: ids.dev,
    createdAt: dateOf(day),
  });
  await record(world, [
    ...[at("created", 71, 1), at("closed", 71, 2), at("reopened", 71, 3)],
    ...[at("created", 72, 4), at("closed", 72, 5)],
    ...[at("created", 73, 6), at("merged", 73, 7)],
    {
      ...comment("MergeRequest", 73),
      projectId: open.id,
      authorId: ids.rep,
      createdAt: dateOf(8),
    },
    {
      ...comment("MergeRequest", 73, { internal: true }),
      projectId: open.id,
      authorId: ids.rep,
      createdAt: dateOf(9),
    },
  ]);
  const list = async (query = "") => {
    const reply = await world.call(`/api/v4/projects/acme%2Fopen/merge_requests${query}`);
    assert.equal(reply.status, 200, reply.text);
    return reply;
  };
  type Told = { iid: number; state: string; title: string; author: { username: string }; updated_at: string };
  const all = await list();
  assert.equal(all.headers.get("x-total"), "3");
  assert.deepEqual(
    all.json.map(({ iid, state, title, author }: Told) => [iid, state, title, author.username]),
    [
      [73, "merged", "MergeRequest 73", "dev"],
      [72, "closed", "MergeRequest 72", "dev"],
      [71, "opened", "MergeRequest 71", "dev"],
    ],
  );
  assert.equal(all.json[0].merged_at, dateOf(7).toISOString());
  assert.equal(all.json[0].updated_at, dateOf(8).toISOString(), "internal comments are not counted");
  assert.equal(all.json[2].closed_at, null);
  const closed = await list("?state=closed");
  assert.deepEqual(
    closed.json.map(({ iid }: Told) => iid),
    [72],
  );
  assert.deepEqual((await list("?state=locked")).json, [], "a state of GitLab that no event leads to");
  for (const [query, iids] of [
    ["iids[]=72", [72]],
    ["iids=71,73,9", [73, 71]],
    [`author_id=${ids.dev}&state=merged`, [73]],
    [`author_id=${ids.rep}`, []],
    ["author_username=DEV", [73, 72, 71]],
    ["author_username=nobody", []],
    ["not[author_username]=dev", []],
    [`not[author_id]=${ids.rep}&not[author_username]=nobody`, [73, 72, 71]],
    ["search=REQUEST 72", [72]],
    ["search=REQUEST 72&in=description", []],
    [`created_after=${dateOf(4).toISOString()}`, [73, 72]],
    [`updated_before=${dateOf(5).toISOString()}`, [72, 71]],
    ["order_by=updated_at&sort=asc", [71, 72, 73]],
    ["scope=created_by_me", []],
    ["scope=assigned_to_me", []],
    ["labels=None&assignee_id=None&milestone=", [73, 72, 71]],
    ["labels=bug", []],
    ["milestone=v1", []],
    ["reviewer_username=dev", []],
    ["target_branch=main", []],
  ] as const) {
    const found = await list(`?${query}`);
    assert.deepEqual(
      [found.json.map(({ iid }: Told) => iid), found.headers.get("x-total")],
      [iids, String(iids.length)],
      query,
    );
  }
  const own = await world.call("/api/v4/projects/acme%2Fopen/merge_requests?scope=created_by_me", {
    as: "dev",
  });
  assert.equal(own.json.length, 3);
  const second = await list("?per_page=1&page=2&sort=asc");
  assert.deepEqual(
    second.json.map(({ iid }: Told) => iid),
    [72],
  );
  assert.equal((await world.call(`${ROCKET}/merge_requests`, { as: "gus" })).status, 403);
  assert.equal((await world.call(`${ROCKET}/merge_requests`, { as: "rep" })).json.length, 1);
  assert.equal((await world.call(`${ROCKET}/merge_requests`, { as: "stan" })).status, 404);
  const labels = await world.call(`${ROCKET}/labels`, { as: "gus" });
  const issues = await world.call(`${ROCKET}/issues`, { as: "rep" });
  assert.deepEqual(
    labels.json.map(({ name }: { name: string }) => name),
    issues.json[0].labels,
  );
  assert.equal((await world.call(`${ROCKET}/labels`, { as: "stan" })).status, 404);
});

for (const as of ["olga", "max", "dev", "ada", "gus", undefined] as const) {
  test(`every URL that is published to ${as ?? "nobody"} leads somewhere (reference events A5, B2; contract §3)`, async () => {
    const visitor = as && (await signedIn(world, as));
    const links = new Map<string, string>();
    let records = 0;
    for (const address of await addresses(as)) {
      const reply = await world.call(address, as ? { as } : {});
      assert.ok(reply.status < 500, `${address}: ${reply.status}`);
      if (reply.status !== 200) continue;
      records++;
      for (const [name, link] of linksIn(reply.json)) links.set(link, `${name} of ${address}`);
      for (const [, link = ""] of (reply.headers.get("link") ?? "").matchAll(/<([^>]+)>/g)) {
        links.set(link, `Link of ${address}`);
      }
      if (/\.atom$|^\/$/.test(address)) {
        for (const [, link = ""] of reply.text.matchAll(/(?:href|src)="([^"]+)"/g)) {
          const whole = new URL(link.replaceAll("&amp;", "&"), world.url).href;
          if (whole.startsWith(`${world.url}/`)) links.set(whole, `href of ${address}`);
        }
      }
    }
    assert.ok(records > 10 && links.size > (as ? 30 : 10), `${records} records, ${links.size} links`);
    const dead: string[] = [];
    for (const [link, from] of links) {
      const path = link.slice(world.url.length);
      const post = POSTED.test(path);
      const answer =
        path.startsWith("/api/") || path.startsWith("/oauth/") || post
          ? await world.call(path, { ...(as && !post ? { as } : {}), ...(post ? { method: "POST" } : {}) })
          : visitor
            ? await visitor.get(path)
            : await world.call(path);
      const isGone = answer.status === 404 || answer.status === 405 || answer.status >= 500;
      if (isGone) dead.push(`${answer.status} ${path} (${from})`);
    }
    assert.deepEqual(dead, []);
  });
}
