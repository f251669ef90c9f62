/** What the log and the metrics of a service say while its database is away. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase } from "../support/database.ts";
import { newInstallation, startService } from "../support/installation.ts";
import { startMovingAddress } from "../support/replica.ts";
import { until } from "../support/until.ts";

/** The lines of a log that are worth a look. */
function linesOf(log: string): { level: number; msg: string }[] {
  return log
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { level: number; msg: string });
}

test("while the database is away, metrics are returned, and the log tells it once (decision 0291; reference ux 2)", async () => {
  const { user, password, host, port, database } = await freshDatabase();
  const address = await startMovingAddress();
  const socket = `${host}/.s.PGSQL.${port}`;
  address.pointTo(socket);
  const secret = typeof password === "string" ? `:${encodeURIComponent(password)}` : "";
  const installation = await newInstallation({
    DATABASE_URL: `postgres://${user}${secret}@127.0.0.1:${address.port}/${database}`,
    GATEHOUSE_MASTER_KEY: "cd".repeat(32),
  });
  const service = await startService(installation);
  const metrics = async () => (await fetch(`${installation.url}/-/metrics`)).text();
  const failing = async () =>
    Number(
      /^gatehouse_http_requests_total\{[^}]*route="\/-\/readiness"[^}]*status="503"\} (\d+)$/m.exec(
        await metrics(),
      )?.[1],
    );
  const ready = async () => (await fetch(`${installation.url}/-/readiness`)).status;
  assert.match(await metrics(), /^gatehouse_database_up 1$/m);

  address.pointTo(undefined);
  const words = "the database is away; further failures of background work are not logged until it is back";
  await until(async () => linesOf(service.output()).some(({ msg }) => msg === words));
  // The jobs of every second and the outbox go on failing meanwhile.
  for (let i = 0; i < 40; i++) {
    assert.equal(await ready(), 503);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const text = await metrics();
  assert.match(text, /^gatehouse_database_up 0$/m);
  assert.match(text, /^gatehouse_alert_deliveries_total\{result="accepted"\} 0$/m);
  assert.doesNotMatch(text, /^gatehouse_outbox_waiting/m);
  assert.ok((await failing()) >= 40);
  const errors = () => linesOf(service.output()).filter(({ level }) => level >= 50);
  assert.equal(errors().length, 2, JSON.stringify(errors().map(({ msg }) => msg)));

  address.pointTo(socket);
  await until(async () => (await ready()) === 200);
  await until(async () => linesOf(service.output()).some(({ msg }) => msg === "the database is back"));
  await until(async () => /^gatehouse_database_up 1$/m.test(await metrics()));
  assert.equal(errors().length, 2);
});
