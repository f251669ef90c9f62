/** Rules for all database indexes. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** Tables with few or short-lived rows: scanning them is cheaper than an index. */
const SMALL = [
  "alert_silences",
  "authorization_requests",
  "event_claim_answers",
  "event_hooks",
  "event_sources",
  "members",
  "password_links",
  "projects",
];

test("every foreign key of a table that grows over time has an index (decision 0170)", async () => {
  const found = await world.platform.db.pooled.many(
    row({ place: text, table: text }),
    sql`select k.conrelid::regclass || '.' || a.attname as place, k.conrelid::regclass::text as "table"
      from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
      where k.contype = 'f' and k.conparentid = 0 and not exists (
        select from pg_index x where x.indrelid = k.conrelid and x.indkey[0] = k.conkey[1])
      order by 1`,
  );
  assert.ok(
    found.some(({ table }) => SMALL.includes(table)),
    "the query finds foreign keys without an index",
  );
  assert.deepEqual(
    found.filter(({ table }) => !SMALL.includes(table)).map(({ place }) => place),
    [],
  );
});

test("no index is a prefix of another one (decision 0170)", async () => {
  const twice = await world.platform.db.pooled.many(
    row({ index: text, other: text }),
    sql`select a.indexrelid::regclass::text as index, b.indexrelid::regclass::text as other
      from pg_index a join pg_index b on b.indrelid = a.indrelid and b.indexrelid <> a.indexrelid
        join pg_class of_a on of_a.oid = a.indexrelid join pg_class of_b on of_b.oid = b.indexrelid and of_b.relam = of_a.relam
      where not a.indisunique and b.indkey::text || ' ' like a.indkey::text || ' %'
        and pg_get_expr(a.indexprs, a.indrelid) is not distinct from pg_get_expr(b.indexprs, b.indrelid)
        and pg_get_expr(a.indpred, a.indrelid) is not distinct from pg_get_expr(b.indpred, b.indrelid)
        and b.indoption::text || ' ' like a.indoption::text || ' %' and b.indclass::text || ' ' like a.indclass::text || ' %'
      order by 1`,
  );
  assert.deepEqual(twice, []);
});
