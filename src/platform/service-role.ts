/** The database role that serves: it reads and writes rows, but changes no table (reference reliability S107; decision 0210). */
import pg from "pg";
import { singleClient } from "./db-client.ts";
import { beginSession } from "./db-session.ts";
import { MIGRATION_LOCK } from "./migrate.ts";

/** A connection as a role that does not own the tables. */
export interface ServiceAccess {
  connection: pg.ClientConfig;
  role: string;
}

/** Privileges by kind of relation. */
const RIGHTS = {
  table: ["delete", "insert", "select", "update"],
  view: ["select"],
  sequence: ["select", "usage"],
};
/** Tables with fewer privileges: the audit log and the history of the schema must not be rewritten. */
const LESS: Readonly<Record<string, readonly string[]>> = {
  audit_entries: ["insert", "select"],
  schema_migrations: ["select"],
};

/**
 * Returns the connection for the service at DATABASE_URL, if DATABASE_OWNER_URL names another role.
 * @throws Error when the two lead to different databases; an error with `isOfDatabase` if no connection can be made
 */
export async function findServiceRole(
  service: pg.ClientConfig,
  owner: pg.ClientConfig,
): Promise<ServiceAccess | undefined> {
  const [asked, owned] = [await inspectSession(service), await inspectSession(owner)];
  if (asked.place !== owned.place) {
    throw new Error(
      "DATABASE_URL and DATABASE_OWNER_URL lead to different databases: let both name the same server and database",
    );
  }
  return asked.role === owned.role ? undefined : { connection: service, role: asked.role };
}

interface Session {
  role: string;
  /** Identifies the database: the start time of its server, and its name. */
  place: string;
  /** The schema in which it finds tables; null if it may use none. */
  schema: string | null;
}

async function inspectSession(connection: pg.ClientConfig): Promise<Session> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query<Session>(
      `select current_user::text as role, current_schema()::text as schema,
         concat_ws(' ', extract(epoch from pg_postmaster_start_time()), current_database()) as place`,
    );
    const [found] = rows;
    if (!found) throw new Error("the database does not say who asks");
    return found;
  });
}

/**
 * Grants the role exactly the privileges that the existing tables need; writes nothing if it has them. Partitions are reached
 * through their table alone, and so are left out; a month of events that is detached may be dropped before it is granted.
 * @param owner the owner of the tables, after migrations
 * @throws Error if the role has all rights of the owner, or finds tables in another schema
 */
export async function allowService(
  owner: pg.ClientConfig,
  { connection, role }: ServiceAccess,
): Promise<void> {
  const schema = await grantRights(owner, role);
  const found = await inspectSession(connection);
  if (found.schema === schema) return;
  throw new Error(
    `the role ${role} of DATABASE_URL looks for tables in the schema ${found.schema}, and those of the owner are in ${schema}: alter role ${pg.escapeIdentifier(role)} set search_path = ${schema}`,
  );
}

/** Returns the schema of the tables. */
function grantRights(owner: pg.ClientConfig, role: string): Promise<string> {
  return withClient(owner, async (client) => {
    await beginSession(client, { statement_timeout: 0, lock_timeout: 0 });
    // Prevents a migration or another start from writing the same catalog rows concurrently.
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const found = await client.query<{ is_owner: boolean; schema: string }>(
      "select pg_has_role($1, current_user, 'member') as is_owner, current_schema()::text as schema",
      [role],
    );
    const { is_owner: isOwner = false, schema = "" } = found.rows[0] ?? {};
    if (isOwner) {
      throw new Error(
        `the role ${role} of DATABASE_URL is a superuser or a member of the role of DATABASE_OWNER_URL: take that from it; what it needs it is granted at each start`,
      );
    }
    const { rows } = await client.query<Relation>(
      `select case c.relkind when 'S' then 'sequence' when 'v' then 'view' else 'table' end as kind, c.relname::text as name,
         array(select lower(a.privilege_type) from aclexplode(c.relacl) a where a.grantee = $1::regrole order by 1) as has
       from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
         and not c.relispartition and c.relname !~ '^events_\\d{4}_\\d\\d$'
       order by c.relname`,
      [pg.escapeIdentifier(role)],
    );
    const grants = rows.flatMap((relation) => grantsOf(relation, role));
    if (grants.length > 0) {
      const enters = `grant usage on schema ${pg.escapeIdentifier(schema)} to ${pg.escapeIdentifier(role)}`;
      await client.query([enters, ...grants].join("; "));
    }
    return schema;
  });
}

interface Relation {
  kind: keyof typeof RIGHTS;
  name: string;
  /** In alphabetical order. */
  has: string[];
}

function grantsOf({ kind, name, has }: Relation, role: string): string[] {
  const rights = LESS[name] ?? RIGHTS[kind];
  if (has.join() === rights.join()) return [];
  const what = `${kind === "sequence" ? "sequence" : "table"} ${pg.escapeIdentifier(name)}`;
  const whom = pg.escapeIdentifier(role);
  return [`revoke all on ${what} from ${whom}`, `grant ${rights.join(", ")} on ${what} to ${whom}`];
}

async function withClient<T>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = singleClient(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
