/** Deliveries that a source refused: listed with reasons for Maintainers, and bounded in number and size (decision 0120). */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, test } from "node:test";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { runJob } from "../support/jobs.ts";
import { until } from "../support/until.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const SOURCES = "/api/v4/projects/acme%2Frocket/event_sources";
type Source = { id: number; url: string; secret: string };
const source = async (type: string): Promise<Source> =>
  (await world.call(SOURCES, { as: "max", json: { name: `A ${type}`, type } })).json;

function send({ url }: Source, body: string | Uint8Array, headers: Record<string, string>) {
  return world.call(url.slice(world.url.length), {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });
}

const github = (secret: string, body: string | Uint8Array) => ({
  "x-github-event": "issues",
  "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
});
const refusalsOf = (id: number, query = "") => world.call(`${SOURCES}/${id}/refusals${query}`, { as: "max" });

test("a maintainer sees why each delivery was refused, and the sender does not (decision 0120)", async () => {
  const made = await source("github");
  const body = '{"action":"opened","issue":{"id":1,"number":1,"title":"<b>x"},"sender":{"login":"octo"}}';
  const wrong = github("another-secret-of-16", body);
  const answered = [
    await send(made, body, {}),
    await send(made, body, { "x-gitlab-event": "Issue Hook", "x-gitlab-token": "tell-nobody" }),
    await send(made, body, { "x-github-event": "issues" }),
    await send(made, body, wrong),
    await send(made, "no json", github(made.secret, "no json")),
  ];
  assert.deepEqual(
    answered.map(({ status }) => status),
    [401, 401, 401, 401, 400],
  );
  for (const { json } of answered.slice(0, 4)) assert.deepEqual(json, { message: "401 Unauthorized" });
  const { json, headers } = await refusalsOf(made.id);
  assert.equal(headers.get("x-refused-count"), "5");
  assert.equal(headers.get("x-total"), "5");
  const told = json.reverse() as { status: number; kind: string; reason: string; id: number }[];
  assert.deepEqual(
    told.map(({ status, kind }) => [status, kind]),
    [
      [401, ""],
      [401, "Issue Hook"],
      [401, "issues"],
      [401, "issues"],
      [400, "issues"],
    ],
  );
  const [none, foreign, unsigned, mismatch, unread] = told.map(({ reason }) => reason);
  assert.match(none ?? "", /No header says which forge/);
  assert.match(foreign ?? "", /from gitlab, and this source takes github alone/);
  assert.match(unsigned ?? "", /bears no X-Hub-Signature-256/);
  assert.match(mismatch ?? "", /X-Hub-Signature-256 does not fit/);
  assert.ok(unread);
  const one = (await world.call(`${SOURCES}/${made.id}/refusals/${told[1]?.id}`, { as: "max" })).json;
  assert.equal(one.body, body);
  assert.deepEqual(one.headers, { "content-type": "application/json", "x-gitlab-event": "Issue Hook" });
  assert.equal(one.body_bytes, body.length);
  const delivered = await send(made, body, github(made.secret, body));
  assert.equal(delivered.status, 202, delivered.text);
  assert.equal((await refusalsOf(made.id)).headers.get("x-refused-count"), "5");
  const [deliveries] = (await world.call(`${SOURCES}/${made.id}/deliveries`, { as: "max" })).json;
  assert.equal(deliveries.status, "accepted");
});

test("only maintainers of the project see what its source refused (decision 0120)", async () => {
  const made = await source("auto");
  await send(made, "{}", { "x-github-event": "push" });
  const { id } = (await refusalsOf(made.id)).json[0];
  for (const path of [`${SOURCES}/${made.id}/refusals`, `${SOURCES}/${made.id}/refusals/${id}`]) {
    assert.equal((await world.call(path, { as: "dev" })).status, 403);
    assert.equal((await world.call(path, { as: "stan" })).status, 404);
    assert.equal((await world.call(path)).status, 401);
  }
  const other = await source("auto");
  assert.equal((await world.call(`${SOURCES}/${other.id}/refusals/${id}`, { as: "max" })).status, 404);
  assert.equal((await world.call(`${SOURCES}/${made.id}/refusals/x`, { as: "max" })).status, 404);
});

test("a flood of refused deliveries is counted, and few are kept: about ten a minute, the newest 100, 64 KiB of each body (decision 0120)", async () => {
  const made = await source("github");
  const big = `{"x":"${"y".repeat(100_000)}"}`;
  const sent = 60;
  await Promise.all(Array.from({ length: sent }, () => send(made, big, { "x-github-event": "push" })));
  await until(async () => Number((await refusalsOf(made.id)).headers.get("x-refused-count")) === sent);
  const kept = await refusalsOf(made.id, "?per_page=100");
  assert.ok(kept.json.length >= 1 && kept.json.length <= 13, `${kept.json.length} kept`);
  const one = (await world.call(`${SOURCES}/${made.id}/refusals/${kept.json[0].id}`, { as: "max" })).json;
  assert.deepEqual([one.body.length, one.body_bytes], [65_536, big.length]);
  // As if so many minutes had passed that there are more than a hundred.
  const { db } = world.platform;
  await db.run(sql`insert into event_refusals (source_id, status, reason, kind, headers, raw, body_bytes, received_at)
    select ${made.id}, 401, 'old', '', '{}', '', 0, now() - interval '1 hour' from generate_series(1, 150)`);
  await db.run(
    sql`update event_refusals set received_at = now() - interval '2 hours' where source_id = ${made.id}`,
  );
  await send(made, "{}", { "x-github-event": "ping" });
  const after = await refusalsOf(made.id, "?per_page=100");
  assert.equal(after.headers.get("x-total"), "100");
  assert.equal(after.json[0].kind, "ping");
  await db.run(
    sql`update event_refusals set received_at = now() - interval '31 days' where source_id = ${made.id}`,
  );
  await runJob(world, "events");
  const left = await db.one(
    row({ n: integer }),
    sql`select count(*) as n from event_refusals where source_id = ${made.id}`,
  );
  assert.equal(left.n, 0);
});

test("a body above the limit is refused with 413, and its refusal is listed (decision 0120)", async () => {
  const made = await source("github");
  const large = Buffer.alloc(25 * 1024 * 1024 + 1, 32);
  const reply = await send(made, large, { "x-github-event": "push" });
  assert.equal(reply.status, 413, reply.text);
  const [noted] = (await refusalsOf(made.id)).json;
  assert.deepEqual(
    [noted.status, noted.reason, noted.body_bytes],
    [413, "The body is larger than 25 MiB", large.length],
  );
});

test("the page of a source shows the refused deliveries with reasons, and escapes what was sent (decision 0120)", async () => {
  const made = await source("github");
  await send(made, '{"title":"<script>alert(1)</script>"}', { "x-github-event": "<i>push" });
  const max = await signedIn(world, "max");
  const home = "/acme/rocket/-/settings/sources";
  const page = await max.get(`${home}/${made.id}`);
  assert.match(page.text, /1 delivery so far/);
  assert.match(page.text, /bears no X-Hub-Signature-256/);
  assert.match(page.text, /&lt;i&gt;push/);
  const [, path = ""] = /href="([^"]+\/refusals\/\d+)"/.exec(page.text) ?? [];
  const one = await max.get(path);
  assert.equal(one.status, 200, one.text);
  assert.match(one.text, /&lt;script&gt;alert/);
  assert.doesNotMatch(one.text, /<script>alert/);
  assert.equal((await (await signedIn(world, "dev")).get(path)).status, 403);
  assert.equal((await max.get(`${home}/${made.id}/refusals/999999`)).status, 404);
});

test("what a stranger sent is shown with its numbers as they came, and its page is no larger for its nesting (decision 0120)", async () => {
  const made = await source("github");
  const nested = `${"[".repeat(2500)}${"1,".repeat(30_000)}1${"]".repeat(2500)}`;
  await send(made, nested, { "x-github-event": "push" });
  await send(made, '{"id":9007199254740993}', { "x-github-event": "push" });
  const [small, large] = (await refusalsOf(made.id)).json;
  const max = await signedIn(world, "max");
  const page = (id: number) => max.get(`/acme/rocket/-/settings/sources/${made.id}/refusals/${id}`);
  const shown = await page(large.id);
  assert.ok(shown.text.includes(nested));
  assert.ok(shown.text.length < 200_000, `${shown.text.length}`);
  assert.match((await page(small.id)).text, /<span class="k">&quot;id&quot;<\/span>: 9007199254740993\n/);
});
