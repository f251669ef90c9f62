/** Several workers and processes under load: one is killed, one is stopped, two are restarted in turn. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addressOf, freshDatabase } from "../support/database.ts";
import { type Installation, newInstallation, type Service, startService } from "../support/installation.ts";
import { holdableNotice, type Notice } from "../support/notice.ts";
import { workersOf } from "../support/processes.ts";
import { until } from "../support/until.ts";

const TOKEN = "test-administrator-token";
const SENDERS = 8;

const ENVIRONMENT = {
  GATEHOUSE_WORKERS: "2",
  GATEHOUSE_MASTER_KEY: "cd".repeat(32),
  GATEHOUSE_ADMIN_USERNAME: "root",
  GATEHOUSE_ADMIN_EMAIL: "root@example.org",
  GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
  GATEHOUSE_ADMIN_TOKEN: TOKEN,
  GATEHOUSE_RATE_LIMITS: "off",
  GATEHOUSE_LOG_LEVEL: "silent",
};

/** Two services with two workers each, on one database. */
let installations: Installation[];
let services: Service[];
let notice: Notice;
let source: { url: string; authorization_key: string };

async function api<T>(path: string, json?: unknown): Promise<T> {
  const reply = await fetch(`${installations[0]?.url}/api/v4${path}`, {
    method: json === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return (await reply.json()) as T;
}

before(async () => {
  notice = await holdableNotice();
  const environment = {
    ...ENVIRONMENT,
    ...notice.environment,
    DATABASE_URL: addressOf(await freshDatabase()),
  };
  installations = [await newInstallation(environment), await newInstallation(environment)];
  services = [];
  for (const installation of installations) services.push(await startService(installation));
  await api("/projects", { name: "Work", path: "work" });
  source = await api("/projects/root%2Fwork/alert_integrations", { type: "generic" });
});

interface Told {
  /** 0: the connection ended without a response. */
  status: number;
  isReused: boolean;
  closes: boolean;
}

type Address = () => string | Promise<string>;

/** A sender that keeps one connection open as long as possible, and does not retry. */
class Sender {
  readonly told: Told[] = [];
  readonly accepted: string[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly name: string;
  /** The address of the next request. */
  private readonly address: Address;
  private number = 0;
  ended = false;

  constructor(name: string, address: Address) {
    this.name = name;
    this.address = address;
  }

  async run(): Promise<void> {
    while (!this.ended) {
      const title = `${this.name} ${++this.number}`;
      const told = await this.send(title, await this.address());
      this.told.push(told);
      if (told.status === 200) this.accepted.push(title);
      if (told.status === 0) await sleep(20);
    }
    this.agent.destroy();
  }

  private send(title: string, address: string): Promise<Told> {
    return new Promise((done) => {
      const body = JSON.stringify({ title, fingerprint: title });
      const sent = request(
        new URL(new URL(source.url).pathname, address),
        {
          agent: this.agent,
          method: "POST",
          headers: {
            authorization: `Bearer ${source.authorization_key}`,
            "content-type": "application/json",
          },
        },
        (reply) => {
          const closes = reply.headers.connection === "close";
          reply.resume();
          reply.on("end", () => done({ status: reply.statusCode ?? 0, isReused: sent.reusedSocket, closes }));
        },
      );
      // Also if a response began and did not end.
      sent.on("error", () => {});
      sent.on("close", () => done({ status: 0, isReused: sent.reusedSocket, closes: true }));
      sent.end(body);
    });
  }
}

/** Keeps senders busy while something is done to the service; returns their responses and the accepted titles. */
async function underLoad(address: Address, work: (senders: readonly Sender[]) => Promise<void>) {
  const name = `Round ${++rounds}`;
  const senders = Array.from({ length: SENDERS }, (_, index) => new Sender(`${name} of ${index}`, address));
  const running = senders.map((sender) => sender.run());
  try {
    await until(async () => senders.every(({ accepted }) => accepted.length >= 2));
    await work(senders);
  } finally {
    for (const sender of senders) sender.ended = true;
    await Promise.all(running);
  }
  const told = senders.flatMap((sender) => sender.told);
  const accepted = senders.flatMap((sender) => sender.accepted);
  return { told, accepted };
}
let rounds = 0;

/** Asserts that each accepted title is exactly one alert. */
async function allAreThere(accepted: readonly string[]): Promise<void> {
  const titles: string[] = [];
  for (let page = 1, more = true; more; page++) {
    const path = `/projects/root%2Fwork/alert_management_alerts?per_page=100&page=${page}`;
    const found = await api<{ title: string }[]>(path);
    titles.push(...found.map(({ title }) => title));
    more = found.length === 100;
  }
  assert.equal(new Set(titles).size, titles.length);
  assert.deepEqual(
    accepted.filter((title) => !titles.includes(title)),
    [],
  );
}

test("when a worker is killed, only its requests in progress are lost, and another worker replaces it (reference reliability F9)", async () => {
  const [victim, other] = workersOf(services[0] as Service);
  assert.ok(victim);
  const { told, accepted } = await underLoad(
    () => installations[0]?.url ?? "",
    async (senders) => {
      process.kill(victim, "SIGKILL");
      const before = senders.map((sender) => sender.accepted.length);
      await until(async () =>
        senders.every((sender, index) => sender.accepted.length > (before[index] ?? 0)),
      );
      await until(async () => {
        const workers = workersOf(services[0] as Service);
        return workers.length === 2 && !workers.includes(victim);
      });
    },
  );
  const lost = told.filter(({ status }) => status !== 200);
  assert.ok(lost.length <= SENDERS, `${lost.length} without a response`);
  assert.deepEqual([...new Set(lost.map(({ status }) => status))].filter(Boolean), []);
  assert.ok(workersOf(services[0] as Service).includes(other as number));
  await allAreThere(accepted);
});

/** How many workers of a service tell their metrics; one that is still starting does not, and would leave without a notice. */
async function countReady({ url }: Installation): Promise<number> {
  const text = await (await fetch(`${url}/-/metrics`)).text();
  return new Set([...text.matchAll(/worker="(\d+)"/g)].map(([, id]) => id)).size;
}

/** Stops a service; its notice lasts until everybody has acted on it. */
async function leave(index: number, hasTurnedAway: () => Promise<unknown>): Promise<void> {
  const { process } = services[index] as Service;
  await until(async () => (await countReady(installations[index] as Installation)) === 2);
  const exited = once(process, "exit");
  await notice.during(
    2,
    () => process.kill("SIGTERM"),
    async () => void (await hasTurnedAway()),
  );
  assert.deepEqual(await exited, [0, null]);
}

/** Waits until every sender has got so many more answers; the first may be to a request from before. */
async function answered(senders: readonly Sender[], more: number): Promise<void> {
  const before = senders.map(({ told }) => told.length);
  await until(async () => senders.every(({ told }, index) => told.length >= (before[index] ?? 0) + more));
}

test("two processes are restarted in turn, and requests to the one that is ready never fail (reference reliability F9)", async () => {
  /** The addresses that reported ready when they were asked last. */
  const ready = new Set<string>();
  let isWatching = true;
  const watching = Promise.all(
    installations.map(async ({ url }) => {
      while (isWatching) {
        const isReady = await fetch(`${url}/-/readiness`).then(
          (reply) => reply.status === 200,
          () => false,
        );
        if (isReady) ready.add(url);
        else ready.delete(url);
        await sleep(100);
      }
    }),
  );
  let turn = 0;
  const { told, accepted } = await underLoad(
    () =>
      until(async () => {
        const urls = [...ready];
        return urls[turn++ % urls.length];
      }),
    async (senders) => {
      for (const [index, installation] of installations.entries()) {
        await leave(index, async () => {
          await until(async () => !ready.has(installation.url));
          await answered(senders, 1);
        });
        services[index] = await startService(installation);
        await until(async () => ready.size === 2);
      }
    },
  );
  isWatching = false;
  await watching;
  assert.deepEqual([...new Set(told.map(({ status }) => status))], [200]);
  await allAreThere(accepted);
});

test("a service that stops answers every request it accepted, and closes connections only after a response (reference reliability F8, F9)", async () => {
  const { told, accepted } = await underLoad(
    () => installations[0]?.url ?? "",
    // No connection is left that was idle through the whole notice.
    (senders) => leave(0, () => answered(senders, 2)),
  );
  assert.deepEqual(
    told.filter(({ status, isReused }) => isReused && status !== 200),
    [],
  );
  assert.ok(told.some(({ closes }) => closes));
  services[0] = await startService(installations[0] as Installation);
  await allAreThere(accepted);
});
