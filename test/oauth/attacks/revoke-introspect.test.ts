/** Attacks on revocation and introspection: strangers, the nameless, wrong hints, and a store that fails. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Sql, sql } from "../../../src/platform/sql.ts";
import { aPair, apiStatus, aScene, type Pair } from "../../support/attacks.ts";
import {
  aCode,
  anApplication,
  aProof,
  exchange,
  refresh,
  type TestApplication,
  type Visitor,
} from "../../support/oauth.ts";
import type { World } from "../../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;
let open: TestApplication;

before(async () => {
  ({ world, dev, application } = await aScene());
  open = await anApplication(world, { confidential: false });
});

const revoke = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  world.call("/oauth/revoke", { form, headers });
const introspect = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  world.call("/oauth/introspect", { form, headers });

async function publicPair(): Promise<Pair> {
  const { verifier, challenge } = aProof();
  const code = await aCode(dev, open, { code_challenge: challenge, code_challenge_method: "S256" });
  const issued = await exchange(world, open, code, { client_secret: undefined, code_verifier: verifier });
  return issued.json;
}

test("nobody else ends a token: not another application, not a public one, not the token alone (CVE-2018-1000211; reference oauth D72, reliability S46)", async () => {
  const other = await anApplication(world);
  const stranger = await anApplication(world, { confidential: false });
  for (const [pair, owner] of [
    [await aPair(world, dev, application), application],
    [await publicPair(), open],
  ] as const) {
    for (const token of [pair.access_token, pair.refresh_token]) {
      for (const [form, headers, status] of [
        [{ token }, { authorization: other.basic }, 403],
        [{ token, client_id: stranger.uid }, {}, 403],
        [{ token }, {}, 401],
        [{ token }, { authorization: `Bearer ${pair.access_token}` }, 401],
        [{ token, client_id: application.uid }, {}, 401],
        [{ token, client_id: "0".repeat(64) }, {}, 401],
      ] as [Record<string, string>, Record<string, string>, number][]) {
        assert.equal((await revoke(form, headers)).status, status, JSON.stringify([form, headers]));
      }
      assert.equal(await apiStatus(world, pair.access_token), 200);
    }
    const proof: Record<string, string> =
      owner === open ? { client_id: open.uid } : { client_id: owner.uid, client_secret: owner.secret };
    assert.equal((await revoke({ token: pair.refresh_token, ...proof })).status, 200);
    assert.equal(await apiStatus(world, pair.access_token), 401);
  }
});

test("an unknown token and one of another kind are 200 and nothing more; a personal token does not end here (RFC 7009 §2.2; reference oauth D72, reliability S46)", async () => {
  const basic = { authorization: application.basic };
  const personal = await world.tokenOf("dev", "api");
  const code = await aCode(dev, application);
  for (const token of ["goa_x", "x", "\0", "é", application.secret, code, "x".repeat(100_000)]) {
    const reply = await revoke({ token }, basic);
    assert.deepEqual([reply.status, reply.text], [200, "{}"]);
  }
  await revoke({ token: personal }, basic);
  assert.equal(await apiStatus(world, personal), 200);
  assert.equal((await exchange(world, application, code)).status, 200);
});

test("a wrong hint hides no token (RFC 7009 §2.1; reference oauth D73, reliability S46)", async () => {
  const basic = { authorization: application.basic };
  for (const token_type_hint of ["refresh_token", "access_token", "pkce", "", "\0"]) {
    for (const kind of ["access_token", "refresh_token"] as const) {
      const pair = await aPair(world, dev, application);
      const seen = await introspect({ token: pair[kind], token_type_hint }, basic);
      assert.equal(seen.json.active, true, `${kind} ${token_type_hint}`);
      assert.equal((await revoke({ token: pair[kind], token_type_hint }, basic)).status, 200);
      assert.equal(await apiStatus(world, pair.access_token), 401);
      assert.equal((await refresh(world, application, pair.refresh_token)).status, 400);
    }
  }
});

test("what is over can still be revoked, and so ends what is renewed from it (reference oauth D72)", async () => {
  const pair = await aPair(world, dev, application);
  await world.platform.db.run(
    sql`update access_tokens set expires_at = now() where id = (select max(id) from access_tokens)`,
  );
  assert.equal(
    (await revoke({ token: pair.access_token }, { authorization: application.basic })).status,
    200,
  );
  assert.equal((await refresh(world, application, pair.refresh_token)).json.error, "invalid_grant");
});

test("introspection wants the application's proof, no bearer's, and says nothing of what does not count (RFC 7662 §2.1; reference oauth D74)", async () => {
  const pair = await aPair(world, dev, application);
  const token = pair.access_token;
  for (const headers of [
    {},
    { authorization: `Bearer ${token}` },
    { authorization: `Bearer ${await world.tokenOf("ada", "api")}` },
    { authorization: `Bearer ${pair.refresh_token}` },
    { "private-token": await world.tokenOf("ada", "api") },
  ] as Record<string, string>[]) {
    const reply = await introspect({ token }, headers);
    assert.deepEqual([reply.status, reply.json.error], [401, "invalid_client"], JSON.stringify(headers));
  }
  // The id of a public application is known to everybody; its secret proves it.
  const bare = await introspect({ token: "x", client_id: open.uid }, {});
  assert.deepEqual([bare.status, bare.json.error], [401, "invalid_client"]);
  const idAlone = `Basic ${Buffer.from(`${open.uid}:`).toString("base64")}`;
  assert.equal((await introspect({ token: "x" }, { authorization: idAlone })).status, 401);
  assert.equal((await introspect({ token: "x" }, { authorization: open.basic })).status, 200);
  const metadata = await world.call("/.well-known/oauth-authorization-server");
  assert.deepEqual(metadata.json.introspection_endpoint_auth_methods_supported, [
    "client_secret_basic",
    "client_secret_post",
    "private_key_jwt",
  ]);
  const basic = { authorization: application.basic };
  await revoke({ token }, basic);
  for (const dead of [token, pair.refresh_token, "x", "goa_x", application.secret]) {
    const reply = await introspect({ token: dead }, basic);
    assert.deepEqual([reply.status, reply.json], [200, { active: false }]);
  }
});

test("a refresh token is active after its access token is over (reference oauth D75)", async () => {
  const pair = await aPair(world, dev, application);
  await world.platform.db.run(
    sql`update access_tokens set expires_at = now() where id = (select max(id) from access_tokens)`,
  );
  const basic = { authorization: application.basic };
  assert.deepEqual((await introspect({ token: pair.access_token }, basic)).json, { active: false });
  assert.equal((await introspect({ token: pair.refresh_token }, basic)).json.active, true);
});

test("a store that fails during a revocation is not reported as done (CVE-2020-15223; reference oauth D86)", async () => {
  const pair = await aPair(world, dev, application);
  const statement =
    "create function sabotage() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$";
  await world.owner.run(new Sql([statement], []));
  for (const table of ["authorizations", "access_tokens"]) {
    await world.owner.run(
      new Sql(
        [`create trigger sabotage before update on ${table} for each row execute function sabotage()`],
        [],
      ),
    );
  }
  const failed = await revoke({ token: pair.refresh_token }, { authorization: application.basic });
  assert.deepEqual([failed.status, failed.json.error], [503, "temporarily_unavailable"], failed.text);
  for (const table of ["authorizations", "access_tokens"]) {
    await world.owner.run(new Sql([`drop trigger sabotage on ${table}`], []));
  }
  await world.owner.run(sql`drop function sabotage`);
  assert.equal(await apiStatus(world, pair.access_token), 200, "and it is not done");
  assert.equal(
    (await revoke({ token: pair.refresh_token }, { authorization: application.basic })).status,
    200,
  );
  assert.equal(await apiStatus(world, pair.access_token), 401);
});
