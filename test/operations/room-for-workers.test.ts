/** How many connections the processes of a service need: in the embedded database, and as documented. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig } from "../../src/platform/config.ts";
import { connectionsFor } from "../../src/platform/connections-for.ts";
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

test("the docs name as many connections as the doctor asks for (scale: poolers; operations: Stop, crash, start)", async () => {
  const [scale, operations] = await Promise.all(
    ["scale", "operations"].map((name) =>
      readFile(join(import.meta.dirname, `../../docs/${name}.md`), "utf8"),
    ),
  );
  const each = connectionsFor(1);
  assert.ok(scale?.includes(`allow ${each} sessions for each process`));
  assert.ok(scale?.includes(`\`default_pool_size = ${connectionsFor(2)}\` with two workers`));
  assert.ok(
    operations?.includes(`up to ${each} for each process, and with several workers ${each} for their parent`),
  );
});
