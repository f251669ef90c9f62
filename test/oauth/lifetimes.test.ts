/** Token lifetimes of an application: who sets them, and that every flow applies them (decision 0194). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { boolean, integer, row } from "../../src/platform/row.ts";
import { digest } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import {
  aCode,
  anApplication,
  answerOf,
  authorizePath,
  decide,
  exchange,
  hiddenFields,
  refresh,
  signedIn,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const DAY = 86_400;
const GRANTS = [
  "authorization_code",
  "refresh_token",
  "implicit",
  "password",
  "client_credentials",
  "device_code",
] as const;

let world: World;
let ada: Visitor;
let olga: Visitor;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  [ada, olga, dev] = await Promise.all([
    signedIn(world, "ada"),
    signedIn(world, "olga"),
    signedIn(world, "dev"),
  ]);
});

const anyFlow = (fields = {}) =>
  anApplication(world, { grantTypes: GRANTS, scopes: ["api", "openid", "read_user"], ...fields });
const change = ({ id }: TestApplication, json: Record<string, unknown>) =>
  world.call(`/api/v4/applications/${id}`, { as: "ada", method: "PUT", json });
const viaCode = async (application: TestApplication, more = {}) =>
  (await exchange(world, application, await aCode(dev, application, more))).json;
const proof = ({ uid, secret }: TestApplication) => ({ client_id: uid, client_secret: secret });
const byPassword = (application: TestApplication) =>
  tokenCall(world, { grant_type: "password", username: "dev", password: PASSWORD, ...proof(application) });
const remaining = async (token: string) =>
  (await world.call("/oauth/token/info", { headers: { authorization: `Bearer ${token}` } })).json.expires_in;
/** Shifts every authorization and refresh token into the past. */
async function pass(seconds: number): Promise<void> {
  const { db } = world.platform;
  await db.run(sql`update authorizations set created_at = created_at - make_interval(secs => ${seconds})`);
  await db.run(sql`update refresh_tokens set expires_at = expires_at - make_interval(secs => ${seconds})`);
}
async function letLong(allowed: "on" | "off" | ""): Promise<void> {
  const page = await ada.get("/admin/settings");
  const fields = { ...hiddenFields(page.text, "/admin/settings"), allowLongLives: allowed };
  assert.equal((await ada.post("/admin/settings", fields)).status, 303);
}

/** The token response of a device that Dev has allowed. */
async function viaDevice(application: TestApplication) {
  const begun = (
    await world.call("/oauth/authorize_device", { form: { scope: "read_user", ...proof(application) } })
  ).json;
  const typed = { ...hiddenFields((await dev.get("/oauth/device")).text), user_code: begun.user_code };
  const asked = await dev.post("/oauth/device", typed);
  await dev.post("/oauth/device", { ...hiddenFields(asked.text, "/oauth/device"), decision: "allow" });
  const grant = "urn:ietf:params:oauth:grant-type:device_code";
  return (
    await tokenCall(world, { grant_type: grant, device_code: begun.device_code, ...proof(application) })
  ).json;
}

/** `expires_in` and access token of every flow. */
async function everyFlow(application: TestApplication): Promise<Record<string, [number, string]>> {
  const code = await viaCode(application);
  const refreshed = (await refresh(world, application, code.refresh_token)).json;
  const path = authorizePath(application, { response_type: "token", prompt: "consent" });
  const implicit = answerOf(await decide(dev, path));
  const password = (await byPassword(application)).json;
  const itself = { grant_type: "client_credentials", scope: "read_user", ...proof(application) };
  const client = (await tokenCall(world, itself)).json;
  const device = await viaDevice(application);
  const told = { code, refreshed, implicit, password, client, device };
  return Object.fromEntries(
    Object.entries(told).map(([flow, { expires_in, access_token }]) => [
      flow,
      [Number(expires_in), flow === "code" ? "" : access_token],
    ]),
  );
}

test("every flow applies the application's access token lifetime, and token response, token info and introspection agree (RFC 6749 §5.1; reference oauth A12, C5; decision 0194)", async () => {
  const application = await anyFlow();
  for (const seconds of [7200, 900, DAY]) {
    const wanted = seconds === 7200 ? null : seconds;
    assert.equal((await change(application, { access_token_seconds: wanted })).status, 200);
    for (const [flow, [expiresIn, token]] of Object.entries(await everyFlow(application))) {
      assert.equal(expiresIn, seconds, flow);
      if (token === "") continue;
      const left = await remaining(token);
      assert.ok(left > seconds - 60 && left <= seconds, `${flow}: ${left}`);
      const seen = await world.call("/oauth/introspect", { form: { token, ...proof(application) } });
      assert.ok(Math.abs(seen.json.exp - seen.json.iat - seconds) <= 1, `${flow}: ${seen.text}`);
    }
  }
});

test("an ID token expires after an hour, whatever the access token lifetime (decision 0017)", async () => {
  const application = await anyFlow({ accessTokenSeconds: 300 });
  const { id_token } = await viaCode(application, { scope: "openid" });
  const { exp, iat } = JSON.parse(Buffer.from(id_token.split(".")[1], "base64url").toString());
  assert.equal(exp - iat, 3600);
});

test("a changed lifetime applies to new tokens only (decision 0194)", async () => {
  const application = await anyFlow();
  const before = await viaCode(application);
  await change(application, { access_token_seconds: 300, refresh_idle_seconds: 3600 });
  assert.ok((await remaining(before.access_token)) > 7000);
  const after = (await refresh(world, application, before.refresh_token)).json;
  assert.deepEqual([after.expires_in, after.refresh_token_expires_in], [300, 3600]);
  await change(application, { access_token_seconds: null, refresh_idle_seconds: null });
  assert.ok((await remaining(after.access_token)) <= 300);
});

test("the first refresh token of a code or device expires at the idle or the absolute limit, whichever is sooner (reference oauth C5; decision 0194)", async () => {
  const application = await anyFlow({ accessTokenSeconds: 300 });
  for (const [idle, absolute] of [
    [7200, 3600],
    [3600, 7200],
  ] as const) {
    await change(application, { refresh_idle_seconds: idle, refresh_absolute_seconds: absolute });
    for (const { refresh_token, refresh_token_expires_in } of [
      await viaCode(application),
      await viaDevice(application),
    ]) {
      // The absolute limit counts from the consent, which may be more than a second before the exchange.
      const { left, ofUse, ofConsent } = await world.platform.db.one(
        row({ left: integer, ofUse: boolean, ofConsent: boolean }),
        sql`select ceil(extract(epoch from r.expires_at - r.created_at))::bigint as left,
            r.expires_at = r.created_at + interval '1 hour' as of_use,
            r.expires_at = a.created_at + interval '1 hour' as of_consent
          from refresh_tokens r join authorizations a on a.id = r.authorization_id
          where r.digest = ${digest(refresh_token)}`,
      );
      assert.ok(absolute < idle ? ofConsent : ofUse);
      assert.equal(refresh_token_expires_in, left);
    }
  }
});

test("token responses with a refresh token have refresh_token_expires_in, a repeated refresh included (reference oauth C5; decision 0194)", async () => {
  const application = await anyFlow();
  const first = await viaCode(application);
  assert.equal(first.refresh_token_expires_in, 30 * DAY);
  const second = (await refresh(world, application, first.refresh_token)).json;
  const again = (await refresh(world, application, first.refresh_token)).json;
  assert.equal(again.refresh_token, second.refresh_token);
  assert.ok(again.refresh_token_expires_in <= 30 * DAY && again.refresh_token_expires_in > 30 * DAY - 60);
  const { json } = await byPassword(application);
  assert.equal("refresh_token" in json || "refresh_token_expires_in" in json, false);
  const plain = await anyFlow({ grantTypes: ["authorization_code"] });
  assert.equal("refresh_token_expires_in" in (await viaCode(plain)), false);
});

test("idle and absolute limits of refresh tokens hold across rotations (reference oauth C5, D25; decision 0194)", async () => {
  const application = await anyFlow({ refreshIdleSeconds: 7 * DAY, refreshAbsoluteSeconds: 10 * DAY });
  const first = await viaCode(application);
  assert.equal(first.refresh_token_expires_in, 7 * DAY);
  await pass(6 * DAY);
  const second = (await refresh(world, application, first.refresh_token)).json;
  const left = second.refresh_token_expires_in;
  assert.ok(left > 4 * DAY - 60 && left <= 4 * DAY, `${left} s of ten days`);
  await pass(4 * DAY);
  assert.equal((await refresh(world, application, second.refresh_token)).json.error, "invalid_grant");

  const idle = await viaCode(application);
  await pass(7 * DAY);
  assert.equal((await refresh(world, application, idle.refresh_token)).json.error, "invalid_grant");
});

test("a shortened absolute limit applies to existing refresh tokens: refresh fails, introspection says inactive, and the owner reads the reason (decision 0194; RFC 7662 §2.2)", async () => {
  const application = await anyFlow();
  const given = await viaCode(application);
  const isActive = async (token: string) => {
    const asked = { form: { token }, headers: { authorization: application.basic } };
    return (await world.call("/oauth/introspect", asked)).json.active;
  };
  await pass(20 * DAY);
  await change(application, { refresh_absolute_seconds: 10 * DAY });
  const refused = await refresh(world, application, given.refresh_token);
  assert.deepEqual([refused.status, refused.json.error], [400, "invalid_grant"]);
  assert.equal(await isActive(given.refresh_token), false);
  assert.ok((await remaining(given.access_token)) > 0, "the access token is still valid");
  assert.equal(await isActive(given.access_token), true);
  const { json } = await world.call(`/api/v4/applications/${application.id}/events`, { as: "ada" });
  assert.match(json[0].reason, /absolute limit/);
  await change(application, { refresh_absolute_seconds: null });
  assert.equal(await isActive(given.refresh_token), true);
  assert.equal(
    (await refresh(world, application, given.refresh_token)).status,
    200,
    "the refused refresh did not spend it",
  );
});

test("lifetimes out of bounds are rejected by the API and the form (reference oauth A12; decision 0194)", async () => {
  const application = await anyFlow();
  for (const [member, ...values] of [
    ["access_token_seconds", 299, 86_401, 900.5, "soon", -1],
    ["refresh_idle_seconds", 3599, 366 * DAY],
    ["refresh_absolute_seconds", 3599, 366 * DAY],
  ] as const) {
    for (const value of values) {
      assert.equal((await change(application, { [member]: value })).status, 400, `${member} ${value}`);
    }
  }
  const { json } = await change(application, { refresh_idle_seconds: 3600 });
  assert.deepEqual(json.message, { refresh_idle_seconds: ["must not be shorter than access tokens live"] });
  const form = await formOf(olga, application);
  for (const typed of ["299", "86401", "soon", "1e9", "900.5"]) {
    const wrong = await form.save({ access_token_seconds: typed });
    assert.equal(wrong.status, 422, typed);
    assert.match(wrong.text, /The life of access tokens must be from 300 to 86400 seconds\./);
  }
  const made = await world.call("/api/v4/applications", {
    as: "ada",
    form: {
      name: "New",
      redirect_uri: "https://app.example.org/cb",
      scopes: "read_user",
      access_token_seconds: "600",
    },
  });
  const { access_token_seconds, refresh_idle_seconds, refresh_absolute_seconds } = made.json;
  assert.deepEqual(
    [made.status, access_token_seconds, refresh_idle_seconds, refresh_absolute_seconds],
    [201, 600, null, null],
  );
});

/** The edit form of an application, and a function that submits it as a browser does. */
async function formOf(visitor: Visitor, { id }: TestApplication) {
  const action = `/profile/applications/${id}`;
  const page = await visitor.get(`${action}/edit`);
  const boxes = [...page.text.matchAll(/type="checkbox" name="(\w+)" value="(\w+)" checked/g)];
  const texts = [...page.text.matchAll(/<input class="input" name="(name|home_page)"[^>]* value="([^"]*)"/g)];
  const kept: [string, string][] = [
    ["redirect_uri", "https://app.example.org/callback"],
    ...[...boxes, ...texts].map(([, name = "", value = ""]): [string, string] => [name, value]),
  ];
  // A field may occur several times.
  const save = async (lifetimes: Record<string, string>, by = visitor) => {
    const { csrf_token = "" } = hiddenFields((await by.get("/profile/applications")).text);
    const all = [["csrf_token", csrf_token], ...kept, ...Object.entries(lifetimes)];
    return by.post(action, all as unknown as Record<string, string>);
  };
  return { action, page, save };
}

test("the owner sets token lifetimes in the application's form; other people cannot (reference oauth C5; decision 0194)", async () => {
  const application = await anyFlow();
  const { action, page, save } = await formOf(olga, application);
  assert.match(page.text, /<option value="" selected>2 h, standard<\/option>/);
  const lifetimes = { access_token_seconds: "900", refresh_idle_seconds: String(7 * DAY) };
  const saved = await save({ ...lifetimes, refresh_absolute_seconds: "" });
  assert.equal(saved.status, 303, saved.text);
  const shown = (await olga.get(action)).text;
  assert.match(shown, /<dt>Access tokens expire after<\/dt><dd>15 min</);
  assert.match(shown, /<dt>With refresh<\/dt><dd>up to 180 days, and ends after 7 days without use</);
  assert.match((await olga.get(`${action}/edit`)).text, /<option value="900" selected>15 min</);
  assert.equal((await viaCode(application)).expires_in, 900);

  assert.equal((await save(lifetimes, dev)).status, 404);
  const { id } = application;
  const put = { as: "dev", method: "PUT", json: { access_token_seconds: DAY } } as const;
  assert.equal((await world.call(`/api/v4/applications/${id}`, put)).status, 403);
  assert.equal((await byPassword(application)).json.expires_in, 900);
});

test("the form keeps a lifetime that is not among its options, and an address can prefill lifetimes (decision 0194)", async () => {
  const application = await anyFlow({ accessTokenSeconds: 1234 });
  assert.match((await formOf(olga, application)).page.text, /<option value="1234" selected>20 min</);
  const filled = await olga.get("/profile/applications?access_token_seconds=3600&refresh_idle_seconds=x");
  assert.match(filled.text, /<option value="3600" selected>1 h</);
});

test("the consent page says how long access lasts under the application's settings (ux §6; decision 0194)", async () => {
  const long = { refreshIdleSeconds: 30 * DAY, refreshAbsoluteSeconds: 7 * DAY };
  const application = await anyFlow({ accessTokenSeconds: 3600, ...long });
  const lasts = async (more: Record<string, string>) =>
    /<dt>Access lasts<\/dt><dd>([^<]*)/.exec((await dev.get(authorizePath(application, more))).text)?.[1];
  assert.equal(await lasts({}), "up to 7 days");
  assert.equal(await lasts({ response_type: "token" }), "1 hour");
});

test("administrators can switch off lifetimes above the standard; then every flow is capped, and shorter lifetimes stay (decisions 0082, 0194)", async () => {
  const long = await anyFlow({
    accessTokenSeconds: DAY,
    refreshIdleSeconds: 90 * DAY,
    refreshAbsoluteSeconds: 365 * DAY,
  });
  const short = await anyFlow({ accessTokenSeconds: 300 });
  const given = await viaCode(long);
  assert.deepEqual([given.expires_in, given.refresh_token_expires_in], [DAY, 90 * DAY]);
  await letLong("off");
  for (const [flow, [expiresIn]] of Object.entries(await everyFlow(long)))
    assert.equal(expiresIn, 7200, flow);
  const capped = (await refresh(world, long, given.refresh_token)).json;
  assert.equal(capped.refresh_token_expires_in, 30 * DAY);
  assert.equal((await viaCode(short)).expires_in, 300);
  const { page } = await formOf(olga, long);
  assert.match(page.text, /Longer lifetimes than the standard ones are switched off here/);
  assert.match(page.text, /<option value="86400" selected>24 h: limited to the standard</);
  assert.doesNotMatch(page.text, /<option value="14400"/);
  assert.match((await olga.get(`/profile/applications/${long.id}`)).text, /expire after<\/dt><dd>2 hours</);
  await letLong("");
  assert.equal((await viaCode(long)).expires_in, DAY);

  const hard = await startWorld({ GATEHOUSE_SECURITY_PROFILE: "hardened" });
  const machine = await anApplication(hard, { grantTypes: ["client_credentials"], accessTokenSeconds: DAY });
  const asked = await tokenCall(hard, { grant_type: "client_credentials", ...proof(machine) });
  assert.equal(asked.json.expires_in, 7200);
});

test("an access token with a long lifetime counts as active in the usage of its application (decisions 0172, 0194)", async () => {
  const application = await anyFlow({ accessTokenSeconds: DAY });
  await byPassword(application);
  await world.platform.db.run(
    sql`update access_tokens set created_at = created_at - interval '20 hours' where application_id = ${application.id}`,
  );
  const { json } = await world.call(`/api/v4/applications/${application.id}/usage`, { as: "ada" });
  assert.equal(json.people, 1);
});
