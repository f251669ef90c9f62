/** Pending claims of accounts on a forge, on the start page of those who may answer them. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, test } from "node:test";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { sql } from "../../src/platform/sql.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** Records that a GitHub user opened an issue in the project. */
async function opens(project: string, login: string): Promise<void> {
  const path = `/api/v4/projects/${project}/event_sources`;
  const source = (await world.call(path, { as: "max", json: { name: "GitHub" } })).json;
  const body = JSON.stringify({
    action: "opened",
    issue: { id: 1, number: 1, title: "T" },
    sender: { login, html_url: `https://github.com/${login}` },
  });
  const signature = createHmac("sha256", source.secret).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-github-event": "issues",
    "x-github-delivery": login,
    "x-hub-signature-256": `sha256=${signature}`,
  };
  const reply = await world.call(source.url.slice(world.url.length), { method: "POST", headers, body });
  assert.equal(reply.status, 202, reply.text);
}

const claim = (as: Person, username: string) =>
  world.call("/api/v4/user/outside_identities", { as, json: { host: "github.com", username } });
const answer = (as: Person, id: number, word: "approve" | "refuse", project?: string) => {
  const place = project ? `/projects/${project}` : "";
  return world.call(`/api/v4${place}/outside_identities/${id}/${word}`, { as, method: "POST" });
};

test("a claim does not wait for the Maintainers of a project whose events of that account are gone (decision 0132)", async () => {
  await opens("acme%2Fopen", "egret");
  assert.equal((await claim("gus", "egret")).status, 201);
  const max = await signedIn(world, "max");
  assert.match((await max.get("/")).text, /egret at github\.com/);
  await compactEventCounts(world.platform);
  await world.owner.run(
    sql`delete from events e using event_outsiders o where o.login = 'egret' and e.author_id = o.user_id`,
  );
  // The count of none may stay until a sweep.
  for (const compacted of [false, true]) {
    if (compacted) await compactEventCounts(world.platform);
    assert.doesNotMatch((await max.get("/")).text, /egret at github\.com/, `${compacted}`);
  }
  const listed = await world.call("/api/v4/user/outside_identities", { as: "gus" });
  for (const { id } of listed.json)
    await world.call(`/api/v4/user/outside_identities/${id}`, { as: "gus", method: "DELETE" });
});

test("a pending claim is on the start page of those who may answer it until it is answered, and of nobody else (decision 0132)", async () => {
  const waits = async (who: Person) => {
    const { text } = await (await signedIn(world, who)).get("/");
    const [card = ""] = /id="waiting-claims"[\s\S]*?<\/section>/.exec(text) ?? [];
    return [...card.matchAll(/<span class="wrap-any">(heron[^<]*)<\/span>/g)].map(([, words]) => words);
  };
  for (const who of ["ada", "max", "stan"] as const) assert.deepEqual(await waits(who), []);
  await opens("acme%2Frocket", "heron-1");
  await opens("acme%2Fopen", "heron-2");
  // The third login has not appeared in any event, and the second only in the open project.
  for (const login of ["heron-1", "heron-2", "heron-3"])
    assert.equal((await claim("gus", login)).status, 201);
  // A claim by Stan is not shown to maintainers of a project that he cannot see.
  assert.equal((await claim("stan", "heron-1")).status, 201);
  const [one, two] = ["heron-1 at github.com", "heron-2 at github.com"];
  assert.deepEqual(await waits("ada"), [one, two, one]);
  assert.deepEqual(await waits("max"), [one, two]);
  for (const who of ["dev", "gus", "stan"] as const) assert.deepEqual(await waits(who), []);
  // Claims cannot be answered in archived projects (decision 0153).
  const turn = (word: "archive" | "unarchive") =>
    world.call(`/api/v4/projects/acme%2Frocket/${word}`, { as: "olga", method: "POST" });
  await turn("archive");
  assert.deepEqual(await waits("max"), [two]);
  await turn("unarchive");

  const asked = (await world.call("/api/v4/user/outside_identities", { as: "gus" })).json;
  const numberOf = (login: string) => asked.find((one: { username: string }) => one.username === login).id;
  assert.equal((await answer("max", numberOf("heron-1"), "approve", "acme%2Frocket")).status, 204);
  assert.deepEqual(await waits("max"), [two]);
  assert.equal((await answer("ada", numberOf("heron-2"), "refuse")).status, 204);
  assert.deepEqual(await waits("max"), []);
  assert.deepEqual(await waits("ada"), [one]);
  // Nobody answers their own claims.
  await opens("acme%2Fopen", "heron-4");
  for (const who of ["ada", "max"] as const) assert.equal((await claim(who, "heron-4")).status, 201);
  const four = "heron-4 at github.com";
  assert.deepEqual([await waits("ada"), await waits("max")], [[one, four], [four]]);
});
