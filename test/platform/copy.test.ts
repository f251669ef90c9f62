/** Rows that are streamed out of and into the database. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { compactHeap } from "../../src/platform/compact-heap.ts";
import { copySession } from "../../src/platform/copy.ts";
import { sql } from "../../src/platform/sql.ts";
import { emptyDatabase } from "../support/database.ts";

function heapInUse(): number {
  compactHeap();
  return process.memoryUsage().heapUsed;
}

test("a copy fails if its consumer fails on the last rows, even if the server has sent all of them (decision 0072)", async () => {
  const connection = await emptyDatabase();
  const full = async () => {
    // The server has finished by then.
    await sleep(100);
    throw new Error("the disk is full");
  };
  await assert.rejects(
    copySession(connection, "read", ({ copyOut }) => copyOut(sql`copy (select 1) to stdout`, full)),
    /the disk is full/,
  );
});

test("a backup may take longer than the transaction timeout of its role (decision 0072)", async () => {
  // Within it the connection has to start.
  const connection = { ...(await emptyDatabase()), options: "-c transaction_timeout=1000" };
  const slow = async () => void (await sleep(1500));
  const rows = await copySession(connection, "read", async ({ copyOut }) => {
    await copyOut(sql`copy (select 1) to stdout`, slow);
    return copyOut(sql`copy (select 1) to stdout`, slow);
  });
  assert.equal(rows, 1);
});

test("a copy into a table keeps nothing of the pieces that were sent (decision 0072)", async () => {
  const connection = await emptyDatabase();
  const piece = Buffer.from(`${"x".repeat(128 * 1024 - 1)}\n`);
  const held: number[] = [];
  const pieces = function* () {
    for (let n = 0; n <= 3000; n++) {
      if (n === 500 || n === 3000) held.push(heapInUse());
      yield piece;
    }
  };
  await copySession(connection, "write", async ({ run, copyIn }) => {
    await run(sql`create table lines (line text)`);
    await copyIn(sql`copy lines from stdin where line is null`, pieces());
  });
  const [early = 0, late = 0] = held;
  // A reaction to a promise takes about 300 bytes.
  assert.ok(late - early < 2500 * 100, `${late - early} bytes more`);
});

test("a copy returns the number of its rows once all were consumed (decision 0072)", async () => {
  const connection = await emptyDatabase();
  const pieces: string[] = [];
  const take = async (piece: Buffer) => {
    await sleep(5);
    pieces.push(piece.toString());
  };
  const rows = await copySession(connection, "read", ({ copyOut }) =>
    copyOut(sql`copy (select n from generate_series(1, 50) n) to stdout`, take),
  );
  assert.deepEqual([rows, pieces.join("").split("\n").length], [50, 51]);
});
