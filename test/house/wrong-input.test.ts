/** Every documented operation refuses single values of wrong type, size and encoding without a 5xx. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, test } from "node:test";
import { insertToken } from "../../src/accounts/store.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import "../support/no-proto.ts";
import {
  bodiesOf,
  fitting,
  type Operation,
  operationsOf,
  recordOf,
  type Shape,
} from "../support/operations.ts";
import { startWorld, type World } from "../support/world.ts";

/** Path segments, percent-encoded as sent. */
const SEGMENTS = [
  "0",
  "-1",
  "2",
  "99999999999999999999",
  "9007199254740993",
  "1e3",
  "acme%2Frocket",
  "acme%252Frocket",
  "..%2F..%2Fetc",
  "%00",
  "%ED%A0%80",
  "%F0%9F%98%80",
  "1'%20or%20'1'='1",
  "1%20or%201=1",
  "1);drop%20table%20users;--",
  "x".repeat(300),
];
const QUERIES = [
  "",
  "%00",
  "%ff",
  "-1",
  "1e999",
  "99999999999999999999",
  "a".repeat(5000),
  "%F0%9F%98%80",
  "null",
  "2026-13-45",
  "'||pg_sleep(0)||'",
  "1;drop%20table%20users;--",
  "$1",
  "__proto__",
  "constructor",
];
/** Text that an index cannot compress. */
const NOISE = Array.from({ length: 64 }, (_, n) =>
  createHash("sha384").update(`${n}`).digest("base64url"),
).join("");
const VALUES: unknown[] = [
  null,
  true,
  -1,
  0,
  1e300,
  2 ** 53,
  "",
  " ",
  "\0",
  "\ud800",
  "😀".repeat(2000),
  "x".repeat(100_000),
  [],
  [[]],
  [null, {}, "\0", 2 ** 60],
  {},
  { __proto__: null, toString: 1 },
  { "\0": "\0" },
  "__proto__",
  "constructor",
  JSON.parse('{"__proto__":"x"}'),
  NOISE,
  "y".repeat(255),
  `https://${"host.".repeat(49)}example/`,
  `${"l".repeat(64)}@${"host.".repeat(36)}example`,
  "9999-12-31T23:59:60Z",
  "275760-09-13",
  "-infinity",
  "x'); drop table users; --",
  "$$;drop table users;$$",
];

let world: World;
before(async () => {
  world = await startWorld();
});

/** A new token for each operation, because some of them revoke the token in use. */
async function freshToken(): Promise<string> {
  const secret = newSecret("personalAccessToken");
  const token = { digest: digest(secret), kind: "personal", userId: world.ids.ada, scopes: ["api"] } as const;
  await insertToken(world.platform.db, token);
  return secret;
}

/** Values of a member with one invalid part, and the rest valid. */
function* badWithin(shape: Shape): Generator<unknown> {
  for (const one of shape.anyOf ?? []) yield* badWithin(one);
  if (shape.type === "array" && shape.items) {
    for (const value of VALUES) yield [value];
    for (const value of badWithin(shape.items)) yield [value];
  }
  if (shape.type !== "object") return;
  const each = recordOf(shape);
  const inner = each ? { a: each } : (shape.properties ?? {});
  const whole = fitting(shape) as object;
  for (const [name, one] of Object.entries(inner)) {
    for (const value of VALUES) yield { ...whole, [name]: value };
    for (const value of badWithin(one)) yield { ...whole, [name]: value };
  }
}

/** The requests of one operation: each parameter gets each bad value in turn, the others stay valid. */
function* requestsOf({ path, method, parameters, members, body }: Operation, whole: object) {
  const harmless = (name: string) => (name === "id" || name.endsWith("_id") ? String(world.rocket.id) : "1");
  const fill = (name?: string, value?: string) =>
    path.replace(/\{(\w+|\*)\}/g, (_, inner: string) => (inner === name ? (value ?? "") : harmless(inner)));
  const places = [...path.matchAll(/\{(\w+|\*)\}/g)].map(([, name]) => name);
  for (const place of places) for (const value of SEGMENTS) yield { url: fill(place, value), method };
  for (const parameter of parameters.filter((one) => one.in === "query")) {
    for (const value of QUERIES) yield { url: `${fill()}?${parameter.name}=${value}`, method };
    yield { url: `${fill()}?${parameter.name}=1&${parameter.name}=2`, method };
    yield { url: `${fill()}?${parameter.name}[a]=1`, method };
  }
  if (method === "GET" || method === "DELETE") return;
  for (const member of members) {
    for (const value of VALUES) yield { url: fill(), method, json: { ...whole, [member]: value } };
    yield {
      url: fill(),
      method,
      form: [
        [member, "1"],
        [member, "2"],
        [`${member}[x]`, "3"],
      ] as [string, string][],
    };
  }
  for (const value of VALUES) yield { url: fill(), method, json: value };
  for (const [member, shape] of Object.entries(body.properties ?? {})) {
    for (const value of badWithin(shape)) yield { url: fill(), method, json: { ...whole, [member]: value } };
  }
}

/** An archived or marked project would refuse the next values without reading them. */
async function wakeAll(): Promise<void> {
  const active = sql`archived_at = null, marked_for_deletion_at = null, removal_due_at = null`;
  await world.platform.db.run(sql`update projects set ${active}`);
  await world.platform.db.run(sql`update namespaces set ${active}`);
}

test("no operation answers 5xx to a value of wrong type, size or encoding, or to SQL fragments (reference reliability A18, S107)", async () => {
  const bad: string[] = [];
  let sent = 0;
  const bodyOf = await bodiesOf(world.app);
  for (const operation of await operationsOf(world.app)) {
    const token = await freshToken();
    await wakeAll();
    for (const { url, ...options } of requestsOf(operation, bodyOf(operation) ?? {})) {
      sent++;
      const reply = await world.call(url, { ...options, token });
      if (reply.status >= 500) {
        bad.push(
          `${operation.method} ${url.slice(0, 120)} ${JSON.stringify(options).slice(0, 120)} → ${reply.status}`,
        );
      }
    }
  }
  assert.ok(sent > 25_000, `${sent} requests`);
  assert.equal(
    (await world.call(`/api/v4/users/${world.ids.stan}`, { as: "ada" })).status,
    200,
    "the tables still exist",
  );
  assert.deepEqual(bad, []);
});
