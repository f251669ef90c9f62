/** Commits of pushes: from forges and the write API, without mail addresses, deleted with their events. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, test } from "node:test";
import { removeOverdue } from "../../src/events/remove-overdue.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const EVENTS = "/api/v4/projects/acme%2Frocket/events";
const hash = (n: number) => n.toString(16).padStart(40, "a");
const commits = async (id: number, as: Person = "dev") => {
  const { json } = await world.call(`${EVENTS}?action=pushed&include=commits&per_page=100`, { as });
  return json.find((event: { id: number }) => event.id === id)?.commits;
};
const write = (push: object, as: Person = "dev", path = EVENTS) =>
  world.call(path, { as, json: { action: "pushed", push_data: { ref: "main", ...push } } });
const stored = async () =>
  (await world.platform.db.one(row({ n: integer }), sql`select count(*) as n from event_commits`)).n;

async function deliver(type: "github" | "gitlab", payload: object): Promise<number> {
  const path = "/api/v4/projects/acme%2Frocket/event_sources";
  const { url, secret } = (await world.call(path, { as: "max", json: { name: type, type } })).json;
  const body = JSON.stringify(payload);
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers: Record<string, string> =
    type === "github"
      ? { "x-github-event": "push", "x-hub-signature-256": `sha256=${signature}` }
      : { "x-gitlab-event": "Push Hook", "x-gitlab-token": secret };
  const reply = await world.call(url.slice(world.url.length), {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });
  assert.equal(reply.status, 202, reply.text);
  return reply.json.event_ids[0];
}

const range = { ref: "refs/heads/main", before: hash(1), after: hash(9) };

test("pushes from GitHub and GitLab keep their newest 20 commits, without mail addresses (contract-events §1, §3; decision 0095)", async () => {
  const told = Array.from({ length: 25 }, (_, n) => ({
    id: hash(n + 1),
    message: `Commit ${n + 1}\n\nwith a body`,
    timestamp: "2026-10-01T12:00:00+02:00",
    author: {
      name: n === 24 ? "mona@example.org" : `Mona <mona${n}@example.org>`,
      email: "mona@example.org",
    },
  }));
  const github = await deliver("github", {
    ...range,
    head_commit: told.at(-1),
    commits: told,
    sender: { login: "mona" },
  });
  const found = await commits(github);
  assert.equal(found.length, 20);
  assert.deepEqual(found[0], {
    id: hash(6),
    title: "Commit 6",
    author_name: "Mona",
    timestamp: "2026-10-01T12:00:00+02:00",
  });
  assert.deepEqual(found.at(-1), {
    id: hash(25),
    title: "Commit 25",
    timestamp: "2026-10-01T12:00:00+02:00",
  });
  const gitlab = await deliver("gitlab", {
    object_kind: "push",
    ...range,
    user_username: "mona",
    commits: [
      {
        id: hash(3),
        title: "Three",
        message: "Three\n\nx",
        timestamp: "not a moment",
        author: { name: "Mona" },
      },
      { id: "no hash", title: "Four" },
    ],
  });
  assert.deepEqual(await commits(gitlab), [{ id: hash(3), title: "Three", author_name: "Mona" }]);
  const { json } = await world.call(`${EVENTS}?action=pushed`, { as: "dev" });
  assert.ok(json.length > 0);
  assert.ok(json.every((event: object) => !("commits" in event)));
  const all = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from event_commits where commits::text like '%@%'`,
  );
  assert.equal(all.n, 0);
});

test("the write API keeps the commits of a push of one or several refs, refuses invalid ones, and shows the last one if none are given (contract-events §1)", async () => {
  const one = { id: hash(2), title: "Two", author_name: "Dev", timestamp: "2026-10-01T10:00:00Z" };
  const written = await write({ commit_to: hash(2), commit_title: "Two", commits: [one] });
  assert.equal(written.status, 201, written.text);
  assert.ok(!("commits" in written.json) && !("commits" in written.json.push_data));
  assert.deepEqual(await commits(written.json.id), [one]);
  const bare = await write({ commit_to: hash(2), commit_title: "Two" });
  assert.deepEqual(await commits(bare.json.id), [{ id: hash(2), title: "Two" }]);
  const bad = await write({ commits: [one, { title: "no id" }] });
  assert.deepEqual([bad.status, bad.json], [400, { error: "push_data[commits] is invalid" }]);
  const removed = await write({ action: "removed", commits: [one] });
  assert.deepEqual(await commits(removed.json.id), []);
  const pushes = "/api/v4/projects/acme%2Frocket/pushes";
  const several = await world.call(pushes, {
    as: "dev",
    json: {
      changes: [
        { ref: "refs/heads/a", before: hash(1), after: hash(2), commits: [one] },
        { ref: "refs/tags/t", before: "0".repeat(40), after: hash(2) },
      ],
    },
  });
  assert.equal(several.status, 201, several.text);
  const byRef = new Map(
    several.json.map((event: { push_data: { ref: string }; id: number }) => [event.push_data.ref, event.id]),
  );
  assert.deepEqual(await commits(byRef.get("a") as number), [one]);
  assert.deepEqual(await commits(byRef.get("t") as number), [{ id: hash(2), title: null }]);
  const wrong = await world.call(pushes, {
    as: "dev",
    json: { changes: [{ ref: "refs/heads/a", before: hash(1), after: hash(2), commits: ["x"] }] },
  });
  assert.deepEqual([wrong.status, wrong.json], [400, { error: "changes[0][commits] is invalid" }]);
  const text = (await world.call(`${EVENTS}/export?include=commits&action=pushed`, { as: "dev" })).text;
  const line = text.split("\n").find((words) => words.includes(`"id":${written.json.id},`));
  assert.deepEqual(JSON.parse(line ?? "{}").commits, [one]);
  assert.equal((await world.call(`${EVENTS}?include=commits`, { as: "stan" })).status, 404);
});

test("an equal body is a duplicate of the push, and one with other commits is a conflict (contract-events §1)", async () => {
  const push = (title: string) => ({
    as: "dev" as const,
    json: {
      action: "pushed",
      external_id: "c-1",
      push_data: { ref: "main", commits: [{ id: hash(2), title }] },
    },
  });
  assert.equal((await world.call(EVENTS, push("A"))).status, 201);
  assert.equal((await world.call(EVENTS, push("A"))).status, 200);
  assert.equal((await world.call(EVENTS, push("B"))).status, 409);
});

test("commits are deleted with their events, by the project's retention and with the project, and an erased author's name is removed (decisions 0104, 0119)", async () => {
  const { db } = world.platform;
  const open = "/api/v4/projects/acme%2Fopen/events";
  const by = (name: string) => ({ commits: [{ id: hash(7), title: "Seven", author_name: name }] });
  const old = new Date(Date.now() - 20 * 86_400_000).toISOString();
  const at = await world.call(open, {
    as: "dev",
    json: { action: "pushed", created_at: old, push_data: { ref: "main", ...by("Olga") } },
  });
  assert.equal(at.status, 201, at.text);
  const before = await stored();
  await db.run(sql`update projects set event_retention_days = 10 where id = ${world.open.id}`);
  await removeOverdue(world.platform);
  assert.equal(await stored(), before - 1);

  const others = await write(by("Rep Reporter"));
  const own = await world.call(open, {
    as: "rep",
    json: { action: "pushed", push_data: { ref: "main", ...by("X") } },
  });
  assert.equal(own.status, 403, "a Reporter may not write events");
  const made = await world.call(EVENTS, {
    as: "max",
    json: { action: "pushed", author_username: "rep", push_data: { ref: "main", ...by("Somebody") } },
  });
  assert.equal(made.status, 201, made.text);
  const erased = await world.call(`/api/v4/users/${world.ids.rep}?erase=true`, {
    as: "ada",
    method: "DELETE",
  });
  assert.equal(erased.status, 204, erased.text);
  assert.deepEqual(await commits(others.json.id), [{ id: hash(7), title: "Seven" }]);
  assert.deepEqual(await commits(made.json.id), []);

  assert.ok((await stored()) > 0);
  await db.pooled.run(sql`delete from projects where id = ${world.rocket.id}`);
  assert.equal(await stored(), 0);
});
