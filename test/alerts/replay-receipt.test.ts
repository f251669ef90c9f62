/** Which receipts can be replayed, and the order in which receipts are read. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { replayReceipt } from "../../src/alerts/replay-receipt.ts";
import { sendTestAlert } from "../../src/alerts/send-test-alert.ts";
import { findEndpoint } from "../../src/alerts/store-integrations.ts";
import { findReceipt, listReceipts } from "../../src/alerts/store-receipts.ts";
import { Problem } from "../../src/platform/problem.ts";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const send = async (payload: object, from = source) =>
  (await from.send(payload)).headers.get("x-alert-receipt") as string;
async function receiptOf(id: string) {
  const found = await findReceipt(world.platform.db, world.rocket.id, id);
  assert.ok(found);
  return found;
}
const refuses = (words: RegExp) => (error: unknown) =>
  error instanceof Problem && error.kind === "unprocessable" && words.test(error.message);
const countReceipts = async () =>
  (await world.platform.db.many(row({ id: text }), sql`select id from alert_receipts`)).length;

test("a receipt of a test alert is not replayed, not even as a dry run (decision 0036; contract-alerts, receipts)", async () => {
  const { db } = world.platform;
  const endpoint = await findEndpoint(db, world.rocket.id, source.id);
  assert.ok(endpoint);
  await sendTestAlert(world.platform, endpoint, JSON.stringify({ title: "Only a test" }), Date.now());
  const { id } = await db.one(row({ id: text }), sql`select id from alert_receipts where decision = 'test'`);
  const receipt = await receiptOf(id);
  for (const isDry of [true, false]) {
    await assert.rejects(
      replayReceipt(world.platform, receipt, isDry, Date.now()),
      refuses(/test alert cannot be replayed/),
    );
  }
  assert.equal(await countReceipts(), 1);
});

test("a receipt of a disabled integration can be replayed as a dry run only (contract-alerts, receipts; decision 0038)", async () => {
  const receipt = await receiptOf(await send({ title: "Off by now" }));
  await world.platform.db.run(sql`update alert_integrations set active = false where id = ${source.id}`);
  const before = await countReceipts();
  const { decisions } = await replayReceipt(world.platform, receipt, true, Date.now());
  assert.deepEqual(decisions, ["counted"]);
  await assert.rejects(
    replayReceipt(world.platform, receipt, false, Date.now()),
    refuses(/integration is not active/),
  );
  assert.equal(await countReceipts(), before);
  await world.platform.db.run(sql`update alert_integrations set active = true where id = ${source.id}`);
});

test("receipts are returned newest first, whatever the order of their ids, and only those of the project (contract-alerts, receipts)", async () => {
  const elsewhere = await aSource(world, "generic", {}, world.open.fullPath);
  const ids: string[] = [];
  for (const title of ["One", "Two", "Three"]) ids.push(await send({ title }));
  const other = await send({ title: "Elsewhere" }, elsewhere);
  const [first, second, third] = ids as [string, string, string];
  for (const named of [ids, [second, third, first], [...ids, other].reverse()]) {
    const read = await listReceipts(world.platform.db, world.rocket.id, named);
    assert.deepEqual(
      read.map(({ id }) => id),
      [third, second, first],
    );
  }
  assert.equal(await findReceipt(world.platform.db, world.rocket.id, other), undefined);
});
