/** What the sweep of expired OAuth data deletes, and what it keeps. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sweepAccounts } from "../../src/accounts/sweep.ts";
import { sweepOauth } from "../../src/oauth/sweep.ts";
import { integer, row } from "../../src/platform/row.ts";
import { type Sql, sql } from "../../src/platform/sql.ts";
import {
  aCode,
  anApplication,
  authorizePath,
  exchange,
  longUsed,
  refresh,
  signedIn,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;

before(async () => {
  world = await startWorld();
});

async function rows(): Promise<number[]> {
  const counted = await world.platform.db.one(
    row({
      requests: integer,
      codes: integer,
      refreshTokens: integer,
      authorizations: integer,
      accessTokens: integer,
    }),
    sql`select (select count(*) from authorization_requests) as requests,
      (select count(*) from authorization_codes) as codes, (select count(*) from refresh_tokens) as refresh_tokens,
      (select count(*) from authorizations) as authorizations,
      (select count(*) from access_tokens where kind = 'oauth') as access_tokens`,
  );
  return Object.values(counted);
}

test("codes and tokens are deleted 30 days after they expired, and kept until then so that reuse is recognised (reference oauth C8)", async () => {
  const { db } = world.platform;
  const application = await anApplication(world);
  const dev = await signedIn(world, "dev");
  await dev.get(authorizePath(application, { scope: "read_user" }));
  const { json } = await exchange(world, application, await aCode(dev, application));
  const { json: next } = await refresh(world, application, json.refresh_token);
  // One pending request, one spent code, one spent and one valid refresh token, one replaced and one valid access token.
  assert.deepEqual(await rows(), [1, 1, 2, 1, 2]);
  await sweepOauth(world.platform);
  await sweepAccounts(world.platform);
  assert.deepEqual(await rows(), [1, 1, 2, 1, 2]);
  assert.equal((await refresh(world, application, next.refresh_token)).status, 200);

  await db.run(sql`update authorization_requests set expires_at = now() - interval '1 second'`);
  await db.run(sql`update authorization_codes set expires_at = now() - interval '29 days'`);
  await db.run(
    sql`update refresh_tokens set expires_at = now() - interval '29 days' where spent_at is not null`,
  );
  await sweepOauth(world.platform);
  assert.deepEqual(await rows(), [0, 1, 3, 1, 3]);
  await db.run(sql`update authorization_codes set expires_at = now() - interval '31 days'`);
  await sweepOauth(world.platform);
  assert.deepEqual(await rows(), [0, 0, 3, 1, 3]);

  await db.run(sql`update refresh_tokens set expires_at = now() - interval '31 days'`);
  await db.run(sql`update access_tokens set expires_at = now() - interval '31 days' where kind = 'oauth'`);
  await db.run(sql`update authorizations set created_at = now() - interval '181 days'`);
  await sweepAccounts(world.platform);
  await sweepOauth(world.platform);
  assert.deepEqual(await rows(), [0, 0, 0, 0, 0]);
});

test("one run deletes any number of expired rows in portions, each authorization with its last token (reference oauth C8)", async () => {
  const { id } = await anApplication(world);
  const many = 5100;
  await longUsed(world, id, many);
  const dev = await signedIn(world, "dev");
  const application = await anApplication(world);
  const { json } = await exchange(world, application, await aCode(dev, application));
  await sweepOauth(world.platform);
  assert.deepEqual(await rows(), [0, 1, 1, 1, 1]);
  assert.equal((await refresh(world, application, json.refresh_token)).status, 200);
});

test("one run deletes all of what expired, and no statement more than 5000 rows (reference reliability A9)", async () => {
  const { platform } = world;
  const { db } = platform;
  const { id } = await anApplication(world);
  const many = sql`generate_series(1, 5100) n`;
  const digest = sql`sha256(n::text::bytea)`;
  const user = world.ids.dev;
  await db.pooled.run(sql`with a as (insert into authorization_requests
      (digest, session_digest, user_id, application_id, response_type, response_mode, redirect_uri, scopes, state, expires_at)
      select ${digest}, ${digest}, ${user}, ${id}, 'code', 'query', 'https://a.example', '{api}', '', now() - interval '1 s' from ${many}),
    b as (insert into pushed_requests (digest, application_id, parameters, expires_at)
      select ${digest}, ${id}, '{}', now() - interval '1 s' from ${many}),
    c as (insert into used_proofs (digest, expires_at) select ${digest}, now() - interval '1 s' from ${many}),
    d as (insert into device_authorizations (digest, user_code_hash, application_id, scopes, interval_seconds, expires_at)
      select ${digest}, n::text, ${id}, '{api}', 5, now() - interval '25 h' from ${many}),
    e as (insert into invitations (digest, email, invited_by, expires_at)
      select ${digest}, n || '@b.example', ${user}, now() - interval '31 d' from ${many})
    insert into device_code_failures (user_id, failed_at) select ${user}, now() - interval '61 min' from ${many}`);
  let most = 0;
  const run = async (statement: Sql) => {
    const touched = await db.pooled.run(statement);
    most = Math.max(most, touched);
    return touched;
  };
  const watched = { ...platform, db: { ...db, pooled: { ...db.pooled, run } } };
  await sweepOauth(watched);
  await sweepAccounts(watched);
  assert.equal(most, 5000);
  const { left } = await db.one(
    row({ left: integer }),
    sql`select (select count(*) from authorization_requests where expires_at < now())
      + (select count(*) from pushed_requests) + (select count(*) from used_proofs)
      + (select count(*) from device_authorizations) + (select count(*) from device_code_failures)
      + (select count(*) from invitations) as left`,
  );
  assert.equal(left, 0);
});

test("an authorization is kept while it has a code, a refresh token or an access token (reference oauth C8)", async () => {
  const { db } = world.platform;
  const application = await anApplication(world);
  const dev = await signedIn(world, "dev");
  const kinds = [sql`authorization_codes`, sql`refresh_tokens`, sql`access_tokens`];
  for (const kept of kinds) {
    await exchange(world, application, await aCode(dev, application));
    const newest = sql`(select max(id) from authorizations)`;
    for (const kind of kinds.filter((one) => one !== kept)) {
      await db.run(
        sql`update ${kind} set expires_at = now() - interval '31 days' where authorization_id = ${newest}`,
      );
    }
    await sweepOauth(world.platform);
    assert.equal(await db.run(sql`select from ${kept} where authorization_id = ${newest}`), 1);
  }
});

test("a client secret is deleted when its grace period is over, and a signing key when it is no longer published (contract §4, secrets; decision 0017)", async () => {
  const { db } = world.platform;
  const left = () =>
    db.one(
      row({ secrets: integer, keys: integer, first: integer }),
      sql`select (select count(*) from application_secrets where application_id = ${id}) as secrets,
        count(*) as keys, min(generation) as first from signing_keys`,
    );
  const { id } = await anApplication(world, { owner: null });
  await world.call(`/api/v4/applications/${id}/renew-secret`, { as: "ada", json: { grace_seconds: 60 } });
  await world.call("/oauth/discovery/keys");
  await db.run(sql`update signing_keys set created_at = now() - interval '91 days'`);
  await sweepOauth(world.platform);
  assert.deepEqual(await left(), { secrets: 2, keys: 4, first: 1 });
  await db.run(sql`update application_secrets set expires_at = now() where expires_at is not null`);
  await db.run(sql`update signing_keys set created_at = now() - interval '31 days' where generation = 2`);
  await sweepOauth(world.platform);
  assert.deepEqual(await left(), { secrets: 1, keys: 2, first: 2 });
});
