/** The statement tag. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { joinSql, sql } from "../../src/platform/sql.ts";

test("numbers parameters through nested fragments and keeps values out of the text (house §2.8)", () => {
  const evil = "'; drop table users; --";
  const where = joinSql([sql`a = ${1}`, sql`b = ${evil}`], " and ");
  const statement = sql`select * from t where ${where} and c = ${3}`;
  assert.equal(statement.statement.text, "select * from t where a = $1 and b = $2 and c = $3");
  assert.deepEqual(statement.values, [1, evil, 3]);
});

test("gives one text one name, whatever the values (reference stack 2)", () => {
  const make = (id: number) => sql`select ${id}::bigint as id`;
  const made = (id: number) => sql`select ${sql`${id}`}::bigint as id`;
  assert.equal(make(1).statement.name, make(2).statement.name);
  assert.equal(make(1).statement.name, made(3).statement.name);
  assert.notEqual(make(1).statement.name, sql`select ${1}::int as id`.statement.name);
});

test("an empty list of conditions is true (house §2.8)", () => {
  assert.equal(sql`select 1 where ${joinSql([], " and ")}`.statement.text, "select 1 where true");
});
