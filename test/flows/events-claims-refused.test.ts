/** A project's answer to a claim takes precedence over an administrator's approval for all projects (decision 0118). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { countsAreExact } from "../support/event-counts.ts";
import { archived, fileOf, importFile, linesOf } from "../support/files.ts";
import { runJob } from "../support/jobs.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const ROCKET = "acme%2Frocket";
const OPEN = "acme%2Fopen";
let world: World;
const sources = new Map<string, { url: string; secret: string }>();
before(async () => {
  world = await startWorld();
  for (const project of [ROCKET, OPEN]) {
    const path = `/api/v4/projects/${project}/event_sources`;
    const made = await world.call(path, { as: "max", json: { name: "GitLab", type: "gitlab" } });
    assert.equal(made.status, 201, made.text);
    sources.set(project, made.json);
  }
});

let deliveries = 0;
/** Delivers that this person of a forge opened a confidential issue with this number. */
async function opens(project: string, login: string, number: number, host = "gitlab.example.org") {
  const { url, secret } = sources.get(project) as { url: string; secret: string };
  const body = {
    object_kind: "issue",
    event_type: "confidential_issue",
    user: { username: login, name: login },
    project: { web_url: `https://${host}/a/b` },
    object_attributes: { id: 1000 + number, iid: number, title: "T", action: "open", confidential: true },
  };
  const reply = await world.call(url.slice(world.url.length), {
    method: "POST",
    json: body,
    headers: {
      "x-gitlab-event": "Issue Hook",
      "x-gitlab-token": secret,
      "x-gitlab-event-uuid": `u-${++deliveries}`,
    },
  });
  assert.equal(reply.json.status, "accepted", reply.text);
}

async function claimOf(as: Person, username: string, host = "gitlab.example.org"): Promise<number> {
  const made = await world.call("/api/v4/user/outside_identities", { as, json: { host, username } });
  assert.equal(made.status, 201, made.text);
  return made.json.id;
}

/** Answers a claim for this project, or as the administrator for all. */
async function answer(id: number, word: "approve" | "refuse", project?: string): Promise<void> {
  const place = project ? `/projects/${project}` : "";
  const path = `/api/v4${place}/outside_identities/${id}/${word}`;
  const done = await world.call(path, { as: project ? "max" : "ada", method: "POST" });
  assert.equal(done.status, 204, done.text);
}

/** The numbers of the person's issues in a project that somebody sees, by author without the ending of placeholders. */
async function issues(project: string, login: string, as: Person = "ada"): Promise<Record<string, number[]>> {
  const path = `/api/v4/projects/${project}/events?target_type=issue&per_page=100`;
  const list = (await world.call(path, { as })).json as { author_username: string; target_iid: number }[];
  const found: Record<string, number[]> = {};
  for (const { author_username: who, target_iid: iid } of list) {
    const name = who.replace(/-[0-9a-f]{8}$/, "");
    if (name === login || name in world.ids)
      found[name] = [...(found[name] ?? []), iid].sort((a, b) => a - b);
  }
  return found;
}

test("what a project refused stays with the placeholder when an administrator approves the claim for all, and the claimant does not read its confidential issues (decision 0118)", async () => {
  for (const project of [ROCKET, OPEN]) await opens(project, "bird", 20);
  const id = await claimOf("gus", "bird");
  await answer(id, "refuse", ROCKET);
  await answer(id, "approve");
  for (const project of [ROCKET, OPEN]) await opens(project, "bird", 21);
  assert.deepEqual(await issues(ROCKET, "bird"), { bird: [20, 21] });
  assert.deepEqual(await issues(ROCKET, "bird", "gus"), {});
  assert.deepEqual(await issues(OPEN, "bird"), { gus: [20, 21] });
  await runJob(world, "events");
  assert.deepEqual(await issues(ROCKET, "bird"), { bird: [20, 21] });
  await countsAreExact(world);
  await answer(id, "approve", ROCKET);
  assert.deepEqual(await issues(ROCKET, "bird", "gus"), { gus: [20, 21] });
  await answer(id, "refuse");
  assert.deepEqual(
    [await issues(ROCKET, "bird"), await issues(OPEN, "bird")],
    [{ gus: [20, 21] }, { bird: [20, 21] }],
  );
});

test("a Maintainer who refuses after an approval for all, or takes back the project's own, gets the events back for the placeholder (decision 0118)", async () => {
  for (const project of [ROCKET, OPEN]) await opens(project, "duck", 30);
  const id = await claimOf("gus", "duck");
  await answer(id, "approve");
  assert.deepEqual(await issues(ROCKET, "duck", "gus"), { gus: [20, 21, 30] });
  const listed = await world.call(`/api/v4/projects/${ROCKET}/outside_identities`, { as: "max" });
  assert.ok(
    listed.json.some((one: { id: number }) => one.id === id),
    "its Maintainers can decide it",
  );
  await answer(id, "refuse", ROCKET);
  assert.deepEqual(await issues(ROCKET, "duck"), { gus: [20, 21], duck: [30] });
  assert.deepEqual(await issues(OPEN, "duck"), { gus: [30] });
  await answer(id, "approve", ROCKET);
  await opens(ROCKET, "duck", 31);
  assert.deepEqual(await issues(ROCKET, "duck"), { gus: [20, 21, 30, 31] });
  await answer(id, "refuse", ROCKET);
  await opens(ROCKET, "duck", 32);
  assert.deepEqual(await issues(ROCKET, "duck"), { gus: [20, 21], duck: [30, 31, 32] });
  assert.deepEqual(await issues(ROCKET, "duck", "gus"), { gus: [20, 21] });
  await countsAreExact(world);
});

test("a project that gives an identity to somebody else than the approval for all gets its events for them, and back again (decision 0118)", async () => {
  await opens(ROCKET, "gull", 40);
  const [gus, rep] = [await claimOf("gus", "gull"), await claimOf("rep", "gull")];
  await answer(gus, "approve");
  await answer(rep, "approve", ROCKET);
  await opens(ROCKET, "gull", 41);
  assert.deepEqual((await issues(ROCKET, "gull")).rep, [40, 41]);
  // The project decided about the other claim alone, so the approval for all applies again.
  await answer(rep, "refuse", ROCKET);
  assert.deepEqual((await issues(ROCKET, "gull")).gus, [20, 21, 40, 41]);
  await countsAreExact(world);
});

test("events that an earlier version gave away against a project's refusal go back with the hourly sweep (decision 0118)", async () => {
  await opens(ROCKET, "wren", 50);
  const id = await claimOf("gus", "wren");
  await answer(id, "refuse", ROCKET);
  await answer(id, "approve");
  const { wren } = await world.platform.db.one(
    row({ wren: integer }),
    sql`select user_id as wren from event_outsiders where login = 'wren'`,
  );
  await world.owner.run(
    sql`update events set author_id = ${world.ids.gus}, told_as = ${wren} where author_id = ${wren}`,
  );
  assert.ok((await issues(ROCKET, "wren")).gus?.includes(50));
  await runJob(world, "events");
  assert.deepEqual((await issues(ROCKET, "wren")).wren, [50]);
});

test("imported events of a person whom the project refused stay with the placeholder under an approval for all (decisions 0103, 0118)", async () => {
  await opens(ROCKET, "crane", 60, "github.com");
  const id = await claimOf("gus", "crane", "github.com");
  await answer(id, "refuse", ROCKET);
  await answer(id, "approve");
  const issue = { action: "opened", issue: { id: 1061, number: 61, title: "Imported" } };
  const line = archived(61, "IssuesEvent", issue, { actor: { login: "Crane" } });
  const { code } = await importFile(world, [fileOf("crane.json", linesOf([line]))]).ended;
  assert.equal(code, 0);
  assert.deepEqual((await issues(ROCKET, "crane")).crane, [60, 61]);
});
