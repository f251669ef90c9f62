/** A primary with a synchronous standby and two services: the primary fails under load (docs/scale.md). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Installation, newInstallation, runGatehouse, startService } from "../support/installation.ts";
import { AlertLedger, EventLedger } from "../support/ledger.ts";
import { type Receiver, startReceiver } from "../support/receivers.ts";
import {
  addressAt,
  type ClusterNode,
  type MovingAddress,
  startMovingAddress,
  startPrimary,
  startStandby,
} from "../support/replica.ts";
import { until } from "../support/until.ts";
import type { Reply } from "../support/world.ts";

const SENDERS = 8;
const TOKEN = "test-administrator-token";
const PROJECT = "/api/v4/projects/root%2Fout";
let primary: ClusterNode;
let standby: ClusterNode;
let address: MovingAddress;
/** A service with two workers, and one with a single process. */
let services: Installation[];
let hookTarget: Receiver;

interface Asked {
  json?: unknown;
  token?: string;
  headers?: Record<string, string>;
  method?: string;
}

async function call(
  service: Installation | undefined,
  path: string,
  { json, token = TOKEN, headers = {}, method = json === undefined ? "GET" : "POST" }: Asked = {},
): Promise<Reply> {
  const reply = await fetch((service?.url ?? "") + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await reply.text();
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    read = text;
  }
  return { status: reply.status, headers: reply.headers, text, json: read };
}

before(async () => {
  primary = await startPrimary();
  standby = await startStandby(primary, "standby_1");
  await primary.query("alter system set synchronous_standby_names = 'any 1 (standby_1, standby_2)'");
  await primary.query("select pg_reload_conf()");
  address = await startMovingAddress();
  address.pointTo(primary.port);
  hookTarget = await startReceiver();
  const environment = {
    DATABASE_URL: addressAt(address.port),
    GATEHOUSE_MASTER_KEY: "ab".repeat(32),
    GATEHOUSE_ADMIN_USERNAME: "root",
    GATEHOUSE_ADMIN_EMAIL: "root@example.org",
    GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
    GATEHOUSE_ADMIN_TOKEN: TOKEN,
    GATEHOUSE_RATE_LIMITS: "off",
    GATEHOUSE_LOG_LEVEL: "silent",
    GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(hookTarget.url).host,
  };
  services = [
    await newInstallation({ ...environment, GATEHOUSE_WORKERS: "2" }),
    await newInstallation(environment),
  ];
  for (const service of services) await startService(service);
});

/** What was sent and how it was answered, over the whole file. */
class Load {
  readonly statuses = new Map<string, number>();
  readonly alerts = new AlertLedger();
  readonly events = new EventLedger();
  ended = false;
  private number = 0;
  private readonly source: { url: string; authorization_key: string };

  constructor(source: { url: string; authorization_key: string }) {
    this.source = source;
  }

  /** One sender: each turn sends an alert and an event, to the services in turn. */
  async run(): Promise<void> {
    while (!this.ended) {
      const number = ++this.number;
      const service = services[number % services.length];
      const isKeyed = number % 2 === 0;
      await this.alert(
        service,
        number % 4 < 2 ? `Hot ${isKeyed}` : `Alert ${number}`,
        isKeyed ? `a ${number}` : "",
      );
      await this.event(service, `Event ${number}`, number, isKeyed ? `e ${number}` : "");
    }
  }

  private async alert(service: Installation | undefined, title: string, key: string): Promise<void> {
    const { pathname } = new URL(this.source.url);
    const json = { title, fingerprint: title };
    const sent = {
      json,
      token: this.source.authorization_key,
      headers: key ? { "idempotency-key": key } : {},
    };
    for (;;) {
      const { status } = await this.told("alert", call(service, pathname, sent));
      if (status === 200) return this.alerts.accept(title);
      if (!key) return this.alerts.doubt(title);
      await sleep(50);
    }
  }

  private async event(
    service: Installation | undefined,
    title: string,
    number: number,
    key: string,
  ): Promise<void> {
    const json = { action: "created", target_type: "issue", target_iid: number, target_title: title };
    for (;;) {
      const sent = { json, headers: key ? { "idempotency-key": key } : {} };
      const { status, json: record } = await this.told("event", call(service, `${PROJECT}/events`, sent));
      if (status === 201 || status === 200) {
        this.events.accepted.set(record.id, title);
        return;
      }
      if (!key) {
        this.events.unknown.add(title);
        return;
      }
      await sleep(50);
    }
  }

  /** The only acceptable responses are success and 503 with Retry-After. */
  private async told(what: string, asked: Promise<Reply>): Promise<Reply> {
    const answer = await asked;
    const name = `${what} ${answer.status}`;
    this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1);
    if (answer.status === 503) assert.ok(Number(answer.headers.get("retry-after")) > 0, "Retry-After");
    else assert.ok(answer.status === 200 || answer.status === 201, `${name}: ${JSON.stringify(answer.json)}`);
    return answer;
  }
}

/** Follows the project's events by `since`, at the services in turn. */
class Walker {
  readonly ids: number[] = [];
  since = "start";
  ended = false;
  private turn = 0;

  async run(): Promise<void> {
    while (!this.ended) {
      await this.step();
      await sleep(20);
    }
  }

  /** Returns the number of events, or -1 for 503. */
  async step(): Promise<number> {
    const service = services[this.turn++ % services.length];
    const { status, headers, json } = await call(
      service,
      `${PROJECT}/events?since=${this.since}&per_page=100`,
    );
    if (status === 503) return -1;
    assert.equal(status, 200, JSON.stringify(json));
    this.since = headers.get("x-next-since") ?? "";
    for (const { id } of json) this.ids.push(id);
    return json.length;
  }
}

/** Follows the events by a stream, and resumes from the last id whenever it ends. */
class StreamReader {
  readonly ids: number[] = [];
  begun = 0;
  private last = "";
  private leaving = new AbortController();
  private turn = 0;

  again(): Promise<void> {
    this.leaving = new AbortController();
    return this.run();
  }

  async run(): Promise<void> {
    while (!this.leaving.signal.aborted) {
      const service = services[this.turn++ % services.length];
      const headers = {
        authorization: `Bearer ${TOKEN}`,
        ...(this.last ? { "last-event-id": this.last } : {}),
      };
      try {
        const reply = await fetch(`${service?.url}${PROJECT}/events/stream?since=start`, {
          headers,
          signal: this.leaving.signal,
        });
        if (reply.status === 200) await this.read(reply);
        else assert.equal(reply.status, 503, await reply.text());
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
      }
      await sleep(50);
    }
  }

  end(): void {
    this.leaving.abort();
  }

  private async read(reply: Response): Promise<void> {
    this.begun++;
    let text = "";
    for await (const chunk of (reply.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream(),
    )) {
      text += chunk;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        this.last = /^id: (.*)$/m.exec(block)?.[1] ?? this.last;
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data) this.ids.push(JSON.parse(data).id);
      }
    }
  }
}

let source: { url: string; authorization_key: string };
let load: Load;
let walker: Walker;
let stream: StreamReader;

/** All rows of a list, from all its pages. */
async function all(path: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (let page = 1; ; page++) {
    const { json, status } = await call(services[0], `${PROJECT}/${path}per_page=100&page=${page}`);
    assert.equal(status, 200, JSON.stringify(json));
    rows.push(...json);
    if (json.length < 100) return rows;
  }
}

test("when a primary fails under load and its standby takes over, nothing accepted is lost or duplicated (decision 0145; reference reliability F31)", async (context) => {
  const [one, two] = services;
  await call(one, "/api/v4/projects", { json: { name: "Out", path: "out" } });
  const endpoint = await call(one, `${PROJECT}/alert_integrations`, { json: { type: "generic" } });
  const hook = { url: `${hookTarget.url}/events`, target_types: ["issue"] };
  assert.equal((await call(one, `${PROJECT}/hooks`, { json: hook })).status, 201);
  const fields = { name: "revoked", scopes: ["api"] };
  const made = await call(one, "/api/v4/users/root/personal_access_tokens", { json: fields });
  const { token } = made.json;

  source = endpoint.json;
  load = new Load(source);
  walker = new Walker();
  stream = new StreamReader();
  const following = [walker.run(), stream.run()];
  const senders = Array.from({ length: SENDERS }, () => load.run());
  try {
    await until(async () => load.events.accepted.size > 40);
    // Else it would begin after the failover, which it is to outlast.
    await until(async () => stream.ids.length > 0);
    const path = "/api/v4/personal_access_tokens/self";
    assert.equal((await call(two, path, { token, method: "DELETE" })).status, 204);
    await primary.kill();
    address.pointTo(undefined);
    await until(async () => (await call(one, "/-/readiness")).status === 503);
    await until(async () => ["alert 503", "event 503"].every((answer) => load.statuses.has(answer)));
    await standby.query("select pg_promote()");
    address.pointTo(standby.port);
    for (const service of services) {
      await until(async () => (await call(service, "/-/readiness")).status === 200);
      assert.equal((await call(service, "/api/v4/user", { token })).status, 401);
    }
    const before = load.events.accepted.size;
    await until(async () => load.events.accepted.size > before + 40);
  } finally {
    load.ended = true;
    await Promise.all(senders);
    walker.ended = true;
    stream.end();
    await Promise.all(following);
  }
  context.diagnostic(JSON.stringify(Object.fromEntries(load.statuses)));

  const alerts = await all("alert_management_alerts?");
  const stored = alerts.map(({ title, events }) => ({ title: title as string, events: events as number }));
  assert.deepEqual(load.alerts.contradictions(stored), []);
  const incidents = new Set(alerts.map(({ issue_iid }) => issue_iid));
  assert.equal(incidents.size, alerts.length);
  assert.equal((await all("issues?issue_type=incident&")).length, alerts.length);
});

/** The senders' events, as the list returns them. */
const written = async () => {
  const events = await all("events?");
  return events.filter(({ target_title }) => /^Event /.test(target_title as string));
};

const sorted = (ids: Iterable<number>) => [...ids].sort((a, b) => a - b);

test("consumers of events get each event once across the failover: by since, by stream and by webhook (decisions 0026, 0145)", async () => {
  const events = await written();
  const titles = new Map(events.map(({ id, target_title }) => [id as number, target_title as string]));
  const stored = [...titles].map(([id, title]) => ({ id, title }));
  assert.deepEqual(load.events.contradictions(stored), []);
  const ids = sorted(titles.keys());
  const ours = (seen: readonly number[]) => sorted(seen.filter((id) => titles.has(id)));
  // An unfinished transaction of another session holds back the newest events.
  await until(async () => (await walker.step()) === 0 && ours(walker.ids).length >= ids.length);
  assert.deepEqual(ours(walker.ids), ids);
  const streaming = stream.again();
  await until(async () => ours(stream.ids).length >= ids.length);
  stream.end();
  await streaming;
  assert.deepEqual(ours(stream.ids), ids);
  assert.ok(stream.begun > 1, "the stream ended with the primary and was resumed");
  const told = new Map<string, number>();
  await until(async () => {
    for (const { headers, body } of hookTarget.requests) {
      told.set(String(headers["webhook-id"]), JSON.parse(body).data.id);
    }
    return ours([...told.values()]).length >= ids.length;
  });
  assert.deepEqual(ours([...told.values()]), ids, "each event has one webhook-id");
});

test("after begin_event_epoch earlier cursors are refused with an explanation, and webhooks continue (decisions 0108, 0145)", async () => {
  const [one, two] = services;
  const { since } = walker;
  hookTarget.reset();
  await standby.query("select begin_event_epoch()", "gatehouse");
  const refused = await call(two, `${PROJECT}/events?since=${since}`);
  assert.equal(refused.status, 400);
  assert.match(refused.json.error, /^since is of the time before a restore; read anew/);
  assert.equal((await call(two, `${PROJECT}/events/stream?since=${since}`)).status, 400);
  const json = { action: "closed", target_type: "issue", target_iid: 1, target_title: "After" };
  const made = await call(one, `${PROJECT}/events`, { json });
  await hookTarget.next(1);
  const sent = hookTarget.requests.map(({ body }) => JSON.parse(body).data.id);
  assert.deepEqual(sent, [made.json.id]);
  const anew = new Walker();
  await until(async () => (await anew.step()) === 0 && anew.ids.includes(made.json.id));
  assert.equal(new Set(anew.ids).size, anew.ids.length);
});

let follower: ClusterNode;

/** An event with its own idempotency key. */
const anEvent = (number: number, key = `kept ${number}`) => ({
  json: {
    action: "closed",
    target_type: "issue",
    target_iid: 10_000 + number,
    target_title: `Kept ${number}`,
  },
  headers: { "idempotency-key": key },
});

/** Asserts that every service answers 503; returns the responses. */
async function refusals(asked: (service: Installation) => Promise<Reply>): Promise<Reply[]> {
  const answers = await Promise.all(services.map(asked));
  for (const { status, headers } of answers) {
    assert.deepEqual([status, Number(headers.get("retry-after")) > 0], [503, true]);
  }
  return answers;
}

const LEADS_ASTRAY = /accepts no writes: its address leads to a standby/;

test("an address that leads to a standby by mistake is reported in responses, and a start there is refused (decision 0145)", async () => {
  follower = await startStandby(standby, "standby_2");
  address.pointTo(follower.port);
  // Until every process has noticed that its connections are closed: workers get new connections in turn.
  const asked = services.flatMap((service) => Array.from({ length: 4 }, () => service));
  await until(async () => {
    for (const service of asked) {
      const { json } = await call(service, "/-/readiness", { headers: { connection: "close" } });
      if (!LEADS_ASTRAY.test(json.message)) return false;
    }
    return true;
  });
  for (const service of services) {
    await until(async () => (await call(service, `${PROJECT}/events`)).status === 200);
  }
  const said = [
    ...(await refusals((service) => call(service, "/-/readiness"))),
    ...(await refusals((service) => call(service, `${PROJECT}/events`, anEvent(1)))),
  ];
  for (const { json } of said) assert.match(json.message, LEADS_ASTRAY);
  const starter = await newInstallation({ DATABASE_URL: addressAt(follower.port) });
  const { code, stderr } = await runGatehouse(starter, ["serve"]);
  assert.equal(code, 1);
  assert.match(stderr, /^gatehouse: the server at DATABASE_URL is a standby, which accepts no writes: use/m);
});

test("when the address leads to the primary again, connections still open to the standby are dropped (decision 0145)", async () => {
  address.pointTo(standby.port, { keepOpen: true });
  for (const service of services) {
    await until(async () => (await call(service, "/-/readiness")).status === 200);
    await until(async () => (await call(service, `${PROJECT}/events`, anEvent(1))).status < 300);
  }
});

test("without a standby commits wait; a 503 then says that the data may have been stored, and a retry with its key stores it once (decision 0145; reference reliability F34)", async () => {
  const { pathname } = new URL(source.url);
  const anAlert = { json: { title: "Unconfirmed" }, token: source.authorization_key };
  await standby.query("alter system set synchronous_standby_names = 'any 1 (standby_1, standby_2)'");
  await standby.query("select pg_reload_conf()");
  for (const service of services) {
    await until(async () => (await call(service, "/-/readiness")).status === 200);
  }
  await follower.kill();
  const sending = Promise.all([
    refusals((service) => call(service, `${PROJECT}/events`, anEvent(2, `${service.url} 2`))),
    refusals((service) =>
      call(service, pathname, { ...anAlert, headers: { "idempotency-key": service.url } }),
    ),
  ]);
  // Of the two events and of the two alerts, one waits for its commit, and the other waits for that one.
  await until(async () => {
    const waiting = await standby.query(
      "select from pg_stat_activity where (wait_event = 'SyncRep' and query = 'commit') or wait_event_type = 'Lock'",
    );
    return waiting.length >= 4;
  });
  address.pointTo(standby.port);
  const answers = (await sending).flat();
  assert.ok(answers.some(({ json }) => /may or may not have been stored/.test(json.message)));
  await follower.start();
  for (const service of services) {
    await until(async () => (await call(service, "/-/readiness")).status === 200);
    const event = await call(service, `${PROJECT}/events`, anEvent(2, `${service.url} 2`));
    assert.ok(event.status === 200 || event.status === 201);
    const alert = { ...anAlert, headers: { "idempotency-key": service.url } };
    assert.equal((await call(service, pathname, alert)).status, 200);
  }
  await standby.query("alter system reset synchronous_standby_names");
  await standby.query("select pg_reload_conf()");
  const kept = (await all("events?action=closed&")).filter(({ target_iid }) => target_iid === 10_002);
  assert.equal(kept.length, services.length, "one event for each key");
  const [alert] = (await all("alert_management_alerts?")).filter(({ title }) => title === "Unconfirmed");
  assert.equal(alert?.events, services.length, "one occurrence for each key");
});
