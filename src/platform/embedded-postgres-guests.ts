/** Keeps a command from stopping the embedded server that it started while processes that joined the server still use it. */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { singleClient } from "./db-client.ts";

/** The advisory lock: shared by those who joined, exclusive for the owner that stops the server. The number is arbitrary. */
const GUESTS_LOCK = 7_239_403;

const ASK_AGAIN_MS = 100;
/** How long the owner waits before it logs why; other commands are usually done by then. */
const SILENT_MS = 2000;

/** Releases the hold on the server, so that its owner may stop it. */
export type LetGo = () => Promise<void>;

/** Keeps the owner from stopping the server; undefined: it is stopping it already. @throws Error of the driver */
export async function holdServer(connection: pg.ClientConfig): Promise<LetGo | undefined> {
  const client = singleClient(connection, "gatehouse guest");
  const letGo = async () => void (await client.end().catch(() => {}));
  try {
    await client.connect();
    const isHeld = await asked(client, "select pg_try_advisory_lock_shared($1) as got");
    if (isHeld) return letGo;
  } catch (error) {
    await letGo();
    throw error;
  }
  await letGo();
  return undefined;
}

/** Waits until nobody holds the server, and then prevents new holds. */
export async function waitForGuests(connection: pg.ClientConfig, log: (line: string) => void): Promise<void> {
  const client = singleClient(connection, "gatehouse guest");
  const begun = Date.now();
  let isTold = false;
  try {
    await client.connect();
    while (!(await asked(client, "select pg_try_advisory_lock($1) as got"))) {
      if (!isTold && Date.now() - begun > SILENT_MS) {
        log("the database runs here until the other processes that use it have ended");
        isTold = true;
      }
      await sleep(ASK_AGAIN_MS);
    }
  } catch {
    // The server is already gone.
    await client.end().catch(() => {});
  }
}

async function asked(client: pg.Client, question: string): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(question, [GUESTS_LOCK]);
  return rows[0]?.got === true;
}
