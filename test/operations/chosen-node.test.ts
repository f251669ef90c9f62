/** Which Node.js runs the service: an operator may choose another than the pinned one (decision 0320). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { whenDone } from "../support/cleanup.ts";

let directory: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "chosen-node-"));
  whenDone(() => rm(directory, { recursive: true }));
});

/** A program with these lines, in a directory whose name has a blank. */
async function program(name: string, lines: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return path;
}

function runNode(chosen: string, ...args: string[]) {
  const env = { PATH: process.env.PATH ?? "", GATEHOUSE_NODE: chosen };
  return spawnSync("sh", [join(import.meta.dirname, "../../bin/node"), ...args], { env, encoding: "utf8" });
}

test("GATEHOUSE_NODE names the Node.js that runs, before the pinned one, and gets the arguments as they are (decision 0320)", async () => {
  const chosen = await program("my node", `IS_MINE=yes exec '${process.execPath}' "$@"`);
  const { status, stdout, stderr } = runNode(chosen, "-p", "process.env.IS_MINE + process.argv[1]", "a  b");
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: "yesa  b\n", stderr: "" });
});

test("a GATEHOUSE_NODE that is too old, or no Node.js, is refused with what to do and never replaced by another (decision 0320)", async () => {
  for (const chosen of [
    await program("old", "exit 1"),
    join(directory, "missing"),
    await program("no-program", "exit 127"),
    directory,
  ]) {
    const { status, stdout, stderr } = runNode(chosen, "-p", "'it ran'");
    assert.deepEqual({ status, stdout }, { status: 78, stdout: "" }, chosen);
    assert.equal(
      stderr,
      `GATEHOUSE_NODE is ${chosen}, which is not a Node.js of version 22.18 or newer. Give its full path, or unset it.\n`,
    );
  }
});
