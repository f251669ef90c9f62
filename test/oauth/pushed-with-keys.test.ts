/** Pushed authorization requests with key proofs: client assertions and DPoP. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aKey, assertionForm, setOf } from "../support/assertions.ts";
import { aKey as aProofKey, proofBy, type TestKey } from "../support/dpop.ts";
import {
  anApplication,
  answerOf,
  decide,
  signedIn,
  type TestApplication,
  tokenCall,
} from "../support/oauth.ts";
import { push, pushedPath } from "../support/pushed.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

let world: World;

before(async () => {
  world = await startWorld();
});

const proofFor = (key: TestKey, path: string) => proofBy(key, { method: "POST", url: world.url + path });

/** Dev allows a pushed request; returns the token request for its code. */
async function codeForm(application: TestApplication, pushed: Reply): Promise<Record<string, string>> {
  assert.equal(pushed.status, 201, pushed.text);
  const dev = await signedIn(world, "dev");
  const { code = "" } = answerOf(await decide(dev, pushedPath(application, pushed.json.request_uri)));
  const { uid: client_id, secret: client_secret, redirectUri: redirect_uri } = application;
  return { grant_type: "authorization_code", code, redirect_uri, client_id, client_secret };
}

test("a DPoP proof with the pushed request binds the code to its key, as dpop_jkt does (RFC 9449 §10.1)", async () => {
  const application = await anApplication(world);
  const [key, other] = [await aProofKey(), await aProofKey()];
  const dpop = proofFor(key, "/oauth/par");
  const form = await codeForm(application, await push(world, application, {}, { dpop }));
  for (const headers of [{}, { dpop: proofFor(other, "/oauth/token") }]) {
    const refused = await tokenCall(world, form, headers);
    assert.deepEqual([refused.status, refused.json.error], [400, "invalid_grant"], refused.text);
  }
  const issued = await tokenCall(world, form, { dpop: proofFor(key, "/oauth/token") });
  assert.equal(issued.json.token_type, "DPoP", issued.text);
});

test("the OpenAPI document lists the DPoP header for /oauth/par and /oauth/token (RFC 9449 §10.1)", async () => {
  const { paths } = (await world.call("/openapi.json")).json;
  const headersOf = (path: string) =>
    paths[path].post.parameters
      ?.filter((one: { in: string }) => one.in === "header")
      .map((one: { name: string }) => one.name);
  assert.deepEqual([headersOf("/oauth/par"), headersOf("/oauth/token")], [["DPoP"], ["DPoP"]]);
});

test("a DPoP proof for another key than dpop_jkt, for another endpoint, or used before is refused (RFC 9449 §10.1, §11.1)", async () => {
  const application = await anApplication(world);
  const [key, other] = [await aProofKey(), await aProofKey()];
  const dpop = proofFor(key, "/oauth/par");
  const named = await push(world, application, { dpop_jkt: key.thumbprint }, { dpop });
  assert.equal(named.status, 201, named.text);
  for (const [more, proof] of [
    [{ dpop_jkt: other.thumbprint }, proofFor(key, "/oauth/par")],
    [{}, proofFor(key, "/oauth/token")],
    [{}, dpop],
    [{}, "no proof"],
  ] as const) {
    const refused = await push(world, application, more, { dpop: proof });
    assert.deepEqual([refused.status, refused.json.error], [400, "invalid_dpop_proof"], refused.text);
  }
});

test("a client assertion authenticates a pushed request once, may name /oauth/par as audience, and is not stored (RFC 9126 §2; decision 0206)", async () => {
  const key = aKey();
  const application = await anApplication(world, { jwks: setOf(key), onlyByKey: true });
  const pushBy = (proof: Record<string, string>) =>
    push(world, application, { client_secret: undefined, ...proof });
  for (const aud of [world.url, `${world.url}/oauth/token`, `${world.url}/oauth/par`]) {
    const proof = assertionForm(world, application, key, { claims: { aud } });
    assert.equal((await pushBy(proof)).status, 201, aud);
    const again = await pushBy(proof);
    assert.deepEqual([again.status, again.json.error], [401, "invalid_client"], again.text);
  }
  const bySecret = await push(world, application);
  assert.deepEqual([bySecret.status, bySecret.json.error], [401, "invalid_client"], bySecret.text);
  const kept = await world.platform.db.many(
    row({ names: text }),
    sql`select string_agg(distinct k.name, ' ' order by k.name) as names
      from pushed_requests p, jsonb_object_keys(p.parameters) k (name), applications a
      where a.id = p.application_id and a.uid = ${application.uid}`,
  );
  assert.deepEqual(kept, [{ names: "client_id redirect_uri response_type state" }]);
});
