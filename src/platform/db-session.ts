/** The settings of a connection, sent as its first statement because poolers refuse most start-up parameters. */
import type pg from "pg";

/** Values of settings by name; durations in milliseconds. Never from outside: names and values go into SQL unescaped. */
export type Session = Readonly<Record<string, string | number>>;

/** Settings that statements and the parsing of results rely on; an external database or role may have other defaults. */
const ALWAYS: Session = {
  datestyle: "ISO",
  default_transaction_isolation: "read committed",
  standard_conforming_strings: "on",
};

/**
 * Backups, migrations and the lock of a job take as long as they take; statements have limits of their own. PostgreSQL before 17
 * has no such setting, and refuses to set it.
 */
const WITHOUT_TIME_LIMIT =
  "select set_config('transaction_timeout', '0', false) where current_setting('transaction_timeout', true) is not null";

/** Sets them for the lifetime of the connection. @throws Error of the driver */
export async function beginSession(client: pg.ClientBase, session: Session): Promise<void> {
  const settings = Object.entries({ ...ALWAYS, ...session }).map(
    ([name, value]) => `set ${name} = '${value}'`,
  );
  await client.query([...settings, WITHOUT_TIME_LIMIT].join("; "));
}
