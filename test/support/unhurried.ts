/** Statements that prepare a test and write more rows at once than any of the service. */
import pg from "pg";
import type { Sql } from "../../src/platform/sql.ts";
import type { World } from "./world.ts";

/** Runs the statement without the time limits of the service, which a busy machine may exceed for so many rows. */
export async function unhurried({ connection }: World, { statement, values }: Sql): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(statement.text, [...values]);
  } finally {
    await client.end();
  }
}
