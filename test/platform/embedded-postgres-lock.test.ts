/** The lock of a data directory. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lastDataDirectoryOwner, takeDataDirectoryLock } from "../../src/platform/embedded-postgres-lock.ts";
import { whenDone } from "../support/cleanup.ts";

test("a process that could not note who holds the lock, as on a full disk, takes it as soon as it can (reference reliability A13)", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "gatehouse-lock-"));
  whenDone(async () => rmSync(dataDir, { recursive: true }));
  // A directory in its place cannot be written either.
  const inTheWay = join(dataDir, "postgres.owner");
  mkdirSync(inTheWay);
  assert.throws(() => takeDataDirectoryLock(dataDir), { code: "EISDIR" });
  rmdirSync(inTheWay);
  const lock = takeDataDirectoryLock(dataDir);
  assert.ok(lock);
  assert.equal(takeDataDirectoryLock(dataDir), undefined, "others, or another try, do not get it");
  assert.equal(lastDataDirectoryOwner(dataDir), String(process.pid));
  lock.release();
});
