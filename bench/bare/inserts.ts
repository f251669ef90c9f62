/** Bare server: durable inserts of an alert's payload, one per request or batched, and the upsert of a single row. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { openPool, readText, sendJson, serveBareAsync } from "./serve-bare.ts";

const pool = openPool();

interface Waiting {
  payload: string;
  done: (id: number) => void;
  failed: (error: Error) => void;
}

const waiting: Waiting[] = [];
let underWay = 0;
const AT_ONCE = 2;
const ROWS_AT_MOST = 500;

serveBareAsync(async (request: IncomingMessage, reply: ServerResponse) => {
  const body = await readText(request);
  JSON.parse(body);
  if (request.url === "/upsert") sendJson(reply, 200, { n: await upsert() });
  else if (request.url === "/coalesced") sendJson(reply, 200, { id: await insertWithOthers(body) });
  else sendJson(reply, 200, { id: await insert([body]).then(([id]) => id) });
});

async function insert(payloads: readonly string[]): Promise<number[]> {
  const { rows } = await pool.query({
    name: "insert",
    text: `insert into bare.alerts (fingerprint, payload)
      select f, p::jsonb from unnest($1::bytea[], $2::text[]) as given (f, p) returning id`,
    values: [payloads.map((payload) => createHash("sha256").update(payload).digest()), payloads],
  });
  return rows.map(({ id }) => id);
}

/** Answers after the commit of the batch; payloads that arrive while two batches are under way wait for the next. */
function insertWithOthers(payload: string): Promise<number> {
  return new Promise((done, failed) => {
    waiting.push({ payload, done, failed });
    if (underWay < AT_ONCE) void sendBatch();
  });
}

async function sendBatch(): Promise<void> {
  underWay++;
  const batch = waiting.splice(0, ROWS_AT_MOST);
  try {
    const ids = await insert(batch.map(({ payload }) => payload));
    batch.forEach(({ done }, at) => {
      done(ids[at] as number);
    });
  } catch (error) {
    for (const { failed } of batch) failed(error as Error);
  }
  underWay--;
  if (waiting.length > 0) void sendBatch();
}

async function upsert(): Promise<number> {
  const { rows } = await pool.query({
    name: "upsert",
    text: `insert into bare.hot_row (id, n, seen_at) values (1, 1, now())
      on conflict (id) do update set n = hot_row.n + 1, seen_at = now() returning n`,
  });
  return rows[0]?.n;
}
