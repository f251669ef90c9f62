/** Alerts with two worker processes, and during an outage of the database. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres.ts";
import { whenDone } from "../support/cleanup.ts";
import { addressOf } from "../support/database.ts";
import { newInstallation, startService } from "../support/installation.ts";
import { until } from "../support/until.ts";

const TOKEN = "test-administrator-token";
const ADMINISTRATOR = {
  GATEHOUSE_ADMIN_USERNAME: "root",
  GATEHOUSE_ADMIN_EMAIL: "root@example.org",
  GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
  GATEHOUSE_ADMIN_TOKEN: TOKEN,
  GATEHOUSE_RATE_LIMITS: "off",
  GATEHOUSE_LOG_LEVEL: "silent",
};

/** A running service with a project that has an alert endpoint. */
async function aReceiver(environment: Readonly<Record<string, string>>) {
  const installation = await newInstallation({ ...ADMINISTRATOR, ...environment });
  await startService(installation);
  const api = async <T>(
    path: string,
    json?: unknown,
    method = json === undefined ? "GET" : "POST",
  ): Promise<T> => {
    const reply = await fetch(`${installation.url}/api/v4${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    return (await reply.json()) as T;
  };
  await api("/projects", { name: "Out", path: "out" });
  const source = await api<{ url: string; authorization_key: string }>(
    "/projects/root%2Fout/alert_integrations",
    { type: "generic" },
  );
  const send = (payload: unknown) =>
    fetch(source.url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${source.authorization_key}`,
        "content-type": "application/json",
        connection: "close",
      },
      body: JSON.stringify(payload),
    });
  return { api, send };
}

interface Listed {
  title: string;
  status: string;
  events: number;
  deliveries: number;
  issue_iid: number;
}

test("500 parallel identical payloads to two processes make one alert with 500 events and one incident (spec: States 3; reference alerts D2; reference reliability F35)", async () => {
  const { api, send } = await aReceiver({ GATEHOUSE_WORKERS: "2" });
  const replies = await Promise.all(Array.from({ length: 500 }, () => send({ title: "Storm" })));
  const answers = await Promise.all(replies.map(async (reply) => `${reply.status} ${await reply.text()}`));
  assert.deepEqual([...new Set(answers)], ['200 [{"iid":1,"title":"Storm"}]']);
  const alerts = await api<Listed[]>("/projects/root%2Fout/alert_management_alerts");
  assert.deepEqual(
    alerts.map(({ events, deliveries, issue_iid }) => ({ events, deliveries, issue_iid })),
    [{ events: 500, deliveries: 500, issue_iid: 1 }],
  );
  const incidents = await api<unknown[]>("/projects/root%2Fout/issues?issue_type=incident");
  assert.equal(incidents.length, 1);
});

test("concurrent firings and recoveries to two processes leave no alert open where late firings stay resolved (reference alerts D4; decision 0180)", async () => {
  const { api, send } = await aReceiver({ GATEHOUSE_WORKERS: "2" });
  const chosen = { late_firings_stay_resolved: true };
  await api("/projects/root%2Fout/alert_settings", chosen, "PUT");
  const payloads = Array.from({ length: 60 }, (_, n) => {
    const trouble = { title: `Trouble ${n}`, fingerprint: `${n}` };
    const firing = { ...trouble, start_time: "2026-05-01T10:00:00Z" };
    const recovery = { ...trouble, end_time: "2026-05-01T10:30:00Z" };
    return n % 2 === 0 ? [recovery, firing] : [firing, recovery];
  });
  const replies = await Promise.all(payloads.flat().map(send));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  const alerts = await api<Listed[]>("/projects/root%2Fout/alert_management_alerts?per_page=100");
  assert.deepEqual(
    [alerts.length, new Set(alerts.map(({ title, status, events }) => `${title} ${status} ${events}`))],
    [60, new Set(payloads.map((_, n) => `Trouble ${n} resolved 1`))],
  );
  const open = await api<unknown[]>("/projects/root%2Fout/issues?issue_type=incident&state=opened");
  assert.deepEqual(open, []);
});

test("while the database is down requests get 503 with Retry-After, and nothing is partially written (reference alerts D7; contract-alerts, availability)", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "gatehouse-database-"));
  whenDone(() => rm(dataDir, { recursive: true, force: true }));
  let postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  whenDone(() => postgres.stop());
  const { api, send } = await aReceiver({ DATABASE_URL: addressOf(postgres.connection) });

  const stored = new Set<string>();
  const posts = async (prefix: string, count: number) => {
    const replies = await Promise.all(
      Array.from({ length: count }, async (_, i) => ({
        title: `${prefix} ${i}`,
        reply: await send({ title: `${prefix} ${i}` }),
      })),
    );
    for (const { title, reply } of replies) if (reply.status === 200) stored.add(title);
    return replies.map(({ reply }) => reply);
  };
  await posts("Before", 20);
  assert.equal(stored.size, 20);
  await postgres.stop();
  const away = await posts("Away", 20);
  assert.deepEqual([...new Set(away.map(({ status }) => status))], [503]);
  assert.ok(away.every(({ headers }) => Number(headers.get("retry-after")) > 0));

  postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  await until(async () => (await posts("Again", 1))[0]?.status === 200);
  await posts("After", 20);
  assert.equal(stored.size, 41, "the service recovers by itself");
  const alerts = await api<Listed[]>("/projects/root%2Fout/alert_management_alerts?per_page=100");
  assert.deepEqual(new Set(alerts.map(({ title }) => title)), stored);
  assert.equal(new Set(alerts.map(({ issue_iid }) => issue_iid)).size, stored.size);
});
