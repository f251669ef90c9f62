/** The connection limit of the embedded database. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../src/platform/config.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { newInstallation } from "../support/installation.ts";

test("the embedded database allows the connections of every worker and of their parent process (scale: poolers)", async () => {
  const { environment } = await newInstallation({ GATEHOUSE_WORKERS: "32", GATEHOUSE_LOG_LEVEL: "silent" });
  const { platform, stop } = await startPlatform(readConfig(environment));
  const { most } = await platform.db.one(
    row({ most: integer }),
    sql`select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as most`,
  );
  await stop();
  assert.ok(most >= 33 * 10, `${most} connections for 33 processes of ten each`);
});
