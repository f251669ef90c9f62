/** Shared helpers of the attack tests: token pairs, counts of rows, and raw requests that no client library would send. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { integer, row } from "../../src/platform/row.ts";
import { type Sql, sql } from "../../src/platform/sql.ts";
import { aCode, anApplication, exchange, signedIn, type TestApplication, type Visitor } from "./oauth.ts";
import { startWorld, type World } from "./world.ts";

export interface Pair {
  access_token: string;
  refresh_token: string;
  /** Present with scope `openid`. */
  id_token: string;
}

/** The scene of most attack tests: a world, Dev with a browser, and an application of Olga's. */
export async function aScene(
  environment: Readonly<Record<string, string>> = {},
  described: Parameters<typeof anApplication>[1] = {},
) {
  const world = await startWorld(environment);
  return { world, dev: await signedIn(world, "dev"), application: await anApplication(world, described) };
}

/** Asserts that the token endpoint refuses the request with invalid_grant. */
export async function refused(
  reply: Promise<{ status: number; json: { error: string } }>,
  why: string,
): Promise<void> {
  const { status, json } = await reply;
  assert.deepEqual([status, json.error], [400, "invalid_grant"], why);
}

/** Fresh tokens of a person for an application, by the web application flow. */
export async function aPair(
  world: World,
  visitor: Visitor,
  application: TestApplication,
  more: Record<string, string | undefined> = {},
): Promise<Pair> {
  const issued = await exchange(world, application, await aCode(visitor, application, more));
  assert.equal(issued.status, 200, issued.text);
  return issued.json;
}

/** The status of an API call with the token. */
export async function apiStatus(world: World, token: string): Promise<number> {
  return (await world.call("/api/v4/user", { token })).status;
}

/** Runs a statement that counts, and returns the number. */
export async function counted(world: World, statement: Sql): Promise<number> {
  return (await world.platform.db.one(row({ n: integer }), statement)).n;
}

/** How many codes are in the database. */
export const codesInAll = (world: World) =>
  counted(world, sql`select count(*) as n from authorization_codes`);

/** Sends raw lines and returns the status of the response, or 0 without one. The lines must ask to close the connection. */
export async function rawStatus(world: World, lines: readonly (string | Buffer)[]): Promise<number> {
  return (await rawStatuses(world, lines))[0] ?? 0;
}

/** Sends raw lines and returns the status of every response. The last request must ask to close the connection. */
export function rawStatuses(world: World, lines: readonly (string | Buffer)[]): Promise<number[]> {
  const { port } = new URL(world.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), "127.0.0.1");
    let answer = "";
    const done = () =>
      resolve([...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status)));
    socket.on("error", done);
    socket.on("close", done);
    socket.on("data", (part) => {
      answer += part.toString("latin1");
    });
    const parts = lines.flatMap((line) => [Buffer.from(line), Buffer.from("\r\n")]);
    socket.setTimeout(60_000, () => socket.destroy());
    socket.write(Buffer.concat([...parts, Buffer.from("\r\n")]));
  });
}
