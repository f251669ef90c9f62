/** The database module as other modules use it. */
import assert from "node:assert/strict";
import dns, { type LookupAddress, type LookupOptions } from "node:dns";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { type Db, openDb } from "../../src/platform/db.ts";
import { rethrowAsUnavailable, violatedConstraint } from "../../src/platform/db-errors.ts";
import { migrate, readMigrations } from "../../src/platform/migrate.ts";
import { Problem } from "../../src/platform/problem.ts";
import { instant, integer, jsonb, nullable, row, text } from "../../src/platform/row.ts";
import { json, sql } from "../../src/platform/sql.ts";
import { addressOf, emptyDatabase, freshDatabase, PATIENCE_MS } from "../support/database.ts";
import { DatabaseLink } from "../support/database-link.ts";
import { until } from "../support/until.ts";

let db: Db;
const One = row({ n: integer });

before(async () => {
  db = openDb({ connection: await freshDatabase(), checkRows: true, patienceMs: PATIENCE_MS });
  await db.run(
    sql`create table things (id bigint primary key, thing_name text unique, made_at timestamptz(3), data jsonb)`,
  );
});
after(() => db.close());

test("columns are renamed to camelCase and checked against the declared row (house §2.7)", async () => {
  await db.run(sql`insert into things values (${1}, ${"a"}, now(), ${json([1, { b: null }])})`);
  const Thing = row({ id: integer, thingName: text, madeAt: instant, data: jsonb<unknown>() });
  const thing = await db.one(Thing, sql`select id, thing_name, made_at, data from things`);
  assert.equal(thing.thingName, "a");
  assert.deepEqual(thing.data, [1, { b: null }]);
  await assert.rejects(db.many(row({ id: text }), sql`select id from things`), /id is not text/);
  await assert.rejects(
    db.many(row({ id: integer }), sql`select id, data from things`),
    /data is not declared/,
  );
});

test("many single statements share a connection and each returns the result to its caller (reference stack 2)", async () => {
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => db.one(One, sql`select ${n}::bigint as n`)),
  );
  assert.deepEqual(
    answers.map(({ n }) => n),
    Array.from({ length: 200 }, (_, n) => n),
  );
});

test("searches use at most half of the connections, and one that waits too long gets 503 (contract-alerts, availability)", async () => {
  const connection = await emptyDatabase();
  const holder = new pg.Client(connection);
  await holder.connect();
  const few = openDb({ connection, poolSize: 4, patienceMs: 6000 });
  try {
    await holder.query("select pg_advisory_lock(7)");
    // Those that run wait longer than for a lock, so that they are not refused too.
    const waitForIt = sql`select set_config('lock_timeout', '0', true), pg_advisory_lock_shared(7), pg_advisory_unlock_shared(7)`;
    const slow = Array.from({ length: 6 }, () =>
      few.searching.run(waitForIt).then(
        () => "done",
        (error) => error,
      ),
    );
    const refused = await Promise.race(slow);
    assert.ok(refused instanceof Problem && refused.kind === "unavailable", String(refused));
    assert.equal((await few.transaction((tx) => tx.one(One, sql`select 1::bigint as n`))).n, 1);
    await holder.query("select pg_advisory_unlock(7)");
    const ends = await Promise.all(slow);
    assert.equal(ends.filter((end) => end === "done").length, 2);
    assert.equal(await few.searching.run(sql`select 1`), 1, "later searches work");
  } finally {
    await holder.end();
    await few.close();
  }
});

test("a transaction gets a connection at once, however many slow statements run (contract-alerts, availability)", async () => {
  const connection = await emptyDatabase();
  const holder = new pg.Client(connection);
  await holder.connect();
  const few = openDb({ connection, poolSize: 4, patienceMs: 20_000 });
  try {
    await holder.query("select pg_advisory_lock(8)");
    const waitForIt = sql`select pg_advisory_lock_shared(8), pg_advisory_unlock_shared(8)`;
    const slow = Promise.all(Array.from({ length: 12 }, () => few.pooled.run(waitForIt)));
    const searches = Promise.all(Array.from({ length: 12 }, () => few.searching.run(waitForIt)));
    // All of them would wait forever.
    const both = await Promise.all(
      [1, 2].map((n) => few.transaction((tx) => tx.one(One, sql`select ${n}::bigint as n`))),
    );
    assert.deepEqual(both, [{ n: 1 }, { n: 2 }]);
    assert.ok(few.load().waiting >= 20, `${few.load().waiting} wait`);
    await holder.query("select pg_advisory_unlock(8)");
    assert.deepEqual(
      [...(await slow), ...(await searches)],
      Array.from({ length: 24 }, () => 1),
    );
  } finally {
    await holder.end();
    await few.close();
  }
});

test("every connection has its time zone, its timeouts and generic plans (decisions 0093, 0145)", async () => {
  const names = ["TimeZone", "statement_timeout", "lock_timeout", "plan_cache_mode", "jit"];
  const settings = sql`select name, setting from pg_settings where name = any (${names}) order by name`;
  const Setting = row({ name: text, setting: text });
  const asked = [db, db, db.pooled, db.pooled].map((queries) => queries.many(Setting, settings));
  for (const found of [
    ...(await Promise.all(asked)),
    await db.transaction((tx) => tx.many(Setting, settings)),
  ]) {
    assert.deepEqual(Object.fromEntries(found.map(({ name, setting }) => [name, setting])), {
      TimeZone: "UTC",
      statement_timeout: "15000",
      lock_timeout: "10000",
      plan_cache_mode: "force_generic_plan",
      jit: "off",
    });
  }
});

test("a database with another date style, isolation level or string syntax works like one with the defaults (README: Configure)", async () => {
  const connection = await freshDatabase();
  const owner = new pg.Client(connection);
  await owner.connect();
  const otherwise = ["datestyle = 'SQL, DMY'", "default_transaction_isolation = 'serializable'"];
  for (const setting of [...otherwise, "standard_conforming_strings = off"]) {
    await owner.query(`alter database ${connection.database} set ${setting}`);
  }
  await owner.end();
  const own = openDb({ connection, checkRows: true, patienceMs: PATIENCE_MS });
  try {
    const Told = row({ at: instant, day: text, isolation: text, pattern: text });
    const told = sql`select '2026-05-04T10:00:00Z'::timestamptz(3) as at, '2026-05-04'::date::text as day,
      current_setting('transaction_isolation') as isolation, '\\d' as pattern`;
    for (const found of [
      await own.one(Told, told),
      await own.pooled.one(Told, told),
      await own.transaction((tx) => tx.one(Told, told)),
    ]) {
      const at = new Date("2026-05-04T10:00:00Z");
      assert.deepEqual(found, { at, day: "2026-05-04", isolation: "read committed", pattern: "\\d" });
    }
  } finally {
    await own.close();
  }
});

test("a failing statement does not affect other statements on the same connection (reference stack 2)", async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 40 }, (_, n) =>
      db.one(One, n % 4 === 0 ? sql`select 1 / ${0}::int as n` : sql`select ${n}::bigint as n`),
    ),
  );
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 30);
});

test("a transaction commits as a whole or not at all (house §2.8)", async () => {
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.run(sql`insert into things (id) values (77)`);
      throw new Problem("conflict", "no");
    }),
    Problem,
  );
  assert.equal(await db.find(One, sql`select id as n from things where id = 77`), undefined);
});

test("a transaction that lost a deadlock is retried as a whole, and both sides finish (reference reliability F39)", async () => {
  await db.run(sql`insert into things (id, thing_name) values (101, 'x'), (102, 'y')`);
  const touch = (id: number) => sql`update things set made_at = now() where id = ${id}`;
  let both = 0;
  const meet = async () => {
    both++;
    while (both < 2) await new Promise((done) => setTimeout(done, 5));
  };
  await Promise.all(
    [[101, 102] as const, [102, 101] as const].map(([first, second]) =>
      db.transaction(async (tx) => {
        await tx.run(touch(first));
        await meet();
        await tx.run(touch(second));
      }),
    ),
  );
});

test("statements that follow one that was cancelled during its preparation prepare it again (reference reliability F36)", async () => {
  const connection = await freshDatabase();
  const own = openDb({ connection, checkRows: true, patienceMs: PATIENCE_MS });
  const holder = new pg.Client(connection);
  await holder.connect();
  const waiting = "from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  try {
    await own.run(sql`create table held (id bigint)`);
    await holder.query("begin; lock table held in access exclusive mode");
    const count = () => own.one(One, sql`select count(*) as n from held`).catch((error: unknown) => error);
    const asked = Array.from({ length: 6 }, count);
    // Three on each of two connections, of which the first blocks the others.
    await until(async () => {
      // Within a transaction, the activity is a snapshot unless it is cleared.
      await holder.query("select pg_stat_clear_snapshot()");
      return (await holder.query(`select ${waiting}`)).rowCount === 2;
    });
    await holder.query(`select pg_cancel_backend(pid) ${waiting}`);
    await holder.query("rollback");
    const answers = await Promise.all(asked);
    assert.equal(answers.filter((answer) => answer instanceof Problem).length, 2);
    assert.deepEqual(
      answers.filter((answer) => !(answer instanceof Problem)),
      Array.from({ length: 4 }, () => ({ n: 0 })),
    );
  } finally {
    await holder.end();
    await own.close();
  }
});

test("a single statement that lost a deadlock is sent again (reference reliability F39)", async () => {
  await db.run(sql`insert into things (id, thing_name) values (103, 'v'), (104, 'w')`);
  // Counts what was sent, also what was rolled back.
  await db.run(sql`create sequence sent`);
  const crossing = await db.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(39)`);
    const ways = [
      db.pooled.run(sql`do 'begin perform nextval(''sent''); update things set made_at = now() where id = 103;
        perform pg_advisory_xact_lock_shared(39); update things set made_at = now() where id = 104; end'`),
      db.run(sql`do 'begin perform nextval(''sent''); update things set made_at = now() where id = 104;
        perform pg_advisory_xact_lock_shared(39); update things set made_at = now() where id = 103; end'`),
    ];
    // Each has one of the rows by then.
    const waiting = sql`select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`;
    await until(async () => (await tx.run(waiting)) === ways.length);
    return { ways };
  });
  await Promise.all(crossing.ways);
  assert.equal((await db.one(One, sql`select last_value as n from sent`)).n, 3);
});

test("a database that does not exist yet, refuses the password or has an unknown host name is unavailable, not a bug (reference reliability F22)", async () => {
  const connection = await emptyDatabase();
  for (const wrong of [
    { database: "not_there_yet" },
    { password: "not this one" },
    { host: "nothing.invalid", port: 5432 },
  ]) {
    const away = openDb({ connection: { ...connection, ...wrong } });
    for (const ask of [away.one, away.pooled.one]) {
      await assert.rejects(ask(One, sql`select 1::bigint as n`), (error: Problem) => {
        assert.equal(error.kind, "unavailable", JSON.stringify(wrong));
        return true;
      });
    }
    await away.close();
  }
  assert.throws(
    () => rethrowAsUnavailable(Object.assign(new Error("getaddrinfo"), { code: "EAI_AGAIN" })),
    (error: Problem) => error.kind === "unavailable",
  );
});

test("while a name server does not answer a statement is refused, and one asked when it does is answered (reference reliability F22)", async (context) => {
  const link = await DatabaseLink.start(await freshDatabase());
  let answers = false;
  type Found = (error: null, address: string | LookupAddress[], family?: number) => void;
  context.mock.method(dns, "lookup", (_name: string, { all }: LookupOptions, found: Found) => {
    if (!answers) return;
    if (all) found(null, [{ address: "127.0.0.1", family: 4 }]);
    else found(null, "127.0.0.1", 4);
  });
  const far = openDb({ connection: { ...link.connection, host: "database.test" }, patienceMs: 500 });
  const ways = [far.one, far.pooled.one, far.searching.one];
  const asked = (ask: typeof far.one) => ask(One, sql`select 1::bigint as n`);
  for (const ask of ways) {
    await assert.rejects(asked(ask), (error: Problem) => error.kind === "unavailable");
  }
  answers = true;
  for (const ask of ways) await until(() => asked(ask).catch(() => undefined));
  await far.close();
});

test("after close every call fails, and no connection is made that nobody would end (its docstring in src/platform/db-lane.ts)", async () => {
  const connection = await freshDatabase();
  const closed = openDb({ connection, patienceMs: PATIENCE_MS });
  await closed.connect();
  await closed.close();
  for (const ask of [
    () => closed.one(One, sql`select 1::bigint as n`),
    () => closed.pooled.one(One, sql`select 1::bigint as n`),
    () => closed.transaction((tx) => tx.one(One, sql`select 1::bigint as n`)),
    () => closed.connect(),
  ])
    await assert.rejects(ask, (error: Problem) => error.kind === "unavailable");
});

test("connections that are lost while the database is being closed are not reported (comment at onError in src/platform/db.ts)", async () => {
  const connection = await freshDatabase();
  const lost: Error[] = [];
  const closing = openDb({ connection, onError: (error) => lost.push(error), patienceMs: PATIENCE_MS });
  const pid = sql`select pg_backend_pid()::bigint as n`;
  let terminated = () => {};
  const isTerminated = new Promise<void>((done) => {
    terminated = done;
  });
  let its = 0;
  const held = closing.transaction(async (tx) => {
    its = (await tx.one(One, pid)).n;
    await isTerminated;
    await tx.one(One, pid);
  });
  const refused = assert.rejects(held, (error: Problem) => error.kind === "unavailable");
  await until(async () => its > 0);
  const closed = closing.close();
  const other = openDb({ connection, patienceMs: PATIENCE_MS });
  await other.run(sql`select pg_terminate_backend(${its}::integer)`);
  await until(async () => {
    const { n } = await other.one(
      One,
      sql`select count(*) as n from pg_stat_activity where pid = ${its}::integer`,
    );
    return n === 0;
  });
  terminated();
  await refused;
  await closed;
  await other.close();
  assert.deepEqual(lost, []);
});

test("the violated constraint is named (house §2.8)", async () => {
  const failure = await db
    .run(sql`insert into things (id, thing_name) values (201, 'same'), (202, 'same')`)
    .catch((e) => e);
  assert.equal(violatedConstraint(failure), "things_thing_name_key");
});

test("a value that cannot be stored is an invalid request, not a failure of the service (reference reliability S95)", async () => {
  for (const statement of [
    sql`select ${"a\0b"}::text as n`,
    sql`select ${"99999999999999999999"}::bigint as n`,
  ]) {
    await assert.rejects(
      db.many(row({ n: nullable(text) }), statement),
      (error: Problem) => error.kind === "invalid",
    );
  }
});

test("an unreachable database is unavailable, and works again when it is back (contract-alerts, availability)", async () => {
  const asked = () => Array.from({ length: 8 }, () => db.one(One, sql`select 1 as n`));
  const lost = openDb({ connection: { host: "127.0.0.1", port: 1, user: "x", database: "x" } });
  await assert.rejects(lost.one(One, sql`select 1 as n`), (error: Problem) => error.kind === "unavailable");
  await assert.rejects(
    lost.transaction((tx) => tx.run(sql`select 1`)),
    (error: Problem) => error.kind === "unavailable",
  );
  await lost.close();
  await db
    .one(
      One,
      sql`select count(pg_terminate_backend(pid)) as n from pg_stat_activity
    where application_name = 'gatehouse' and pid <> pg_backend_pid() and datname = current_database()`,
    )
    .catch(() => {});
  // The connections notice it one after another.
  await until(async () => (await Promise.allSettled(asked())).every(({ status }) => status === "fulfilled"));
  for (let i = 0; i < 4; i++) assert.equal((await db.one(One, sql`select 1 as n`)).n, 1);
});

/** The database by a way that can lose answers: from then on, each connection is cut when the server says something. */
async function losableWay() {
  const { host, port, ...rest } = await freshDatabase();
  let losesAnswers = false;
  const way = createServer((near) => {
    const far = connect(`${host}/.s.PGSQL.${port}`);
    for (const end of [near, far]) end.on("error", () => {});
    near.pipe(far);
    far.on("data", (said) => (losesAnswers ? near.destroy() : near.write(said)));
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
  });
  await new Promise<void>((listening) => way.listen(0, "127.0.0.1", listening));
  const { port: wayPort } = way.address() as AddressInfo;
  return {
    by: openDb({ connection: { ...rest, host: "127.0.0.1", port: wayPort }, patienceMs: PATIENCE_MS }),
    direct: openDb({ connection: { ...rest, host, port }, patienceMs: PATIENCE_MS }),
    loseAnswers: (loses: boolean) => {
      losesAnswers = loses;
    },
    close: () => way.close(),
  };
}

test("a write whose answer is lost may have been stored, and is reported so; what was not sent, a read and a transaction are not (decision 0145)", async () => {
  const { by, direct, loseAnswers, close } = await losableWay();
  const away = openDb({ connection: { host: "127.0.0.1", port: 1, user: "x", database: "x" } });
  const store = (n: number) => sql`insert into kept (id) values (${n})`;
  const withCte = sql`with more as (select 3 as id) insert into kept (id) select id from more returning id as n`;
  const [perhaps, not] = [/may or may not have been stored/, /^The database is not available/];
  const says = (words: RegExp) => (error: unknown) => error instanceof Problem && words.test(error.message);
  try {
    await direct.run(sql`create table kept (id bigint primary key)`);
    for (const [words, ask] of [
      [perhaps, () => by.run(store(1))],
      [perhaps, () => by.pooled.run(store(2))],
      [perhaps, () => by.one(One, withCte)],
      [not, () => by.one(One, sql`select count(*) as n from kept`)],
      [not, () => by.pooled.one(One, sql`select count(*) as n from kept`)],
      [not, () => by.transaction((tx) => tx.run(store(4)))],
    ] as const) {
      loseAnswers(false);
      await by.connect();
      loseAnswers(true);
      await assert.rejects(ask, says(words));
    }
    await assert.rejects(away.run(store(5)), says(not));
    await assert.rejects(away.pooled.run(store(6)), says(not));
    const { n } = await until(async () => {
      const kept = await direct.one(One, sql`select count(*) as n from kept`);
      return kept.n >= 3 && kept;
    });
    assert.equal(n, 3);
  } finally {
    close();
    await Promise.all([by.close(), direct.close(), away.close()]);
  }
});

test("a write that the server cancelled is reported as not stored (decision 0145)", async () => {
  const slow = db.run(sql`insert into things (id) select 99 from pg_sleep(600)`);
  const refused = assert.rejects(slow, /^Problem: The database is not available/);
  await until(async () => {
    const cancelled = sql`select count(*) filter (where pg_cancel_backend(pid)) as n from pg_stat_activity
      where datname = current_database() and query like 'insert into things%pg_sleep%' and state = 'active'`;
    return (await db.pooled.one(One, cancelled)).n > 0;
  });
  await refused;
});

test("a missing certificate file or a failed TLS handshake makes the database unavailable, until the file is back (docs/operations.md, Health)", async () => {
  const certificate = join(mkdtempSync(join(tmpdir(), "gatehouse-db-")), "ca.pem");
  const connection = await freshDatabase();
  const other = new pg.Client(connection);
  await other.connect();
  const loseConnections = () =>
    other.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
    );
  writeFileSync(certificate, "");
  const own = openDb({
    connection: { connectionString: `${addressOf(connection)}&sslmode=disable&sslrootcert=${certificate}` },
    patienceMs: PATIENCE_MS,
  });
  const isAway = (error: Problem) => error.kind === "unavailable" && /ca\.pem/.test(error.log ?? "");
  // Each twice, so that both connections for single statements are used.
  const ways = () => [
    own.one(One, sql`select 1 as n`),
    own.one(One, sql`select 2 as n`),
    own.pooled.one(One, sql`select 1 as n`),
    own.transaction((tx) => tx.one(One, sql`select 1 as n`)),
  ];
  try {
    await Promise.all(ways());
    rmSync(certificate);
    await loseConnections();
    await until(async () => {
      const answers = await Promise.allSettled(ways());
      return answers.every((answer) => answer.status === "rejected" && isAway(answer.reason));
    });
    writeFileSync(certificate, "");
    await Promise.all(ways());
  } finally {
    await Promise.all([own.close(), other.end()]);
  }
  // The test server has no TLS, like anything that ends the handshake.
  const refused = openDb({ connection: { connectionString: `${addressOf(connection)}&sslmode=require` } });
  await assert.rejects(
    refused.one(One, sql`select 1 as n`),
    (error: Problem) => error.kind === "unavailable",
  );
  await assert.rejects(
    refused.transaction((tx) => tx.run(sql`select 1`)),
    (error: Problem) => error.kind === "unavailable",
  );
  await refused.close();
});

test("concurrent starts run each migration once, and later ones find nothing to do (contract §1)", async () => {
  const connection = await emptyDatabase();
  const names = (await readMigrations()).map(({ name }) => name);
  const results = await Promise.all([migrate(connection), migrate(connection), migrate(connection)]);
  assert.deepEqual(results.flat(), names);
  assert.deepEqual(await migrate(connection), []);
});

test("an older version starts on a newer schema, unless one of its migrations is marked as breaking (reference ux, downgrade)", async () => {
  const connection = await freshDatabase();
  const later = openDb({ connection, patienceMs: PATIENCE_MS });
  try {
    const add = (number: number, name: string, breaking: boolean) =>
      later.run(
        sql`insert into schema_migrations (number, name, sha256, breaking) values (${number}, ${name}, 'x', ${breaking})`,
      );
    await add(9998, "9998-later.sql", false);
    assert.deepEqual(await migrate(connection), []);
    await add(9999, "9999-other.sql", true);
    await assert.rejects(migrate(connection), /9999-other\.sql.*does not support.*restore an earlier backup/);
  } finally {
    await later.close();
  }
});

test("a server that accepts connections but never answers is unavailable, for every kind of call (contract-alerts, availability)", async () => {
  const held: Socket[] = [];
  const silent = createServer((socket) => held.push(socket));
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  const { port } = silent.address() as AddressInfo;
  const deaf = openDb({ connection: { host: "127.0.0.1", port, user: "nobody", database: "nothing" } });
  try {
    for (const ask of [
      () => deaf.one(One, sql`select 1 as n`),
      () => deaf.pooled.one(One, sql`select 1 as n`),
      () => deaf.transaction((tx) => tx.one(One, sql`select 1 as n`)),
    ]) {
      await assert.rejects(ask, (error) => error instanceof Problem && error.kind === "unavailable");
    }
  } finally {
    for (const socket of held) socket.destroy();
    await deaf.close();
    silent.close();
  }
});

test("connecting is tried again while the server or this process needs longer than a request would wait, as at a start on a busy machine (operations: Stop, crash, start)", async () => {
  const { host, port, ...connection } = await freshDatabase();
  const held: Socket[] = [];
  const slow = createServer((near) => {
    near.on("error", () => {});
    held.push(near);
    // The first two tries of two lanes and the pool are never answered.
    if (held.length <= 6) return;
    const far = connect(`${host}/.s.PGSQL.${port}`).on("error", () => {});
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((listening) => slow.listen(0, "127.0.0.1", listening));
  const address = { host: "127.0.0.1", port: (slow.address() as AddressInfo).port };
  const patient = openDb({ connection: { ...connection, ...address }, patienceMs: 1000 });
  try {
    await patient.connect();
    assert.ok(held.length > 6, `${held.length} connections`);
    assert.equal((await patient.one(One, sql`select 1::bigint as n`)).n, 1);
    const opened = held.length;
    assert.equal((await patient.transaction((tx) => tx.one(One, sql`select 2::bigint as n`))).n, 2);
    assert.equal(held.length, opened, "the transaction found a connection");
  } finally {
    await patient.close();
    for (const socket of held) socket.destroy();
    slow.close();
  }
});

test("a transaction that loses every retry is reported as unavailable, not as a failure of the service (contract-alerts, availability)", async () => {
  const loses = () =>
    db.transaction((tx) =>
      tx.run(sql`do $$ begin raise exception 'met another' using errcode = 'deadlock_detected'; end $$`),
    );
  await assert.rejects(loses, (error) => error instanceof Problem && error.kind === "unavailable");
});
