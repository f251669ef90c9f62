/** The implicit grant flow over HTTP: the token in the fragment, and how a client checks for whom it was issued. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { anApplication, answerOf, authorizePath, decide, signedIn, type Visitor } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
});

const asToken = { response_type: "token" };

test("the token is returned in the fragment, without a code, a refresh token or anything in the query (RFC 6749 §4.2.2; spec: GET /oauth/authorize token result; spec: GET /oauth/authorize response_type; spec: What the service does 2)", async () => {
  const application = await anApplication(world);
  const reply = await decide(
    dev,
    authorizePath(application, { ...asToken, scope: "read_user", state: "a b" }),
  );
  const url = new URL(reply.headers.get("location") ?? "");
  assert.equal(url.search, "");
  const answer = answerOf(reply);
  assert.deepEqual(Object.keys(answer).sort(), [
    "access_token",
    "expires_in",
    "iss",
    "scope",
    "state",
    "token_type",
  ]);
  assert.equal(answer.token_type, "bearer");
  assert.equal(answer.expires_in, "7200");
  assert.equal(answer.state, "a b");
  assert.equal(answer.scope, "read_user");
  const me = await world.call("/api/v4/user", { token: answer.access_token ?? "" });
  assert.equal(me.json.username, "dev");
  assert.equal(reply.headers.get("cache-control"), "no-store");
  assert.equal(reply.headers.get("referrer-policy"), "no-referrer");
});

test("token/info tells a client for which application a token was issued (RFC 6749 §10.16; spec: Authentication 3; reference oauth D36, reliability S48)", async () => {
  const [mine, other] = [await anApplication(world), await anApplication(world)];
  const { access_token: token = "" } = answerOf(await decide(dev, authorizePath(other, asToken)));
  const info = await world.call("/oauth/token/info", { token });
  assert.equal(info.json.application.uid, other.uid);
  assert.notEqual(info.json.application.uid, mine.uid);
  assert.equal(info.headers.get("access-control-allow-origin"), "*");
});

test("an application that may not use the implicit grant gets unauthorized_client in the fragment (contract §4, flows; reference oauth D37, reliability S6)", async () => {
  const application = await anApplication(world, { grantTypes: ["authorization_code"] });
  const reply = await dev.get(authorizePath(application, asToken));
  assert.match(reply.headers.get("location") ?? "", /^https:\/\/app\.example\.org\/callback#error=/);
  const answer = answerOf(reply);
  assert.equal(answer.error, "unauthorized_client");
  assert.equal(answer.state, "s-1");
});

test("a token is never sent in the query: response_mode=query is refused in the fragment (contract §4, authorize; reliability S7)", async () => {
  const application = await anApplication(world);
  const reply = await dev.get(authorizePath(application, { ...asToken, response_mode: "query" }));
  assert.equal(new URL(reply.headers.get("location") ?? "").search, "");
  assert.equal(answerOf(reply).error, "invalid_request");
});

test("a denied request returns access_denied in the fragment (RFC 6749 §4.2.2.1)", async () => {
  const application = await anApplication(world);
  const reply = await decide(dev, authorizePath(application, asToken), "deny");
  assert.equal(new URL(reply.headers.get("location") ?? "").search, "");
  assert.equal(answerOf(reply).error, "access_denied");
});

test("a public application needs no PKCE for the implicit grant, and the user is asked for consent every time (RFC 8252 §8.6; contract §4, consent)", async () => {
  const application = await anApplication(world, { confidential: false });
  const path = authorizePath(application, asToken);
  assert.ok(answerOf(await decide(dev, path)).access_token);
  assert.equal((await dev.get(path)).status, 200);
});
