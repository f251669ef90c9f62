/** Whom compressed bodies delay, and how many of them wait. */
import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { createInflater } from "../../src/platform/inflate-gzip.ts";
import { Problem } from "../../src/platform/problem.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

const MIB = 1024 * 1024;
/** Small, and larger than any limit once inflated. */
const bomb = gzipSync(Buffer.alloc(17 * MIB, " "));
const small = gzipSync("{}");

const how = {
  most: 16 * MIB,
  tooLarge: () => new Problem("too_large", "too large"),
  broken: () => new Problem("invalid", "broken"),
};
const kindOf = (work: Promise<Buffer>) =>
  work.then(
    (bytes) => bytes.toString(),
    (error: Problem) => error.kind,
  );
const response = () => new ServerResponse(new IncomingMessage(new Socket()));

test("bodies are inflated in their order, and one that is refused does not hold up the next (decision 0301)", async () => {
  const inflate = createInflater();
  const order: string[] = [];
  const noted = async (body: Buffer) => void order.push(await kindOf(inflate(body, how)));
  await Promise.all([bomb, small, small.subarray(0, 12), gzipSync("[]")].map(noted));
  assert.deepEqual(order, ["too_large", "{}", "invalid", "[]"]);
  assert.equal(await kindOf(inflate(small, how)), "{}");
});

test("where 512 MiB may come of those that wait, a further one is refused, and small ones count little (decision 0301)", async () => {
  const inflate = createInflater();
  // The first one does not wait.
  const large = Array.from({ length: 34 }, () => kindOf(inflate(bomb, how)));
  assert.equal(await large.at(-1), "unavailable");
  assert.deepEqual(new Set(await Promise.all(large.slice(0, -1))), new Set(["too_large"]));
  const many = await Promise.all(Array.from({ length: 1000 }, () => kindOf(inflate(small, how))));
  assert.deepEqual(new Set(many), new Set(["{}"]));
});

test("a body whose client has disconnected is not inflated and takes no place (decision 0301)", async () => {
  const inflate = createInflater();
  const first = kindOf(inflate(bomb, how));
  const answers = Array.from({ length: 32 }, response);
  const waiting = answers.map((answer) => kindOf(inflate(bomb, { ...how, answer })));
  for (const answer of answers) answer.emit("close");
  const next = kindOf(inflate(small, { ...how, answer: response() }));
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(["unavailable"]));
  const gone = response();
  gone.destroy();
  assert.equal(await kindOf(inflate(small, { ...how, answer: gone })), "unavailable");
  assert.deepEqual(await Promise.all([first, next]), ["too_large", "{}"]);
});

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const gzip = { "content-type": "application/json", "content-encoding": "gzip" };
const alert = (body: Uint8Array) =>
  world.call(source.path, {
    ...{ method: "POST", body },
    headers: { ...gzip, authorization: `Bearer ${source.key}` },
  });

test("compressed batches of events do not delay compressed alerts (decision 0301; reference reliability S103)", async () => {
  let answered = 0;
  const batches = Array.from({ length: 40 }, async () => {
    const reply = await world.call("/api/v4/events/bulk", {
      ...{ as: "dev", method: "POST", body: bomb },
      headers: gzip,
    });
    answered++;
    return reply.status;
  });
  await Promise.race(batches);
  const reply = await alert(gzipSync('{"title":"On fire"}'));
  assert.equal(reply.status, 200);
  assert.ok(answered < 20, `${answered} batches were answered before the alert`);
  assert.deepEqual(new Set(await Promise.all(batches)), new Set([413]));
});

test("an alert for which too many others wait is refused with 503 and leaves no receipt, since it is sent again (decision 0301)", async () => {
  const receipts = async () =>
    (await world.platform.db.one(row({ n: integer }), sql`select count(*) as n from alert_receipts`)).n;
  const kept = await receipts();
  const replies = await Promise.all(Array.from({ length: 60 }, () => alert(bomb)));
  const refused = replies.filter(({ status }) => status === 503);
  assert.ok(refused.length > 0);
  assert.deepEqual(new Set(refused.map(({ headers }) => headers.get("retry-after"))), new Set(["5"]));
  assert.equal(replies.filter(({ status }) => status === 413).length, 60 - refused.length);
  assert.equal((await receipts()) - kept, 60 - refused.length);
});
