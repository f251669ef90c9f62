/** Claims of accounts on a forge: made by users, answered by Maintainers or administrators; events follow (decision 0118). */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, test } from "node:test";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { insertClaim, lockClaimsOf } from "../../src/events/store-claims.ts";
import type { Queries } from "../../src/platform/db.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { countsAreExact } from "../support/event-counts.ts";
import { about, record } from "../support/events.ts";
import { archived, fileOf, importFile, linesOf } from "../support/files.ts";
import { runJob } from "../support/jobs.ts";
import { meanwhile, whileDoing } from "../support/meanwhile.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
type Source = { url: string; secret: string };
let rocket: Source;
let open: Source;
before(async () => {
  world = await startWorld();
  rocket = await source("acme%2Frocket");
  open = await source("acme%2Fopen");
});

async function source(project: string): Promise<Source> {
  const path = `/api/v4/projects/${project}/event_sources`;
  const made = await world.call(path, { as: "max", json: { name: "GitHub", type: "github" } });
  assert.equal(made.status, 201, made.text);
  return made.json;
}

let deliveries = 0;
/** Delivers that a GitHub user opened the issue with this number. */
async function opens({ url, secret }: Source, login: string, number: number, name = login): Promise<void> {
  const body = JSON.stringify({
    action: "opened",
    issue: { id: 1000 + number, number, title: `Issue ${number}`, created_at: new Date().toISOString() },
    sender: { login, name, html_url: `https://github.com/${login}` },
  });
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const reply = await fetch(url, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-github-event": "issues",
      "x-github-delivery": `d-${++deliveries}`,
      "x-hub-signature-256": `sha256=${signature}`,
    },
  });
  assert.equal(reply.status, 202, await reply.text());
}

const claim = (as: Person, username: string, host = "github.com") =>
  world.call("/api/v4/user/outside_identities", { as, json: { host, username } });
const asked = async (project: string, as: Person = "max") =>
  (await world.call(`/api/v4/projects/${project}/outside_identities`, { as })).json;
const answer = (as: Person, id: number, word: "approve" | "refuse", project?: string) => {
  const place = project ? `/projects/${project}` : "";
  return world.call(`/api/v4${place}/outside_identities/${id}/${word}`, { as, method: "POST" });
};

/** The iids of a project's issues by author. */
async function authors(project: string): Promise<Record<string, number[]>> {
  const list = (
    await world.call(`/api/v4/projects/${project}/events?target_type=issue&per_page=100`, { as: "ada" })
  ).json as { author_username: string; target_iid: number }[];
  const found: Record<string, number[]> = {};
  for (const { author_username: who, target_iid: iid } of list) {
    const name = who.replace(/-[0-9a-f]{8}$/, "-*");
    found[name] = [...(found[name] ?? []), iid].sort((a, b) => a - b);
  }
  return found;
}

const totalOf = async (who: string) =>
  Number((await world.call(`/api/v4/users/${who}/events?per_page=1`, { as: "ada" })).headers.get("x-total"));

test("the page of claims does not mention suggestions when there are none (ux §8)", async () => {
  const { text } = await (await signedIn(world, "stan")).get("/profile/identities");
  assert.match(text, /No identity yet<\/h3><p>Add one below\./);
  assert.doesNotMatch(text, /seen below/);
});

test("an approved claim moves past and future events of the project to the claimant, and revoking it returns them, with exact counts (decision 0118)", async () => {
  await opens(rocket, "Octo", 1);
  await opens(open, "Octo", 1);
  await record(world, [
    { ...about("created", "Issue", 90), projectId: world.rocket.id, authorId: world.ids.dev },
  ]);
  const [mine, theirs] = [await totalOf("dev"), await authors("acme%2Frocket")];
  assert.deepEqual(theirs, { "octo-*": [1], dev: [90] });
  const made = await claim("dev", "@OCTO");
  assert.equal(made.status, 201, made.text);
  assert.deepEqual([made.json.host, made.json.username, made.json.answers], ["github.com", "OCTO", []]);
  const again = await claim("dev", "octo", "https://github.com/octo");
  assert.deepEqual([again.status, again.json], [200, made.json]);
  const { id } = made.json;
  const [shown] = await asked("acme%2Frocket");
  assert.deepEqual([shown.id, shown.user.username, shown.state], [id, "dev", "asked"]);

  assert.equal((await answer("max", id, "approve", "acme%2Frocket")).status, 204);
  assert.deepEqual(await authors("acme%2Frocket"), { dev: [1, 90] });
  assert.deepEqual(await authors("acme%2Fopen"), { "octo-*": [1] });
  assert.equal(await totalOf("dev"), mine + 1);
  await countsAreExact(world);
  await opens(rocket, "octo", 2);
  await opens(open, "octo", 2);
  assert.deepEqual(await authors("acme%2Frocket"), { dev: [1, 2, 90] });
  assert.deepEqual(await authors("acme%2Fopen"), { "octo-*": [1, 2] });
  const own = (await world.call("/api/v4/user/outside_identities", { as: "dev" })).json;
  assert.deepEqual(
    own[0].answers.map((one: { project: { path_with_namespace: string }; state: string }) => [
      one.project.path_with_namespace,
      one.state,
    ]),
    [["acme/rocket", "granted"]],
  );
  const withdrawn = await world.call(`/api/v4/user/outside_identities/${id}`, {
    as: "dev",
    method: "DELETE",
  });
  assert.equal(withdrawn.status, 409, withdrawn.text);

  assert.equal((await answer("ada", id, "refuse", "acme%2Frocket")).status, 204);
  assert.deepEqual(await authors("acme%2Frocket"), { "octo-*": [1, 2], dev: [90] });
  assert.equal(await totalOf("dev"), mine);
  await countsAreExact(world);
  await opens(rocket, "octo", 3);
  assert.deepEqual((await authors("acme%2Frocket"))["octo-*"], [1, 2, 3]);
  assert.equal((await asked("acme%2Frocket"))[0].state, "refused");
  const log = await world.platform.db.many(
    row({ action: text, actorId: integer, userId: integer }),
    sql`select action, actor_id, user_id from audit_entries where action like 'identity%' order by id`,
  );
  const { dev, max, ada } = world.ids;
  assert.deepEqual(
    log.map(({ action, actorId, userId }) => [action, actorId, userId]),
    [
      ["identity_claimed", dev, dev],
      ["identity_granted", max, dev],
      ["identity_taken_back", ada, dev],
    ],
  );
});

test("claims are answered only by administrators and by Maintainers of a project that the claimant sees and the account acts in (decision 0118)", async () => {
  await opens(rocket, "hub", 10);
  const dev = (await claim("dev", "hub")).json.id;
  const stan = (await claim("stan", "hub")).json.id;
  const ids = (await asked("acme%2Frocket")).map((one: { id: number }) => one.id);
  assert.ok(ids.includes(dev));
  assert.ok(!ids.includes(stan), "claims by people who do not see the project are not listed there");
  assert.ok(!(await asked("acme%2Fopen")).some((one: { id: number }) => one.id === dev));
  assert.equal((await answer("max", stan, "approve", "acme%2Frocket")).status, 404);
  assert.equal((await answer("max", dev, "approve", "acme%2Fopen")).status, 404);
  for (const who of ["dev", "rep", "gus"] as const) {
    assert.equal((await answer(who, dev, "approve", "acme%2Frocket")).status, 403, who);
  }
  assert.equal((await answer("stan", stan, "approve", "acme%2Frocket")).status, 404);
  for (const who of ["max", "olga", "stan"] as const) {
    assert.equal((await answer(who, stan, "approve")).status, 403, who);
    assert.equal((await world.call("/api/v4/outside_identities", { as: who })).status, 403, who);
  }
  assert.equal((await answer("max", dev, "approve", "acme%2Frocket")).status, 204);
  const rep = (await claim("rep", "hub")).json.id;
  assert.equal(
    (await answer("ada", rep, "approve", "acme%2Frocket")).status,
    409,
    "an account has at most one owner in a project",
  );
  assert.deepEqual((await authors("acme%2Frocket")).dev, [10, 90]);
});

test("the response to a claim does not reveal whether the account is known, and an unknown account cannot be approved (decision 0118)", async () => {
  const known = await claim("gus", "octo");
  const unknown = await claim("gus", "nobody-at-all");
  assert.deepEqual([known.status, unknown.status], [201, 201]);
  assert.deepEqual(Object.keys(known.json), Object.keys(unknown.json));
  assert.equal((await answer("ada", unknown.json.id, "approve")).status, 409);
  const gone = await world.call(`/api/v4/user/outside_identities/${unknown.json.id}`, {
    as: "gus",
    method: "DELETE",
  });
  assert.equal(gone.status, 204, gone.text);
  assert.equal((await claim("gus", "two words")).status, 400);
  assert.equal((await claim("gus", "fine", "not a host")).status, 400);
  const path = "/api/v4/user/outside_identities";
  assert.equal((await world.call(path, { as: "gus", json: { host: "github.com" } })).status, 400);
  assert.equal((await world.call(path)).status, 401);
});

test("an administrator's approval applies everywhere except where a project has decided, and can be revoked; a sweep moves leftover events (decision 0118)", async () => {
  await opens(rocket, "bird", 20);
  await opens(open, "bird", 20);
  const dev = (await claim("dev", "bird")).json.id;
  const rep = (await claim("rep", "bird")).json.id;
  assert.equal((await answer("max", rep, "approve", "acme%2Fopen")).status, 204);
  assert.equal((await answer("ada", dev, "approve")).status, 204);
  assert.equal((await answer("ada", rep, "approve")).status, 409);
  assert.ok((await authors("acme%2Frocket")).dev?.includes(20));
  assert.deepEqual((await authors("acme%2Fopen")).rep, [20]);
  await opens(open, "bird", 21);
  await opens(rocket, "bird", 21);
  assert.deepEqual((await authors("acme%2Fopen")).rep, [20, 21]);
  assert.ok((await authors("acme%2Frocket")).dev?.includes(21));
  await countsAreExact(world);

  const { id: bird } = await world.platform.db.one(
    row({ id: integer }),
    sql`select user_id as id from event_outsiders where login = 'bird'`,
  );
  await record(world, [{ ...about("created", "Issue", 22), projectId: world.rocket.id, authorId: bird }]);
  await runJob(world, "events");
  assert.ok((await authors("acme%2Frocket")).dev?.includes(22));

  assert.equal((await answer("ada", dev, "refuse")).status, 204);
  assert.deepEqual((await authors("acme%2Frocket"))["bird-*"], [20, 21, 22]);
  assert.deepEqual((await authors("acme%2Fopen")).rep, [20, 21]);
  assert.equal((await answer("max", rep, "refuse", "acme%2Fopen")).status, 204);
  assert.deepEqual((await authors("acme%2Fopen"))["bird-*"], [20, 21]);
  await countsAreExact(world);
});

test("deliveries that arrive while an approval is given or revoked all end up with the right author (decision 0118)", async () => {
  await opens(rocket, "swift", 70);
  const { id } = (await claim("gus", "swift")).json;
  const many = (from: number) => Array.from({ length: 12 }, (_, n) => opens(rocket, "swift", from + n));
  const numbers = (from: number) => Array.from({ length: 12 }, (_, n) => from + n);
  await Promise.all([...many(100), answer("max", id, "approve", "acme%2Frocket"), ...many(112)]);
  assert.deepEqual((await authors("acme%2Frocket")).gus, [70, ...numbers(100), ...numbers(112)]);
  await Promise.all([...many(124), answer("max", id, "refuse", "acme%2Frocket"), ...many(136)]);
  assert.deepEqual((await authors("acme%2Frocket"))["swift-*"]?.length, 49);
  await countsAreExact(world);
});

test("imported events of a claimed account belong to the claimant, and are returned with the claim (decisions 0103, 0118)", async () => {
  await opens(rocket, "crane", 60);
  const { id } = (await claim("gus", "crane")).json;
  assert.equal((await answer("max", id, "approve", "acme%2Frocket")).status, 204);
  const issue = { action: "opened", issue: { id: 1061, number: 61, title: "Imported" } };
  const line = archived(61, "IssuesEvent", issue, { actor: { login: "Crane" } });
  const { code } = await importFile(world, [fileOf("crane.json", linesOf([line]))]).ended;
  assert.equal(code, 0);
  assert.deepEqual((await authors("acme%2Frocket")).gus, [60, 61]);
  assert.equal((await answer("max", id, "refuse", "acme%2Frocket")).status, 204);
  assert.deepEqual((await authors("acme%2Frocket"))["crane-*"], [60, 61]);
  const later = { action: "opened", issue: { id: 1062, number: 62, title: "Imported later" } };
  const next = archived(62, "IssuesEvent", later, { actor: { login: "Crane" } });
  assert.equal((await importFile(world, [fileOf("crane-later.json", linesOf([next]))]).ended).code, 0);
  assert.deepEqual(
    (await authors("acme%2Frocket"))["crane-*"],
    [60, 61, 62],
    "a refused claim moves no later import",
  );
  await countsAreExact(world);
});

test("after a user is erased, no event links their pseudonym to the claimed account, and its later events belong to nobody (decisions 0104, 0118)", async () => {
  await opens(open, "wolf", 30);
  const { id } = (await claim("stan", "wolf")).json;
  assert.equal((await answer("max", id, "approve", "acme%2Fopen")).status, 204);
  assert.deepEqual((await authors("acme%2Fopen")).stan, [30]);
  const erased = await world.call(`/api/v4/users/${world.ids.stan}?erase=true`, {
    as: "ada",
    method: "DELETE",
  });
  assert.equal(erased.status, 204, erased.text);
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from events e join event_outsiders o on o.user_id in (e.told_as, e.author_id)
      where o.login = 'wolf'`,
  );
  assert.equal(n, 0);
  await opens(open, "wolf", 31);
  assert.deepEqual((await authors("acme%2Fopen"))["wolf-*"], [31]);
  await countsAreExact(world);
});

test("users claim accounts on a page, Maintainers approve on another, and administrators on a third (decision 0118)", async () => {
  await opens(rocket, "rep", 40, "Rep at <GitHub>");
  await compactEventCounts(world.platform);
  const rep = await signedIn(world, "rep");
  const first = await rep.get("/profile/identities");
  assert.match(first.text, /Rep at &lt;GitHub&gt;/);
  assert.match(first.text, /That is me/);
  const bad = await rep.post("/profile/identities", { host: "a b", username: "x" });
  assert.equal(bad.status, 422);
  assert.match(bad.text, /Give the name of a server/);
  const done = await rep.follow(
    await rep.post("/profile/identities", { host: "github.com", username: "rep" }),
  );
  assert.match(done.text, /rep at github\.com is asked for\./);
  assert.doesNotMatch(done.text, /Rep at &lt;GitHub&gt;/);
  const max = await signedIn(world, "max");
  const home = "/acme/rocket/-/settings/sources";
  const page = await max.get(home);
  const [, approve = ""] = /action="([^"]+\/approve)"(?:(?!<\/form>)[\s\S])*Is rep at/.exec(page.text) ?? [];
  assert.match(approve, /\/sources\/claims\/\d+\/approve$/);
  assert.equal((await rep.post(approve, {})).status, 403);
  assert.match((await max.follow(await max.post(approve, {}))).text, /Approved; its events are theirs now/);
  assert.deepEqual((await authors("acme%2Frocket")).rep, [40]);
  assert.match((await max.get(home)).text, /Take back/);
  assert.match(
    (await rep.get("/profile/identities")).text,
    /Approved<\/span> <span class="wrap-any">acme\/rocket/,
  );

  await opens(rocket, "finch", 41);
  const people = await world.platform.db.one(
    row({ username: text }),
    sql`select u.username from users u join event_outsiders o on o.user_id = u.id where o.login = 'finch'`,
  );
  assert.match((await rep.get(`/${people.username}`)).text, /href="\/profile\/identities#new">Is this you/);
  assert.doesNotMatch((await world.call(`/${people.username}`)).text, /Is this you/);
  assert.doesNotMatch((await rep.get("/max")).text, /Is this you/);

  assert.equal((await max.get("/admin/identities")).status, 404);
  const ada = await signedIn(world, "ada");
  const all = await ada.get("/admin/identities");
  assert.match(all.text, /@rep/);
  const number = /claims\/(\d+)\//.exec(approve)?.[1];
  assert.equal((await ada.post(`/admin/identities/${number}/approve`, {})).status, 303);
  assert.match((await ada.get("/admin/identities")).text, /everywhere/);
});

test("an account is shown as it was first claimed, and compared without regard to case (decision 0118)", async () => {
  await opens(open, "octo-cat", 3000);
  const made = await claim("gus", "@Octo-CAT");
  assert.deepEqual([made.status, made.json.username], [201, "Octo-CAT"]);
  const again = await claim("gus", "octo-cat");
  assert.deepEqual([again.status, again.json.id, again.json.username], [200, made.json.id, "Octo-CAT"]);
  const shown = (await asked("acme%2Fopen")).find(({ id }: { id: number }) => id === made.json.id);
  assert.equal(shown.username, "Octo-CAT");
  const max = await signedIn(world, "max");
  const page = await max.get("/acme/open/-/settings/sources");
  assert.match(page.text, />Octo-CAT</);
  assert.match(page.text, /Is Octo-CAT at github\.com/);
  assert.equal((await answer("max", made.json.id, "approve", "acme%2Fopen")).status, 204);
  assert.ok((await authors("acme%2Fopen")).gus?.includes(3000));
  await answer("max", made.json.id, "refuse", "acme%2Fopen");
});

test("a user has at most fifty claims, also if the fiftieth is made at the same moment, and withdrawing one makes room (decision 0118)", async () => {
  const { db } = world.platform;
  const { olga } = world.ids;
  await db.run(sql`insert into event_claims (user_id, host, login)
    select ${olga}, 'github.com', 'many-' || n from generate_series(1, 49) n`);
  const fiftieth = async (tx: Queries) => {
    await lockClaimsOf(tx, olga);
    return insertClaim(tx, olga, { host: "github.com", login: "fiftieth" }, "fiftieth");
  };
  const { first: made, worked: refused } = await whileDoing(world, fiftieth, () => claim("olga", "late"));
  const message = "You have claimed too many identities. Withdraw some first.";
  assert.deepEqual([refused.status, refused.json], [422, { message }]);
  assert.equal((await claim("olga", "fiftieth")).status, 200, "one that exists is found");
  const visitor = await signedIn(world, "olga");
  const typed = { host: "github.com", username: "late" };
  const shown = await visitor.submit("/profile/identities", typed, "/profile/identities");
  assert.equal(shown.status, 422);
  assert.match(shown.text, /<title>Error: Outside identities/);
  assert.match(
    shown.text,
    /<input[^>]* name="username"[^>]* value="late"[^>]* aria-describedby="username-err/,
  );
  assert.match(
    shown.text,
    /id="username-err">.*You have claimed too many identities\. Withdraw some first\./,
  );
  const path = `/api/v4/user/outside_identities/${made?.id}`;
  const withdrawn = await world.call(path, { as: "olga", method: "DELETE" });
  assert.equal(withdrawn.status, 204, withdrawn.text);
  assert.equal((await claim("olga", "late")).status, 201);
  await db.run(sql`delete from event_claims where user_id = ${olga}`);
});

test("a refused claim can be withdrawn and made again (decision 0118)", async () => {
  await opens(open, "refused-one", 4000);
  const { json: made } = await claim("rep", "refused-one");
  assert.equal((await answer("max", made.id, "refuse", "acme%2Fopen")).status, 204);
  const own = `/api/v4/user/outside_identities/${made.id}`;
  assert.equal((await world.call(own, { as: "rep", method: "DELETE" })).status, 204);
  const again = await claim("rep", "refused-one");
  assert.deepEqual([again.status, again.json.answers], [201, []]);
});

test("a claimant does not see the answer of a project that they can no longer see (decision 0118; contract §4, visibility)", async () => {
  await opens(rocket, "told-one", 4050);
  const { json: made } = await claim("gus", "told-one");
  assert.equal((await answer("max", made.id, "approve", "acme%2Frocket")).status, 204);
  const told = async () => {
    const listed = (await world.call("/api/v4/user/outside_identities", { as: "gus" })).json;
    const one = listed.find(({ id }: { id: number }) => id === made.id);
    assert.deepEqual((await claim("gus", "told-one")).json, one);
    const { text } = await (await signedIn(world, "gus")).get("/profile/identities");
    assert.equal(text.includes("acme/rocket"), one.answers.length > 0);
    return one.answers.map(({ project }: { project: { path_with_namespace: string } }) => project);
  };
  assert.deepEqual(await told(), [{ id: world.rocket.id, path_with_namespace: "acme/rocket" }]);
  const members = "/api/v4/projects/acme%2Frocket/members";
  const left = await world.call(`${members}/${world.ids.gus}`, { as: "max", method: "DELETE" });
  assert.equal(left.status, 204, left.text);
  assert.deepEqual(await told(), []);
  const json = { user_id: world.ids.gus, access_level: 10 };
  assert.equal((await world.call(members, { as: "max", json })).status, 201);
  assert.equal((await answer("max", made.id, "refuse", "acme%2Frocket")).status, 204);
});

test("accounts seen in a project are suggested only to its Reporters and above (decision 0118)", async () => {
  await opens(rocket, "proposed-one", 4100);
  await runJob(world, "event counts");
  const proposed = async (person: Person) =>
    (await (await signedIn(world, person)).get("/profile/identities")).text.includes("proposed-one");
  assert.deepEqual([await proposed("rep"), await proposed("gus")], [true, false]);
});

/** Approves the claim for acme/open in another transaction and moves its events. */
const granting = (claimId: number, login: string) =>
  [
    ["select id from event_claims where id = $1 for update", claimId],
    [
      `insert into event_claim_answers (claim_id, project_id, outsider_id, state)
        select $1, $2, user_id, 'granted' from event_outsiders where login = $3`,
      claimId,
      world.open.id,
      login,
    ],
    [
      "select move_claimed_events(user_id, $1, false, 1000) from event_outsiders where login = $2",
      world.ids.rep,
      login,
    ],
  ] as const;

test("a claim cannot be withdrawn while it is being approved, since nobody could revoke the approval then (decision 0118)", async () => {
  await opens(open, "hasty-one", 4200);
  const { json: made } = await claim("rep", "hasty-one");
  const withdrawn = await meanwhile(world, granting(made.id, "hasty-one"), () =>
    world.call(`/api/v4/user/outside_identities/${made.id}`, { as: "rep", method: "DELETE" }),
  );
  assert.equal(withdrawn.status, 409);
  assert.deepEqual(
    (await claim("rep", "hasty-one")).json.answers.map(({ state }: { state: string }) => state),
    ["granted"],
  );
});

test("a refusal concurrent with an approval revokes it: the moved events return (decision 0118)", async () => {
  await opens(open, "crossed-one", 4300);
  const { json: made } = await claim("rep", "crossed-one");
  const refused = await meanwhile(world, granting(made.id, "crossed-one"), () =>
    answer("max", made.id, "refuse", "acme%2Fopen"),
  );
  assert.equal(refused.status, 204);
  const of = await authors("acme%2Fopen");
  assert.deepEqual(of["crossed-one-*"] ?? of["crossed-one"], [4300]);
});
