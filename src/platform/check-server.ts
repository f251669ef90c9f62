/** Checks, before anything is written, that the configured address leads to a database server that the service can use. */
import type pg from "pg";
import { singleClient } from "./db-client.ts";

/** The oldest supported `server_version_num`. */
const OLDEST = 150_000;

const MAKE_ANEW =
  "create a suitable one with: create database … template template0 encoding 'UTF8' locale 'C.UTF-8'; and move the data with gatehouse backup and gatehouse restore";

/**
 * @param variable the environment variable that holds the address
 * @throws Error saying what to change: a server that is too old, a standby, a database whose encoding or locale treats letters
 * differently, or a pooler that moves sessions between connections; an error with `isOfDatabase` if no connection can be made
 */
export async function checkServer(connection: pg.ClientConfig, variable = "DATABASE_URL"): Promise<void> {
  const clients = [singleClient(connection), singleClient(connection)] as const;
  const [one, two] = clients;
  try {
    for (const client of clients) await client.connect();
    const first = await inspectServer(one);
    if (first.version < OLDEST) {
      throw new Error(
        `the server at ${variable} is PostgreSQL ${first.release}, but the service needs 15 or newer`,
      );
    }
    if (first.isStandby) {
      throw new Error(
        `the server at ${variable} is a standby, which accepts no writes: use the address of the primary, or promote it`,
      );
    }
    if (first.encoding !== "UTF8" || !first.foldsPlainly) {
      const what =
        first.encoding === "UTF8" ? `the locale ${first.locale}` : `the encoding ${first.encoding}`;
      throw new Error(
        `the database at ${variable} has ${what}, which treats names and lengths differently from the service (decision 0275): ${MAKE_ANEW}`,
      );
    }
    // In session mode a pooler gives two connections two sessions, and each connection keeps its own.
    const second = await inspectServer(two);
    const again = await inspectServer(one);
    if (second.session === first.session || again.session !== first.session) {
      throw new Error(
        `the pooler at ${variable} does not keep one session per connection: use session pooling (PgBouncer: pool_mode = session), or connect to PostgreSQL directly`,
      );
    }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

async function inspectServer(client: pg.Client) {
  const { rows } = await client.query<Record<string, unknown>>(
    `select pg_backend_pid() as session, pg_is_in_recovery() as is_standby,
            current_setting('server_version_num') as version, current_setting('server_version') as release,
            current_setting('server_encoding') as encoding, lower('I') = 'i' as folds_plainly,
            (select coalesce(to_jsonb(d) ->> 'daticulocale', to_jsonb(d) ->> 'datlocale', datctype)
             from pg_database d where datname = current_database()) as locale`,
  );
  const { session, is_standby, version, release, encoding, folds_plainly, locale } = rows[0] ?? {};
  return {
    session: Number(session),
    isStandby: is_standby === true,
    version: Number(version),
    release,
    encoding,
    foldsPlainly: folds_plainly === true,
    locale,
  };
}
