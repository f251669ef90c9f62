/** Two client libraries that know only an address: from metadata and dynamic registration to a token. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { answerOf, decide, setRegistration, signedIn, type Visitor } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

const CALLBACK = "http://localhost:3456/callback";
let world: World;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  await setRegistration(world, true);
  dev = await signedIn(world, "dev");
});

/** The redirect URI at which Dev's browser arrives after consent. */
async function allowedAt(location: URL): Promise<URL> {
  const reply = await decide(dev, location.pathname + location.search);
  assert.ok(answerOf(reply).code, reply.text);
  return new URL(reply.headers.get("location") ?? "");
}

test("oauth4webapi gets from a refused API call to a successful one, as Model Context Protocol clients do (RFC 9728 §5; RFC 8414; RFC 7591; RFC 7636; RFC 8707)", async () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const api = `${world.url}/api/v4/user`;
  const challenge = (await fetch(api)).headers.get("www-authenticate") ?? "";
  const [, told = ""] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  const resource = new URL(((await (await fetch(told)).json()) as { resource: string }).resource);
  const known = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource, insecure),
  );
  const issuer = new URL(known.authorization_servers?.[0] ?? "");
  const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const scope = known.scopes_supported?.join(" ") ?? "";
  const registered = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      {
        client_name: "Tidewatch",
        redirect_uris: [CALLBACK],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        scope,
      },
      insecure,
    ),
  );
  assert.deepEqual(new Set(String(registered.scope).split(" ")), new Set(scope.split(" ")));

  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const asked = new URL(server.authorization_endpoint ?? "");
  asked.search = String(
    new URLSearchParams({
      client_id: registered.client_id,
      redirect_uri: CALLBACK,
      response_type: "code",
      scope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: resource.href,
    }),
  );
  const parameters = oauth.validateAuthResponse(server, registered, await allowedAt(asked), state);
  const options = { ...insecure, additionalParameters: { resource: resource.href } };
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    registered,
    await oauth.authorizationCodeGrantRequest(
      server,
      registered,
      oauth.None(),
      parameters,
      CALLBACK,
      verifier,
      options,
    ),
  );
  const me = await oauth.protectedResourceRequest(
    tokens.access_token,
    "GET",
    new URL(api),
    new Headers(),
    null,
    insecure,
  );
  assert.equal(((await me.json()) as { username: string }).username, "dev");
  const renewed = await oauth.processRefreshTokenResponse(
    server,
    registered,
    await oauth.refreshTokenGrantRequest(
      server,
      registered,
      oauth.None(),
      tokens.refresh_token ?? "",
      options,
    ),
  );
  assert.equal((await world.call("/api/v4/user", { token: renewed.access_token })).status, 200);
});

test("openid-client registers itself after discovery and signs a person in (RFC 7591; OpenID Connect Core §3.1)", async () => {
  const config = await client.dynamicClientRegistration(
    new URL(world.url),
    { redirect_uris: [CALLBACK], grant_types: ["authorization_code"], client_name: "Tidewatch" },
    client.None(),
    { execute: [client.allowInsecureRequests] },
  );
  assert.equal(config.clientMetadata().token_endpoint_auth_method, "none");
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const asked = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: "openid profile",
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const back = await allowedAt(asked);
  const tokens = await client.authorizationCodeGrant(config, back, {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  assert.equal(tokens.claims()?.sub, String(world.ids.dev));
  const info = await client.fetchUserInfo(config, tokens.access_token, String(world.ids.dev));
  assert.equal(info.preferred_username, "dev");
});
