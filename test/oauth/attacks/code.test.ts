/** Attacks with authorization codes: replayed, stolen, late, of another kind, and codes whose ground has gone. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { buildApp } from "../../../src/app.ts";
import { createLog } from "../../../src/platform/log.ts";
import { sql } from "../../../src/platform/sql.ts";
import { aPair, apiStatus, aScene, counted, refused } from "../../support/attacks.ts";
import {
  aCode,
  anApplication,
  aProof,
  authorizePath,
  decide,
  exchange,
  hiddenFields,
  refresh,
  signedIn,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../../support/oauth.ts";
import { PASSWORD, type World } from "../../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;

before(async () => {
  ({ world, dev, application } = await aScene());
});

const run = (statement: Parameters<World["platform"]["db"]["run"]>[0]) => world.platform.db.run(statement);

test("a replay ends the tokens of the first use, and again when it comes late (reference oauth D9, reliability S23)", async () => {
  const code = await aCode(dev, application);
  const first = (await exchange(world, application, code)).json;
  const second = (await refresh(world, application, first.refresh_token)).json;
  assert.equal(await apiStatus(world, second.access_token), 200);
  await run(
    sql`update authorization_codes set spent_at = spent_at - interval '31 seconds' where spent_at is not null`,
  );
  await refused(exchange(world, application, code), "replayed after 31 s");
  assert.equal(
    await apiStatus(world, second.access_token),
    401,
    "the whole family ends, not the first token alone",
  );
  await refused(refresh(world, application, second.refresh_token), "refresh token of the family");
  await refused(exchange(world, application, code), "replayed again");
});

test("who shows a code over and over is written down once, and what ended before keeps its reason (reference oauth D9, D89)", async () => {
  const endings = sql`select count(*) as n from audit_entries where action = 'reuse_detected'`;
  const because = sql`select count(*) as n from authorizations where id = (select max(id) from authorizations)
    and revoked_because = 'taken back by its user'`;
  const before = await counted(world, endings);
  const code = await aCode(dev, application);
  await exchange(world, application, code);
  for (const time of ["second", "third", "fourth"]) await refused(exchange(world, application, code), time);
  assert.equal((await counted(world, endings)) - before, 1, "and the person has one mail");
  const other = await aCode(dev, application);
  await exchange(world, application, other);
  await run(
    sql`update authorizations set revoked_at = now(), revoked_because = 'taken back by its user'
      where id = (select max(id) from authorizations)`,
  );
  await refused(exchange(world, application, other), "after it was taken back");
  assert.equal(await counted(world, because), 1);
  assert.equal((await counted(world, endings)) - before, 1, "nobody is alarmed by what was over");
});

test("a code lives for 60 seconds of the database's clock and not one more (reference oauth D12, reliability S24)", async () => {
  const shift = (seconds: number) =>
    run(
      sql`update authorization_codes set expires_at = expires_at - make_interval(secs => ${seconds}) where spent_at is null`,
    );
  const early = await aCode(dev, application);
  await shift(30);
  assert.equal((await exchange(world, application, early)).status, 200);
  const late = await aCode(dev, application);
  assert.equal(
    await counted(
      world,
      sql`select count(*) as n from authorization_codes where spent_at is null
        and expires_at between now() + interval '30 seconds' and now() + interval '60 seconds'`,
    ),
    1,
  );
  await shift(61);
  await refused(exchange(world, application, late), "61 s");
});

test("refuses a code shown by another application, of the same owner too, and burns it (reference oauth D11, reliability S25)", async () => {
  for (const owner of ["olga", "max"] as const) {
    const thief = await anApplication(world, { owner });
    const code = await aCode(dev, application);
    await refused(exchange(world, thief, code), owner);
    await refused(exchange(world, thief, code, { redirect_uri: "https://evil.example" }), "again");
    await refused(exchange(world, application, code), "burned");
  }
  const unproven = await aCode(dev, application);
  const wrong = await exchange(world, application, unproven, { client_secret: "gos_wrong" });
  assert.equal(wrong.status, 401);
  assert.equal(
    (await exchange(world, application, unproven)).status,
    200,
    "whoever proves nothing burns nothing",
  );
});

test("burns a code shown by another application also if that one is refused for its flow, a missing parameter or a missing proof (contract §4, code; reference oauth D11; decision 0013)", async () => {
  const [unregistered, registered, bound] = [
    await anApplication(world, { grantTypes: ["password", "refresh_token"] }),
    await anApplication(world),
    await anApplication(world, { boundTokensOnly: true }),
  ];
  const cases = [
    { why: "flow", by: unregistered, more: {}, error: "unauthorized_client" },
    { why: "redirect_uri", by: registered, more: { redirect_uri: undefined }, error: "invalid_request" },
    { why: "proof", by: bound, more: {}, error: "invalid_dpop_proof" },
  ];
  for (const { why, by, more, error } of cases) {
    const code = await aCode(dev, application);
    const own = await exchange(world, application, code, { redirect_uri: undefined });
    assert.deepEqual([own.status, own.json.error], [400, "invalid_request"], why);
    const stranger = await exchange(world, by, code, { ...more, client_secret: "gos_wrong" });
    assert.equal(stranger.status, 401, why);
    const shown = await exchange(world, by, code, more);
    assert.deepEqual([shown.status, shown.json.error], [400, error], why);
    await refused(exchange(world, application, code), why);
    const alike = await aCode(dev, application);
    await exchange(world, by, alike, { ...more, client_secret: "gos_wrong" });
    assert.equal((await exchange(world, application, alike)).status, 200, `${why}: not authenticated`);
  }
});

test("redirect_uri at the exchange is compared byte for byte (reference oauth D6, reliability S26)", async () => {
  const loopback = await anApplication(world, { redirectUris: ["http://127.0.0.1/cb"] });
  const at = (redirectUri: string) => ({ ...loopback, redirectUri });
  const code = await aCode(dev, at("http://127.0.0.1:4000/cb"));
  for (const redirect_uri of [
    "http://127.0.0.1/cb",
    "http://127.0.0.1:4001/cb",
    "http://127.0.0.1:4000/cb/",
    "http://127.0.0.1:4000/CB",
    "http://127.0.0.1:4000/cb?",
    "http://127.0.0.1:4000/c%62",
    " http://127.0.0.1:4000/cb",
    "http://127.0.0.1:4000/cb\0",
  ]) {
    await refused(exchange(world, loopback, code, { redirect_uri }), redirect_uri);
  }
  for (const redirect_uri of [undefined, ""]) {
    const { json } = await exchange(world, loopback, code, { redirect_uri });
    assert.equal(json.error, "invalid_request");
  }
  assert.equal((await exchange(world, at("http://127.0.0.1:4000/cb"), code)).status, 200);
});

test("what is no code is none: ids of questions, forms, sessions and every other secret (reference oauth D13)", async () => {
  const pair = await aPair(world, dev, application);
  const device = await anApplication(world, {
    grantTypes: ["device_code", "authorization_code", "refresh_token"],
  });
  const begun = await world.call("/oauth/authorize_device", {
    form: { scope: "api" },
    headers: { authorization: device.basic },
  });
  const question = hiddenFields(
    (await dev.get(authorizePath(application, { prompt: "consent" }))).text,
    "/oauth/authorize",
  );
  for (const value of [
    ...[pair.access_token, pair.refresh_token, application.secret, application.uid, begun.json.device_code],
    ...[
      begun.json.user_code,
      question.request_id ?? "",
      question.csrf_token ?? "",
      await world.tokenOf("dev", "api"),
    ],
  ]) {
    await refused(exchange(world, device, value), value);
    await refused(refresh(world, device, value), value);
  }
  const code = await aCode(dev, device);
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  await refused(
    tokenCall(world, { grant_type, device_code: code }, { authorization: device.basic }),
    "a code as device code",
  );
  await refused(refresh(world, device, code), "a code as refresh token");
});

test("a code is worthless once its application is deleted, its consent withdrawn, its person blocked or its scope taken (reference oauth D16, reliability S20)", async () => {
  const made = () => anApplication(world, { owner: "olga" });
  const deleted = await made();
  const waiting = await aCode(dev, deleted);
  await run(sql`delete from applications where id = ${deleted.id}`);
  assert.equal((await exchange(world, deleted, waiting)).json.error, "invalid_client");

  const withdrawn = await made();
  const second = await aCode(dev, withdrawn);
  const list = await dev.get("/profile/applications");
  const path = `/profile/applications/${withdrawn.id}/revoke`;
  assert.equal((await dev.post(path, hiddenFields(list.text, path))).status, 303);
  await refused(exchange(world, withdrawn, second), "withdrawn");

  const gus = await signedIn(world, "gus");
  const third = await aCode(gus, application);
  const block = (word: string) =>
    world.call(`/api/v4/users/${world.ids.gus}/${word}`, { as: "ada", method: "POST" });
  await block("block");
  await refused(exchange(world, application, third), "blocked");
  await block("unblock");
  // It was burned; nobody stole anything, so nobody is alarmed.
  await refused(exchange(world, application, third), "blocked when it was shown first");
  const alarms = sql`select count(*) as n from audit_entries where action = 'reuse_detected' and user_id = ${world.ids.gus}`;
  assert.equal(await counted(world, alarms), 0);

  const narrowed = await made();
  const fourth = await aCode(dev, narrowed, { scope: "read_user" });
  await run(sql`update applications set scopes = '{profile}' where id = ${narrowed.id}`);
  await refused(exchange(world, narrowed, fourth), "scope taken");

  const moved = await made();
  const fifth = await aCode(dev, moved);
  await run(
    sql`update applications set redirect_uris = '{https://elsewhere.example/}' where id = ${moved.id}`,
  );
  await refused(exchange(world, moved, fifth), "address taken");

  const unticked = await made();
  const sixth = await aCode(dev, unticked);
  await run(sql`update applications set grant_types = '{refresh_token}' where id = ${unticked.id}`);
  assert.equal((await exchange(world, unticked, sixth)).json.error, "unauthorized_client");
});

test("a new password ends the codes and allowed devices that wait under the old one, and no token (reference oauth D16)", async () => {
  const max = await signedIn(world, "max");
  const device = await anApplication(world, { grantTypes: ["device_code"], confidential: false });
  const begun = await world.call("/oauth/authorize_device", {
    form: { client_id: device.uid, scope: "api" },
  });
  const typed = {
    ...hiddenFields((await max.get("/oauth/device")).text, "/oauth/device"),
    user_code: begun.json.user_code,
  };
  const question = await max.post("/oauth/device", typed);
  await max.post("/oauth/device", { ...hiddenFields(question.text, "/oauth/device"), decision: "allow" });
  const fetched = await aPair(world, max, application);
  const code = await aCode(max, application);
  const fields = hiddenFields((await max.get("/profile/password")).text, "/profile/password");
  const next = "an entirely different horse";
  const changed = await max.post("/profile/password", {
    ...fields,
    current_password: PASSWORD,
    password: next,
    password_confirmation: next,
  });
  assert.equal(changed.status, 303, changed.text);
  await refused(exchange(world, application, code), "code");
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const polled = await tokenCall(world, {
    grant_type,
    device_code: begun.json.device_code,
    client_id: device.uid,
  });
  assert.equal(polled.json.error, "expired_token");
  assert.equal(await apiStatus(world, fetched.access_token), 200);
});

test("a secret renewed between consent and exchange: the old one proves nothing, the new one does (reliability S20)", async () => {
  const instance = await anApplication(world, { owner: null });
  const code = await aCode(dev, instance);
  const renewed = await world.call(`/api/v4/applications/${instance.id}/renew-secret`, {
    as: "ada",
    method: "POST",
  });
  assert.equal(renewed.status, 200);
  assert.equal((await exchange(world, instance, code)).json.error, "invalid_client");
  assert.equal((await exchange(world, instance, code, { client_secret: renewed.json.secret })).status, 200);
});

test("32 parallel exchanges with PKCE: one succeeds, and all that it got is dead (reference oauth D10, reliability F35)", async () => {
  const { verifier, challenge } = aProof();
  const open = await anApplication(world, { confidential: false });
  const code = await aCode(dev, open, { code_challenge: challenge, code_challenge_method: "S256" });
  const form = { client_secret: undefined, code_verifier: verifier };
  const replies = await Promise.all(Array.from({ length: 32 }, () => exchange(world, open, code, form)));
  const won = replies.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  assert.equal(await apiStatus(world, won[0]?.json.access_token), 401);
});

test("a whole flow leaves neither code, token, secret nor password in the log, at its finest (reference oauth D14, D35, reliability S51)", async () => {
  const lines: string[] = [];
  const log = createLog({ logLevel: "trace" } as never, { write: (line: string) => void lines.push(line) });
  const app = await buildApp({ ...world.platform, log });
  const inject = async (url: string, form?: Record<string, string>, headers: Record<string, string> = {}) =>
    form
      ? app.inject({
          url,
          method: "POST",
          payload: new URLSearchParams(form).toString(),
          headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        })
      : app.inject({ url, headers });
  const code = await aCode(dev, application);
  const client = { client_id: application.uid, client_secret: application.secret };
  const asked = { grant_type: "authorization_code", redirect_uri: application.redirectUri, ...client };
  const issued = (await inject("/oauth/token", { ...asked, code })).json();
  assert.match(issued.access_token, /^goa_/);
  await inject(`/api/v4/user?access_token=${issued.access_token}`);
  await inject(`/api/v4/nothing?access_token=${issued.access_token}`);
  await inject(`/oauth/token/info?access_token=${issued.access_token}`);
  await inject("/api/v4/user", undefined, {
    authorization: `Bearer ${issued.access_token}`,
    referer: `https://x/?t=${issued.access_token}`,
  });
  await inject("/oauth/introspect", { ...client, token: issued.refresh_token });
  await inject("/oauth/token", { ...asked, code });
  await inject("/oauth/token", {
    ...client,
    grant_type: "refresh_token",
    refresh_token: issued.refresh_token,
  });
  await inject("/oauth/revoke", { ...client, token: issued.access_token });
  await inject("/oauth/token", { ...client, grant_type: "password", username: "dev", password: PASSWORD });
  await inject(`/oauth/token?client_secret=${application.secret}`, { grant_type: "nonsense" });
  await inject(`/oauth/authorize?code=${code}&client_secret=${application.secret}`);
  await app.close();
  assert.ok(lines.length > 10, `${lines.length} lines`);
  const written = lines.join("");
  for (const secret of [code, issued.access_token, issued.refresh_token, application.secret, PASSWORD]) {
    assert.equal(written.includes(secret), false, secret.slice(0, 4));
    assert.equal(written.includes(secret.slice(4, 34)), false, secret.slice(0, 4));
  }
});

test("the answer travels with no-referrer and no-store, by see other, never with the post itself (reference oauth D14, D50, reliability S15)", async () => {
  for (const more of [{}, { response_type: "token" }]) {
    for (const decision of ["allow", "deny"] as const) {
      const reply = await decide(dev, authorizePath(application, { ...more, prompt: "consent" }), decision);
      assert.equal(reply.status, 303);
      assert.equal(reply.headers.get("referrer-policy"), "no-referrer");
      assert.equal(reply.headers.get("cache-control"), "no-store");
      assert.equal(reply.text.includes("goc_") || reply.text.includes("goa_"), false);
    }
  }
});
