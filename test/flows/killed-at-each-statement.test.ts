/** A process that ends at each statement of a request in turn: half of the request is never stored, and a repeat completes it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { buildApp } from "../../src/app.ts";
import { type Db, openDb } from "../../src/platform/db.ts";
import { integer, row } from "../../src/platform/row.ts";
import { Sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { aPair, apiStatus } from "../support/attacks.ts";
import { whenDone } from "../support/cleanup.ts";
import { addressOf, asService, PATIENCE_MS } from "../support/database.ts";
import { DatabaseLink, type End } from "../support/database-link.ts";
import { newInstallation, startService } from "../support/installation.ts";
import { anApplication, refresh, signedIn, type TestApplication, type Visitor } from "../support/oauth.ts";
import type { Statement } from "../support/statement-reader.ts";
import { freePort, startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
let application: TestApplication;
let dev: Visitor;
/** The way of the process that ends; the other one repeats its requests. */
let link: DatabaseLink;
let victim: FastifyInstance;
let victimsDb: Db;
let victimsUrl: string;

before(async () => {
  world = await startWorld({ GATEHOUSE_LOG_LEVEL: "silent" });
  source = await aSource(world);
  // What every project has once: its counters, and the user that alerts act as.
  await source.send({ title: "The first" });
  await world.tokenOf("dev", "api");
  application = await anApplication(world);
  dev = await signedIn(world, "dev");
  link = await DatabaseLink.start(await asService(world.connection));
  victimsDb = openDb({ connection: link.connection, checkRows: true, patienceMs: PATIENCE_MS });
  victim = await buildApp({ ...world.platform, db: victimsDb });
  victimsUrl = await victim.listen({ host: "127.0.0.1", port: await freePort() });
  whenDone(async () => {
    victim.server.closeAllConnections();
    await victim.close();
    await victimsDb.close();
  });
});

/** A request that may be repeated, sent to a process. */
interface Repeatable {
  send(url: string): Promise<Response>;
  /** What the other process answers to the same request. */
  repeat(): Promise<void>;
}

function anAlert(name: string): Repeatable {
  const title = `Alert ${name}`;
  const headers = { authorization: `Bearer ${source.key}`, "idempotency-key": name };
  return {
    send: (url) =>
      fetch(url + source.path, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ title }),
      }),
    repeat: async () => {
      const reply = await source.send({ title }, headers);
      assert.deepEqual([reply.status, reply.json.length, reply.json[0].title], [200, 1, title], reply.text);
      const path = `/api/v4/projects/acme%2Frocket/alert_management_alerts/${reply.json[0].iid}`;
      const { json } = await world.call(path, { as: "dev" });
      assert.deepEqual([json.title, json.events], [title, 1]);
    },
  };
}

async function aRefresh(): Promise<Repeatable> {
  const { access_token, refresh_token } = await aPair(world, dev, application);
  const { uid: client_id, secret: client_secret } = application;
  const form = { grant_type: "refresh_token", refresh_token, client_id, client_secret };
  return {
    send: (url) => fetch(`${url}/oauth/token`, { method: "POST", body: new URLSearchParams(form) }),
    repeat: async () => {
      const { status, json, text } = await refresh(world, application, refresh_token);
      assert.equal(status, 200, text);
      assert.equal(await apiStatus(world, json.access_token), 200);
      assert.equal(await apiStatus(world, access_token), 401, "its predecessor");
    },
  };
}

/** The rows that `work` adds, by table. */
async function added(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await rowCounts();
  await work();
  const counts = Object.entries(await rowCounts());
  const changed = counts.map(([name, n]) => [name, n - (before[name] ?? 0)] as const);
  return Object.fromEntries(changed.filter(([, n]) => n !== 0));
}

async function rowCounts(): Promise<Record<string, number>> {
  const names = ["alerts", "alert_receipts", "alert_occurrences", "alert_idempotency_keys", "incidents"];
  names.push("events", "event_deltas", "access_tokens", "refresh_tokens", "authorizations", "audit_entries");
  const counts: Record<string, number> = {};
  for (const name of names) {
    const statement = new Sql([`select count(*) as n from ${name}`], []);
    counts[name] = (await world.owner.one(row({ n: integer }), statement)).n;
  }
  return counts;
}

/** Sends the request to the victim, which ends at its statement with this number; returns whether it has so many. */
async function endedAt(number: number, when: End["when"], { send }: Repeatable): Promise<boolean> {
  let count = 0;
  let hasEnded = false;
  link.refuses = false;
  await victimsDb.connect();
  link.end = {
    when,
    at: () => ++count === number,
    ended: () => {
      hasEnded = true;
    },
  };
  // What it answers now would reach nobody.
  await (await send(victimsUrl)).arrayBuffer();
  link.end = undefined;
  if (hasEnded) await link.isForgotten();
  return hasEnded;
}

for (const { what, make, least } of [
  { what: "an alert", make: async (name: string) => anAlert(name), least: 8 },
  { what: "a refresh", make: aRefresh, least: 2 },
]) {
  test(`${what} by a process that ends before any of its statements, or before it gets the answer to it, is stored as a whole or not at all, and a repeat has one effect (reference reliability F2)`, async (context) => {
    const sample = await make("whole");
    const whole = await added(() => sample.repeat());
    const left = { nothing: 0, whole: 0 };
    for (const when of ["before", "answered"] as const) {
      let number = 1;
      for (let hasEnded = true; hasEnded; number++) {
        const request = await make(`${when} ${number}`);
        const at = `${when} statement ${number}`;
        const found = await added(async () => {
          hasEnded = await endedAt(number, when, request);
        });
        const isNothing = Object.keys(found).length === 0;
        if (!isNothing) assert.deepEqual(found, whole, at);
        if (hasEnded) left[isNothing ? "nothing" : "whole"]++;
        assert.deepEqual(await added(() => request.repeat()), isNothing ? whole : {}, `repeated: ${at}`);
      }
      assert.ok(number > least, `${number} statements are too few`);
    }
    context.diagnostic(JSON.stringify(left));
    assert.equal(left.whole, 1, "only what was committed and not answered is there");
  });
}

const isCommitOfAlert = ({ text, earlier }: Statement) =>
  text === "commit" && earlier.some((each) => each.startsWith("insert into alert_idempotency_keys"));
const isRotation = ({ text }: Statement) => text.includes("update refresh_tokens r set spent_at");

for (const { what, make, at } of [
  { what: "an alert", make: async (name: string) => anAlert(name), at: isCommitOfAlert },
  { what: "a refresh", make: aRefresh, at: isRotation },
]) {
  test(`${what} by a process that is killed at its commit is not there, or once if it was after it, and a repeat has one effect (reference reliability F2)`, async () => {
    const place = { ...world.connection, host: link.connection.host ?? "", port: link.connection.port ?? 0 };
    const installation = await newInstallation({
      DATABASE_URL: addressOf(place),
      GATEHOUSE_MASTER_KEY: "07".repeat(32),
      GATEHOUSE_LOG_LEVEL: "silent",
    });
    const sample = await make("sample");
    const whole = await added(() => sample.repeat());
    for (const { when, expected } of [
      { when: "before", expected: {} },
      { when: "answered", expected: whole },
    ] as const) {
      link.refuses = false;
      const { process } = await startService(installation);
      const exit = once(process, "exit");
      link.end = { when, at, ended: () => process.kill("SIGKILL") };
      const request = await make(`killed ${when}`);
      const found = await added(async () => {
        await assert.rejects(request.send(installation.url));
        assert.deepEqual(await exit, [null, "SIGKILL"]);
        await link.isForgotten();
      });
      assert.deepEqual(found, expected, when);
      const missing = when === "before" ? whole : {};
      assert.deepEqual(await added(() => request.repeat()), missing, `repeated: ${when}`);
    }
  });
}
