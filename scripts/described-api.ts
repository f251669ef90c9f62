/** Returns the OpenAPI document as text, from an app that never connects to its database. */
import { buildApp } from "../src/app.ts";
import { readConfig } from "../src/platform/config.ts";
import { openDb } from "../src/platform/db.ts";
import { createLog } from "../src/platform/log.ts";
import { keysFrom } from "../src/platform/secret.ts";

export async function describedApi(): Promise<string> {
  const config = readConfig({ GATEHOUSE_LOG_LEVEL: "silent" });
  const db = openDb({ connection: { host: "/nonexistent" } });
  const app = await buildApp({ config, db, log: createLog(config), keys: keysFrom(Buffer.alloc(32)) });
  await app.ready();
  const text = `${JSON.stringify(JSON.parse((await app.inject("/openapi.json")).body), null, 2)}\n`;
  await app.close();
  await db.close();
  return text;
}
