import assert from "node:assert/strict";
import { before, it } from "node:test";
import { insertToken } from "../../src/accounts/store.ts";
import { row, text } from "../../src/platform/row.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { type Door, doorsOf } from "../support/doors.ts";
import { headOf } from "../support/late-body.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const nameOf = ({ method, path }: Door) => `${method} ${path}`;
/** Without those that take no token: whoever has a secret may report it, and senders of events prove that they have one. */
const takesBody = ({ method, path }: Door) =>
  method !== "GET" &&
  path.startsWith("/api/v4/") &&
  !["*", "/leak_reports", "/receive"].some((ending) => path.endsWith(ending));

const BODY = "{}";

/** Sends the headers of a request to a route, with a token of Ada's that was never used. */
async function approach(door: Door) {
  const secret = newSecret("personalAccessToken");
  const token = { digest: digest(secret), kind: "personal", userId: world.ids.ada, scopes: ["api"] } as const;
  await insertToken(world.platform.db, { ...token, name: nameOf(door) });
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const path = door.path.replaceAll(/:[a-z_]+(\|:[a-z_]+)*/g, "1");
  const { answer, send } = await headOf(world, { method: door.method, path, headers }, BODY.length);
  const approached: { door: Door; send: typeof send; early?: number } = { door, send };
  answer.then(
    ({ status }) => {
      approached.early = status;
    },
    () => {},
  );
  return approached;
}

/** The routes whose guard has let a request in: the first use of a token is noted. */
async function enteredDoors(): Promise<ReadonlySet<string>> {
  const used = sql`select name from access_tokens where name like '% /api/v4/%' and last_used_at is not null`;
  return new Set((await world.owner.many(row({ name: text }), used)).map(({ name }) => name));
}

it("every route of the API that takes a body judges the token again if it is revoked before the body comes (contract §4, tokens and roles; decision 0313)", async () => {
  const approached = await Promise.all(doorsOf(world.app).filter(takesBody).map(approach));
  let waiting: readonly string[] = [];
  await until(async () => {
    const entered = await enteredDoors();
    const left = approached.filter(({ door, early }) => early === undefined && !entered.has(nameOf(door)));
    waiting = left.map(({ door }) => nameOf(door));
    return waiting.length === 0;
  }).catch(() => assert.deepEqual(waiting, [], "routes that judge no token before the body"));
  await world.owner.run(sql`update access_tokens set revoked_at = now() where name like '% /api/v4/%'`);
  const served: string[] = [];
  let judged = 0;
  for (const { door, send, early } of approached) {
    // Answers for methods that an address does not have.
    if (early === 405) continue;
    const { status } = await send(BODY);
    if (status === 401) judged++;
    else served.push(`${nameOf(door)} ${status}`);
  }
  assert.deepEqual(served, []);
  assert.ok(judged > 80, `${judged} routes`);
});
