/** Windows of silences, evaluated by the database at times chosen by the tests, including clock changes. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import pg from "pg";
import { endSilence, inForce } from "../../src/alerts/store-silences.ts";
import { boolean, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  await world.owner.run(sql`create schema clock`);
  await world.owner.run(
    sql`create function clock.now() returns timestamptz language sql stable
      as $$ select current_setting('clock.at')::timestamptz $$`,
  );
  await world.owner.run(sql`grant usage on schema clock to public`);
});

interface Times {
  starts?: string;
  ends?: string | null;
  days?: number[];
  from?: string;
  to?: string;
  zone?: string;
}

/** Whether a silence with these times is in force at a time. */
async function isInForce(times: Times, at: string): Promise<boolean> {
  const { starts = "2000-01-01T00:00:00Z", ends = null, days = [], from, to, zone } = times;
  return world.platform.db.transaction(async (tx) => {
    await tx.run(sql`select set_config('clock.at', ${at}, true)`);
    await tx.run(sql`set local search_path = clock, public, pg_catalog`);
    const found = await tx.one(
      row({ quiet: boolean }),
      sql`select ${inForce} as quiet from (select ${starts}::timestamptz as starts_at, ${ends}::timestamptz as ends_at,
        ${days}::smallint[] as days, ${from ?? null}::text as from_time, ${to ?? null}::text as to_time,
        ${zone ?? null}::text as zone) s`,
    );
    return found.quiet;
  });
}

async function sees(times: Times, instants: Readonly<Record<string, boolean>>): Promise<void> {
  for (const [at, quiet] of Object.entries(instants)) assert.equal(await isInForce(times, at), quiet, at);
}

test("a silence is in force from its start until just before its end (decision 0096)", async () => {
  await sees(
    { starts: "2026-05-01T10:00:00Z", ends: "2026-05-01T12:00:00Z" },
    {
      "2026-05-01T09:59:59.999Z": false,
      "2026-05-01T10:00:00Z": true,
      "2026-05-01T11:59:59.999Z": true,
      "2026-05-01T12:00:00Z": false,
    },
  );
});

test("a window across midnight belongs to the day on which it starts (decision 0096)", async () => {
  const friday = { days: [5], from: "22:00", to: "06:00", zone: "Etc/UTC" };
  await sees(friday, {
    "2026-05-01T05:59:00Z": false,
    "2026-05-01T21:59:00Z": false,
    "2026-05-01T22:00:00Z": true,
    "2026-05-02T05:59:59Z": true,
    "2026-05-02T06:00:00Z": false,
    "2026-05-02T22:00:00Z": false,
  });
});

test("a window with equal start and end lasts a whole day (decision 0096)", async () => {
  const saturday = { days: [6], from: "08:00", to: "08:00", zone: "Etc/UTC" };
  await sees(saturday, {
    "2026-05-02T07:59:59Z": false,
    "2026-05-02T08:00:00Z": true,
    "2026-05-03T07:59:59Z": true,
    "2026-05-03T08:00:00Z": false,
  });
});

test("daily windows follow the local time of their zone across clock changes (decision 0096; reference alerts D33)", async () => {
  const every = { days: [1, 2, 3, 4, 5, 6, 7], zone: "Europe/Berlin" };
  // In Berlin the hour from 2:00 is skipped on 2026-03-29 and repeated on 2026-10-25.
  await sees(
    { ...every, from: "02:30", to: "04:00" },
    {
      "2026-03-28T01:30:00Z": true,
      "2026-03-29T00:59:59Z": false,
      "2026-03-29T01:00:00Z": true,
      "2026-03-29T01:59:59Z": true,
      "2026-03-29T02:00:00Z": false,
      "2026-10-25T00:29:59Z": false,
      "2026-10-25T00:30:00Z": true,
      "2026-10-25T02:59:59Z": true,
      "2026-10-25T03:00:00Z": false,
    },
  );
  await sees(
    { ...every, from: "22:00", to: "06:00" },
    {
      "2026-03-28T20:59:59Z": false,
      "2026-03-28T21:00:00Z": true,
      "2026-03-29T03:59:59Z": true,
      "2026-03-29T04:00:00Z": false,
      "2026-10-24T20:00:00Z": true,
      "2026-10-25T04:59:59Z": true,
      "2026-10-25T05:00:00Z": false,
    },
  );
});

test("a recurring silence starts and ends at its own times, even within a window (decision 0096)", async () => {
  const window = { days: [5], from: "10:00", to: "14:00", zone: "Etc/UTC" };
  await sees(
    { ...window, starts: "2026-05-01T11:00:00Z", ends: "2026-05-01T13:00:00Z" },
    {
      "2026-05-01T10:30:00Z": false,
      "2026-05-01T12:00:00Z": true,
      "2026-05-01T13:30:00Z": false,
      "2026-05-08T12:00:00Z": false,
    },
  );
});

test("a migration gives older silences the current names of their time zones (decision 0096)", async () => {
  const statement = await readFile(
    new URL("../../migrations/0075-silence-zones.sql", import.meta.url),
    "utf8",
  );
  const client = new pg.Client(world.connection);
  await client.connect();
  try {
    const given = ["Asia/Calcutta", "CET", "Europe/Berlin"];
    const made = await client.query(
      `insert into alert_silences (project_id, comment, matchers, starts_at, days, from_time, to_time, zone)
        select $1, zone, '[]', now(), '{1}', '22:00', '06:00', zone from unnest($2::text[]) zone returning id`,
      [world.rocket.id, given],
    );
    await client.query(statement);
    const kept = await client.query(
      "select comment, zone from alert_silences where id = any ($1) order by comment",
      [made.rows.map(({ id }) => id)],
    );
    assert.deepEqual(
      kept.rows.map(({ comment, zone }) => [comment, zone]),
      [
        ["Asia/Calcutta", "Asia/Kolkata"],
        ["CET", "Europe/Brussels"],
        ["Europe/Berlin", "Europe/Berlin"],
      ],
    );
  } finally {
    await client.end();
  }
});

test("of two requests that end a silence at the same time one is recorded, and an end recorded elsewhere is not recorded again (decision 0096)", async () => {
  const silences = "/api/v4/projects/acme%2Frocket/alert_silences";
  const make = async (): Promise<number> => {
    const json = {
      comment: "Ended twice",
      matchers: [{ field: "title", operator: "equals", value: "x" }],
      ends_at: "2099-01-01T00:00:00Z",
    };
    return (await world.call(silences, { as: "dev", json })).json.id;
  };
  const end = async (id: number) =>
    (await world.call(`${silences}/${id}`, { as: "dev", method: "DELETE" })).status;
  const recorded = (id: number) =>
    world.platform.db.run(sql`select from audit_entries
      where action = 'silence_ended' and details ->> 'silence' = ${String(id)}`);

  const both = await make();
  const held = await whileDoing(
    world,
    (tx) => tx.run(sql`select from alert_silences where id = ${both} for update`),
    () => Promise.all([end(both), end(both)]),
  );
  assert.deepEqual([held.worked, await recorded(both)], [[204, 204], 1]);

  const elsewhere = await make();
  const { worked } = await whileDoing(
    world,
    (tx) => endSilence(tx, world.rocket.id, elsewhere),
    () => end(elsewhere),
  );
  // The first end is this test's statement, which records nothing.
  assert.deepEqual([worked, await recorded(elsewhere)], [204, 0]);
  assert.deepEqual([await end(elsewhere), await recorded(elsewhere)], [204, 0]);
});
