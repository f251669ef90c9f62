/** The end of a token is answered only when nothing that was begun with the token is still to be committed (decision 0322). */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { findApplication } from "../../src/oauth/store.ts";
import { withdrawConsent } from "../../src/oauth/withdraw-consent.ts";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { whileHeld } from "../support/meanwhile.ts";
import { anApplication, type TestApplication, tokenCall } from "../support/oauth.ts";
import { until } from "../support/until.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
/** The application that acts for Ada, and one of the instance. */
let client: TestApplication;
let other: number;

before(async () => {
  world = await startWorld();
  client = await anApplication(world, { trusted: true });
  other = (await anApplication(world, { owner: null })).id;
});

interface Held {
  id: number;
  token: string;
}

async function personal(): Promise<Held> {
  const json = { name: "short", scopes: ["api"] };
  return (await world.call(`/api/v4/users/${world.ids.ada}/personal_access_tokens`, { as: "ada", json }))
    .json;
}

async function delegated(): Promise<Held> {
  const form = { grant_type: "password", username: "ada", password: PASSWORD, scope: "api" };
  const { json, text: said } = await tokenCall(world, form, { authorization: client.basic });
  assert.ok(json.access_token, said);
  return { id: 0, token: json.access_token };
}

/** What is stored of an application's secrets at this moment. */
function secretsOf(id: number): Promise<string[]> {
  const read = sql`select encode(digest, 'hex') as digest from application_secrets where application_id = ${id} order by digest`;
  return world.platform.db.many(row({ digest: text }), read).then((all) => all.map(({ digest }) => digest));
}

const own = "/api/v4/personal_access_tokens";
const ways: readonly [what: string, made: () => Promise<Held>, end: (held: Held) => Promise<unknown>][] = [
  ["revoked", personal, ({ id }) => world.call(`${own}/${id}`, { as: "ada", method: "DELETE" })],
  ["revoked by itself", personal, ({ token }) => world.call(`${own}/self`, { token, method: "DELETE" })],
  ["rotated", personal, ({ id }) => world.call(`${own}/${id}/rotate`, { as: "ada", json: {} })],
  ["rotated by itself", personal, ({ token }) => world.call(`${own}/self/rotate`, { token, json: {} })],
  ["reported", personal, ({ token }) => world.call("/api/v4/leak_reports", { json: [{ token, type: "x" }] })],
  [
    "revoked by its application",
    delegated,
    ({ token }) =>
      world.call("/oauth/revoke", {
        method: "POST",
        form: { token },
        headers: { authorization: client.basic },
      }),
  ],
  [
    "ended with the consent",
    delegated,
    async () => {
      const application = await findApplication(world.platform.db, client.id);
      assert.ok(application);
      await withdrawConsent(world.platform.db, world.ids.ada, application, {
        actorId: world.ids.ada,
        ip: "::1",
      });
    },
  ],
];

describe("a token that makes a new secret at this moment", () => {
  for (const [what, made, end] of ways) {
    it(`is ${what} after that (contract §4, tokens and roles; decision 0322)`, async () => {
      const held = await made();
      const before = await secretsOf(other);
      let whenEnded: string[] = [];
      const lock = ["select from applications where id = $1 for update", other] as const;
      const [renewed] = await whileHeld(world, [lock], async (isWaitedFor) => {
        const options = { token: held.token, json: {} };
        const renewing = world.call(`/api/v4/applications/${other}/renew-secret`, options);
        await until(isWaitedFor);
        const ending = end(held).then(async () => {
          whenEnded = await secretsOf(other);
        });
        await sleep(300);
        return [renewing, ending];
      }).then((all) => Promise.all(all));
      assert.notDeepEqual(whenEnded, before, "the new secret was stored when the end was answered");
      assert.deepEqual(whenEnded, await secretsOf(other), "and nothing came after it");
      assert.equal((renewed as { status: number }).status, 200);
      assert.equal((await world.call("/api/v4/user", { token: held.token })).status, 401);
    });
  }
});
