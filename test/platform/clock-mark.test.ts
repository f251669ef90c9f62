/** A database whose clock was set back: nothing that expires is accepted, nothing is deleted, and alerts are still received. */
import assert from "node:assert/strict";
import { before, beforeEach, describe, it, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { buildApp } from "../../src/app.ts";
import { examineDatabase } from "../../src/operations/examine-database.ts";
import {
  acceptClock,
  checkPurge,
  findClock,
  isAhead,
  isBehind,
  noteClock,
  watchClock,
} from "../../src/platform/clock-mark.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { integer, row } from "../../src/platform/row.ts";
import { startJobs } from "../../src/platform/schedule.ts";
import { sql } from "../../src/platform/sql.ts";
import { jobs } from "../../src/sweeps.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { whenDone } from "../support/cleanup.ts";
import { addressOf } from "../support/database.ts";
import { newInstallation, runGatehouse, startService } from "../support/installation.ts";
import { anApplication } from "../support/oauth.ts";
import { until } from "../support/until.ts";
import { Visitor } from "../support/visitor.ts";
import { freePort, PASSWORD, startWorld, type World } from "../support/world.ts";

test("clocks may be up to a minute behind or an hour ahead (reference reliability 0.3; decision 0198)", () => {
  assert.deepEqual(
    [-5, 0, 60, 61, 86_400].map((behindSeconds) => isBehind({ behindSeconds })),
    [false, false, false, true, true],
  );
  assert.deepEqual(
    [-86_400, 0, 3600, 3601].map((aheadSeconds) => isAhead({ aheadSeconds })),
    [false, false, false, true],
  );
});

let world: World;
let source: Source;
let platform: Platform;
let url: string;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  platform = { ...world.platform, isClockBehind: watchClock(world.platform.db, 0) };
  const app = await buildApp(platform);
  url = await app.listen({ host: "127.0.0.1", port: await freePort() });
  whenDone(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
});
beforeEach(() => world.platform.db.run(sql`delete from clock_mark`));

/** As if the database had reported a time this many seconds ahead of now. */
const toldBefore = (seconds: number) =>
  world.platform.db.run(sql`insert into clock_mark (one, at)
    values (true, clock_timestamp() + make_interval(secs => ${seconds}))
    on conflict (one) do update set at = excluded.at`);
/** The stored mark, in whole seconds from now. */
const mark = async () =>
  (
    await world.platform.db.one(
      row({ seconds: integer }),
      sql`select round(extract(epoch from at - clock_timestamp()))::bigint as seconds from clock_mark`,
    )
  ).seconds;
const ask = (path: string, options: RequestInit = {}) =>
  fetch(url + path, { redirect: "manual", ...options });

/** Runs jobs that purge, twice each, and one that does not; returns which ran to their end, and what was logged. */
async function runBoth() {
  const done: string[] = [];
  const said: string[] = [];
  const log = Object.assign(Object.create(platform.log), {
    warn: (fields: unknown, words = fields) => said.push(String(words)),
    error: (_: unknown, words: string) => said.push(words),
  });
  const purge = {
    everySeconds: 2,
    purges: "by a proven clock",
    run: async () => done.push("purge"),
  } as const;
  const stop = startJobs({ ...platform, log }, [
    { ...purge, name: "a purge" },
    { ...purge, name: "another purge" },
    { name: "a feed", everySeconds: 3600, run: async () => done.push("feed") },
  ]);
  await pause(3500);
  stop();
  return { done, said };
}

describe("while the clock is behind the latest known time", () => {
  it("tokens, sessions and OAuth endpoints get 503, alerts are received and readiness gives the reason; afterwards all works again (reference reliability 0.3 and E, readiness; decision 0198)", async () => {
    const authorization = `Bearer ${await world.tokenOf("max", "api")}`;
    const application = await anApplication(world);
    const visitor = new Visitor(url);
    await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
    const asked = async () => {
      const replies = await Promise.all([
        ask("/api/v4/user", { headers: { authorization } }),
        ask("/oauth/token", {
          method: "POST",
          body: new URLSearchParams({
            grant_type: "password",
            username: "dev",
            password: PASSWORD,
            client_id: application.uid,
            client_secret: application.secret,
          }),
        }),
        ask("/oauth/token/info", { headers: { authorization } }),
      ]);
      const page = await visitor.get("/profile");
      return [...replies.map((reply) => reply), page];
    };
    const statuses = async () => (await asked()).map(({ status }) => status);
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    await toldBefore(600);
    const refused = await asked();
    assert.deepEqual(
      refused.map(({ status, headers }) => [status, headers.get("retry-after")]),
      Array(4).fill([503, "30"]),
    );
    assert.equal(
      refused[1]?.headers.get("access-control-allow-origin"),
      "*",
      "applications in browsers can read it too",
    );
    const alert = await ask(source.path, {
      method: "POST",
      headers: { authorization: `Bearer ${source.key}`, "content-type": "application/json" },
      body: '{"title":"Hot"}',
    });
    assert.equal(alert.status, 200, "an alert is received, as its sender would not repeat it forever");
    const readiness = await ask("/-/readiness");
    assert.equal(readiness.status, 503);
    assert.equal(((await readiness.json()) as { reason: string }).reason, "clock_behind");
    assert.equal((await ask("/-/liveness")).status, 200);
    const finding = (await examineDatabase(platform)).find(({ name }) => name === "clock mark");
    assert.equal(finding?.state, "bad");
    assert.match(finding?.remedy ?? "", /accept-clock/);
    assert.ok((await mark()) > 500, "requests do not move the mark");
    // The clock has caught up, except for the tolerance.
    await toldBefore(30);
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    assert.equal((await ask("/-/readiness")).status, 200);
  });

  it("nothing is purged, and other jobs continue (reference reliability 0.3; decision 0198)", async () => {
    await toldBefore(600);
    await assert.rejects(checkPurge(platform.db), { kind: "conflict" });
    const { done, said } = await runBoth();
    assert.deepEqual(done, ["feed"]);
    assert.match(said.join(), /wrong: nothing is deleted by age/);
    assert.deepEqual(
      jobs.filter(({ purges }) => purges).map(({ name }) => name),
      ["memberships", "accounts", "alerts", "oauth", "outbox", "events", "removals"],
    );
  });
});

describe("the mark", () => {
  it("is updated by a job, only forwards, and not to a time that differs from that of this machine (decision 0198)", async () => {
    assert.ok(jobs.some(({ name, everySeconds }) => name === "clock" && everySeconds <= 10));
    await noteClock(platform);
    assert.ok(Math.abs(await mark()) < 60);
    await toldBefore(50);
    await noteClock(platform);
    assert.ok((await mark()) > 0, "the latest time is kept");
    await toldBefore(-500);
    const twoHoursAgo = new Date(Date.now() - 7_200_000);
    await noteClock(platform, twoHoursAgo);
    assert.ok((await mark()) < -400, "the database clock may have jumped ahead");
    await assert.rejects(checkPurge(platform.db, twoHoursAgo), { kind: "conflict" });
    await noteClock(platform);
    assert.ok((await mark()) > -400);
    await checkPurge(platform.db);
  });

  it("is reset when an administrator accepts the present time (decision 0198)", async () => {
    await toldBefore(600);
    assert.ok(isBehind(await findClock(platform.db)));
    await acceptClock(platform.db);
    assert.ok(!isBehind(await findClock(platform.db)));
    assert.equal(await watchClock(platform.db)(), false);
  });
});

describe("after a jump ahead, or a long stop", () => {
  const YEAR = 365 * 86_400;
  const HOURS = 3600;
  const unproven = async () => (await findClock(platform.db)).unprovenSeconds;
  /** Whether the project free/plan can still be restored. */
  const isKept = async () =>
    (
      await platform.db.one(
        row({ kept: integer }),
        sql`select count(*) as kept from projects where id = ${world.free.id} and removal_began_at is null`,
      )
    ).kept === 1;

  const runJob = async (job: string) => {
    const stop = startJobs(
      platform,
      jobs.filter(({ name }) => name === job),
    );
    await pause(2000);
    stop();
  };

  it("nothing is purged until the service has run for hours, which is logged once, and all else works (reference reliability 0.3 and F24; decision 0315)", async () => {
    await toldBefore(-3 * YEAR);
    const first = await runBoth();
    assert.deepEqual(first.done, ["feed"]);
    assert.equal(first.said.length, 1, first.said.join());
    assert.match(first.said[0] ?? "", /until the service has run .* admin accept-clock/);
    await noteClock(platform);
    assert.ok(Math.abs(await mark()) < 60, "the mark follows");
    await assert.rejects(checkPurge(platform.db), { kind: "conflict" });
    const second = await runBoth();
    assert.deepEqual([second.done, second.said], [["feed"], []]);
    assert.equal((await ask("/-/readiness")).status, 200);
    const finding = (await examineDatabase(platform)).find(({ name }) => name === "clock mark");
    assert.equal(finding?.state, "warn");
    assert.match(`${finding?.text} ${finding?.remedy}`, /another 21600 s.*accept-clock/);
    // As if it had run for almost six hours.
    await platform.db.run(
      sql`update clock_mark set at = at - interval '10 seconds', unproven = interval '8 seconds'`,
    );
    await noteClock(platform);
    const third = await runBoth();
    assert.ok(third.done.filter((one) => one === "purge").length >= 2, third.done.join());
    assert.deepEqual(third.said, ["old data is deleted again"]);
    const found = (await examineDatabase(platform)).find(({ name }) => name === "clock mark");
    assert.equal(found?.state, "ok");
  });

  it("a project keeps its restore period until an administrator accepts the time (reference reliability F24; decision 0315)", async () => {
    await platform.db.run(
      sql`update projects set marked_for_deletion_at = now() - interval '30 days', removal_due_at = now() - interval '1 day'
        where id = ${world.free.id}`,
    );
    const run = () => runJob("removals");
    await toldBefore(-8 * 86_400);
    await run();
    assert.ok(await isKept());
    await noteClock(platform);
    await run();
    assert.ok(await isKept(), "also after the jump was noted");
    await acceptClock(platform.db);
    await run();
    assert.ok(!(await isKept()));
  });

  it("a membership is kept while the clock is known to be wrong, and after a long stop it ends within seconds (reference reliability 0.3; contract-events §4, membership; decision 0315)", async () => {
    const { db } = platform;
    const isGus = sql`project_id = ${world.rocket.id} and user_id = ${world.ids.gus}`;
    await db.run(sql`update members set expires_at = now() - interval '1 day' where ${isGus}`);
    const members = async () =>
      (await db.one(row({ n: integer }), sql`select count(*) as n from members where ${isGus}`)).n;
    await toldBefore(600);
    await runJob("memberships");
    assert.equal(await members(), 1, "it can be prolonged once the clock is right");
    await toldBefore(-8 * 86_400);
    await runJob("memberships");
    assert.equal(await members(), 0);
  });

  it("waits a quarter of what is missing, six hours at most, and counts running time only (decision 0315)", async () => {
    const after = async (seconds: number) => {
      await toldBefore(-seconds);
      await noteClock(platform);
      return unproven();
    };
    assert.equal(await after(0.9 * HOURS), 0, "no jump");
    assert.equal(await after(8 * HOURS), 2 * HOURS);
    // What a note counts is bounded, and a restart within the hour loses nothing.
    assert.equal(await after(30), 2 * HOURS - 30);
    assert.equal(await after(0.5 * HOURS), 2 * HOURS - 90);
    assert.equal(await after(2 * HOURS), 2 * HOURS - 90, "a smaller jump makes the wait no shorter");
    assert.equal(await after(YEAR), 6 * HOURS);
    // The clock is put right: what 0198 asks, and nothing else.
    await toldBefore(YEAR);
    await noteClock(platform);
    assert.equal(await unproven(), 6 * HOURS, "time that a wrong clock shows counts nothing");
    await acceptClock(platform.db);
    await checkPurge(platform.db);
  });

  it("a new installation waits for nothing (decision 0315)", async () => {
    await checkPurge(platform.db);
    await noteClock(platform);
    await checkPurge(platform.db);
  });
});

test("a running service reports the problem, and accepts the clock again after admin accept-clock (decision 0198)", async () => {
  const installation = await newInstallation({
    DATABASE_URL: addressOf(world.connection),
    GATEHOUSE_MASTER_KEY: "07".repeat(32),
  });
  const service = await startService(installation);
  const reason = async () => {
    const reply = await fetch(`${installation.url}/-/readiness`);
    return ((await reply.json()) as { reason?: string }).reason ?? "none";
  };
  await toldBefore(600);
  await until(async () => (await reason()) === "clock_behind");
  const said = await runGatehouse(installation, ["admin", "accept-clock", "--json"]);
  assert.equal(said.code, 0, said.stderr);
  assert.ok(JSON.parse(said.stdout).behind_seconds > 500);
  await until(async () => (await reason()) === "none");
  // Its outbox would take the messages of the next test within half a second.
  assert.equal(await service.stop(), 0);
});

test("after admin accept-clock nothing waits for the time that was wrong (decision 0292)", async () => {
  const { db } = world.platform;
  const ahead = sql`interval '1 day'`;
  const heartbeats = "/api/v4/projects/acme%2Frocket/alert_heartbeats";
  const json = { name: "Nightly", interval_seconds: 3600, grace_seconds: 60 };
  const { url: address, key } = (await world.call(heartbeats, { as: "max", json })).json;
  await world.call(new URL(address).pathname, { method: "POST", token: key });
  await db.run(
    sql`update alert_heartbeats set due_at = due_at + ${ahead}, last_ping_at = last_ping_at + ${ahead}`,
  );
  // Put off after a try that failed, and put off for a reason that holds.
  const messages = await db.many(
    row({ id: integer }),
    sql`insert into outbox_deliveries (channel, target, content, purpose, due_at)
      select 'webhook', 'test', '{}', 'test', now() + ${ahead} from generate_series(1, 2) returning id`,
  );
  await db.run(sql`insert into outbox_attempts (delivery_id, number, at, duration_ms)
    values (${messages[0]?.id ?? 0}, 1, now() + ${ahead}, 1)`);
  for (let i = 0; i < 6; i++)
    await new Visitor(world.url).submit("/users/sign_in", { username: "dev", password: "not this one" });
  await db.run(sql`update sign_in_failures set failed_at = failed_at + ${ahead}`);
  await db.run(sql`update users set totp_last_step = extract(epoch from now() + ${ahead})::bigint / 30
    where username in ('dev', 'max')`);
  const signIn = async () =>
    (await new Visitor(world.url).submit("/users/sign_in", { username: "dev", password: PASSWORD })).status;
  assert.equal(await signIn(), 429);

  const installation = await newInstallation({
    DATABASE_URL: addressOf(world.connection),
    GATEHOUSE_MASTER_KEY: "07".repeat(32),
  });
  const said = await runGatehouse(installation, ["admin", "accept-clock"]);
  assert.equal(said.code, 0, said.stderr);
  assert.equal(await signIn(), 303);
  const [one] = (await world.call(heartbeats, { as: "max" })).json;
  assert.ok(Date.parse(one.due_at) <= Date.now() + 3_660_000, one.due_at);
  // The next time is counted from the last ping when the heartbeat is changed.
  const renamed = { as: "max", method: "PUT", json: { name: "Every night" } } as const;
  const changed = (await world.call(`${heartbeats}/${one.id}`, renamed)).json;
  assert.ok(Date.parse(changed.due_at) <= Date.now() + 3_660_000, changed.due_at);
  assert.deepEqual(
    await db.many(
      row({ id: integer }),
      sql`select id from outbox_deliveries where purpose = 'test' and due_at <= now() order by id`,
    ),
    messages.slice(0, 1),
  );
  const { steps } = await db.one(
    row({ steps: integer }),
    sql`select count(*) as steps from users where totp_last_step > extract(epoch from now())::bigint / 30 + 1`,
  );
  assert.equal(steps, 0);
});
