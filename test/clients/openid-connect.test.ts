/** openid-client and oauth4webapi use OpenID Connect: discovery, verified ID tokens, userinfo, introspection, devices. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import {
  anApplication,
  aProof,
  authorizePath,
  CALLBACK,
  decide,
  hiddenFields,
  signedIn,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;

before(async () => {
  world = await startWorld();
});

const SCOPES = ["openid", "profile", "email", "read_user"];
const insecure = { execute: [client.allowInsecureRequests] };

for (const idTokenAlgorithm of ["RS256", "ES256"] as const) {
  test(`openid-client discovers, signs in, checks nonce, max_age and ${idTokenAlgorithm} signature, and reads userinfo (OpenID Connect Core §3.1.3.7)`, async () => {
    const application = await anApplication(world, { scopes: SCOPES, idTokenAlgorithm });
    const config = await client.discovery(
      new URL(world.url),
      application.uid,
      { client_secret: application.secret, id_token_signed_response_alg: idTokenAlgorithm },
      undefined,
      insecure,
    );
    client.enableNonRepudiationChecks(config);
    const { verifier, challenge } = aProof();
    const nonce = client.randomNonce();
    const to = client.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: "openid profile email",
      state: "s",
      nonce,
      max_age: "600",
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
    const back = await decide(await signedIn(world, "dev"), to.pathname + to.search);
    const tokens = await client.authorizationCodeGrant(config, new URL(back.headers.get("location") ?? ""), {
      pkceCodeVerifier: verifier,
      expectedState: "s",
      expectedNonce: nonce,
      maxAge: 600,
      idTokenExpected: true,
    });
    const { sub = "" } = tokens.claims() ?? {};
    assert.equal(sub, String(world.ids.dev));
    const person = await client.fetchUserInfo(config, tokens.access_token, sub);
    assert.equal(person.preferred_username, "dev");
    const worth = await client.tokenIntrospection(config, tokens.access_token);
    assert.equal(worth.active, true);
    assert.equal(worth.username, "dev");
    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? "");
    assert.equal(renewed.claims()?.sub, sub);
  });
}

test("openid-client uses prompt=none with an id_token_hint, logs the person out, and then gets login_required (OpenID Connect Core §3.1.2.1; RP-Initiated Logout §2)", async () => {
  const after = "https://app.example.org/signed-out";
  const application = await anApplication(world, { scopes: SCOPES, postLogoutRedirectUris: [after] });
  const config = await client.discovery(
    new URL(world.url),
    application.uid,
    application.secret,
    undefined,
    insecure,
  );
  const dev = await signedIn(world, "dev");
  const ask = (more: Record<string, string>) => {
    const asked = { redirect_uri: CALLBACK, scope: "openid profile", state: "s", ...more };
    const to = client.buildAuthorizationUrl(config, asked);
    return to.pathname + to.search;
  };
  const checks = { expectedState: "s", idTokenExpected: true };
  const first = await decide(dev, ask({}));
  const at = (reply: { headers: Headers }) => new URL(reply.headers.get("location") ?? "");
  const { id_token: hint = "" } = await client.authorizationCodeGrant(config, at(first), checks);
  const silent = await dev.get(ask({ prompt: "none", id_token_hint: hint }));
  const again = await client.authorizationCodeGrant(config, at(silent), checks);
  assert.equal(again.claims()?.sub, String(world.ids.dev));
  const leaving = client.buildEndSessionUrl(config, {
    id_token_hint: again.id_token ?? "",
    post_logout_redirect_uri: after,
    state: "bye",
  });
  assert.equal(at(await dev.get(leaving.pathname + leaving.search)).href, `${after}?state=bye`);
  await assert.rejects(
    client.authorizationCodeGrant(
      config,
      at(await dev.get(ask({ prompt: "none", id_token_hint: hint }))),
      checks,
    ),
    { error: "login_required" },
  );
});

test("openid-client runs the device flow: codes, polling, ID token (RFC 8628)", async () => {
  const application = await anApplication(world, {
    scopes: SCOPES,
    grantTypes: ["device_code"],
    confidential: false,
  });
  const config = await client.discovery(
    new URL(world.url),
    application.uid,
    undefined,
    client.None(),
    insecure,
  );
  const begun = await client.initiateDeviceAuthorization(config, { scope: "openid" });
  const max = await signedIn(world, "max");
  const link = new URL(begun.verification_uri_complete ?? "");
  const form = await max.get(link.pathname + link.search);
  const question = await max.post("/oauth/device", {
    ...hiddenFields(form.text, "/oauth/device"),
    user_code: begun.user_code,
  });
  await max.post("/oauth/device", { ...hiddenFields(question.text, "/oauth/device"), decision: "allow" });
  const tokens = await client.pollDeviceAuthorizationGrant(config, begun);
  assert.equal(tokens.claims()?.sub, String(world.ids.max));
});

test("oauth4webapi, a strict client, accepts discovery, code, client credentials, introspection and revocation (RFC 6749, RFC 7662)", async () => {
  const application = await anApplication(world, {
    scopes: SCOPES,
    grantTypes: ["authorization_code", "client_credentials"],
  });
  const options = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(world.url);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const me = { client_id: application.uid };
  // Percent-encodes every character that RFC 6749 §2.3.1 allows to be encoded.
  const proof = oauth.ClientSecretBasic(application.secret);
  const { verifier, challenge } = aProof();
  const path = authorizePath(application, {
    scope: "openid",
    code_challenge: challenge,
    code_challenge_method: "S256",
    nonce: "n",
  });
  const back = await decide(await signedIn(world, "gus"), path);
  const answer = oauth.validateAuthResponse(server, me, new URL(back.headers.get("location") ?? ""), "s-1");
  const reply = await oauth.authorizationCodeGrantRequest(
    server,
    me,
    proof,
    answer,
    CALLBACK,
    verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, me, reply, { expectedNonce: "n" });
  assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, String(world.ids.gus));
  const own = await oauth.processClientCredentialsResponse(
    server,
    me,
    await oauth.clientCredentialsGrantRequest(server, me, proof, { scope: "read_user" }, options),
  );
  assert.equal(own.scope, "read_user");
  const worth = await oauth.processIntrospectionResponse(
    server,
    me,
    await oauth.introspectionRequest(server, me, proof, own.access_token, options),
  );
  assert.equal(worth.username, "olga");
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, me, proof, own.access_token, options),
  );
  assert.equal((await world.call("/api/v4/user", { token: own.access_token })).status, 401);
});
