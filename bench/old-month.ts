/** An old month of events, created for a measurement and dropped during it as the service does. */
import pg from "pg";
import { detachPartition, dropPartition } from "../src/events/store-partitions.ts";
import { openDb } from "../src/platform/db.ts";

/** About a month of five million events over two years. */
const ROWS = 200_000;
let made = 0;

/** Creates an old month of events, which no list shows, and returns a function that drops it. */
export async function prepareOldMonth(connection: pg.ClientConfig): Promise<() => Promise<void>> {
  made += 1;
  const name = `events_20${String(made).padStart(2, "0")}_01`;
  const first = `20${String(made).padStart(2, "0")}-01-01`;
  const client = new pg.Client({ ...connection, options: "-c timezone=UTC" });
  await client.connect();
  try {
    await client.query(
      `create table ${name} (like events including defaults including constraints including indexes)`,
    );
    await client.query(`insert into ${name} (created_at, project_id, author_id, action, cap)
      select timestamptz '${first}' + n * interval '1 second', project_id, author_id, 'joined', 'project'
      from (select row_number() over () as n, project_id, author_id from events limit ${ROWS}) e`);
    await client.query(`alter table events attach partition ${name}
      for values from ('${first}') to (timestamptz '${first}' + interval '1 month')`);
    await client.query(`vacuum (analyze) ${name}`);
  } finally {
    await client.end();
  }
  return async () => {
    const db = openDb({ connection });
    try {
      await detachPartition(db, { name, pending: false });
      await dropPartition(db, name);
    } finally {
      await db.close();
    }
  };
}
