/** Attacks on the implicit flow: tokens of another application, tokens where they can be read, flows not ticked. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  anApplication,
  answerOf,
  authorizePath,
  decide,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../../support/oauth.ts";
import { startWorld, type World } from "../../support/world.ts";

let world: World;
let dev: Visitor;
let mine: TestApplication;
let evil: TestApplication;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
  mine = await anApplication(world);
  evil = await anApplication(world, { owner: "stan", redirectUris: ["https://evil.example/cb"] });
});

const asToken = (application: TestApplication, more = {}) =>
  authorizePath(application, { response_type: "token", prompt: "consent", ...more });

test("token substitution: the drill of a client that checks application.uid finds the stranger's token (RFC 6749 §10.16; spec: Authentication 3; reference oauth D36, reliability S48)", async () => {
  /** What a client must do with a token that somebody handed to it. */
  const accepts = async (token: string) => {
    const info = await world.call("/oauth/token/info", { token });
    return info.status === 200 && info.json.application.uid === mine.uid;
  };
  const own = answerOf(await decide(dev, asToken(mine))).access_token ?? "";
  const stolen = answerOf(await decide(dev, asToken(evil))).access_token ?? "";
  assert.equal(await accepts(own), true);
  assert.equal(await accepts(stolen), false);
  const renamed = await anApplication(world, { owner: "stan", name: "Relay Console", confidential: false });
  const twin = answerOf(await decide(dev, asToken(renamed))).access_token ?? "";
  assert.equal(await accepts(twin), false, "an application of the same name");
  assert.equal(await accepts(await world.tokenOf("dev", "api")), false, "a personal token");
  assert.equal(await accepts("goa_x"), false);
});

test("the token is in the fragment alone, of an answer without script, body, report address or referrer (CVE-2021-22213; reference oauth D36)", async () => {
  for (const more of [{}, { response_mode: "fragment" }]) {
    const reply = await decide(dev, asToken(mine, more));
    const location = new URL(reply.headers.get("location") ?? "");
    assert.equal(location.search, "");
    assert.match(location.hash, /access_token=goa_/);
    assert.doesNotMatch(reply.text, /goa_|<script/);
    assert.equal(reply.headers.get("referrer-policy"), "no-referrer");
  }
  // Where the browser goes on from a page of ours, the address stands in that page alone.
  const headers = { "sec-fetch-site": "same-origin", "sec-fetch-dest": "document" };
  const onward = await dev.get(authorizePath(mine, { response_type: "token" }), headers);
  assert.equal(onward.status, 200);
  assert.match(onward.headers.get("refresh") ?? "", /#access_token=goa_/);
  const policy = onward.headers.get("content-security-policy") ?? "";
  assert.doesNotMatch(policy, /report-uri|report-to/);
  assert.equal(onward.headers.get("reporting-endpoints") ?? onward.headers.get("report-to"), null);
  assert.equal(onward.headers.get("cache-control"), "no-store");
  assert.equal(onward.headers.get("referrer-policy"), "no-referrer");
});

test("every error of the flow is in the fragment too, and an application without it is told so there (reference oauth D36, D37)", async () => {
  const without = await anApplication(world, {
    grantTypes: ["authorization_code", "refresh_token", "password"],
  });
  for (const [who, more, error] of [
    [without, {}, "unauthorized_client"],
    [mine, { scope: "root" }, "invalid_scope"],
    [mine, { response_mode: "query" }, "invalid_request"],
    [mine, { prompt: "none login" }, "invalid_request"],
  ] as const) {
    const reply = await dev.get(asToken(who, more));
    assert.equal(new URL(reply.headers.get("location") ?? "").search, "");
    assert.equal(answerOf(reply).error, error);
  }
  const stranger = await signedIn(world, "gus");
  const asked = await stranger.get(asToken(mine, { prompt: "none" }));
  assert.equal(new URL(asked.headers.get("location") ?? "").search, "");
  assert.equal(answerOf(asked).error, "consent_required");
});

test("a token of the flow can neither be renewed nor made to last (reference oauth D38, reliability S7)", async () => {
  const answer = answerOf(await decide(dev, asToken(mine)));
  assert.deepEqual(
    ["refresh_token", "code", "id_token"].filter((name) => name in answer),
    [],
  );
  const info = await world.call("/oauth/token/info", { token: answer.access_token ?? "" });
  assert.ok(info.json.expires_in > 0 && info.json.expires_in <= 7200);
  const form = { grant_type: "refresh_token", refresh_token: answer.access_token ?? "" };
  const renewed = await world.call("/oauth/token", { form, headers: { authorization: mine.basic } });
  assert.equal(renewed.json.error, "invalid_grant");
});
