/** Statements about the tables themselves: what a backup contains, and the order in which it can be restored. */
import type { CopySession } from "../platform/copy.ts";
import { boolean, integer, list, nullable, row, text } from "../platform/row.ts";
import { Sql, sql } from "../platform/sql.ts";

/** A table in a backup. */
export interface Table {
  name: string;
  /** All columns except generated ones and transaction ids. */
  columns: string[];
  /** The columns that sort the rows: the primary key. */
  order: string[];
}

/**
 * Tables about this installation rather than its data: probes, one-time links, epoch and clock of the database, schema history.
 */
const LEFT_OUT = ["schema_migrations", "readiness", "setup_links", "event_epoch", "clock_mark"];
/** Accounts of the service itself, which it creates even if nobody uses it yet. */
const OWN = sql`select id from users where is_placeholder`;
/**
 * Queries that find rows only in an installation in use; all other rows depend on these, or are made by migrations and sweeps.
 */
const ROOTS: Readonly<Record<string, Sql>> = {
  users: sql`select 1 as one from users where id not in (${OWN}) limit 1`,
  namespaces: sql`select 1 as one from namespaces where coalesce(owner_id not in (${OWN}), true) limit 1`,
  projects: sql`select 1 as one from projects limit 1`,
  applications: sql`select 1 as one from applications limit 1`,
};

/**
 * Lists the tables in an order in which they can be filled. Transaction ids (xid8) are left out: they mean nothing in another
 * database.
 */
export async function listTables({ many }: CopySession): Promise<Table[]> {
  const tables = await many(
    row({ name: text, columns: list(text), order: list(text) }),
    sql`select c.relname::text as name,
        array(select quote_ident(a.attname) from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
            and a.atttypid <> 'xid8'::regtype order by a.attnum) as columns,
        array(select quote_ident(a.attname) || case when a.attcollation <> 0 then ' collate "C"' else '' end
          from pg_index i cross join unnest(i.indkey) with ordinality k (attnum, place)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
          where i.indrelid = c.oid and i.indisprimary order by k.place) as "order"
      from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not c.relname = any(${LEFT_OUT}) and c.relname !~ '^events_(later|\\d{4}_\\d\\d)$'
      order by c.relname`,
  );
  const needs = await many(
    row({ table: text, needs: text }),
    sql`select distinct a.relname::text as "table", b.relname::text as needs
      from pg_constraint f join pg_class a on a.oid = f.conrelid join pg_class b on b.oid = f.confrelid
      where f.contype = 'f' and f.connamespace = current_schema()::regnamespace and a.oid <> b.oid`,
  );
  return inOrder(tables, needs);
}

/** Sorts every table after those that it refers to. @throws Error when they refer to each other in a circle */
function inOrder(tables: readonly Table[], needs: readonly { table: string; needs: string }[]): Table[] {
  const ordered: Table[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name));
    const waiting = new Set(needs.filter((need) => names.has(need.needs)).map(({ table }) => table));
    const next = left.filter(({ name }) => !waiting.has(name));
    if (next.length === 0)
      throw new Error(`tables refer to each other in a circle: ${[...names].join(", ")}`);
    ordered.push(...next);
    left = left.filter((table) => !next.includes(table));
  }
  return ordered;
}

/** Returns `copy … to stdout` of a whole table, in the order of its key. */
export function copyOutOf({ name, columns, order }: Table): Sql {
  const sorted = order.length > 0 ? order.join(", ") : `${quoted(name)}::text collate "C"`;
  return new Sql(
    [`copy (select ${columns.join(", ")} from ${quoted(name)} order by ${sorted}) to stdout`],
    [],
  );
}

/** Returns `copy … from stdin` into these columns. */
export function copyInto({ name, columns }: Pick<Table, "name" | "columns">): Sql {
  return new Sql([`copy ${quoted(name)} (${columns.join(", ")}) from stdin`], []);
}

const Applied = row({ number: integer, name: text, sha256: text });

/** Lists the applied migrations; empty if there is no schema. */
export async function listApplied({ many }: CopySession) {
  const [{ there } = { there: false }] = await many(
    row({ there: boolean }),
    sql`select to_regclass('schema_migrations') is not null as there`,
  );
  return there ? many(Applied, sql`select number, name, sha256 from schema_migrations order by number`) : [];
}

/** Lists the values of the sequences; unused ones are left out. */
export function listSequences({ many }: CopySession) {
  return many(
    row({ name: text, last: text }),
    sql`select sequencename::text as name, last_value::text as last from pg_sequences
      where schemaname = current_schema() and last_value is not null order by sequencename`,
  );
}

export function updateSequence({ run }: CopySession, name: string, last: string): Promise<void> {
  return run(sql`select setval(quote_ident(${name})::regclass, ${last}::bigint)`);
}

/** Sequences whose numbers people see and type; a gap between them is no larger than it must be. */
const SMALL = ["users_id_seq", "namespaces_id_seq", "projects_id_seq"];

/**
 * Moves all sequences on, so that numbers given after the state of this database, which others may know, are not given again
 * (decision 0317).
 */
export function leaveGaps({ run }: { run(statement: Sql): Promise<unknown> }): Promise<unknown> {
  return run(
    sql`select setval(format('%I.%I', schemaname, sequencename)::regclass,
        coalesce(last_value, 0) + case when sequencename = any(${SMALL}) then 1000 else 1000000 end)
      from pg_sequences where schemaname = current_schema()`,
  );
}

/** Returns the server's version and time, and the time of the oldest event. */
export async function describeServer({ many }: CopySession) {
  const [found] = await many(
    row({ version: text, now: text, oldestEvent: nullable(text) }),
    sql`select current_setting('server_version') as version, now()::text as now,
      (select min(created_at)::text from events) as oldest_event`,
  );
  return found ?? { version: "unknown", now: "", oldestEvent: null };
}

/** Locks out all other sessions until the transaction ends. */
export function lockTables({ run }: CopySession, tables: readonly Table[]): Promise<void> {
  return run(new Sql([`lock table ${namesOf(tables)} in access exclusive mode`], []));
}

/** Lists the tables whose rows show that the installation is in use. */
export async function listFilled({ many }: CopySession, tables: readonly Table[]): Promise<string[]> {
  const filled: string[] = [];
  for (const { name } of tables) {
    const root = ROOTS[name];
    if (root && (await many(row({ one: integer }), root)).length > 0) filled.push(name);
  }
  return filled;
}

/**
 * Counts the connections of services to this database, from whatever machine, and where they come from, if that is visible. Those
 * of commands have other names.
 */
export async function findServing({
  many,
  run,
}: CopySession): Promise<{ connections: number; hosts: string[] }> {
  // A transaction would get the same answer again.
  await run(sql`select pg_stat_clear_snapshot()`);
  const [found] = await many(
    row({ connections: integer, hosts: list(text) }),
    sql`select count(*) as connections,
        coalesce(array_agg(distinct host(client_addr)) filter (where client_addr is not null), '{}') as hosts
      from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name in ('gatehouse', 'gatehouse owner')`,
  );
  return found ?? { connections: 0, hosts: [] };
}

/** Deletes the rows that migrations and an unused service have written. */
export function emptyTables({ run }: CopySession, tables: readonly Table[]): Promise<void> {
  return run(new Sql([`truncate ${namesOf(tables)}`], []));
}

/** Creates the partitions for events since then. */
export function makeMonths({ run }: CopySession, oldestEvent: string): Promise<void> {
  return run(
    sql`select ensure_event_partitions(greatest(25, (extract(year from span) * 12 + extract(month from span))::integer + 1), 3)
      from age(now(), ${oldestEvent}::timestamptz) span`,
  );
}

/**
 * Invalidates the positions of clients that follow events, since they belong to another database; schemas of older backups have
 * no such positions.
 */
export async function beginEpoch({ many, run }: CopySession): Promise<void> {
  const [{ there } = { there: false }] = await many(
    row({ there: boolean }),
    sql`select to_regprocedure('begin_event_epoch()') is not null as there`,
  );
  if (there) await run(sql`select begin_event_epoch()`);
}

/** Switches triggers off or on: restored rows contain already what triggers compute. Transactional. */
export async function setTriggers(
  { many, run }: CopySession,
  tables: readonly Table[],
  to: "enable" | "disable",
): Promise<void> {
  const owners = await many(
    row({ name: text }),
    sql`select distinct c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relname = any(${tables.map(({ name }) => name)})`,
  );
  for (const { name } of owners) await run(new Sql([`alter table ${quoted(name)} ${to} trigger user`], []));
}

function namesOf(tables: readonly Table[]): string {
  return tables.map(({ name }) => quoted(name)).join(", ");
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
