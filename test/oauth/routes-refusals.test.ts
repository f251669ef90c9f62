/** Events about DPoP-bound tokens that the API refused, and about requests that userinfo refused. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { flushRefusals } from "../../src/oauth/record-refusal.ts";
import { aKey, proofBy, type TestKey } from "../support/dpop.ts";
import { anApplication, signedIn, type TestApplication, tokenCall } from "../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let key: TestKey;
let application: TestApplication;
let token: string;

before(async () => {
  world = await startWorld();
  key = await aKey();
  application = await anApplication(world, { grantTypes: ["client_credentials"] });
  token = await aBoundToken();
});

async function aBoundToken(): Promise<string> {
  const dpop = proofBy(key, { method: "POST", url: `${world.url}/oauth/token` });
  const { uid: client_id, secret: client_secret } = application;
  const issued = await tokenCall(
    world,
    { grant_type: "client_credentials", client_id, client_secret },
    { dpop },
  );
  assert.equal(issued.json.token_type, "DPoP", issued.text);
  return issued.json.access_token;
}

const PATH = "/api/v4/user";
const proof = (more = {}) =>
  proofBy(key, { method: "GET", url: world.url + PATH, accessToken: token, ...more });
const shown = (dpop?: string, given = token) =>
  world.call(PATH, { headers: { authorization: `DPoP ${given}`, ...(dpop === undefined ? {} : { dpop }) } });
const listed = async () =>
  (await world.call(`/api/v4/applications/${application.id}/events?endpoint=api`, { as: "olga" })).json as {
    answer: string;
    reason: string;
    times: number;
    user: { username: string };
    request_id: string;
  }[];

test("the application's events say why the API refused a bound token: wrong scheme, or proof missing, invalid or reused (decisions 0080, 0207; RFC 9449 §7)", async () => {
  const used = proof();
  assert.equal((await shown(used)).status, 200);
  assert.deepEqual(await listed(), [], "accepted requests are not recorded");
  const scheme = "The access token is bound to a key: send it with the scheme DPoP and a proof of the key.";
  for (const [ask, answer, reason] of [
    [() => world.call(PATH, { token }), "invalid_token", scheme],
    [() => shown(), "invalid_dpop_proof", "The request must carry exactly one DPoP header."],
    [
      () => shown(proof({ method: "POST" })),
      "invalid_dpop_proof",
      "The DPoP proof is refused: its htm is not the method of this request.",
    ],
    [() => shown(used), "invalid_dpop_proof", "The DPoP proof is refused: it was used before."],
  ] as const) {
    const reply = await ask();
    assert.equal(reply.status, 401, reply.text);
    const [newest] = await listed();
    assert.deepEqual([newest?.answer, newest?.reason], [answer, reason]);
    assert.equal(newest?.request_id, reply.headers.get("x-request-id"));
    assert.equal(newest?.user.username, "olga");
  }
  assert.equal((await world.call(`${PATH}?access_token=${token}`)).status, 401);
  const times = Object.fromEntries((await listed()).map((event) => [event.reason, event.times]));
  assert.equal(times[scheme], 2, "equal refusals are merged");
  const olga = await signedIn(world, "olga");
  const page = await olga.get(`/profile/applications/${application.id}/events?endpoint=api`);
  assert.match(page.text, /<option value="api" selected>API/);
  assert.match(page.text, /it was used before/);
  assert.ok(!page.text.includes(token));
});

test("requests without a valid token of the application write nothing to its events (decision 0080)", async () => {
  const written = await listed();
  const ended = token;
  const { uid: client_id, secret: client_secret } = application;
  await world.call("/oauth/revoke", { form: { client_id, client_secret, token: ended } });
  const personal = await world.tokenOf("olga", "api");
  for (const given of ["nothing", ended, personal]) {
    assert.equal((await shown(proof(), given)).status, 401);
    await world.call(`${PATH}?client_id=${client_id}`, { token: given });
  }
  await flushRefusals(world.platform);
  assert.deepEqual(await listed(), written);
});

test("a request that userinfo refuses for its body is recorded with that reason, not with one about its valid token (decision 0080)", async () => {
  const own = await anApplication(world, { scopes: ["openid"], grantTypes: ["password"] });
  const form = { grant_type: "password", username: "dev", password: PASSWORD, scope: "openid" };
  const issued = await tokenCall(world, form, { authorization: own.basic });
  const authorization = `Bearer ${issued.json.access_token}`;
  const urlencoded = "application/x-www-form-urlencoded";
  for (const [type, body, status, reason] of [
    ["text/plain", "x", 415, "media type: sent text/plain"],
    [urlencoded, "a=%ZZ", 400, "The form is not valid UTF-8 or has a broken percent-encoding"],
    [urlencoded, "a=1&".repeat(300_000), 413, "413 Request Entity Too Large"],
    [urlencoded, "access_token=other", 400, "The request carries more than one access token."],
  ] as const) {
    const reply = await fetch(`${world.url}/oauth/userinfo`, {
      method: "POST",
      headers: { authorization, "content-type": type },
      body,
    });
    assert.equal(reply.status, status, await reply.text());
    await flushRefusals(world.platform);
    const events = await world.call(`/api/v4/applications/${own.id}/events`, { as: "olga" });
    const [newest] = events.json;
    assert.equal(newest?.reason, reason);
    assert.equal(newest.request_id, reply.headers.get("x-request-id"));
    assert.deepEqual([newest.endpoint, newest.user.username], ["userinfo", "dev"]);
  }
});
