/** `gatehouse seed` on the command line: output and exit codes, with and without a running service. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { whenDone } from "../support/cleanup.ts";
import { freePort } from "../support/world.ts";

const dataDir = mkdtempSync(join(tmpdir(), "gatehouse-seed-"));
let environment: Record<string, string | undefined>;
let url: string;
let service: ChildProcess;

before(async () => {
  whenDone(() => rm(dataDir, { recursive: true, force: true }));
  const port = await freePort();
  url = `http://localhost:${port}`;
  environment = {
    ...process.env,
    PORT: String(port),
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_LOG_LEVEL: "error",
  };
  service = spawn("sh", ["bin/gatehouse", "serve"], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  whenDone(() => stop("SIGTERM"));
  await new Promise<void>((ready, fail) => {
    let printed = "";
    service.stdout?.on("data", (text) => {
      printed += text;
      if (printed.includes("serves at")) ready();
    });
    service.once("exit", () => fail(new Error(`the service ended: ${printed}`)));
  });
});

async function stop(signal: NodeJS.Signals): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const gone = once(service, "exit");
  service.kill(signal);
  await gone;
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command line with the data directory of the test. */
function gatehouse(...args: string[]): Promise<Ended> {
  return new Promise((done) => {
    execFile("sh", ["bin/gatehouse", ...args], { env: environment }, (error, stdout, stderr) => {
      done({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

test("seed --demo --json with a running service prints one object, and its tokens and keys work at once (contract §1)", async () => {
  const { code, stdout, stderr } = await gatehouse("seed", "--demo", "--json");
  assert.equal(code, 0, stderr);
  const demo = JSON.parse(stdout);
  assert.equal(demo.people.length, 6);
  const headers = { authorization: `Bearer ${demo.token}` };
  const reply = await fetch(`${url}/api/v4/events?per_page=1`, { headers });
  assert.equal(reply.status, 200);
  assert.ok(Number(reply.headers.get("x-total")) > 800);
  const [endpoint] = demo.endpoints;
  const alert = await fetch(endpoint.url, {
    method: "POST",
    headers: { authorization: `Bearer ${endpoint.authorization_key}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "Crane 4 is silent" }),
  });
  assert.equal(alert.status, 200);
});

test("a second seed --demo reports that the demo exists, prints nothing else and exits with 1 (contract §1)", async () => {
  const { code, stdout, stderr } = await gatehouse("seed", "--demo");
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /already/);
  assert.doesNotMatch(stderr, /\.ts:\d/);
});

test("seed --remove reports what was removed, and exits with 1 when there is nothing to remove (contract §1)", async () => {
  const first = await gatehouse("seed", "--remove");
  assert.deepEqual([first.code, first.stderr], [0, ""]);
  assert.match(first.stdout, /^Deleted the demo: 6 people, 2 groups, 3 projects/);
  const second = await gatehouse("seed", "--remove", "--json");
  assert.deepEqual([second.code, second.stdout], [1, ""]);
});

test("seed with no action, two actions or unknown options explains its usage and exits with 64 (contract §1)", async () => {
  for (const [args, fault] of [
    [[], ""],
    [["--demo", "--remove"], ""],
    [["--demo", "--fast"], "Unknown option '--fast'.\n\n"],
    [["demo"], "Unexpected argument 'demo'.\n\n"],
  ] as const) {
    const { code, stdout, stderr } = await gatehouse("seed", ...args);
    assert.deepEqual([code, stdout], [64, ""], args.join(" "));
    assert.ok(stderr.startsWith(`${fault}Usage: gatehouse seed`), stderr);
  }
  const help = await gatehouse("seed", "--help");
  assert.equal(help.code, 0);
  assert.match(help.stdout, /gatehouse seed --demo/);
});

test("seed --demo works without a running service, after that was killed, and prints each password (contract §1; reference ux §1)", async () => {
  await stop("SIGKILL");
  const { code, stdout, stderr } = await gatehouse("seed", "--demo");
  assert.equal(code, 0, stderr);
  const passwords = stdout.match(/^ {2}\w+ +[a-z2-9]{5}(?:-[a-z2-9]{5}){3} {3}\S/gm) ?? [];
  assert.equal(passwords.length, 6, stdout);
  for (const name of ["GATEHOUSE", "CLIENT_ID", "CLIENT_SECRET", "MAYA_PASSWORD", "ALERT_URL", "ALERT_KEY"]) {
    assert.match(stdout, new RegExp(`^ {2}export ${name}=\\S+$`, "m"));
  }
});
