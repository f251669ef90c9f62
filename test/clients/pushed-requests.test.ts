/** openid-client and oauth4webapi push their authorization requests and sign a person in (RFC 9126). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { anApplication, CALLBACK, decide, signedIn } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;

before(async () => {
  world = await startWorld();
});

/** The redirect URI at which Dev arrives after allowing the request. */
async function allowedAt(asked: URL): Promise<URL> {
  const dev = await signedIn(world, "dev");
  const allowed = await decide(dev, `${asked.pathname}${asked.search}`);
  assert.equal(allowed.status, 303, allowed.text);
  return new URL(allowed.headers.get("location") ?? "");
}

const strict = (confidential = true) =>
  anApplication(world, { confidential, requirePushed: true, scopes: ["openid", "profile", "api"] });

for (const [how, authentication] of [
  ["a secret in the body", (secret: string) => client.ClientSecretPost(secret)],
  ["HTTP Basic", (secret: string) => client.ClientSecretBasic(secret)],
  ["no secret", () => client.None()],
] as const) {
  test(`openid-client pushes its request with ${how}, using discovery, and signs a person in (RFC 9126 §2, §4, §5)`, async () => {
    const application = await strict(how !== "no secret");
    const config = await client.discovery(
      new URL(world.url),
      application.uid,
      {},
      authentication(application.secret),
      { execute: [client.allowInsecureRequests] },
    );
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const asked = await client.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: CALLBACK,
      scope: "openid profile",
      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    assert.deepEqual([...asked.searchParams.keys()].sort(), ["client_id", "request_uri"]);
    const tokens = await client.authorizationCodeGrant(config, await allowedAt(asked), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    assert.equal(tokens.claims()?.sub, String(world.ids.dev));
  });
}

test("oauth4webapi understands the response to a pushed request and its errors (RFC 9126 §2.2, §2.3)", async () => {
  const application = await strict();
  const options = { [oauth.allowInsecureRequests]: true } as const;
  const issuer = new URL(world.url);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const registered: oauth.Client = { client_id: application.uid };
  const proof = oauth.ClientSecretBasic(application.secret);
  const verifier = oauth.generateRandomCodeVerifier();
  const parameters = new URLSearchParams({
    response_type: "code",
    redirect_uri: CALLBACK,
    scope: "openid",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const push = async () =>
    oauth.processPushedAuthorizationResponse(
      server,
      registered,
      await oauth.pushedAuthorizationRequest(server, registered, proof, parameters, options),
    );
  const { request_uri, expires_in } = await push();
  assert.equal(expires_in, 90);
  const asked = new URL(server.authorization_endpoint ?? "");
  asked.search = String(new URLSearchParams({ client_id: application.uid, request_uri }));
  const answer = oauth.validateAuthResponse(server, registered, await allowedAt(asked));
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    registered,
    await oauth.authorizationCodeGrantRequest(server, registered, proof, answer, CALLBACK, verifier, options),
  );
  assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, String(world.ids.dev));
  parameters.set("scope", "nonsense");
  await assert.rejects(push, (error: oauth.ResponseBodyError) => error.error === "invalid_scope");
});
