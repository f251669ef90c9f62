/** The embedded database has a connection for whoever may want one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../src/platform/config.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { newInstallation } from "../support/installation.ts";

test("the embedded database has room for every worker's connections and those of the process above (scale: poolers)", async () => {
  const { environment } = await newInstallation({ GATEHOUSE_WORKERS: "32", GATEHOUSE_LOG_LEVEL: "silent" });
  const { platform, stop } = await startPlatform(readConfig(environment));
  const { most } = await platform.db.one(
    row({ most: integer }),
    sql`select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as most`,
  );
  await stop();
  assert.ok(most >= 33 * 10, `${most} connections for 33 processes of ten each`);
});
