/** What is logged of an error, and a log that cannot be written. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { openDb } from "../../src/platform/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { emptyDatabase, PATIENCE_MS } from "../support/database.ts";
import { newInstallation } from "../support/installation.ts";
import { until } from "../support/until.ts";

const COMMAND = join(import.meta.dirname, "../../bin/gatehouse");

test("a service whose log cannot be written, as on a full disk, keeps working and stops cleanly (operations: Logs)", async () => {
  for (const outputs of [">/dev/full 2>/dev/full", "| true"]) {
    const installation = await newInstallation({ GATEHOUSE_LOG_LEVEL: "info" });
    const program = outputs.startsWith("|")
      ? `{ sh ${COMMAND} serve & echo $! >&2; wait $!; echo $? >&2; } ${outputs}`
      : `sh ${COMMAND} serve ${outputs} & echo $! >&2; wait $!; echo $? >&2`;
    const shell = spawn("sh", ["-c", program], { env: installation.environment });
    // Output may arrive after the process has ended, but not after the close.
    const closed = once(shell, "close");
    let said = "";
    shell.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const page = () =>
      fetch(`${installation.url}/users/sign_in`).then(
        (reply) => reply.status,
        () => 0,
      );
    await until(async () => shell.exitCode !== null || (await page()) === 200);
    assert.deepEqual([await page(), await page()], [200, 200], "after log lines that could not be written");
    process.kill(Number(said.split("\n")[0]), "SIGTERM");
    await closed;
    assert.equal(said.trimEnd().split("\n").at(-1), "0");
  }
});

function written(error: unknown): { text: string; err: Record<string, unknown> } {
  const lines: string[] = [];
  createLog({ logLevel: "info" }, { write: (line) => void lines.push(line) }).error({ err: error }, "bug");
  const text = lines.join("");
  return { text, err: JSON.parse(text).err };
}

test("a database error is logged with its code and constraint, without the values of the row (reference reliability S127)", async () => {
  const db = openDb({ connection: await emptyDatabase(), patienceMs: PATIENCE_MS });
  await db.run(sql`create table people (email text, age integer not null check (age > 0))`);
  const failure = await db.run(sql`insert into people values (${"secret@example.org"}, 0)`).catch((e) => e);
  assert.match(failure.detail, /secret@example\.org/);
  const { text, err } = written(failure);
  assert.doesNotMatch(text, /secret@example/);
  assert.deepEqual([err.type, err.code, err.constraint], ["DatabaseError", "23514", "people_age_check"]);
  assert.match(String(err.message), /violates check constraint/);
  assert.match(String(err.stack), /log\.test\.ts/);
  await db.close();
});

test("properties that libraries add to errors are not logged, but nested errors are (reference reliability S127; operations: Logs)", () => {
  const input = "postgres://u:hunter22@h";
  const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", input });
  const failure = Object.assign(new AggregateError([cause], "all failed"), { input });
  const { text, err } = written(failure);
  assert.doesNotMatch(text, /hunter22/);
  assert.equal((err.errors as { code: string }[])[0]?.code, "ECONNREFUSED");
  assert.equal(written("thrown as text").err.message, "thrown as text");
});

test("a secret in the message of an error is not logged, nor in its stack (reference reliability S127)", () => {
  const secret = newSecret("refreshToken");
  for (const error of [new Error(`cannot read ${secret}`), `thrown as ${secret}`]) {
    const { text, err } = written(error);
    assert.ok(!text.includes(secret), text);
    assert.match(String(err.message), /(read|as) SECRET$/);
  }
});
