/** Authorization requests as OpenID Connect allows them: by POST, and with parameters that are not supported here. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aScene } from "../support/attacks.ts";
import {
  aCode,
  answerOf,
  authorizePath,
  decide,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import type { World } from "../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;

before(async () => {
  ({ world, dev, application } = await aScene(
    {},
    { scopes: ["read_user", "openid"], grantTypes: ["authorization_code", "refresh_token", "device_code"] },
  ));
});

const asked = () => ({
  client_id: application.uid,
  redirect_uri: application.redirectUri,
  response_type: "code",
  scope: "openid read_user",
  state: 'a b&"é',
});

test("a request posted from another site is redirected to the address with the same parameters, and grants nothing by itself (OpenID Connect Core §3.1.2.1)", async () => {
  const elsewhere = { origin: "https://app.example.org", "sec-fetch-site": "cross-site" };
  const posted = await dev.post("/oauth/authorize", asked(), elsewhere);
  assert.equal(posted.status, 303, posted.text);
  const path = posted.headers.get("location") ?? "";
  assert.ok(path.startsWith("/oauth/authorize?"), path);
  const answer = answerOf(await decide(dev, path));
  assert.equal(answer.state, 'a b&"é');
  assert.ok(answer.code);
});

test("a posted request that repeats a parameter of the address is refused (RFC 6749 §3.1)", async () => {
  const posted = await dev.post("/oauth/authorize?state=other", asked());
  const refused = answerOf(await dev.get(posted.headers.get("location") ?? ""));
  assert.equal(refused.error, "invalid_request");
});

test("a post with any field of the consent form counts as its answer and needs a CSRF token (reference oauth D40)", async () => {
  for (const word of ["csrf_token", "request_id", "decision", "_method"]) {
    const reply = await dev.post("/oauth/authorize", { ...asked(), [word]: "" });
    assert.equal(reply.status, 403, word);
  }
});

test("request, request_uri and registration are refused with their own error codes, because they are not evaluated (OpenID Connect Core §3.1.2.6)", async () => {
  for (const name of ["request", "request_uri", "registration"]) {
    const refused = answerOf(await dev.get(authorizePath(application, { scope: "openid", [name]: "x" })));
    assert.deepEqual([refused.error, refused.state], [`${name}_not_supported`, "s-1"]);
    assert.equal(refused.code, undefined);
  }
});

test("offline_access, groups, address and phone, which oidc-agent and Argo CD send beside openid, are ignored in code, refresh and device flows (OpenID Connect Core §3.1.2.1, §11; decision 0017)", async () => {
  const basic = { authorization: application.basic };
  for (const scope of ["openid offline_access", "openid groups address phone"]) {
    const code = await aCode(dev, application, { scope });
    const redeemed = { grant_type: "authorization_code", code, redirect_uri: application.redirectUri };
    const issued = await tokenCall(world, redeemed, basic);
    assert.deepEqual([issued.status, issued.json.scope], [200, "openid"], issued.text);
    const again = { grant_type: "refresh_token", refresh_token: issued.json.refresh_token, scope };
    const renewed = await tokenCall(world, again, basic);
    assert.deepEqual([renewed.status, renewed.json.scope], [200, "openid"], renewed.text);
  }
  for (const [scope, status] of [
    ["openid groups", 200],
    ["openid groups api", 400],
    ["groups", 400],
  ] as const) {
    const begun = await world.call("/oauth/authorize_device", { form: { scope }, headers: basic });
    assert.equal(begun.status, status, `${scope} ${begun.text}`);
  }
});
