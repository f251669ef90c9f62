/** The database role of the service: its permissions, what it is denied, and that the service uses it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { allowService, findServiceRole, type ServiceAccess } from "../../src/platform/service-role.ts";
import { addressOf, asService, freshDatabase } from "../support/database.ts";
import { newInstallation, processesOn, startService } from "../support/installation.ts";
import { until } from "../support/until.ts";

/** SQLSTATE insufficient_privilege. */
const REFUSED = { code: "42501" };

let owner: pg.ClientConfig;
let service: pg.ClientConfig;
let way: ServiceAccess;

before(async () => {
  owner = await freshDatabase();
  service = await asService(owner);
  way = { connection: service, role: String(service.user) };
});

describe("the service role", () => {
  it("reads and writes rows, and uses sequences (decision 0210)", async () => {
    await as(service, "select count(*) from users", "select nextval('authorizations_id_seq')");
    await as(
      service,
      "insert into users (username, name, email) values ('one', 'One', 'one@example.org')",
      "update users set name = 'Two' where username = 'one'",
      "delete from users where username = 'one'",
    );
  });

  for (const statement of [
    "create table things (id bigint)",
    "create function things() returns integer language sql as 'select 1'",
    "create schema things",
    "alter table users add column things text",
    "alter table users disable trigger user",
    "create index on users (name)",
    "drop table users",
    "truncate users",
    "create trigger things before insert on users for each row execute function audit_entries_stay()",
    "create or replace function audit_entries_stay() returns trigger language plpgsql as 'begin return new; end'",
    "select ensure_event_partitions(60, 60)",
    "update audit_entries set person = 'x'",
    "delete from audit_entries",
    "delete from schema_migrations",
    "insert into schema_migrations (number, name, sha256) values (9999, 'x', 'x')",
    "select setval('authorizations_id_seq', 1)",
    "copy (select 1) to program 'true'",
    "copy users from '/etc/passwd'",
    "alter role gatehouse password 'x'",
    "create role things",
    "create database things",
    "set role gatehouse",
  ]) {
    it(`is denied: ${statement.slice(0, 60)} (reference reliability S107)`, async () => {
      await assert.rejects(as(service, statement), REFUSED);
    });
  }

  it("gets its permissions on tables created later, and loses those granted by hand (decision 0210)", async () => {
    await as(
      owner,
      "create table things (id bigint generated always as identity, thing text)",
      `grant update on audit_entries to ${service.user}`,
    );
    await assert.rejects(as(service, "select from things"), REFUSED);
    await allowService(owner, way);
    await as(service, "insert into things (thing) values ('one')", "delete from things");
    await assert.rejects(as(service, "update audit_entries set person = 'x'"), REFUSED);
  });

  it("gets no permissions on a detached month of events, which may be dropped at any time (decision 0210)", async () => {
    await as(
      owner,
      "select ensure_event_partitions(1, 0)",
      "do $$ begin execute format('alter table events detach partition events_%s', to_char(now() - interval '1 month', 'YYYY_MM')); end $$",
    );
    await allowService(owner, way);
    const months = await as(
      owner,
      `select exists (select from aclexplode(c.relacl) a where a.grantee = 'gatehouse_service'::regrole) as granted from pg_class c
       where c.relname ~ '^events_\\d{4}_\\d\\d$' and c.relkind = 'r' and not c.relispartition`,
    );
    assert.deepEqual(months, [{ granted: false }]);
  });

  it("is granted its permissions once: if it has them, the catalog is not written (decision 0210)", async () => {
    const written = "select max(xmin::text::bigint) as newest from pg_class";
    await allowService(owner, way);
    const first = await as(owner, written);
    await allowService(owner, way);
    assert.deepEqual(await as(owner, written), first);
  });

  it("may not be the owner or a member of its role (decision 0210)", async () => {
    const itself = { connection: owner, role: String(owner.user) };
    await assert.rejects(allowService(owner, itself), /is a superuser or a member of the role/);
  });

  it("is that of DATABASE_URL, unless both URLs have the same role (decision 0210)", async () => {
    assert.equal((await findServiceRole(service, owner))?.role, service.user);
    assert.equal(await findServiceRole(owner, owner), undefined);
  });

  it("gets access to a schema that is closed to others, and the start fails with advice if it has another search_path (decision 0210)", async () => {
    const closed = await freshDatabase();
    const there = { ...way, connection: await asService(closed) };
    await as(closed, "revoke usage on schema public from public, gatehouse_service", "create schema other");
    await as(closed, "revoke select on users from gatehouse_service");
    await allowService(closed, there);
    assert.deepEqual(await as(there.connection, "select count(*)::integer as n from users where false"), [
      { n: 0 },
    ]);
    const elsewhere = { ...closed, options: "-c search_path=other" };
    await assert.rejects(allowService(elsewhere, there), /set search_path = other/);
  });

  it("must be in the same database as the owner (decision 0210)", async () => {
    const elsewhere = await freshDatabase();
    await assert.rejects(findServiceRole(await asService(elsewhere), owner), /lead to different databases/);
  });
});

describe("a running service", () => {
  it("uses the service role in every worker, with the embedded database (decision 0210)", async () => {
    const installation = await newInstallation({ GATEHOUSE_WORKERS: "2" });
    const { dataDir } = installation;
    const started = await startService(installation);
    const password = (await readFile(join(dataDir, "postgres.password"), "utf8")).trim();
    const host = await socketOf(dataDir);
    const there = { host, user: "gatehouse", database: "gatehouse", password };
    assert.deepEqual(await as(there, ANSWERING), [{ role: "gatehouse_service" }]);
    await assert.rejects(as({ ...there, user: "gatehouse_service" }, "select 1"), { code: "28P01" });
    assert.equal(await started.stop(), 0);
  });

  it("uses the role of DATABASE_URL if DATABASE_OWNER_URL names the owner, creates partitions as the owner, and hides that URL from workers (decision 0210)", async () => {
    const database = await freshDatabase();
    const newest = "select max(relname)::text as name from pg_class where relname ~ '^events_\\d{4}_\\d\\d$'";
    const made = await as(database, newest);
    await as(
      database,
      `do $$ begin
      execute (select format('alter table events detach partition %1$I; drop table %1$I', name) from (${newest}) m);
      end $$`,
    );
    assert.notDeepEqual(await as(database, newest), made);
    const installation = await newInstallation({
      GATEHOUSE_WORKERS: "2",
      DATABASE_URL: addressOf(await asService(database)),
      DATABASE_OWNER_URL: addressOf(database),
      GATEHOUSE_MASTER_KEY: "07".repeat(32),
    });
    const started = await startService(installation);
    assert.deepEqual(await as(database, ANSWERING), [{ role: "gatehouse_service" }]);
    await until(async () => isDeepStrictEqual(await as(database, newest), made));
    const environOf = (pid: string) => readFile(`/proc/${pid}/environ`, "utf8");
    // Not by their order: the numbers of processes begin anew.
    const above = String(started.process.pid);
    const workers = processesOn(installation).filter((pid) => pid !== above);
    assert.equal(workers.length, 2);
    assert.match(await environOf(above), /DATABASE_OWNER_URL=/);
    for (const worker of workers) assert.doesNotMatch(await environOf(worker), /DATABASE_OWNER_URL/);
    assert.equal(await started.stop(), 0);
  });
});

/** The roles of the connections on which requests are handled. */
const ANSWERING = `select distinct usename::text as role from pg_stat_activity
  where application_name = 'gatehouse' and datname = current_database()`;

async function socketOf(dataDir: string): Promise<string> {
  const lines = (await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8")).split("\n");
  return lines[4] ?? "";
}

/** Runs statements one after another; returns the rows of the last. */
async function as(connection: pg.ClientConfig, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}
