/** DPoP metadata, and the setting by which an application accepts only bound tokens (RFC 9449 §5.1, §5.2). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { SIGNATURE_ALGORITHMS } from "../../src/platform/jwt.ts";
import { aKey, proofBy } from "../support/dpop.ts";
import {
  aCode,
  anApplication,
  answerOf,
  aStranger,
  authorizePath,
  exchange,
  hiddenFields,
  setRegistration,
  signedIn,
  tokenCall,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;

before(async () => {
  world = await startWorld();
});

test("authorization server and protected resource metadata name the DPoP algorithms (RFC 9449 §5.1; RFC 9728 §2)", async () => {
  for (const path of ["oauth-authorization-server", "openid-configuration"]) {
    const { json } = await world.call(`/.well-known/${path}`);
    assert.deepEqual(json.dpop_signing_alg_values_supported, SIGNATURE_ALGORITHMS);
  }
  for (const path of ["", "/api/v4"]) {
    const { json } = await world.call(`/.well-known/oauth-protected-resource${path}`);
    assert.deepEqual(json.dpop_signing_alg_values_supported, SIGNATURE_ALGORITHMS);
    assert.equal(json.dpop_bound_access_tokens_required, false, "bearer tokens are accepted too");
    assert.deepEqual(json.bearer_methods_supported, ["header"]);
  }
});

test("an administrator sets dpop_bound_access_tokens through the API, and an update that omits it keeps it (RFC 9449 §5.2; contract §3)", async () => {
  const json = {
    name: "Importer",
    redirect_uri: "https://app.example.org/cb",
    scopes: "api",
    grant_types: ["client_credentials"],
  };
  const plain = await world.call("/api/v4/applications", { as: "ada", json });
  assert.equal(plain.json.dpop_bound_access_tokens, false);
  const made = await world.call("/api/v4/applications", {
    as: "ada",
    json: { ...json, dpop_bound_access_tokens: true },
  });
  assert.equal(made.json.dpop_bound_access_tokens, true);
  const asks = (secret: string, id: string) =>
    tokenCall(world, { grant_type: "client_credentials", client_id: id, client_secret: secret });
  const refused = await asks(made.json.secret, made.json.application_id);
  assert.deepEqual([refused.status, refused.json.error], [400, "invalid_dpop_proof"]);
  assert.equal((await asks(plain.json.secret, plain.json.application_id)).json.token_type, "bearer");
  const at = `/api/v4/applications/${made.json.id}`;
  const put = (change: unknown) => world.call(at, { as: "ada", method: "PUT", json: change });
  assert.equal((await put({ name: "Renamed" })).json.dpop_bound_access_tokens, true);
  assert.equal((await put({ dpop_bound_access_tokens: false })).json.dpop_bound_access_tokens, false);
  assert.equal((await put({ dpop_bound_access_tokens: "x" })).status, 400);
  const opened = await asks(made.json.secret, made.json.application_id);
  assert.equal(opened.json.token_type, "bearer");
});

test("the owner sets dpop_bound_access_tokens in the form, and the application's page shows it (RFC 9449 §5.2)", async () => {
  const olga = await signedIn(world, "olga");
  const application = await anApplication(world, { grantTypes: ["authorization_code", "implicit"] });
  const home = `/profile/applications/${application.id}`;
  const box = /<input[^>]*name="dpop_bound_access_tokens"[^>]*>/;
  const rare = /<details class="more full"( open)?><summary>Requests, sign-out and tokens/;
  const form = async () => (await olga.get(`${home}/edit`)).text;
  const before = await form();
  assert.doesNotMatch(box.exec(before)?.[0] ?? "none", /checked|none/);
  assert.equal(rare.exec(before)?.[1], undefined);
  assert.doesNotMatch((await olga.get(home)).text, /Only tokens that are bound/);
  const fields = {
    ...hiddenFields(before, home),
    name: "Relay Console",
    redirect_uri: application.redirectUri,
    scopes: "api",
    grant_types: "implicit",
    confidential: "1",
    id_token_signed_response_alg: "RS256",
  };
  assert.equal((await olga.post(home, { ...fields, dpop_bound_access_tokens: "1" })).status, 303);
  const after = await form();
  assert.match(box.exec(after)?.[0] ?? "", / checked/);
  assert.equal(rare.exec(after)?.[1], " open", "a section with a set value is not collapsed");
  assert.match((await olga.get(home)).text, /DPoP-bound only/);
  const refused = await olga.get(authorizePath(application, { response_type: "token" }));
  assert.equal(answerOf(refused).error, "unauthorized_client");
  assert.equal((await olga.post(home, fields)).status, 303);
  assert.doesNotMatch(box.exec(await form())?.[0] ?? "none", /checked|none/);
  const prefilled = await olga.get("/profile/applications?name=x&dpop_bound_access_tokens=true");
  assert.match(box.exec(prefilled.text)?.[0] ?? "", / checked/);
});

test("dynamic registration accepts dpop_bound_access_tokens and confirms it in the response (RFC 9449 §5.2; RFC 7591 §3.2.1)", async () => {
  await setRegistration(world, true);
  const body = { redirect_uris: ["https://app.example.org/callback"] };
  const register = (more: Record<string, unknown>) =>
    world.call("/oauth/register", { json: { ...body, ...more } });
  const made = await register({ dpop_bound_access_tokens: true });
  assert.deepEqual([made.status, made.json.dpop_bound_access_tokens], [201, true]);
  for (const without of [{}, { dpop_bound_access_tokens: false }, { dpop_bound_access_tokens: null }]) {
    assert.equal("dpop_bound_access_tokens" in (await register(without)).json, false);
  }
  const wrong = await register({ dpop_bound_access_tokens: "true" });
  assert.deepEqual([wrong.status, wrong.json.error], [400, "invalid_client_metadata"]);
  const stranger = await aStranger(world, { dpop_bound_access_tokens: true });
  const form = {
    grant_type: "authorization_code",
    client_id: stranger.uid,
    code: "goc_x",
    redirect_uri: "x",
  };
  assert.equal((await tokenCall(world, form)).json.error, "invalid_dpop_proof");
});

test("the owner reads what was wrong with a DPoP proof in the application's events (reference oauth C3; RFC 9449 §5, §7.1)", async () => {
  const application = await anApplication(world, { scopes: ["openid"] });
  const dev = await signedIn(world, "dev");
  const [key, other] = [await aKey(), await aKey()];
  const at = `${world.url}/oauth/token`;
  const by = (one: typeof key) => ({ dpop: proofBy(one, { method: "POST", url: at }) });
  const own = { client_id: application.uid, client_secret: application.secret };
  const newest = async (): Promise<[string, string]> => {
    const { json } = await world.call(`/api/v4/applications/${application.id}/events`, { as: "olga" });
    return [json[0].answer, json[0].reason];
  };
  const code = await aCode(dev, application, { dpop_jkt: key.thumbprint });
  await exchange(world, application, code);
  assert.deepEqual(await newest(), ["invalid_grant", "code: no proof of the key that dpop_jkt named"]);
  const form = { grant_type: "authorization_code", code, redirect_uri: application.redirectUri, ...own };
  await tokenCall(world, form, { dpop: proofBy(key, { method: "GET", url: at }) });
  const [answer, reason] = await newest();
  assert.equal(answer, "invalid_dpop_proof");
  assert.match(reason, /its htm is not the method of this request/);
  const { access_token: token, refresh_token } = (await tokenCall(world, form, by(key))).json;
  await world.call("/oauth/userinfo", { token });
  assert.deepEqual(await newest(), [
    "invalid_token",
    "The access token is bound to a key: send it with the scheme DPoP and a proof of the key.",
  ]);
  const headers = { authorization: `DPoP ${token}`, ...by(key) };
  await world.call("/oauth/userinfo", { headers });
  assert.match((await newest())[1], /its htm is not the method/);
  const renew = { grant_type: "refresh_token", refresh_token, ...own };
  assert.equal((await tokenCall(world, renew, by(key))).status, 200);
  await tokenCall(world, renew, by(other));
  assert.deepEqual(await newest(), [
    "invalid_grant",
    "refresh_token: repeated with the proof of another key",
  ]);
});
