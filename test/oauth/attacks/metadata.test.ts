/** Attacks through what the service says of itself: forged hosts, and promises that it does not keep. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { before, test } from "node:test";
import { anApplication, authorizePath, decide, signedIn } from "../../support/oauth.ts";
import { startWorld, type World } from "../../support/world.ts";

let world: World;

before(async () => {
  world = await startWorld();
});

const FORGED: Record<string, string> = {
  "x-forwarded-host": "evil.example",
  "x-forwarded-proto": "https",
  "x-forwarded-port": "444",
  "x-original-url": "/evil",
  "x-rewrite-url": "/evil",
  forwarded: "host=evil.example;proto=https",
};

test("no header forges an address in metadata, links, redirects or device answers (reference oauth D77)", async () => {
  const application = await anApplication(world, { grantTypes: ["device_code", "authorization_code"] });
  const resource = await world.call("/.well-known/oauth-protected-resource/api/v4", { headers: FORGED });
  const metadata = await world.call("/.well-known/openid-configuration", { headers: FORGED });
  const device = await world.call("/oauth/authorize_device", {
    form: { scope: "api" },
    headers: { ...FORGED, authorization: application.basic },
  });
  const link = await world.call("/api/v4/projects?per_page=1", { as: "dev", headers: FORGED });
  const me = await world.call("/api/v4/user", { as: "dev", headers: FORGED });
  const dev = await signedIn(world, "dev");
  await dev.get("/profile/applications", FORGED);
  const answer = await decide(dev, authorizePath(application));
  for (const { text, headers, status } of [metadata, resource, device, link, me, answer]) {
    assert.ok(status < 400, text);
    assert.doesNotMatch(text, /evil|https:\/\/localhost|:444(?!\d)/);
    for (const [name, value] of headers) assert.doesNotMatch(value, /evil/, name);
  }
  assert.equal(metadata.json.issuer, world.url);
  assert.equal((await asHost("evil.example", "/.well-known/openid-configuration")).issuer, world.url);
  const named = await asHost("evil.example", "/.well-known/oauth-protected-resource");
  assert.deepEqual([named.resource, named.authorization_servers], [world.url, [world.url]]);
  assert.equal(device.json.verification_uri, `${world.url}/oauth/device`);
  assert.ok(device.json.verification_uri_complete.startsWith(`${world.url}/oauth/device?`));
});

/** The JSON of an address, asked for under another name of the host. */
function asHost(host: string, path: string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const asked = request(world.url + path, { headers: { host } }, async (reply) => {
      resolve(JSON.parse(Buffer.concat(await reply.toArray()).toString()));
    });
    asked.on("error", reject).end();
  });
}

test("both documents are one, each address of theirs is there, and nothing is named that is not (reference oauth D78)", async () => {
  const [one, two] = await Promise.all(
    ["oauth-authorization-server", "openid-configuration"].map((name) => world.call(`/.well-known/${name}`)),
  );
  assert.deepEqual(one?.json, two?.json);
  const document: Record<string, unknown> = one?.json;
  for (const [name, value] of Object.entries(document)) {
    if (typeof value !== "string" || !value.startsWith("http") || name === "issuer") continue;
    assert.ok(value.startsWith(`${world.url}/`), name);
    const method = /^authorization_endpoint|userinfo|jwks/.test(name) ? "GET" : "POST";
    const { status } = await world.call(new URL(value).pathname, { method });
    assert.ok(![404, 405].includes(status), `${method} ${value}: ${status}`);
  }
  for (const absent of [
    "registration_endpoint",
    "frontchannel_logout_supported",
    "check_session_iframe",
    "request_object_signing_alg_values_supported",
  ]) {
    assert.equal(absent in document, false, absent);
  }
  assert.deepEqual(document.code_challenge_methods_supported, ["S256"]);
  assert.deepEqual(document.response_types_supported, ["code", "token"]);
  // Never by a secret that signs, which would have to be kept here as it is.
  assert.deepEqual(document.token_endpoint_auth_methods_supported, [
    "client_secret_basic",
    "client_secret_post",
    "private_key_jwt",
    "none",
  ]);
});

test("there is no open registration to flood unless it is switched on, and no document of an application is ever fetched (reference oauth D83)", async () => {
  for (const path of ["/oauth/register", "/register", "/connect/register", "/api/v4/register"]) {
    const reply = await world.call(path, {
      json: { redirect_uris: ["https://a.example/cb"], jwks_uri: `${world.url}/-/liveness` },
    });
    assert.ok([401, 403, 404, 405].includes(reply.status), `${path} ${reply.status}`);
  }
  assert.equal((await world.call("/api/v4/applications", { json: { name: "x" } })).status, 401);
  assert.equal((await world.call("/api/v4/applications", { as: "dev", json: { name: "x" } })).status, 403);
  const made = await world.call("/api/v4/applications", {
    as: "ada",
    json: {
      name: "x",
      redirect_uri: "https://a.example/cb",
      scopes: "api",
      jwks_uri: world.url,
      logo_uri: world.url,
    },
  });
  assert.equal(made.status, 201);
  assert.equal(/jwks_uri|logo_uri/.test(made.text), false);
});

test("an assertion that names itself unsigned, ours or replayed proves no application that has no key (reference oauth D84)", async () => {
  const { uid } = await anApplication(world);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: uid, sub: uid, aud: `${world.url}/oauth/token`, jti: "1", exp: 9_999_999_999 };
  for (const alg of ["none", "HS256", "RS256"]) {
    const client_assertion = `${part({ alg })}.${part(claims)}.${alg === "none" ? "" : "AAAA"}`;
    const form = {
      grant_type: "client_credentials",
      client_id: uid,
      client_assertion,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    };
    const reply = await world.call("/oauth/token", { form });
    assert.deepEqual([reply.status, reply.json.error], [401, "invalid_client"], alg);
  }
});
