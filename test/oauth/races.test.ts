/** Concurrency: an authorization that ends during an exchange leaves no valid token. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { revokeAuthorization } from "../../src/oauth/revoke-authorization.ts";
import { withdrawConsent } from "../../src/oauth/withdraw-consent.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import {
  aCode,
  anApplication,
  authorizePath,
  decide,
  exchange,
  hiddenFields,
  refresh,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;

const byDev = () => ({ actorId: world.ids.dev, ip: "127.0.0.1" });

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
  application = await anApplication(world);
});

const ROUNDS = 25;

async function liveTokens(): Promise<number> {
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from access_tokens where application_id = ${application.id} and revoked_at is null`,
  );
  return n;
}

function withdraw(): Promise<void> {
  const known = { ...application, name: "", selfRegistered: false };
  return withdrawConsent(world.platform.db, world.ids.dev, known, byDev());
}

test("a consent withdrawn during the exchange of its code leaves no token (decision 0015)", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const code = await aCode(dev, application);
    await Promise.all([exchange(world, application, code), withdraw()]);
    assert.equal(await liveTokens(), 0);
  }
});

test("an authorization revoked during a refresh leaves no token (decision 0015)", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { json } = await exchange(world, application, await aCode(dev, application));
    const { id } = await world.platform.db.one(
      row({ id: integer }),
      sql`select max(authorization_id) as id from access_tokens where application_id = ${application.id}`,
    );
    const [renewed] = await Promise.all([
      refresh(world, application, json.refresh_token),
      revokeAuthorization(world.platform.db, id, "test"),
    ]);
    assert.equal(await liveTokens(), 0);
    if (renewed.status === 200) {
      const next = await refresh(world, application, renewed.json.refresh_token);
      assert.equal(next.json.error, "invalid_grant");
    }
  }
});

test("a code that another application presents at the same time yields at most one token set, which is revoked (contract §4, code)", async () => {
  const other = await anApplication(world);
  for (let round = 0; round < ROUNDS; round++) {
    const code = await aCode(dev, application);
    const [mine, theirs] = await Promise.all([
      exchange(world, application, code),
      exchange(world, other, code),
    ]);
    assert.equal(theirs.json.error, "invalid_grant");
    assert.ok(mine.status === 200 || mine.json.error === "invalid_grant");
    assert.equal(await liveTokens(), 0);
  }
});

test("16 concurrent answers to one consent page give one code (reference oauth D46)", async () => {
  await withdraw();
  const page = await dev.get(authorizePath(application));
  const fields = { ...hiddenFields(page.text, "/oauth/authorize"), decision: "allow" };
  const replies = await Promise.all(Array.from({ length: 16 }, () => dev.post("/oauth/authorize", fields)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [303, ...Array(15).fill(400)]);
});

test("concurrent refreshes and reuse of an older refresh token revoke the whole family (RFC 9700 §4.14.2)", async () => {
  await withdraw();
  await decide(dev, authorizePath(application));
  for (let round = 0; round < 5; round++) {
    const first = (await exchange(world, application, await aCode(dev, application))).json;
    const second = (await refresh(world, application, first.refresh_token)).json;
    const third = (await refresh(world, application, second.refresh_token)).json;
    await Promise.all([
      ...Array.from({ length: 6 }, () => refresh(world, application, third.refresh_token)),
      ...Array.from({ length: 6 }, () => refresh(world, application, first.refresh_token)),
    ]);
    assert.equal(await liveTokens(), 0);
  }
});
