/** The settings of a connection, sent in its first statement because poolers refuse most parameters of the start-up. */
import type pg from "pg";

/** Values of settings by their names; durations in milliseconds. Ours alone: names and values go into SQL as they are. */
export type Session = Readonly<Record<string, string | number>>;

/** What statements, and the reading of their answers, take for granted; databases and roles of one's own may be set otherwise. */
const ALWAYS: Session = {
  datestyle: "ISO",
  default_transaction_isolation: "read committed",
  standard_conforming_strings: "on",
};

/** Sets them for the life of the connection. @throws Error of the driver */
export async function beginSession(client: pg.ClientBase, session: Session): Promise<void> {
  const settings = Object.entries({ ...ALWAYS, ...session }).map(
    ([name, value]) => `set ${name} = '${value}'`,
  );
  await client.query(settings.join("; "));
}
