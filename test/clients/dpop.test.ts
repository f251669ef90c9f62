/** openid-client and oauth4webapi bind their tokens to a key (RFC 9449): code with PKCE, refresh, userinfo and the API. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { anApplication, aProof, CALLBACK, decide, signedIn } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;

before(async () => {
  world = await startWorld();
});

const SCOPES = ["openid", "profile", "read_user"];

/** Lets Dev allow the request; returns the redirect URI with the response. */
async function through({ pathname, search }: URL): Promise<URL> {
  const back = await decide(await signedIn(world, "dev"), pathname + search);
  return new URL(back.headers.get("location") ?? "");
}

for (const alg of ["ES256", "Ed25519", "PS256"]) {
  test(`openid-client with a ${alg} key gets bound tokens, refreshes them, and uses them at userinfo and the API (RFC 9449 §5, §7)`, async () => {
    const application = await anApplication(world, { scopes: SCOPES, confidential: false });
    const config = await client.discovery(new URL(world.url), application.uid, undefined, client.None(), {
      execute: [client.allowInsecureRequests],
    });
    assert.ok(config.serverMetadata().dpop_signing_alg_values_supported?.includes(alg));
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair(alg));
    const { verifier, challenge } = aProof();
    const to = client.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: "openid profile read_user",
      state: "s",
      code_challenge: challenge,
      code_challenge_method: "S256",
      dpop_jkt: await DPoP.calculateThumbprint(),
    });
    const checks = { pkceCodeVerifier: verifier, expectedState: "s" };
    const tokens = await client.authorizationCodeGrant(config, await through(to), checks, undefined, {
      DPoP,
    });
    assert.equal(tokens.token_type, "dpop");
    const { sub = "" } = tokens.claims() ?? {};
    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? "", undefined, { DPoP });
    assert.equal(renewed.token_type, "dpop");
    const { access_token: token } = renewed;
    const person = await client.fetchUserInfo(config, token, sub, { DPoP });
    assert.equal(person.preferred_username, "dev");
    const user = new URL(`${world.url}/api/v4/user?with=query`);
    const read = (options?: client.DPoPOptions) =>
      client.fetchProtectedResource(config, token, user, "GET", undefined, undefined, options);
    assert.equal(((await (await read({ DPoP })).json()) as { username: string }).username, "dev");
    const stranger = client.getDPoPHandle(config, await client.randomDPoPKeyPair(alg));
    await assert.rejects(read({ DPoP: stranger }), { code: "OAUTH_WWW_AUTHENTICATE_CHALLENGE" });
    await assert.rejects(read(), { code: "OAUTH_WWW_AUTHENTICATE_CHALLENGE" });
    const again = renewed.refresh_token ?? "";
    await assert.rejects(client.refreshTokenGrant(config, again, undefined, { DPoP: stranger }), {
      error: "invalid_grant",
    });
    await client.tokenRevocation(config, token);
    await assert.rejects(read({ DPoP }), { code: "OAUTH_WWW_AUTHENTICATE_CHALLENGE" });
  });
}

test("oauth4webapi, a strict client, does the same for a confidential application that accepts only bound tokens (RFC 9449 §5.2, §6, §7)", async () => {
  const application = await anApplication(world, { scopes: SCOPES, boundTokensOnly: true });
  const options = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(world.url);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const me: oauth.Client = { client_id: application.uid };
  const proof = oauth.ClientSecretBasic(application.secret);
  const DPoP = oauth.DPoP(me, await oauth.generateKeyPair("ES384"));
  const { verifier, challenge } = aProof();
  const asked = {
    client_id: application.uid,
    redirect_uri: CALLBACK,
    response_type: "code",
    scope: "openid read_user",
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  const back = await through(new URL(`${server.authorization_endpoint}?${new URLSearchParams(asked)}`));
  const answer = oauth.validateAuthResponse(server, me, back);
  const exchange = (how: oauth.TokenEndpointRequestOptions) =>
    oauth.authorizationCodeGrantRequest(server, me, proof, answer, CALLBACK, verifier, how);
  const plain = await exchange(options);
  await assert.rejects(oauth.processAuthorizationCodeResponse(server, me, plain), {
    error: "invalid_dpop_proof",
  });
  const bound = { ...options, DPoP };
  const tokens = await oauth.processAuthorizationCodeResponse(server, me, await exchange(bound));
  assert.equal(tokens.token_type, "dpop");
  const renewing = await oauth.refreshTokenGrantRequest(server, me, proof, tokens.refresh_token ?? "", bound);
  const renewed = await oauth.processRefreshTokenResponse(server, me, renewing);
  const { access_token: token } = renewed;
  const told = await oauth.userInfoRequest(server, me, token, bound);
  const { sub } = await oauth.processUserInfoResponse(server, me, oauth.skipSubjectCheck, told);
  assert.equal(sub, String(world.ids.dev));
  const user = new URL(`${world.url}/api/v4/user`);
  const read = await oauth.protectedResourceRequest(token, "GET", user, undefined, null, bound);
  assert.equal(((await read.json()) as { username: string }).username, "dev");
  const asking = await oauth.introspectionRequest(server, me, proof, token, options);
  const worth = await oauth.processIntrospectionResponse(server, me, asking);
  assert.deepEqual([worth.active, worth.token_type], [true, "DPoP"]);
  assert.equal(worth.cnf?.jkt, await DPoP.calculateThumbprint());
});
