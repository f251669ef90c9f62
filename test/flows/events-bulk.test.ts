/** Recording many events with one request (contract-events §2). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const path = "/api/v4/events/bulk";
const issue = (target_iid: number, more: object = {}) => ({
  project_id: "acme/rocket",
  action: "created",
  target_type: "Issue",
  target_iid,
  ...more,
});
const send = (rows: unknown[], as: "dev" | "max" | "stan" = "dev", query = "") =>
  world.call(path + query, { as, json: rows });
const sendLines = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  world.call(path, {
    as: "dev",
    method: "POST",
    body,
    headers: { "content-type": "application/x-ndjson", ...headers },
  });
const total = async () =>
  Number((await world.call("/api/v4/projects/acme%2Frocket/events", { as: "dev" })).headers.get("x-total"));

test("results are in the order of the rows, and valid rows are recorded even though others fail (contract-events §2)", async () => {
  const rows = [
    issue(1, { external_id: "a" }),
    issue(2, { project_id: world.rocket.id, external_id: "b" }),
    issue(1, { external_id: "a" }),
    issue(3, { external_id: "a" }),
    issue(4, { project_id: "acme/none" }),
    issue(5, { project_id: "free/plan" }),
    issue(6, { action: "danced" }),
    issue(7, { action: "merged" }),
    issue(8, { author_username: "stan" }),
    issue(9, { target_title: "a\u0000b" }),
    issue(10, { target_title: "\ud800" }),
    { ...issue(11), project_id: undefined },
    "text",
    issue(12, { created_at: "2001-01-01" }),
    issue(13, { external_id: "c" }),
  ];
  const before = await total();
  const { status, json } = await send(rows);
  assert.equal(status, 200);
  const results = json.results as {
    index: number;
    status: string;
    id: number | null;
    error: string | null;
  }[];
  assert.deepEqual(
    results.map(({ index }) => index),
    rows.map((_, index) => index),
  );
  const invalid = "invalid";
  assert.deepEqual(
    results.map(({ status }) => status),
    ["created", "created", "duplicate", ...Array.from({ length: 11 }, () => invalid), "created"],
  );
  assert.deepEqual([json.created, json.duplicate, json.invalid], [3, 1, 11]);
  assert.equal(results[2]?.id, results[0]?.id);
  assert.match(results[3]?.error ?? "", /external_id/);
  assert.equal(results[4]?.error, "404 Project Not Found");
  assert.equal(results[5]?.error, "404 Project Not Found");
  assert.match(results[6]?.error ?? "", /action/);
  assert.equal(results[8]?.error, "403 Forbidden");
  assert.match(results[9]?.error ?? "", /target_title/);
  assert.match(results[11]?.error ?? "", /project_id/);
  assert.ok(
    results.every(({ status, id, error }) => (status === invalid) === (error !== null && id === null)),
  );
  assert.equal(await total(), before + 3);
  const again = await send([rows[0], issue(99, { external_id: "b" })]);
  assert.deepEqual([again.json.results[0].status, again.json.results[0].id], ["duplicate", results[0]?.id]);
  assert.match(again.json.results[1].error, /external_id/);
});

test("NDJSON is read line by line, with blank lines skipped and gzip inflated (contract-events §2)", async () => {
  const text = `${JSON.stringify(issue(20))}\n\n  \r\n{broken\n${JSON.stringify(issue(21))}`;
  for (const [body, headers] of [
    [text, {}],
    [gzipSync(text), { "content-encoding": "gzip" }],
  ] as [string | Uint8Array, Record<string, string>][]) {
    const { json } = await sendLines(body, headers);
    assert.deepEqual([json.created, json.invalid, json.results.length], [2, 1, 3]);
    assert.match(json.results[1].error, /JSON/);
  }
  const broken = Buffer.concat([Buffer.from([0xff, 0xfe, 10]), Buffer.from(JSON.stringify(issue(22)))]);
  const { json } = await sendLines(broken);
  assert.deepEqual([json.created, json.invalid], [1, 1]);
});

test("a dry run returns the same statuses and writes nothing (contract-events §2)", async () => {
  await send([issue(30, { external_id: "dry-known" })]);
  const before = await total();
  const rows = [
    issue(30, { external_id: "dry-known" }),
    issue(31, { external_id: "dry-new" }),
    issue(31, { external_id: "dry-new" }),
    issue(32, { external_id: "dry-new" }),
    issue(33),
  ];
  const { json } = await send(rows, "dev", "?dry_run=true");
  assert.deepEqual(
    json.results.map(({ status, id }: { status: string; id: null }) => [status, id]),
    ["duplicate", "created", "duplicate", "invalid", "created"].map((status) => [status, null]),
  );
  assert.equal(await total(), before);
  assert.equal((await send([issue(31, { external_id: "dry-new" })])).json.created, 1);
});

test("10,000 rows are written at once, and one row or byte too many refuses the whole request (contract-events §2)", async () => {
  const rows = Array.from({ length: 10_000 }, (_, n) =>
    issue(1000 + (n % 700), { external_id: `bulk-${n}`, target_title: `Title ${n}`, action: "updated" }),
  );
  const before = await total();
  const { status, json } = await sendLines(gzipSync(rows.map((row) => JSON.stringify(row)).join("\n")), {
    "content-encoding": "gzip",
  });
  assert.equal(status, 200);
  assert.equal(json.created, 10_000);
  assert.equal(await total(), before + 10_000);
  const more = await sendLines(gzipSync([...rows, issue(1)].map((row) => JSON.stringify(row)).join("\n")), {
    "content-encoding": "gzip",
  });
  assert.equal(more.status, 413);
  const bomb = await sendLines(gzipSync(Buffer.alloc(11 * 1024 * 1024, 32)), { "content-encoding": "gzip" });
  assert.equal(bomb.status, 413);
  assert.equal(await total(), before + 10_000);
  const [newest] = (await world.call("/api/v4/projects/acme%2Frocket/events?per_page=1", { as: "dev" })).json;
  assert.match(newest.target_title, /^Title 9\d\d\d$/, "the last row about a target determines its title");
});

test("a malformed request is refused as a whole (contract-events §2)", async () => {
  const json = { "content-type": "application/json" };
  const cases: [string | Uint8Array, Record<string, string>, number][] = [
    ["[", json, 400],
    ["{}", json, 400],
    ["", json, 400],
    ["[]", { "content-type": "text/csv" }, 415],
    ["[]", { ...json, "content-encoding": "br" }, 415],
    ["not gzip", { ...json, "content-encoding": "gzip" }, 400],
    ["[]", json, 200],
  ];
  for (const [body, headers, status] of cases) {
    const reply = await world.call(path, { as: "dev", method: "POST", body, headers });
    assert.equal(reply.status, status, `${body} ${JSON.stringify(headers)}: ${reply.text}`);
  }
  assert.equal((await world.call(path, { json: [] })).status, 401);
  const reader = await world.call(path, { token: await world.tokenOf("dev", "read_api"), json: [] });
  assert.deepEqual([reader.status, reader.json.error], [403, "insufficient_scope"]);
});

test("a wiki page whose slug is long in bytes is recorded like any other, and does not fail its batch (contract-events §2)", async () => {
  // A thousand characters that do not compress: three thousand bytes, more than an index entry holds.
  const slug = Array.from({ length: 1000 }, (_, n) =>
    String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000)),
  ).join("");
  const page = (action: string) => ({
    project_id: "acme/rocket",
    action,
    target_type: "WikiPage::Meta",
    wiki_page: { slug, title: "Long" },
  });
  const reply = await send([page("created"), page("updated"), issue(900)]);
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(
    reply.json.results.map(({ status }: { status: string }) => status),
    ["created", "created", "created"],
  );
  const list = await world.call("/api/v4/projects/acme%2Frocket/events?target_type=wiki", { as: "dev" });
  const [updated, created] = list.json;
  assert.equal(updated.target_id, created.target_id);
  assert.equal(updated.wiki_page.slug, slug);
});
