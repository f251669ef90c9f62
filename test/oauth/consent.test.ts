/** Consent: scopes that people deselect, and which consent is remembered (decision 0194). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Application } from "../../src/oauth/application.ts";
import { forgottenScopes, grantedScopes, mayGoOnUnasked, optionalScopes } from "../../src/oauth/consent.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import {
  anApplication,
  answerOf,
  aProof,
  authorizePath,
  exchange,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { type Person, type Reply, startWorld, type World } from "../support/world.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const SCOPES = ["openid", "read_user", "profile", "email"];

let world: World;

before(async () => {
  world = await startWorld();
});

/** Allows the request with these boxes ticked, as a browser does. */
async function allow(visitor: Visitor, path: string, boxes: readonly string[]): Promise<Reply> {
  const page = await visitor.get(path);
  assert.equal(page.status, 200, page.text);
  return post(visitor, page, boxes);
}

function post(visitor: Visitor, page: Reply, boxes: readonly string[]): Promise<Reply> {
  const ticked = Object.fromEntries(boxes.map((scope) => [`allow_${scope}`, "1"]));
  const fields = hiddenFields(page.text, "/oauth/authorize");
  return visitor.post("/oauth/authorize", { ...fields, ...ticked, chosen: "1", decision: "allow" });
}

const boxesOn = (page: Reply): string[] =>
  [...page.text.matchAll(/type="checkbox" id="allow_(\w+)"/g)].map(([, scope = ""]) => scope);

async function begin(
  person: Person,
  fields = {},
): Promise<{ visitor: Visitor; application: TestApplication }> {
  const application = await anApplication(world, { scopes: SCOPES, ...fields });
  return { visitor: await signedIn(world, person), application };
}

const asking = (application: TestApplication, scope: string, more = {}) =>
  authorizePath(application, { scope, ...more });

test("a person can deselect scopes, and the token response names those granted (RFC 6749 §3.3, §5.1; reference oauth C4; decision 0194)", async () => {
  const { visitor, application } = await begin("dev");
  const page = await visitor.get(asking(application, "openid read_user profile email"));
  assert.deepEqual(boxesOn(page), ["read_user", "profile", "email"]);
  const { code = "" } = answerOf(await post(visitor, page, ["profile"]));
  const { json } = await exchange(world, application, code);
  assert.equal(json.scope, "openid profile");
  const [, claims = ""] = json.id_token.split(".");
  const told = JSON.parse(Buffer.from(claims, "base64url").toString());
  assert.equal(told.preferred_username, "dev");
  assert.equal(told.email, undefined);
  const headers = { authorization: `Bearer ${json.access_token}` };
  assert.deepEqual((await world.call("/oauth/token/info", { headers })).json.scope, ["openid", "profile"]);
  assert.equal((await world.call("/api/v4/user", { headers })).status, 403);
});

test("the implicit flow's fragment names the granted scopes (RFC 6749 §4.2.2; decision 0194)", async () => {
  const { visitor, application } = await begin("dev", { grantTypes: ["implicit"] });
  const path = asking(application, "read_user profile", { response_type: "token" });
  assert.equal(answerOf(await allow(visitor, path, ["read_user"])).scope, "read_user");
});

test("only granted scopes are remembered; further ones need consent and are marked as new, and prompt=none fails with consent_required (OpenID Connect Core §3.1.2.6; contract §4, consent; decision 0194)", async () => {
  const { visitor, application } = await begin("rep");
  const whole = asking(application, "read_user profile");
  answerOf(await allow(visitor, whole, ["profile"]));
  assert.match(answerOf(await visitor.get(asking(application, "profile"))).code ?? "", /^goc_/);
  const silent = asking(application, "read_user profile", { prompt: "none" });
  assert.equal(answerOf(await visitor.get(silent)).error, "consent_required");
  const again = await visitor.get(whole);
  assert.match(again.text, /Read your account and activity <span class="badge brass">New</);
  assert.doesNotMatch(again.text, /See your profile <span class="badge brass">New</);
  answerOf(await post(visitor, again, ["read_user", "profile"]));
  assert.match(answerOf(await visitor.get(silent)).code ?? "", /^goc_/);
});

test("a deselected scope is no longer remembered, nor any scope that includes it (decision 0194)", async () => {
  const { visitor, application } = await begin("max", { scopes: ["api", ...SCOPES] });
  answerOf(await allow(visitor, asking(application, "api email"), ["api", "email"]));
  const once = asking(application, "email profile", { prompt: "consent" });
  answerOf(await allow(visitor, once, ["email"]));
  for (const scope of ["profile", "api", "read_user"]) {
    assert.equal((await visitor.get(asking(application, scope))).status, 200, scope);
  }
  assert.equal((await visitor.get(asking(application, "email"))).status, 303);
});

test("boxes that were not shown grant nothing: neither scopes not requested nor scopes not enabled (reference oauth D45, D63, reliability S11; decision 0194)", async () => {
  const { visitor, application } = await begin("stan", { scopes: ["read_user", "profile", "email"] });
  const forged = ["profile", "email", "api", "openid", "write_events"];
  const { code = "" } = answerOf(await allow(visitor, asking(application, "read_user profile"), forged));
  const { json } = await exchange(world, application, code);
  assert.equal(json.scope, "profile");
  const page = await visitor.get(asking(application, "read_user profile"));
  const fields = { ...hiddenFields(page.text, "/oauth/authorize"), decision: "allow" };
  const words = { ...fields, scope: "api", scopes: "api", allow_api: "1", "allow_profile[]": "1" };
  const all = answerOf(await visitor.post("/oauth/authorize", words)).code ?? "";
  const posted = (await exchange(world, application, all)).json;
  assert.equal(
    posted.scope,
    "read_user profile",
    "a form posted without the marker of boxes grants all requested scopes",
  );
});

test('an empty or repeated "chosen" field still means that unticked scopes are not granted (reference oauth D45, D85; decision 0194)', async () => {
  const { visitor, application } = await begin("olga");
  for (const chosen of ["&chosen=", "&chosen=1&chosen=1"]) {
    const page = await visitor.get(asking(application, "read_user profile", { prompt: "consent" }));
    const fields = new URLSearchParams(hiddenFields(page.text, "/oauth/authorize"));
    fields.delete("chosen");
    const body = `${fields}&decision=allow&allow_profile=1${chosen}`;
    const { code = "" } = answerOf(await visitor.send("/oauth/authorize", body, FORM));
    assert.equal((await exchange(world, application, code)).json.scope, "profile", chosen);
  }
});

test("without a question a token goes only to a fixed registered site, also for trusted applications: an open loopback port or custom scheme may be anybody's (RFC 8252 §8.6; RFC 6749 §10.2; decision 0220)", async () => {
  const secure = "https://app.example.org/callback";
  const sites = [secure, "http://localhost:8080/cb"];
  const redirectUris = [...sites, "http://127.0.0.1/cb", "http://[::1]/cb", "tidewatch://cb"];
  const open = ["http://127.0.0.1:31337/cb", "http://[::1]:31337/cb", "tidewatch://cb"];
  for (const more of [{}, { owner: null, trusted: true }]) {
    const { visitor, application } = await begin("dev", { redirectUris, ...more });
    const to = (redirect_uri: string, response_type: string, prompt?: string) =>
      visitor.get(asking(application, "profile", { redirect_uri, response_type, prompt }));
    if (!more.trusted) answerOf(await post(visitor, await to(secure, "code"), ["profile"]));
    for (const uri of [...sites, ...open])
      assert.ok(answerOf(await to(uri, "code")).code, `a code to ${uri}`);
    for (const uri of sites) assert.match(answerOf(await to(uri, "token")).access_token ?? "", /^goa_/);
    for (const uri of open) {
      for (let time = 0; time < 2; time++) {
        const page = await to(uri, "token");
        assert.equal(page.status, 200, uri);
        assert.match(page.text, /wants to use your account/);
        assert.equal(answerOf(await to(uri, "token", "none")).error, "consent_required");
        assert.match(answerOf(await post(visitor, page, ["profile"])).access_token ?? "", /^goa_/);
      }
    }
  }
});

test("a scope that includes another requested one says so beside its box (spec: Authentication 7; decision 0194)", async () => {
  const { visitor, application } = await begin("rep", { scopes: ["read_api", ...SCOPES] });
  const { text } = await visitor.get(asking(application, "read_api read_user email", { prompt: "consent" }));
  const said = [...text.matchAll(/Always includes: ([^<]*)</g)].map(([, words]) => words);
  assert.deepEqual(said, ["Read your account and activity"]);
  const apart = await visitor.get(asking(application, "openid read_user email", { prompt: "consent" }));
  assert.doesNotMatch(apart.text, /Always includes/);
});

test("whoever allows an application to read their feed token is told that this outlives the authorization (contract-events §4, feeds; decision 0106)", async () => {
  const { visitor, application } = await begin("rep", { scopes: ["read_api", ...SCOPES] });
  const page = await visitor.get(asking(application, "read_api email", { prompt: "consent" }));
  assert.match(page.text, /your feed token, which it can read, stays valid until you reset it/);
  const other = await visitor.get(asking(application, "read_user email", { prompt: "consent" }));
  assert.match(other.text, /Access ends when you revoke it under Applications</);
});

test("allowing with no scope ticked issues no code and shows the question again with the reason (decision 0194)", async () => {
  const { visitor, application } = await begin("gus");
  const codes = () =>
    world.platform.db.one(row({ n: integer }), sql`select count(*) as n from authorization_codes`);
  const before = await codes();
  const refused = await allow(visitor, asking(application, "read_user profile"), []);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /<title>Error: Authorize/);
  assert.match(
    refused.text,
    /role="alert"[\s\S]*Nothing is selected\. Select what you allow, or deny the request\./,
  );
  assert.doesNotMatch(refused.text, /name="allow_profile"[^>]*checked/);
  assert.deepEqual(await codes(), before);
  const { code = "" } = answerOf(await post(visitor, refused, ["profile"]));
  assert.equal((await exchange(world, application, code)).json.scope, "profile");
});

test("a single scope and a trusted application have no boxes, and openid never has one (decision 0194; OpenID Connect Core §3.1.2.1)", async () => {
  const { visitor, application } = await begin("dev");
  const one = await visitor.get(asking(application, "read_user"));
  assert.deepEqual(boxesOn(one), []);
  assert.match(answerOf(await post(visitor, one, [])).code ?? "", /^goc_/);

  const trusted = await begin("dev", { owner: null, trusted: true });
  const page = await visitor.get(asking(trusted.application, "read_user profile", { prompt: "consent" }));
  assert.deepEqual(boxesOn(page), []);
  const { code = "" } = answerOf(await post(visitor, page, []));
  assert.equal((await exchange(world, trusted.application, code)).json.scope, "read_user profile");

  const signIn = await visitor.get(asking(application, "openid email"));
  assert.deepEqual(boxesOn(signIn), ["email"]);
  const least = answerOf(await post(visitor, signIn, [])).code ?? "";
  assert.equal((await exchange(world, application, least)).json.scope, "openid");
});

test("the audit log names the granted scopes (reference oauth D89; decision 0194)", async () => {
  const { visitor, application } = await begin("olga");
  answerOf(await allow(visitor, asking(application, "read_user profile"), ["profile"]));
  const { details } = await world.platform.db.one(
    row({ details: text }),
    sql`select details::text as details from audit_entries
      where action = 'access_granted' and details->>'uid' = ${application.uid}`,
  );
  assert.equal(JSON.parse(details).scopes, "profile");
});

test("when consent may be skipped, by flow, redirect URI, remembered scopes and trust (contract §4, consent; decisions 0011, 0220)", async () => {
  const sure = { confidential: true, trusted: false };
  const cases: [Partial<Application>, "code" | "token", string, readonly string[] | undefined, boolean][] = [
    [sure, "code", "http://127.0.0.1:1/cb", ["api"], true],
    [sure, "code", "https://a.example/cb", ["email"], false],
    [sure, "code", "https://a.example/cb", undefined, false],
    [sure, "token", "HTTPS://a.example/cb", ["api"], true],
    [sure, "token", "https-app://cb", ["api"], false],
    [sure, "token", "http://localhost/cb", ["api"], true],
    [sure, "token", "http://localhost:1/cb", ["api"], false],
    [sure, "token", "http://127.0.0.1:1/cb", ["api"], false],
    [{ confidential: true, trusted: true }, "token", "https://a.example/cb", undefined, true],
    [{ confidential: true, trusted: true }, "token", "app:/cb", undefined, false],
    [{ confidential: false, trusted: true }, "code", "https://a.example/cb", ["api"], false],
  ];
  for (const [application, responseType, uri, allowed, expected] of cases) {
    const asked = {
      application: { redirectUris: ["http://localhost/cb", "app:/cb"], ...application } as Application,
      responseType,
      redirect: { uri },
      scopes: ["api"],
    };
    assert.equal(mayGoOnUnasked(asked, allowed), expected, `${responseType} ${uri}`);
  }
});

test("consent that people gave to a public application does not count once it is confidential, and consent given after does (RFC 8252 §8.6; contract §4, consent)", async () => {
  const device_code = ["authorization_code", "device_code"] as const;
  const { visitor, application } = await begin("gus", { confidential: false, grantTypes: device_code });
  const other = await begin("rep", { confidential: true });
  const change = (id: number, json: object) =>
    world.call(`/api/v4/applications/${id}`, { as: "ada", method: "PUT", json });
  const { challenge } = aProof();
  const proof = { code_challenge: challenge, code_challenge_method: "S256" };
  const silent = async (who: Visitor, of: TestApplication) =>
    answerOf(await who.get(asking(of, "read_user", { ...proof, prompt: "none" })));
  await allow(visitor, asking(application, "read_user profile", proof), ["read_user"]);
  const device = await signedIn(world, "dev");
  const begun = await world.call("/oauth/authorize_device", {
    form: { client_id: application.uid, scope: "read_user" },
  });
  const typed = hiddenFields((await device.get("/oauth/device")).text, "/oauth/device");
  const question = await device.post("/oauth/device", { ...typed, user_code: begun.json.user_code });
  await device.post("/oauth/device", { ...hiddenFields(question.text, "/oauth/device"), decision: "allow" });
  await allow(other.visitor, asking(other.application, "read_user profile"), ["read_user"]);

  assert.equal((await change(application.id, { confidential: true })).json.confidential, true);
  for (const person of [visitor, device]) {
    assert.equal((await silent(person, application)).error, "consent_required");
  }
  assert.match((await visitor.get("/profile/applications")).text, /Relay Console/, "and is still listed");
  await allow(visitor, asking(application, "read_user profile", proof), ["read_user"]);
  assert.match((await silent(visitor, application)).code ?? "", /^goc_/);
  for (const each of [application, other.application])
    await change(each.id, { confidential: true, name: "Same" });
  assert.match((await silent(visitor, application)).code ?? "", /^goc_/, "other changes forget nothing");
  assert.match((await silent(other.visitor, other.application)).code ?? "", /^goc_/);
});

test("which scopes are optional, which are granted, and which are forgotten (decision 0194)", () => {
  const plain = { trusted: false };
  assert.deepEqual(optionalScopes(plain, ["openid", "profile"]), ["profile"]);
  assert.deepEqual(optionalScopes(plain, ["profile"]), []);
  assert.deepEqual(optionalScopes({ trusted: true }, ["read_user", "profile"]), []);
  assert.deepEqual(
    grantedScopes(plain, ["openid", "profile"], () => false),
    ["openid"],
  );
  assert.deepEqual(forgottenScopes(["api", "read_user"], ["api"]), [], "api still includes it");
  assert.deepEqual(forgottenScopes(["read_user", "email"], ["email"]), ["api", "read_api", "read_user"]);
});
