/** Kills the service or its database twelve times during a stream of alerts, and counts what was stored. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Installation, newInstallation, type Service, startService } from "../support/installation.ts";
import { AlertLedger } from "../support/ledger.ts";
import { until } from "../support/until.ts";

const KILLS = 12;
const SENDERS = 24;
const ENOUGH = 5000;
const TOKEN = "test-administrator-token";

/** A seeded generator of numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function api<T>(
  { url }: Installation,
  path: string,
  json?: unknown,
): Promise<{ body: T; total: number }> {
  const reply = await fetch(`${url}/api/v4${path}`, {
    method: json === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return { body: (await reply.json()) as T, total: Number(reply.headers.get("x-total")) };
}

/** Sends alerts until it is ended, counting them by title. */
class Stream {
  /** Unknown: no response, or one after which the alert may or may not be stored; not sent again. */
  readonly ledger = new AlertLedger();
  ended = false;
  private number = 0;
  private readonly source: { url: string; authorization_key: string };

  constructor(source: { url: string; authorization_key: string }) {
    this.source = source;
  }

  async run(): Promise<void> {
    while (!this.ended) {
      const number = ++this.number;
      const kind = number % 4;
      // One in four repeats the hot alert; half of all have an Idempotency-Key and are sent until they are accepted.
      const title = kind === 0 ? "Hot" : kind === 1 ? "Hot with a key" : `Cold ${number}`;
      const key = kind === 1 || kind === 2 ? `number ${number}` : undefined;
      await this.deliver(title, number, key);
    }
  }

  private async deliver(title: string, number: number, key: string | undefined): Promise<void> {
    for (;;) {
      const status = await this.post(title, number, key);
      if (status === 200) {
        this.ledger.accept(title);
        return;
      }
      assert.ok(status === 0 || status === 503, `unexpected status ${status}`);
      if (key === undefined) {
        this.ledger.doubt(title);
        await sleep(20);
        return;
      }
      await sleep(50);
    }
  }

  private async post(title: string, number: number, key: string | undefined): Promise<number> {
    try {
      const reply = await fetch(this.source.url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${this.source.authorization_key}`,
          "content-type": "application/json",
          ...(key === undefined ? {} : { "idempotency-key": key }),
        },
        body: JSON.stringify({ title, fingerprint: title, number: title.startsWith("Hot") ? 0 : number }),
      });
      await reply.arrayBuffer();
      if (reply.status === 503) assert.ok(Number(reply.headers.get("retry-after")) > 0, "Retry-After");
      return reply.status;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return 0;
    }
  }
}

/** The process of the database, or 0 while none has written its number. */
async function postmasterOf({ dataDir }: Installation): Promise<number> {
  const file = await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8").catch(() => "");
  return Number(file.split("\n")[0]);
}

/** Waits until the service is ready after the loss of its database. */
async function isBack({ url }: Installation): Promise<void> {
  await until(async () => (await fetch(`${url}/-/readiness`).catch(() => undefined))?.status === 200);
}

test("no accepted alert is lost or counted twice when the service and PostgreSQL are killed under load (reference alerts D1; reference reliability F1, F3; spec: States 2, 3)", async (context) => {
  const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
  context.diagnostic(`KILL_SEED=${seed}`);
  const random = randomFrom(seed);
  const installation = await newInstallation({
    GATEHOUSE_ADMIN_USERNAME: "root",
    GATEHOUSE_ADMIN_EMAIL: "root@example.org",
    GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
    GATEHOUSE_ADMIN_TOKEN: TOKEN,
    GATEHOUSE_RATE_LIMITS: "off",
    GATEHOUSE_LOG_LEVEL: "silent",
  });
  let service: Service = await startService(installation);
  await api(installation, "/projects", { name: "Kill", path: "kill" });
  const { body: source } = await api<{ url: string; authorization_key: string }>(
    installation,
    "/projects/root%2Fkill/alert_integrations",
    { type: "generic" },
  );

  const stream = new Stream(source);
  const senders = Promise.all(Array.from({ length: SENDERS }, () => stream.run()));
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(200 + 1300 * random());
    if (random() < 0.5) {
      const gone = once(service.process, "exit");
      service.process.kill("SIGKILL");
      await gone;
      service = await startService(installation);
    } else {
      const lost = await until(() => postmasterOf(installation));
      process.kill(lost, "SIGKILL");
      // Its backends outlive it for a moment, and the service could be ready with them.
      await until(async () => ![0, lost].includes(await postmasterOf(installation)));
      await isBack(installation);
    }
  }
  await until(async () => stream.ledger.total >= ENOUGH);
  stream.ended = true;
  await senders;

  const project = "/projects/root%2Fkill";
  const stored: { title: string; events: number }[] = [];
  const incidents = new Set<number>();
  for (let page = 1; ; page++) {
    const { body } = await api<{ title: string; events: number; issue_iid: number }[]>(
      installation,
      `${project}/alert_management_alerts?sort=created_at_asc&per_page=100&page=${page}`,
    );
    stored.push(...body);
    for (const { issue_iid } of body) incidents.add(issue_iid);
    if (body.length < 100) break;
  }
  // Alerts with a key were sent until they were accepted, so that their count is exact.
  assert.deepEqual(stream.ledger.contradictions(stored), []);
  const { total } = await api(installation, `${project}/issues?issue_type=incident&per_page=1`);
  assert.deepEqual([incidents.size, total], [stored.length, stored.length], "one incident for each alert");
  const counts = await api<{ all: number }>(installation, `${project}/alert_management_alerts/counts`);
  assert.equal(counts.body.all, stored.length, "the count for the tab must equal the number of alerts");
  context.diagnostic(`${stream.ledger.total} accepted, ${stored.length} alerts`);
});
