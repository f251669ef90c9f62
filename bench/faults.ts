/**
 * Makes faults that need privileges, while alerts arrive: full, slow, failing and read-only disks, and a name server that does not
 * answer. `unshare -m sh bin/node bench/faults.ts` as root, in a mount namespace of its own; strace for two of them.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { AlertLoad, AlertReceiver } from "../test/support/alert-receiver.ts";
import { whenDone } from "../test/support/cleanup.ts";
import { addressOf, freshDatabase } from "../test/support/database.ts";
import { DatabaseLink } from "../test/support/database-link.ts";
import { runGatehouse, startService } from "../test/support/installation.ts";
import { childrenOf, postmasterOf } from "../test/support/processes.ts";
import { until } from "../test/support/until.ts";

const MEBIBYTE = 1024 * 1024;

function run(program: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(status, 0, `${program} ${args.join(" ")}: ${stderr || error}`);
}

/** A small disk, which is unmounted when all is done. */
function aDisk(mebibytes: number): string {
  const place = mkdtempSync(join(tmpdir(), "gatehouse-disk-"));
  run("mount", "-t", "tmpfs", "-o", `size=${mebibytes}m,mode=755`, "tmpfs", place);
  whenDone(async () => {
    run("umount", "-l", place);
    rmSync(place, { recursive: true });
  });
  return place;
}

/** Takes all the room of a disk at once; returns a function that gives it back. */
function fill(disk: string): () => void {
  const file = join(disk, "fill");
  assert.throws(() => {
    for (;;) writeFileSync(file, Buffer.alloc(MEBIBYTE / 4), { flag: "a" });
  }, /ENOSPC/);
  return () => rmSync(file);
}

/** A receiver of alerts whose data directory is on this disk. */
async function receiverOn(disk: string): Promise<AlertReceiver> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = disk;
  try {
    return await AlertReceiver.start({});
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

async function survivesFull(receiver: AlertReceiver, disk: string): Promise<void> {
  const load = new AlertLoad(receiver);
  await load.goesOn();
  const free = fill(disk);
  await load.isRefused(50);
  assert.equal(await receiver.statusOf("/-/liveness"), 200);
  assert.equal(await receiver.statusOf("/-/readiness"), 503);
  free();
  await receiver.isReady();
  await load.goesOn();
  await load.assertKept();
}

test("while the disk is full requests get 503, and all is well when there is room again (reference reliability A13, F10)", async () => {
  const disk = aDisk(700);
  const receiver = await receiverOn(disk);
  await survivesFull(receiver, disk);
  assert.equal(await receiver.service.stop(), 0);
});

test("while the disk of the write-ahead log is full requests get 503, and all is well when there is room again (reference reliability A13, F11)", async () => {
  const receiver = await receiverOn(aDisk(1000));
  const { installation, service } = receiver;
  assert.equal(await service.stop(), 0);
  const log = aDisk(64);
  const place = join(installation.dataDir, "postgres", "pg_wal");
  run("cp", "-a", place, join(log, "pg_wal"));
  run("rm", "-r", place);
  run("ln", "-s", join(log, "pg_wal"), place);
  const again = await startService(installation);
  await survivesFull(receiver, log);
  assert.equal(await again.stop(), 0);
});

test("on a disk that is read-only a start ends and says so (reference reliability F16)", async () => {
  const disk = aDisk(700);
  const { installation, service } = await receiverOn(disk);
  assert.equal(await service.stop(), 0);
  run("mount", "-o", "remount,ro", disk);
  const { code, stderr } = await runGatehouse(installation, ["serve"]);
  run("mount", "-o", "remount,rw", disk);
  assert.equal(code, 1);
  assert.match(stderr, /read-only/i);
});

/** Runs `work` while strace changes what the processes of PostgreSQL get from the kernel. */
async function whileInjecting(dataDir: string, inject: string, work: () => Promise<void>): Promise<void> {
  const postmaster = postmasterOf(dataDir);
  const pids = [postmaster, ...childrenOf(postmaster)].flatMap((pid) => ["-p", String(pid)]);
  const strace = spawn("strace", ["-f", "-q", ...pids, "-e", "trace=fdatasync", "-e", inject]);
  let said = "";
  strace.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const gone = once(strace, "exit");
  try {
    await until(async () => said.includes("fdatasync("));
    await work();
  } finally {
    strace.kill("SIGINT");
    await gone;
  }
}

test("writes that take 150 ms make answers slow, and no request fails (reference reliability F13)", async () => {
  const receiver = await AlertReceiver.start({});
  const load = new AlertLoad(receiver);
  await load.goesOn();
  const inject = "inject=fdatasync:delay_enter=150000";
  await whileInjecting(receiver.installation.dataDir, inject, () => load.goesOn());
  assert.deepEqual(load.refusals, []);
  await load.assertKept();
});

test("a write that fails restarts PostgreSQL, and nothing accepted is lost (reference reliability F14)", async () => {
  const receiver = await AlertReceiver.start({});
  const load = new AlertLoad(receiver);
  await load.goesOn();
  const { dataDir } = receiver.installation;
  await whileInjecting(dataDir, "inject=fdatasync:error=EIO:when=1", () => load.isRefused(1));
  await receiver.isReady();
  await load.goesOn();
  await load.assertKept();
});

/** Replaces a file of the system for this mount namespace; returns a function that changes it. */
function inPlaceOf(file: string, text: string): (text: string) => void {
  const own = join(mkdtempSync(join(tmpdir(), "gatehouse-file-")), "file");
  writeFileSync(own, text);
  run("mount", "--bind", own, file);
  whenDone(async () => run("umount", "-l", file));
  return (next) => writeFileSync(own, next);
}

test("while no name server answers requests get 503, and all is well when the name is known again (reference reliability F22)", async () => {
  const known = `127.0.0.1 database.test\n${readFileSync("/etc/hosts", "utf8")}`;
  const link = await DatabaseLink.start(await freshDatabase());
  const names = inPlaceOf("/etc/hosts", known);
  const DATABASE_URL = addressOf({ ...link.connection, host: "database.test" });
  const receiver = await AlertReceiver.start({ DATABASE_URL });
  const load = new AlertLoad(receiver);
  await load.goesOn();
  // An address of documentation (RFC 5737), where nobody answers.
  inPlaceOf("/etc/resolv.conf", "nameserver 192.0.2.1\n");
  names("127.0.0.1 localhost\n");
  link.cut();
  await load.isRefused(20);
  assert.equal(await receiver.statusOf("/-/liveness"), 200);
  names(known);
  await receiver.isReady();
  await load.goesOn();
  await load.assertKept();
});
