/** The web application flow over HTTP: authorization, consent, code, tokens, refresh, and all reasons for refusal. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  aCode,
  anApplication,
  answerOf,
  aProof,
  authorizePath,
  aVisitor,
  CALLBACK,
  decide,
  exchange,
  refresh,
  signedIn,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
});

test("the flow leads from the application through sign-in and consent to an access token (RFC 6749 §4.1; spec: What the service does 1; spec: Authentication 1; spec: Authentication 2; spec: GET /oauth/authorize; spec: GET /oauth/authorize approval)", async () => {
  const application = await anApplication(world);
  const visitor = aVisitor(world);
  const path = authorizePath(application, { scope: "read_user profile", state: "xyz" });
  const asked = await visitor.get(path);
  assert.equal(asked.status, 302);
  assert.equal(asked.headers.get("location"), "/users/sign_in");
  const form = await visitor.get("/users/sign_in");
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(form.text)?.[1] ?? "";
  const entered = await visitor.post("/users/sign_in", {
    csrf_token: csrf,
    username: "dev",
    password: "correct horse battery staple",
  });
  assert.equal(entered.headers.get("location"), path);
  const page = await visitor.get(path);
  assert.equal(page.status, 200);
  assert.match(page.text, /Relay Console wants to use your account/);
  assert.match(page.text, /@olga/);
  assert.match(page.text, /app\.example\.org/);
  const answer = answerOf(await decide(visitor, path));
  assert.equal(answer.state, "xyz");
  const issued = await exchange(world, application, answer.code ?? "");
  assert.equal(issued.status, 200, issued.text);
  const me = await world.call("/api/v4/user", { token: issued.json.access_token });
  assert.equal(me.status, 200);
  assert.equal(me.json.username, "dev");
});

test("the redirect contains code, state and issuer, and keeps the registered query (RFC 9207; spec: GET /oauth/authorize code result; spec: GET /oauth/authorize state)", async () => {
  const application = await anApplication(world, { redirectUris: [`${CALLBACK}?tenant=a%20b&code=old`] });
  const state = `a b+c&d="é😀"\r\n`;
  const reply = await decide(dev, authorizePath(application, { state }));
  const location = reply.headers.get("location") ?? "";
  assert.match(location, /^https:\/\/app\.example\.org\/callback\?tenant=a%20b&code=goc_/);
  const answer = answerOf(reply);
  assert.equal(answer.state, state);
  assert.equal(answer.iss, world.url);
  assert.deepEqual(Object.keys(answer), ["tenant", "code", "state", "iss"]);
});

test("an application can choose to get no issuer (contract §4, authorize)", async () => {
  const application = await anApplication(world, { omitIss: true });
  const answer = answerOf(await decide(dev, authorizePath(application, { state: undefined })));
  assert.deepEqual(Object.keys(answer), ["code"]);
});

test("the redirect URI of next-auth's GitLab provider gets no issuer, unless openid is requested (decision 0123)", async () => {
  const [own, deeper] = ["https://app.example.org/api/auth/callback/gitlab", `${CALLBACK}/gitlab/more`];
  const application = await anApplication(world, {
    redirectUris: [own, deeper],
    scopes: ["read_user", "openid"],
  });
  for (const [redirect_uri, scope, iss] of [
    [own, "read_user", undefined],
    [own, "read_user openid", world.url],
    [own, undefined, world.url],
    [deeper, "read_user", world.url],
  ] as const) {
    const path = authorizePath(application, { prompt: "consent", redirect_uri, scope });
    assert.equal(answerOf(await decide(dev, path)).iss, iss, path);
    assert.equal(answerOf(await decide(dev, path, "deny")).iss, iss, path);
  }
});

test("for this redirect URI the issuer depends on the granted scopes in the same way with and without the consent page (decision 0123)", async () => {
  const redirectUris = [`${CALLBACK}/gitlab`];
  for (const [scopes, more, iss] of [
    [["read_user"], { scope: undefined }, undefined],
    [["api", "openid"], { scope: undefined }, undefined],
    [["read_user", "openid"], { scope: undefined }, world.url],
    [["read_user", "openid"], { scope: "openid", gl_auth_type: "login" }, undefined],
  ] as [string[], Record<string, string | undefined>, string | undefined][]) {
    const path = authorizePath(await anApplication(world, { redirectUris, scopes }), more);
    assert.equal(answerOf(await decide(dev, path)).iss, iss, `${scopes}`);
    assert.equal(answerOf(await dev.get(path)).iss, iss, `${scopes}, without consent page`);
  }
});

test("the token response has access_token, token_type, expires_in and refresh_token and may not be cached (RFC 6749 §5.1; spec: POST /oauth/token; spec: POST /oauth/token code 4; spec: POST /oauth/token code 6; spec: Token response; spec: Limits 3; spec: Token response refresh_token)", async () => {
  const application = await anApplication(world);
  const issued = await exchange(world, application, await aCode(dev, application));
  const { json } = issued;
  assert.equal(issued.status, 200);
  assert.match(json.access_token, /^goa_/);
  assert.match(json.refresh_token, /^gor_/);
  assert.equal(json.token_type, "bearer");
  assert.equal(json.expires_in, 7200);
  assert.equal(json.scope, "api");
  assert.ok(Math.abs(json.created_at - Date.now() / 1000) < 60);
  assert.equal(issued.headers.get("cache-control"), "no-store");
  assert.equal(issued.headers.get("pragma"), "no-cache");
  assert.match(issued.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(issued.headers.get("access-control-allow-origin"), "*");
});

test("the client may authenticate by HTTP Basic or in a JSON body as well (RFC 6749 §2.3.1; contract §4, media types)", async () => {
  const application = await anApplication(world);
  const form = { grant_type: "authorization_code", redirect_uri: CALLBACK };
  const basic = await tokenCall(
    world,
    { ...form, code: await aCode(dev, application) },
    { authorization: application.basic },
  );
  assert.equal(basic.status, 200, basic.text);
  const json = await world.call("/oauth/token", {
    json: {
      ...form,
      code: await aCode(dev, application),
      client_id: application.uid,
      client_secret: application.secret,
    },
  });
  assert.equal(json.status, 200, json.text);
});

test("each parameter of the exchange is required (spec: POST /oauth/token code 1; spec: POST /oauth/token code 2; spec: POST /oauth/token code 3)", async () => {
  const application = await anApplication(world);
  const code = await aCode(dev, application);
  for (const [name, status, error] of [
    ["client_id", 401, "invalid_client"],
    ["client_secret", 401, "invalid_client"],
    ["code", 400, "invalid_request"],
    ["redirect_uri", 400, "invalid_request"],
    ["grant_type", 400, "invalid_request"],
  ] as const) {
    const refused = await exchange(world, application, code, { [name]: undefined });
    assert.equal(refused.status, status, name);
    assert.equal(refused.json.error, error, name);
    assert.equal(refused.headers.get("www-authenticate"), status === 401 ? 'Basic realm="Gatehouse"' : null);
    assert.equal(refused.headers.get("cache-control"), "no-store");
  }
  assert.equal((await exchange(world, application, code)).status, 200);
});

test("refuses a code whose redirect_uri differs by one byte (RFC 6749 §4.1.3; spec: POST /oauth/token code 5; spec: Errors 2; reference oauth D6, reliability S26)", async () => {
  const application = await anApplication(world, { redirectUris: [CALLBACK, `${CALLBACK}/`] });
  const code = await aCode(dev, application);
  const refused = await exchange(world, application, code, { redirect_uri: `${CALLBACK}/` });
  assert.equal(refused.status, 400);
  assert.equal(refused.json.error, "invalid_grant");
  assert.equal((await exchange(world, application, code)).status, 200);
});

test("a second use of a code is refused and revokes the tokens issued for the first (RFC 6749 §4.1.2; contract §4, code; reference oauth D9, reliability S23)", async () => {
  const application = await anApplication(world);
  const code = await aCode(dev, application);
  const { json } = await exchange(world, application, code);
  const again = await exchange(world, application, code);
  assert.equal(again.status, 400);
  assert.equal(again.json.error, "invalid_grant");
  assert.equal((await world.call("/api/v4/user", { token: json.access_token })).status, 401);
  assert.equal((await refresh(world, application, json.refresh_token)).json.error, "invalid_grant");
});

test("64 parallel redemptions of one code issue one token set, which the others revoke (contract §4, code; reference oauth D10)", async () => {
  const application = await anApplication(world);
  const code = await aCode(dev, application);
  const replies = await Promise.all(Array.from({ length: 64 }, () => exchange(world, application, code)));
  const won = replies.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    assert.equal(reply.status, 400);
    assert.equal(reply.json.error, "invalid_grant");
  }
  assert.equal((await world.call("/api/v4/user", { token: won[0]?.json.access_token })).status, 401);
  assert.equal((await refresh(world, application, won[0]?.json.refresh_token)).json.error, "invalid_grant");
});

test("a code that another application redeems is refused and invalidated (RFC 6749 §4.1.3; contract §4, code; reference oauth D11, reliability S25)", async () => {
  const application = await anApplication(world);
  const other = await anApplication(world);
  const code = await aCode(dev, application);
  const stolen = await exchange(world, other, code);
  assert.equal(stolen.status, 400);
  assert.equal(stolen.json.error, "invalid_grant");
  assert.equal((await exchange(world, application, code)).json.error, "invalid_grant");
});

test("a code expires after 60 s and is invalid if its user is blocked, its scopes are withdrawn or its application is deleted (contract §4, lifetimes; reference oauth D12, reliability S20, S24)", async () => {
  const application = await anApplication(world);
  const { sql } = await import("../../src/platform/sql.ts");
  const { db } = world.platform;
  const expired = await aCode(dev, application);
  await db.run(sql`update authorization_codes set expires_at = now() where spent_at is null`);
  assert.equal((await exchange(world, application, expired)).json.error, "invalid_grant");

  const rep = await signedIn(world, "rep");
  const ofBlocked = await aCode(rep, application);
  await db.run(sql`update users set state = 'blocked' where id = ${world.ids.rep}`);
  assert.equal((await exchange(world, application, ofBlocked)).json.error, "invalid_grant");
  await db.run(sql`update users set state = 'active' where id = ${world.ids.rep}`);

  const beyond = await aCode(dev, application, { scope: "read_user" });
  await db.run(sql`update applications set scopes = '{profile}' where id = ${application.id}`);
  assert.equal((await exchange(world, application, beyond)).json.error, "invalid_grant");

  await db.run(sql`delete from applications where id = ${application.id}`);
  assert.equal((await exchange(world, application, beyond)).json.error, "invalid_client");
});

test("PKCE: the code verifier must match the code challenge, and neither may be sent alone (RFC 7636; RFC 9700 §4.8; contract §4, PKCE; reference oauth D17, D18, reliability S18, S19)", async () => {
  const application = await anApplication(world);
  const { verifier, challenge } = aProof();
  const withChallenge = { code_challenge: challenge, code_challenge_method: "S256" };
  for (const wrong of [
    undefined,
    aProof().verifier,
    challenge,
    "short",
    `${verifier}\n`,
    verifier.repeat(4),
  ]) {
    const code = await aCode(dev, application, withChallenge);
    const refused = await exchange(world, application, code, { code_verifier: wrong });
    assert.equal(refused.json.error, "invalid_grant", wrong);
  }
  const downgraded = await exchange(world, application, await aCode(dev, application), {
    code_verifier: verifier,
  });
  assert.equal(downgraded.json.error, "invalid_grant");
  const code = await aCode(dev, application, withChallenge);
  assert.equal((await exchange(world, application, code, { code_verifier: verifier })).status, 200);
});

test("a public application must use PKCE with S256 and authenticates with its client_id alone (contract §4, flows; reference oauth D19, D21, reliability S17)", async () => {
  const application = await anApplication(world, { confidential: false });
  const { verifier, challenge } = aProof();
  for (const more of [
    {},
    { code_challenge: verifier, code_challenge_method: "plain" },
    { code_challenge: challenge },
    { code_challenge: `${challenge}=`, code_challenge_method: "S256" },
    { code_challenge_method: "S256" },
  ]) {
    const refused = answerOf(await dev.get(authorizePath(application, more)));
    assert.equal(refused.error, "invalid_request", JSON.stringify(more));
    assert.equal(refused.state, "s-1");
  }
  const asked = { code_challenge: challenge, code_challenge_method: "S256" };
  const alone = { client_secret: undefined, code_verifier: verifier };
  const first = await exchange(world, application, await aCode(dev, application, asked), alone);
  assert.equal(first.status, 200, first.text);
  const wrongSecret = { ...alone, client_secret: "gos_wrong" };
  const refused = await exchange(world, application, await aCode(dev, application, asked), wrongSecret);
  assert.equal(refused.status, 401);
});

test("a refresh returns new tokens and invalidates the old access token; a narrower scope holds only for the token requested (RFC 6749 §6; contract §4, refresh; spec: POST /oauth/token password 8)", async () => {
  const application = await anApplication(world);
  const first = (
    await exchange(world, application, await aCode(dev, application, { scope: "api read_user" }))
  ).json;
  const narrow = await refresh(world, application, first.refresh_token, { scope: "read_user" });
  assert.equal(narrow.status, 200, narrow.text);
  assert.equal(narrow.json.scope, "read_user");
  assert.notEqual(narrow.json.refresh_token, first.refresh_token);
  assert.equal((await world.call("/api/v4/user", { token: first.access_token })).status, 401);
  assert.equal((await world.call("/api/v4/user", { token: narrow.json.access_token })).status, 200);
  const wide = await refresh(world, application, narrow.json.refresh_token);
  assert.equal(wide.json.scope, "api read_user");
  const wider = await refresh(world, application, wide.json.refresh_token, {
    scope: "openid email write_events",
  });
  assert.equal(wider.status, 200, "api includes these scopes");
  const unknown = await refresh(world, application, wider.json.refresh_token, { scope: "sudo" });
  assert.equal(unknown.json.error, "invalid_scope");
  assert.equal((await refresh(world, application, wider.json.refresh_token)).status, 200);
});

test("a refresh beyond the granted scope is invalid_scope and does not use up the refresh token (RFC 6749 §6; reference oauth D24, reliability S39)", async () => {
  const application = await anApplication(world);
  const { json } = await exchange(world, application, await aCode(dev, application, { scope: "read_user" }));
  const wider = await refresh(world, application, json.refresh_token, { scope: "api" });
  assert.equal(wider.status, 400);
  assert.equal(wider.json.error, "invalid_scope");
  assert.equal((await refresh(world, application, json.refresh_token)).status, 200);
});

test("32 parallel refreshes with one token get the same successor (contract §4, refresh; reference oauth D23)", async () => {
  const application = await anApplication(world);
  const { json } = await exchange(world, application, await aCode(dev, application));
  const replies = await Promise.all(
    Array.from({ length: 32 }, () => refresh(world, application, json.refresh_token)),
  );
  for (const { status, text } of replies) assert.equal(status, 200, text);
  assert.equal(new Set(replies.map((reply) => reply.json.access_token)).size, 1);
  assert.equal(new Set(replies.map((reply) => reply.json.refresh_token)).size, 1);
  const [{ json: next }] = replies as [(typeof replies)[0]];
  assert.equal((await world.call("/api/v4/user", { token: next.access_token })).status, 200);
  assert.equal((await refresh(world, application, next.refresh_token)).status, 200);
});

test("reusing a refresh token revokes the whole family if its successor was used or 30 s have passed (RFC 9700 §4.14.2; contract §4, refresh; reference oauth D22, reliability S40)", async () => {
  const { sql } = await import("../../src/platform/sql.ts");
  const application = await anApplication(world);
  for (const late of [false, true]) {
    const first = (await exchange(world, application, await aCode(dev, application))).json;
    let last = (await refresh(world, application, first.refresh_token)).json;
    if (late) {
      await world.platform.db.run(
        sql`update refresh_tokens set spent_at = spent_at - interval '31 seconds' where spent_at is not null`,
      );
    } else {
      last = (await refresh(world, application, last.refresh_token)).json;
    }
    const reused = await refresh(world, application, first.refresh_token);
    assert.equal(reused.json.error, "invalid_grant");
    assert.equal((await world.call("/api/v4/user", { token: last.access_token })).status, 401);
    assert.equal((await refresh(world, application, last.refresh_token)).json.error, "invalid_grant");
  }
});

test("a refresh token sent by another application is refused and stays valid (RFC 6749 §6; reliability S38)", async () => {
  const application = await anApplication(world);
  const other = await anApplication(world);
  const { json } = await exchange(world, application, await aCode(dev, application));
  assert.equal((await refresh(world, other, json.refresh_token)).json.error, "invalid_grant");
  assert.equal((await refresh(world, application, json.refresh_token)).status, 200);
});

test("an expired refresh token is refused, and none is valid beyond 180 days after the authorization (contract §4, lifetimes; reference oauth D25, reliability S43)", async () => {
  const { sql } = await import("../../src/platform/sql.ts");
  const { db } = world.platform;
  const application = await anApplication(world);
  const { json } = await exchange(world, application, await aCode(dev, application));
  await db.run(sql`update authorizations set created_at = created_at - interval '175 days'`);
  const last = (await refresh(world, application, json.refresh_token)).json;
  const { row, instant } = await import("../../src/platform/row.ts");
  const newest = await db.one(
    row({ expiresAt: instant }),
    sql`select expires_at from refresh_tokens order by id desc limit 1`,
  );
  const days = (newest.expiresAt.getTime() - Date.now()) / 86_400_000;
  assert.ok(days > 4.9 && days < 5.1, `${days} days`);
  await db.run(sql`update refresh_tokens set expires_at = now()`);
  assert.equal((await refresh(world, application, last.refresh_token)).json.error, "invalid_grant");
});
