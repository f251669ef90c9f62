/** Third-party libraries authenticate with a key: code, refresh, introspection, revocation, client credentials. */
import assert from "node:assert/strict";
import type { webcrypto } from "node:crypto";
import { before, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import {
  aCode,
  anApplication,
  aProof,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
});

/** Web Crypto parameters, as a client would use them. */
const ALGORITHMS = {
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  PS256: { name: "RSA-PSS", hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384" },
  Ed25519: { name: "Ed25519" },
} as const;

/** An application that can authenticate only with this key. */
async function keyed(algorithm: keyof typeof ALGORITHMS, kid?: string) {
  const pair = await crypto.subtle.generateKey(ALGORITHMS[algorithm], true, ["sign", "verify"]);
  const { privateKey, publicKey } = pair as webcrypto.CryptoKeyPair;
  const jwk = { ...(await crypto.subtle.exportKey("jwk", publicKey)), kid };
  const application = await anApplication(world, {
    scopes: ["read_user"],
    grantTypes: ["authorization_code", "refresh_token", "client_credentials"],
    jwks: JSON.stringify({ keys: [jwk] }),
    onlyByKey: true,
  });
  return { application, key: kid === undefined ? privateKey : { key: privateKey, kid } };
}

async function isDevs(token: string): Promise<void> {
  assert.equal((await world.call("/api/v4/user", { token })).json.username, "dev");
}

/** The redirect URI at which Dev's browser arrives with a code. */
async function answered(application: TestApplication) {
  const { verifier, challenge } = aProof();
  const asked = { code_challenge: challenge, code_challenge_method: "S256", state: "abc" };
  const query = new URLSearchParams({
    code: await aCode(dev, application, asked),
    state: "abc",
    iss: world.url,
  });
  return { verifier, address: new URL(`${application.redirectUri}?${query}`) };
}

for (const algorithm of Object.keys(ALGORITHMS) as (keyof typeof ALGORITHMS)[]) {
  test(`openid-client authenticates with ${algorithm}: code, refresh, introspection, revocation, client credentials (RFC 7523 §2.2; OpenID Connect Core §9)`, async () => {
    const { application, key } = await keyed(algorithm, algorithm === "ES256" ? "mine" : undefined);
    const config = await client.discovery(
      new URL(world.url),
      application.uid,
      {},
      client.PrivateKeyJwt(key),
      { algorithm: "oauth2", execute: [client.allowInsecureRequests] },
    );
    const { verifier, address } = await answered(application);
    const first = await client.authorizationCodeGrant(config, address, {
      pkceCodeVerifier: verifier,
      expectedState: "abc",
    });
    await isDevs(first.access_token);
    const next = await client.refreshTokenGrant(config, first.refresh_token ?? "");
    await isDevs(next.access_token);
    const seen = await client.tokenIntrospection(config, next.access_token);
    assert.deepEqual([seen.active, seen.client_id, seen.username], [true, application.uid, "dev"]);
    await client.tokenRevocation(config, next.access_token);
    assert.equal((await client.tokenIntrospection(config, next.access_token)).active, false);
    const own = await client.clientCredentialsGrant(config, { scope: "read_user" });
    assert.equal((await world.call("/api/v4/user", { token: own.access_token })).json.username, "olga");
  });
}

test("oauth4webapi authenticates with a key without kid, and finds private_key_jwt in both metadata documents (RFC 8414 §2; RFC 7523 §2.2)", async () => {
  const { application, key } = await keyed("ES256");
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(world.url);
  for (const algorithm of ["oidc", "oauth2"] as const) {
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm, ...insecure }),
    );
    for (const door of ["token", "revocation", "introspection"] as const) {
      assert.ok(server[`${door}_endpoint_auth_methods_supported`]?.includes("private_key_jwt"), door);
      assert.deepEqual(server[`${door}_endpoint_auth_signing_alg_values_supported`], [
        "RS256",
        "PS256",
        "ES256",
        "ES384",
        "EdDSA",
        "Ed25519",
      ]);
    }
    const me = { client_id: application.uid };
    const proof = oauth.PrivateKeyJwt(key);
    const { verifier, address } = await answered(application);
    const parameters = oauth.validateAuthResponse(server, me, address, "abc");
    const first = await oauth.processAuthorizationCodeResponse(
      server,
      me,
      await oauth.authorizationCodeGrantRequest(
        server,
        me,
        proof,
        parameters,
        application.redirectUri,
        verifier,
        insecure,
      ),
    );
    await isDevs(first.access_token);
    const next = await oauth.processRefreshTokenResponse(
      server,
      me,
      await oauth.refreshTokenGrantRequest(server, me, proof, first.refresh_token ?? "", insecure),
    );
    await isDevs(next.access_token);
    const seen = await oauth.processIntrospectionResponse(
      server,
      me,
      await oauth.introspectionRequest(server, me, proof, next.access_token, insecure),
    );
    assert.equal(seen.active, true);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, me, proof, next.access_token, insecure),
    );
    assert.equal((await world.call("/api/v4/user", { token: next.access_token })).status, 401);
    // A key that is not registered.
    const { privateKey } = (await crypto.subtle.generateKey(ALGORITHMS.ES256, false, [
      "sign",
      "verify",
    ])) as webcrypto.CryptoKeyPair;
    const refused = await oauth.clientCredentialsGrantRequest(
      server,
      me,
      oauth.PrivateKeyJwt(privateKey),
      {},
      insecure,
    );
    assert.equal(refused.status, 401);
  }
});
