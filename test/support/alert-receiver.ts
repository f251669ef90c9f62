/** A service as a process with one alert endpoint, and senders that note how they are answered while something breaks. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type Installation, newInstallation, type Service, startService } from "./installation.ts";
import { AlertLedger } from "./ledger.ts";
import { until } from "./until.ts";

const TOKEN = "test-administrator-token";
/** What is said while the database does not serve, or its disk is full. */
const REFUSED =
  /^\{"message":"The (database (is not available\.|did not confirm in time, so this may or may not)|disk of the database is )/;
const PROJECT = "/api/v4/projects/root%2Ffaulty";

interface Answer {
  /** 0: the connection ended without an answer. */
  status: number;
  text: string;
}

export class AlertReceiver {
  readonly installation: Installation;
  readonly service: Service;
  private readonly path: string;
  private readonly key: string;

  private constructor(installation: Installation, service: Service, source: { url: string; key: string }) {
    this.installation = installation;
    this.service = service;
    this.path = new URL(source.url).pathname;
    this.key = source.key;
  }

  static async start(environment: Readonly<Record<string, string>>, limits?: string): Promise<AlertReceiver> {
    const installation = await newInstallation({
      GATEHOUSE_ADMIN_USERNAME: "root",
      GATEHOUSE_ADMIN_EMAIL: "root@example.org",
      GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
      GATEHOUSE_ADMIN_TOKEN: TOKEN,
      GATEHOUSE_RATE_LIMITS: "off",
      GATEHOUSE_LOG_LEVEL: "silent",
      ...environment,
    });
    const service = await startService(installation, [], limits);
    await api(installation, "/api/v4/projects", { name: "Faulty", path: "faulty" });
    const source = await api<{ url: string; authorization_key: string }>(
      installation,
      `${PROJECT}/alert_integrations`,
      { type: "generic" },
    );
    return new AlertReceiver(installation, service, { url: source.url, key: source.authorization_key });
  }

  /** Sends an alert whose title is its fingerprint. @param url of another process of the same database */
  async send(title: string, idempotencyKey?: string, { url } = this.installation): Promise<Answer> {
    try {
      const reply = await fetch(url + this.path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${this.key}`,
          "content-type": "application/json",
          ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        },
        body: JSON.stringify({ title, fingerprint: title }),
        // Like every sender: a process that stands still or has died need not close the connection.
        signal: AbortSignal.timeout(60_000),
      });
      const text = await reply.text();
      if (reply.status === 503) assert.ok(Number(reply.headers.get("retry-after")) > 0, "Retry-After");
      return { status: reply.status, text };
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return { status: 0, text: "" };
    }
  }

  /** Makes a webhook for all events of the project. */
  async addHook(url: string): Promise<void> {
    await api(this.installation, `${PROJECT}/hooks`, { url, confidential: true });
  }

  /** The ids of all events of the project, oldest first. */
  async eventIds(): Promise<number[]> {
    const events = await this.all<{ id: number }>("events?");
    return events.map(({ id }) => id).sort((a, b) => a - b);
  }

  /** What the administrator gets at a path of the service. */
  async read(path: string): Promise<Answer> {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const reply = await fetch(this.installation.url + path, { headers });
    return { status: reply.status, text: await reply.text() };
  }

  /** The status of a page without a guard, such as `/-/liveness`; 0 without an answer. */
  async statusOf(path: string): Promise<number> {
    const reply = await fetch(this.installation.url + path).catch(() => undefined);
    await reply?.arrayBuffer();
    return reply?.status ?? 0;
  }

  async isReady(): Promise<void> {
    await until(async () => (await this.statusOf("/-/readiness")) === 200);
  }

  /** All alerts, and how many incidents there are. */
  async stored(): Promise<{ alerts: { title: string; events: number }[]; incidents: number }> {
    const alerts = await this.all<{ title: string; events: number }>("alert_management_alerts?");
    const incidents = await this.all("issues?issue_type=incident&");
    return { alerts, incidents: incidents.length };
  }

  private async all<T>(path: string): Promise<T[]> {
    const rows: T[] = [];
    for (let page = 1, more = true; more; page++) {
      const found = await api<T[]>(this.installation, `${PROJECT}/${path}per_page=100&page=${page}`);
      rows.push(...found);
      more = found.length === 100;
    }
    return rows;
  }
}

async function api<T>({ url }: Installation, path: string, json?: unknown): Promise<T> {
  const reply = await fetch(url + path, {
    method: json === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  assert.ok(reply.ok, `${path}: ${reply.status}`);
  return (await reply.json()) as T;
}

let loads = 0;

/**
 * Senders under way: a third of the alerts repeat one title, and half have an Idempotency-Key and are sent until they are
 * accepted. They accept no answer but 200, 503, and none at all.
 */
export class AlertLoad {
  readonly ledger = new AlertLedger();
  /** The bodies of refusals. */
  readonly refusals: string[] = [];
  private readonly receiver: AlertReceiver;
  private readonly at: Installation;
  private readonly name = `Load ${++loads}`;
  private readonly running: Promise<unknown>;
  private number = 0;
  private hasEnded = false;

  /** @param at another process of the same database to send to */
  constructor(receiver: AlertReceiver, { senders = 8, at = receiver.installation } = {}) {
    this.receiver = receiver;
    this.at = at;
    this.running = Promise.all(Array.from({ length: senders }, () => this.run()));
  }

  /** Waits until so many more are accepted. */
  async goesOn(more = 30): Promise<void> {
    const due = this.ledger.total + more;
    await until(async () => this.ledger.total >= due);
  }

  /** Waits until so many more are refused. */
  async isRefused(more: number): Promise<void> {
    const due = this.refusals.length + more;
    await until(async () => this.refusals.length >= due);
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    await this.running;
  }

  /** Ends it, and asserts that each accepted alert is stored, and each once, with its incident. */
  async assertKept(): Promise<void> {
    await this.end();
    const { alerts, incidents } = await this.receiver.stored();
    const own = alerts.filter(({ title }) => title.startsWith(`${this.name}: `));
    assert.deepEqual(this.ledger.contradictions(own), []);
    assert.equal(incidents, alerts.length, "one incident for each alert");
  }

  private async run(): Promise<void> {
    while (!this.hasEnded) {
      const number = ++this.number;
      const title = `${this.name}: ${number % 3 === 0 ? "hot" : number}`;
      if (number % 2 === 0) await this.insist(title, `${this.name}: ${number}`);
      else await this.try(title);
    }
  }

  private async insist(title: string, key: string): Promise<void> {
    while (!(await this.accepts(title, key))) await sleep(50);
    this.ledger.accept(title);
  }

  private async try(title: string): Promise<void> {
    if (await this.accepts(title)) return this.ledger.accept(title);
    this.ledger.doubt(title);
    await sleep(20);
  }

  private async accepts(title: string, key?: string): Promise<boolean> {
    const { status, text } = await this.receiver.send(title, key, this.at);
    assert.ok([0, 200, 503].includes(status), `${status}: ${text}`);
    if (status === 503) {
      assert.match(text, REFUSED);
      this.refusals.push(text);
    }
    return status === 200;
  }
}
