/** A start that fails ends with a message that says what to do. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { emptyDatabase } from "../support/database.ts";
import { newInstallation, processesOn, runGatehouse, startService } from "../support/installation.ts";
import { until } from "../support/until.ts";

const lastLineOf = (text: string) => text.trimEnd().split("\n").at(-1);

test("if the port is in use, the start fails with exit code 1 and names the variable to change (operations: When something is wrong)", async () => {
  const installation = await newInstallation();
  const port = Number(installation.environment.PORT);
  const other = createServer().listen(port, "127.0.0.1");
  await once(other, "listening");
  const { code, stderr } = await runGatehouse(installation, ["serve"]);
  other.close();
  assert.equal(code, 1);
  assert.equal(lastLineOf(stderr), `Something listens at 127.0.0.1:${port} already: stop it, or set PORT.`);
});

test("a start that fails because the port is in use does not invalidate the setup link of the running service (reference ux §2)", async () => {
  const installation = await newInstallation();
  const service = await startService(installation);
  await until(async () => /serves at/.test(service.output()));
  const link = /http:\/\/\S+\/setup\/\S+/.exec(service.output())?.[0] ?? "";
  const { code, stdout } = await runGatehouse(installation, ["serve"]);
  assert.equal(code, 1);
  assert.doesNotMatch(stdout, /setup/);
  assert.equal((await fetch(link)).status, 200);
});

test("an address that cannot be listened on is reported with the variables HOST and PORT, not as a database error (operations: When something is wrong)", async () => {
  const installation = await newInstallation({ HOST: "no-host.invalid" });
  const { code, stderr } = await runGatehouse(installation, ["serve"]);
  assert.equal(code, 1);
  assert.match(
    lastLineOf(stderr) ?? "",
    /^Nothing can listen at no-host\.invalid:\d+ .*: look at HOST and PORT\.$/,
  );
});

test("serve refuses unknown options and explains itself with --help, as an ignored option would seem to have an effect (contract §1)", async () => {
  const installation = await newInstallation();
  // If the option were accepted, the start would end because of this.
  const other = createServer().listen(Number(installation.environment.PORT), "127.0.0.1");
  await once(other, "listening");
  const wrong = await runGatehouse(installation, ["serve", "--port", "8080"]);
  other.close();
  assert.equal(wrong.code, 64);
  assert.match(wrong.stderr, /^Unknown option '--port'\.\n\nUsage: gatehouse serve \[--json\]/);
  const { code, stdout } = await runGatehouse(installation, ["serve", "--help"]);
  assert.equal(code, 0);
  for (const part of [/environment\s+variables/, /Exit codes: 0 .*78/, /For example: /])
    assert.match(stdout, part);
});

test("serve --json prints only JSON lines, with the URL of the service and the setup link (contract §1)", async () => {
  const installation = await newInstallation({ GATEHOUSE_LOG_LEVEL: "info" });
  const service = await startService(installation, ["--json"]);
  await until(async () => /"workers":/.test(service.output()));
  const lines = service.output().trimEnd().split("\n");
  const said = Object.assign({}, ...lines.map((line) => JSON.parse(line)));
  assert.deepEqual([said.url, said.workers, said.expires_in], [installation.url, 1, 1800]);
  assert.equal((await fetch(said.setup_url)).status, 200);
});

test("with several workers, a port in use ends the start too, and no process is left (operations: Stop, crash, start)", async () => {
  const installation = await newInstallation({
    GATEHOUSE_WORKERS: "2",
    GATEHOUSE_ADMIN_USERNAME: "ada",
    GATEHOUSE_ADMIN_EMAIL: "ada@example.org",
    GATEHOUSE_ADMIN_PASSWORD: "the first passphrase",
  });
  const port = Number(installation.environment.PORT);
  const other = createServer().listen(port, "127.0.0.1");
  await once(other, "listening");
  const { code, stderr } = await runGatehouse(installation, ["serve"]);
  other.close();
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`Something listens at 127\\.0\\.0\\.1:${port} already`));
  assert.match(lastLineOf(stderr) ?? "", /a worker ended before it was ready \(exit code 1\)/);
  assert.deepEqual(processesOn(installation), []);
});

test("the name of an object property is not accepted as a command (contract §1)", async () => {
  const { code, stdout, stderr } = await runGatehouse(await newInstallation(), ["constructor"]);
  assert.deepEqual([code, stderr], [64, "Unknown command constructor.\n\n"]);
  assert.match(stdout, /^Usage: gatehouse <command>/);
});

test("an unreachable database is reported with the variable DATABASE_URL, without the password (operations: When something is wrong)", async () => {
  const installation = await newInstallation({ DATABASE_URL: "postgres://who:secret@127.0.0.1:1/none" });
  const { code, stderr } = await runGatehouse(installation, ["serve"]);
  assert.equal(code, 1);
  assert.match(lastLineOf(stderr) ?? "", /^The database cannot be used .*: look at DATABASE_URL\.$/);
  assert.doesNotMatch(stderr, /secret/);
});

/** The last line of a start that fails with this database. */
async function refusalOf(url: string): Promise<string | undefined> {
  const { code, stderr } = await runGatehouse(await newInstallation({ DATABASE_URL: url }), ["serve"]);
  assert.equal(code, 1);
  return lastLineOf(stderr);
}

test("a database server without the required TLS is reported with the variable DATABASE_URL (operations: When something is wrong)", async () => {
  const other = createServer((socket) => socket.once("data", () => socket.end("N"))).listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const url = `postgres://who:secret@127.0.0.1:${port}/none?sslmode=require`;
  const said = await refusalOf(url);
  other.close();
  assert.equal(
    said,
    "The database cannot be used (The server does not support SSL connections): look at DATABASE_URL.",
  );
});

test("a database role that may not create tables is reported with the permission it lacks (operations: When something is wrong)", async () => {
  const connection = await emptyDatabase();
  const client = new pg.Client(connection);
  await client.connect();
  await client.query("drop schema public");
  await client.end();
  const { user, password, host, database } = connection;
  const url = `postgres://${user}:${password}@/${database}?host=${host}`;
  assert.equal(
    await refusalOf(url),
    "The role of DATABASE_URL may not do its work (no schema has been selected to create in): let it own its database and a schema of its search_path.",
  );
});

test("npm start ends its service when only npm gets a SIGTERM (README: Operate)", async () => {
  const installation = await newInstallation();
  const root = join(import.meta.dirname, "../..");
  const npm = spawn("npm", ["start"], { cwd: root, env: installation.environment });
  const exited = once(npm, "exit");
  for await (const text of npm.stdout.setEncoding("utf8")) if (text.includes("serves at")) break;
  npm.kill("SIGTERM");
  await exited;
  const answers = () =>
    fetch(`${installation.url}/-/liveness`).then(
      () => true,
      () => false,
    );
  await until(async () => !(await answers()));
  // The database writes until it has stopped, and its directory is deleted with the test.
  await until(async () => processesOn(installation).length === 0);
});
