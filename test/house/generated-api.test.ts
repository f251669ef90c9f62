/** Generated requests to every documented operation, good, bad and hostile, by callers of every kind. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SCOPES } from "../../src/accounts/scope.ts";
import { insertToken } from "../../src/accounts/store.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource } from "../support/alerts.ts";
import { type Json, type Operation, operationsOf } from "../support/described.ts";
import { ABSENT, type Estates, startEstates } from "../support/estates.ts";
import { type Known, requestsTo } from "../support/generated-requests.ts";
import { GeneratedRuns } from "../support/generated-runs.ts";
import { anApplication, tokenCall } from "../support/oauth.ts";
import { thingNamed } from "../support/things-named.ts";
import "../support/no-proto.ts";
import type { Person, World } from "../support/world.ts";

const EACH = 40;

test("40 generated requests to every documented operation get no 5xx and nothing but documented answers, and elsewhere nothing is lost (reference reliability A18)", async (t) => {
  const estates = await startEstates();
  const { world } = estates;
  const kept = await keptAlerts(world);
  const document: Json = (await world.call("/openapi.json")).json;
  const runs = new GeneratedRuns(world);
  for (const operation of inOrder(operationsOf(document))) {
    await wakeAll(world);
    const callers = fc.constantFrom(...(await callersOf(world)));
    const requests = fc
      .tuple(requestsTo(operation, document, knownOf(estates)), callers)
      .map(([request, proof]) => ({ ...request, headers: { ...request.headers, ...proof } }));
    await runs.ask(operation.name, requests, EACH);
  }
  await runs.assertNoFault(t, 9000);
  assert.equal(await alertsOf(world), kept);
});

/** Reads come first; of the deletions, those that remove the most come last. */
function inOrder(operations: readonly Operation[]): Operation[] {
  const rank = ({ method, name }: Operation) =>
    ["GET", "POST", "PUT", "DELETE"].indexOf(method) * 100 -
    (method === "DELETE" ? name.split("/").length : 0);
  return [...operations].sort((a, b) => rank(a) - rank(b));
}

/** Things of Olga's mostly, at times of Stan's, or nobody's. */
function knownOf({ mine, theirs }: Estates): Known {
  const estates = [theirs, theirs, theirs, theirs, theirs, theirs, mine, ABSENT];
  return (gap, which) => {
    const thing = thingNamed(gap);
    return encodeURIComponent((thing && estates[which % estates.length]?.[thing]) ?? "1");
  };
}

/** Of the callers, Olga and Ada are let in most often. */
const OFTEN: Readonly<Partial<Record<Person, number>>> = { olga: 12, ada: 8, stan: 2 };

/** The headers by which callers of every kind prove who they are, with new tokens, since requests may revoke them. */
async function callersOf(world: World): Promise<Record<string, string>[]> {
  const { db } = world.platform;
  const personal = async (person: Person, scope: string) => {
    const [secret, userId] = [newSecret("personalAccessToken"), world.ids[person]];
    const isThere = await db.find(row({ id: integer }), sql`select id from users where id = ${userId}`);
    if (isThere) await insertToken(db, { digest: digest(secret), kind: "personal", userId, scopes: [scope] });
    return secret;
  };
  const people = (["olga", "ada", "stan", "dev", "rep", "max"] as const).map(async (person) => {
    const proof = { authorization: `Bearer ${await personal(person, "api")}` };
    return Array.from({ length: OFTEN[person] ?? 1 }, () => proof);
  });
  const scoped = SCOPES.map(async (scope) => ({ "private-token": await personal("olga", scope) }));
  return [
    {},
    { authorization: "Bearer x" },
    { authorization: "Basic Og==" },
    { authorization: `Bearer ${await aBotToken(world)}` },
    ...(await Promise.all(people)).flat(),
    ...(await Promise.all(scoped)),
  ];
}

/** A token of an application that acts for its own account. */
async function aBotToken(world: World): Promise<string> {
  bot ??= await anApplication(world, { owner: null, grantTypes: ["client_credentials"] });
  const form = { grant_type: "client_credentials", scope: "api" };
  const { json } = await tokenCall(world, form, { authorization: bot.basic });
  return json?.access_token ?? "x";
}
let bot: Awaited<ReturnType<typeof anApplication>> | undefined;

/** Blocked people and archived or marked places would refuse the next requests without reading them. */
async function wakeAll({ platform: { db } }: World): Promise<void> {
  const active = sql`archived_at = null, marked_for_deletion_at = null, removal_due_at = null`;
  await db.run(sql`update projects set ${active}`);
  await db.run(sql`update namespaces set ${active}`);
  await db.run(sql`update users set state = 'active' where state <> 'active'`);
}

/** Alerts in acme/rocket, which no request names. */
async function keptAlerts(world: World): Promise<string> {
  const source = await aSource(world);
  for (let n = 0; n < 20; n++) assert.equal((await source.send({ title: `Alert ${n}` })).status, 200);
  return alertsOf(world);
}

async function alertsOf({ platform: { db }, rocket }: World): Promise<string> {
  const all = sql`select string_agg(to_jsonb(a)::text, ' ' order by iid) as all from alerts a where project_id = ${rocket.id}`;
  return (await db.one(row({ all: text }), all)).all;
}
