/** How rows are read from the driver's text format. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Db, openDb } from "../../src/platform/db.ts";
import {
  boolean,
  bytes,
  instant,
  integer,
  jsonb,
  list,
  nullable,
  row,
  text,
} from "../../src/platform/row.ts";
import { json, Sql, sql } from "../../src/platform/sql.ts";
import { freshDatabase, PATIENCE_MS } from "../support/database.ts";

let db: Db;

before(async () => {
  db = openDb({ connection: await freshDatabase(), checkRows: true, patienceMs: PATIENCE_MS });
});
after(() => db.close());

test("instants keep their milliseconds, also in years before 1 and after 9999 (house §2.6)", async () => {
  const At = row({ at: instant });
  for (const given of [
    "2026-02-28T23:59:59.999Z",
    "2026-11-21T08:00:00.000Z",
    "0001-01-01T00:00:00.100Z",
    "9999-12-31T23:59:59.990Z",
    "+010000-01-01T00:00:00.000Z",
    "+275760-09-13T00:00:00.000Z",
    "-000043-03-15T12:00:00.000Z",
  ]) {
    const milliseconds = Date.parse(given);
    const { at } = await db.one(
      At,
      sql`select to_timestamp(${milliseconds}::float8 / 1000)::timestamptz(3) as at`,
    );
    assert.equal(at.toISOString(), given);
  }
  const { at } = await db.one(row({ at: jsonb<number>() }), sql`select '-infinity'::timestamptz as at`);
  assert.equal(at, Number.NEGATIVE_INFINITY);
});

test("columns of every type are returned as declared, null or not, by first and repeated statements (house §2.7)", async () => {
  const Kinds = row({
    id: integer,
    aName: text,
    isOpen: boolean,
    payload: bytes,
    data: jsonb<unknown>(),
    ids: list(integer),
    names: list(text),
    noId: nullable(integer),
    noName: nullable(text),
    no_: nullable(instant),
  });
  const ask = (on: Pick<Db, "one">) =>
    on.one(
      Kinds,
      sql`select ${7}::bigint as id, ${"é_\u{1f642}"}::text as a_name, true as is_open, ${Buffer.from([0, 255])}::bytea as payload,
        ${json({ a: [1] })}::jsonb as data, ${[1, 2]}::bigint[] as ids, ${["a,b", 'c"d']}::text[] as names,
        null::bigint as no_id, null::text as no_name, null::timestamptz as no_`,
    );
  const expected = {
    id: 7,
    aName: "é_\u{1f642}",
    isOpen: true,
    payload: Buffer.from([0, 255]),
    data: { a: [1] },
    ids: [1, 2],
    names: ["a,b", 'c"d'],
    noId: null,
    noName: null,
    no_: null,
  };
  const answers = await Promise.all([
    ask(db),
    ask(db),
    ask(db),
    ask(db.pooled),
    db.transaction(ask),
    ask(db),
  ]);
  for (const answer of [...answers, await ask(db), await ask(db.pooled)]) assert.deepEqual(answer, expected);
});

test("run returns the number of affected rows, also for statements that return no rows (house §2.8)", async () => {
  await db.run(sql`create table counted (id bigint primary key)`);
  const insert = () =>
    db.run(sql`insert into counted select generate_series(1, ${5}::int) on conflict do nothing`);
  assert.deepEqual([await insert(), await insert()], [5, 0]);
  assert.equal(await db.run(sql`update counted set id = id + 10 where id > ${2}::bigint returning id`), 3);
  assert.equal(await db.run(sql`delete from counted`), 5);
  assert.deepEqual(await db.many(row({ id: integer }), sql`select id from counted`), []);
});

test("a failed statement has its caller in the stack, and works again with other values (house §2.9)", async () => {
  const divide = (by: number) => db.one(row({ n: integer }), sql`select (6 / ${by}::int)::bigint as n`);
  const askedHere = () => divide(0);
  await assert.rejects(askedHere, (error: Error) => /db-query\.test/.test(error.stack ?? ""));
  assert.deepEqual([await divide(3), await divide(2)], [{ n: 2 }, { n: 3 }]);
  // A text that PostgreSQL cannot parse is never prepared.
  const broken = () => db.run(new Sql(["selec 1"], []));
  await assert.rejects(broken, /syntax error/);
  await assert.rejects(broken, /syntax error/);
});
