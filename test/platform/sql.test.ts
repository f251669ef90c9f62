/** The sql tag. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { joinSql, Sql, sql } from "../../src/platform/sql.ts";

test("numbers parameters through nested fragments and keeps values out of the text (house §2.8)", () => {
  const evil = "'; drop table users; --";
  const where = joinSql([sql`a = ${1}`, sql`b = ${evil}`], " and ");
  const statement = sql`select * from t where ${where} and c = ${3}`;
  assert.equal(statement.statement.text, "select * from t where a = $1 and b = $2 and c = $3");
  assert.deepEqual(statement.values, [1, evil, 3]);
});

test("the same text has the same statement name, whatever the values (reference stack 2)", () => {
  const make = (id: number) => sql`select ${id}::bigint as id`;
  const made = (id: number) => sql`select ${sql`${id}`}::bigint as id`;
  assert.equal(make(1).statement.name, make(2).statement.name);
  assert.equal(make(1).statement.name, made(3).statement.name);
  assert.notEqual(make(1).statement.name, sql`select ${1}::int as id`.statement.name);
});

test("an empty list of conditions is true (house §2.8)", () => {
  assert.equal(sql`select 1 where ${joinSql([], " and ")}`.statement.text, "select 1 where true");
});

test("a fragment that is not wanted is left out of a list, and the others keep their order (house §2.8)", () => {
  const [name, least]: [string | undefined, number] = [undefined, 0];
  const where = joinSql(
    [sql`a = ${1}`, name && sql`b = ${name}`, least > 0 && sql`c > 0`, null, sql`d`],
    " and ",
  );
  assert.deepEqual(where.statement.text, "a = $1 and d");
  assert.deepEqual(sql`${where}`.values, [1]);
  assert.equal(joinSql([undefined, false, "", 0], " and ").statement.text, "true");
});

test("statements with the same template but different fragments are distinguished (house §2.8)", () => {
  const pair = (a: unknown, b: unknown) => sql`${a} and ${b}`;
  const inner = () => sql`x`;
  const texts = [pair(inner(), 1), pair(1, inner()), pair(inner(), inner()), pair(1, 2)];
  const again = [pair(inner(), 3), pair(4, inner()), pair(inner(), inner()), pair(5, 6)];
  assert.deepEqual(
    texts.map(({ statement }) => statement.text),
    ["x and $1", "$1 and x", "x and x", "$1 and $2"],
  );
  assert.deepEqual(
    again.map(({ statement }) => statement),
    texts.map(({ statement }) => statement),
  );
  assert.deepEqual(
    again.map(({ values }) => values),
    [[3], [4], [], [5, 6]],
  );
});

test("texts that are built at run time can be combined with templates (house §2.8)", () => {
  const of = (table: string, id: number) => sql`select * from ${new Sql([table], [])} where id = ${id}`;
  assert.equal(of("a", 1).statement.text, "select * from a where id = $1");
  assert.equal(of("b", 1).statement.text, "select * from b where id = $1");
  assert.deepEqual(of("b", 2).values, [2]);
});

test("a list of more conditions than a template may have keeps their order (house §2.8)", () => {
  const many = (offset: number) =>
    joinSql(
      Array.from({ length: 60 }, (_, n) => sql`${n + offset}`),
      ", ",
    );
  assert.equal(many(0).statement.name, many(100).statement.name);
  assert.ok(many(0).statement.text.endsWith(", $59, $60"));
  assert.deepEqual(
    many(100).values,
    Array.from({ length: 60 }, (_, n) => n + 100),
  );
});
