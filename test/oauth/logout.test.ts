/** RP-initiated logout: when the person is asked, which session ends, and where the browser is redirected. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { aPair, aScene } from "../support/attacks.ts";
import {
  anApplication,
  answerOf,
  authorizePath,
  aVisitor,
  decide,
  hiddenFields,
  refresh,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import type { Person, Reply, World } from "../support/world.ts";

const AFTER = "https://app.example.org/signed-out?from=gatehouse";

let world: World;
let application: TestApplication;

before(async () => {
  ({ world, application } = await aScene(
    {},
    {
      scopes: ["openid", "read_user"],
      postLogoutRedirectUris: [AFTER, "http://127.0.0.1:4000/out"],
    },
  ));
});

const tokensOf = async (person: Person, of = application) =>
  aPair(world, await signedIn(world, person), of, { scope: "openid read_user" });

const logout = (more: Record<string, string>) => `/oauth/logout?${new URLSearchParams(more)}`;
const isIn = async (visitor: Visitor) => (await visitor.get("/profile/applications")).status === 200;
const press = (visitor: Visitor, page: Reply, more: Record<string, string> = {}) =>
  visitor.post("/oauth/logout", { ...hiddenFields(page.text, "/oauth/logout"), ...more });

test("discovery names the end_session_endpoint, which answers GET and POST only (OpenID Connect RP-Initiated Logout §2.1)", async () => {
  const { end_session_endpoint: at } = (await world.call("/.well-known/openid-configuration")).json;
  assert.equal(at, `${world.url}/oauth/logout`);
  const page = await aVisitor(world).get("/oauth/logout");
  assert.equal(page.status, 200);
  assert.match(page.text, /You are signed out/);
  const head = await world.call("/oauth/logout", { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("allow")], [405, "GET, POST"]);
});

test("with an id_token_hint of the signed-in person, logout needs no question and redirects with the state (OpenID Connect RP-Initiated Logout §2, §3)", async () => {
  const { id_token } = await tokensOf("dev");
  const dev = await signedIn(world, "dev");
  const elsewhere = await signedIn(world, "dev");
  const asked = { id_token_hint: id_token, post_logout_redirect_uri: AFTER, state: 'a b&"é' };
  const back = await dev.get(logout({ ...asked, ui_locales: "de", logout_hint: "DEV" }));
  assert.deepEqual(answerOf(back), { from: "gatehouse", state: 'a b&"é' });
  assert.ok(back.headers.get("location")?.startsWith(AFTER));
  assert.equal(await isIn(dev), false);
  assert.equal(await isIn(elsewhere), true, "a session in another browser continues");
  const stateless = await (await signedIn(world, "dev")).get(
    logout({ id_token_hint: id_token, post_logout_redirect_uri: AFTER }),
  );
  assert.equal(stateless.headers.get("location"), AFTER);
  const staying = await signedIn(world, "dev");
  assert.match((await staying.get(logout({ id_token_hint: id_token }))).text, /You are signed out/);
  assert.equal(await isIn(staying), false);
});

test("a sign-out requested by an application is in the audit log with its name (reference oauth D89)", async () => {
  const { id_token } = await tokensOf("gus");
  const { row, text, integer } = await import("../../src/platform/row.ts");
  const entries = async () =>
    world.platform.db.many(
      row({ actorId: integer, application: text, uid: text }),
      sql`select actor_id, details->>'application' as application, details->>'uid' as uid
        from audit_entries where action = 'sign_out' and user_id = ${world.ids.gus}`,
    );
  const entry = { actorId: world.ids.gus, application: "Relay Console", uid: application.uid };
  await (await signedIn(world, "gus")).get(logout({ id_token_hint: id_token }));
  assert.deepEqual(await entries(), [entry]);
  await (await signedIn(world, "gus")).get(authorizePath(application, { prompt: "login" }));
  assert.deepEqual(await entries(), [entry, entry]);
  await decide(await signedIn(world, "gus"), authorizePath(application, { prompt: "consent" }), "switch");
  assert.deepEqual(await entries(), [entry, entry, entry]);
});
test("the application's access and refresh tokens stay valid after logout from the session in which they were issued (OpenID Connect RP-Initiated Logout §2)", async () => {
  const rep = await signedIn(world, "rep");
  const scope = "openid read_user";
  const { id_token, access_token, refresh_token } = await aPair(world, rep, application, { scope });
  await rep.get(logout({ id_token_hint: id_token }));
  assert.equal(await isIn(rep), false);
  assert.equal((await world.call("/api/v4/user", { token: access_token })).status, 200);
  const renewed = await refresh(world, application, refresh_token);
  assert.equal(renewed.status, 200, renewed.text);
  assert.equal((await world.call("/api/v4/user", { token: renewed.json.access_token })).status, 200);
});

test("without an ID token of the signed-in person, logout asks first (OpenID Connect RP-Initiated Logout §2)", async () => {
  const { id_token } = await tokensOf("dev");
  const max = await signedIn(world, "max");
  for (const [what, asked] of Object.entries({
    "no hint": { client_id: application.uid },
    "nothing at all": {},
    "the token of somebody else": { id_token_hint: id_token },
    "no token": { id_token_hint: "x", client_id: application.uid },
    "a token with another signature": { id_token_hint: `${id_token.slice(0, -8)}AAAAAAAA` },
  })) {
    const page = await max.get(logout(asked as Record<string, string>));
    assert.equal(page.status, 200, what);
    assert.match(page.text, /Sign out\?/, what);
    assert.match(page.text, /@max/, what);
    assert.equal(await isIn(max), true, what);
  }
  const dev = await signedIn(world, "dev");
  const suspect = await dev.get(logout({ id_token_hint: id_token, logout_hint: "max" }));
  assert.match(suspect.text, /Sign out\?/, "the hints name two people");
  const ahead = await dev.get(logout({ id_token_hint: id_token }), { "sec-purpose": "prefetch" });
  assert.match(ahead.text, /Sign out\?/, "a prefetch signs nobody out");
  assert.equal(await isIn(dev), true);
});

test("confirming the question signs out and redirects; a changed redirect URI in the form is validated again (OpenID Connect RP-Initiated Logout §2, §3)", async () => {
  const asked = { client_id: application.uid, post_logout_redirect_uri: AFTER, state: "s-2" };
  const max = await signedIn(world, "max");
  const page = await max.get(logout(asked));
  assert.match(page.text, /Relay Console/);
  assert.match(page.text, /https:\/\/app\.example\.org<\/strong>/);
  assert.match(
    page.headers.get("content-security-policy") ?? "",
    /form-action 'self' https:\/\/app\.example\.org;/,
  );
  const bent = await press(max, page, { post_logout_redirect_uri: "https://evil.example/" });
  assert.equal(bent.headers.get("location"), "/oauth/logout", "signed out, without a redirect");
  const again = await signedIn(world, "max");
  const back = await press(again, await again.get(logout(asked)));
  assert.deepEqual(answerOf(back), { from: "gatehouse", state: "s-2" });
  assert.equal(await isIn(again), false);
  const third = await signedIn(world, "max");
  const plain = await press(third, await third.get("/oauth/logout"));
  assert.equal(plain.headers.get("location"), "/oauth/logout");
  assert.match((await third.get("/oauth/logout")).text, /You are signed out/);
});

test("a browser with no session of the id_token_hint's person is redirected only by a link to click: anybody can get an ID token for an application of their own (OpenID Connect RP-Initiated Logout §3; D8; decision 0136)", async () => {
  const { id_token } = await tokensOf("dev");
  const asked = { post_logout_redirect_uri: AFTER, state: '"><b>' };
  const hinted = logout({ ...asked, id_token_hint: id_token });
  const out = await signedIn(world, "dev");
  assert.deepEqual(answerOf(await out.get(hinted)), { from: "gatehouse", state: '"><b>' });
  const suspended = authorizePath(application, { prompt: "login", scope: "openid" });
  const other = await signedIn(world, "max");
  await other.get(suspended);
  for (const [what, page] of Object.entries({
    "nobody was there": await aVisitor(world).get(hinted),
    "no hint": await aVisitor(world).get(logout({ ...asked, client_id: application.uid })),
    "signed out before": await out.get(hinted),
    "somebody else is asked to sign in again": await other.get(hinted),
  })) {
    assert.deepEqual(
      [page.status, page.headers.get("location"), page.headers.get("refresh")],
      [200, null, null],
      what,
    );
    assert.ok(page.text.includes(`href="${AFTER}&amp;state=%22%3E%3Cb%3E"`), page.text);
  }
  const left = await signedIn(world, "dev");
  await left.get(suspended);
  const ahead = await left.get(hinted, { "sec-purpose": "prefetch" });
  assert.deepEqual([ahead.status, ahead.headers.get("location")], [200, null]);
  assert.deepEqual(answerOf(await left.get(hinted)), { from: "gatehouse", state: '"><b>' });
});

test("the redirect after logout has no referrer and is not cached, because its address holds an ID token and a state (RFC 9700 §4.2.4; OpenID Connect RP-Initiated Logout §3)", async () => {
  const { id_token } = await tokensOf("dev");
  const asked = { post_logout_redirect_uri: AFTER, state: "s", id_token_hint: id_token };
  const left = await signedIn(world, "dev");
  await left.get(authorizePath(application, { prompt: "login", scope: "openid" }));
  for (const visitor of [await signedIn(world, "dev"), left]) {
    const back = await visitor.get(logout(asked));
    assert.equal(back.status, 303);
    const [referrer, kept] = [back.headers.get("referrer-policy"), back.headers.get("cache-control")];
    assert.deepEqual([referrer, kept], ["no-referrer", "no-store"]);
  }
  // After a form of this server, browsers check redirects against its form-action, so the page refreshes instead.
  const began = await (await signedIn(world, "dev")).get(logout(asked), {
    "sec-fetch-site": "same-origin",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
  });
  assert.deepEqual([began.status, began.headers.get("referrer-policy")], [200, "no-referrer"]);
  assert.ok(began.headers.get("refresh")?.startsWith(`0; url=${AFTER}`), began.text);
});

test("logout redirects only to a URI registered exactly for this application (OpenID Connect RP-Initiated Logout §3; D7, D8)", async () => {
  const other = await anApplication(world, { postLogoutRedirectUris: ["https://other.example/out"] });
  const { id_token } = await tokensOf("dev");
  const dev = await signedIn(world, "dev");
  for (const sent of [
    "https://app.example.org/signed-out",
    `${AFTER}&x=1`,
    `${AFTER}#x`,
    "https://app.example.org/callback",
    "https://other.example/out",
    "https://evil.example/",
    "//evil.example/",
    "javascript:alert(1)",
    "http://127.0.0.1:4001/out",
  ]) {
    for (const visitor of [dev, aVisitor(world)]) {
      for (const by of [{ id_token_hint: id_token }, { client_id: application.uid }] as Record<
        string,
        string
      >[]) {
        const page = await visitor.get(logout({ ...by, post_logout_redirect_uri: sent }));
        assert.equal(page.status, 400, sent);
        assert.equal(page.headers.get("location"), null);
        assert.equal(page.headers.get("refresh"), null);
        assert.match(page.text, /not registered for this application/);
        assert.ok(!page.text.includes("evil.example"), "an unregistered address is not shown either");
      }
    }
  }
  assert.equal(await isIn(dev), true, "and nobody is signed out without a question");
  const page = await dev.get(logout({ post_logout_redirect_uri: AFTER }));
  assert.equal(page.status, 400, "no application is named, so the address belongs to none");
  const mixed = await dev.get(
    logout({
      id_token_hint: id_token,
      client_id: other.uid,
      post_logout_redirect_uri: "https://other.example/out",
    }),
  );
  assert.equal(mixed.status, 400);
  assert.match(mixed.text, /made for another application/);
  assert.equal((await dev.get(logout({ client_id: "x" }))).status, 400);
  assert.equal((await dev.get(`${logout({ state: "a" })}&state=b`)).status, 400);
  assert.equal((await dev.get(logout({ state: "x".repeat(4097) }))).status, 400);
  assert.equal((await dev.get(logout({ state: "x".repeat(4096) }))).status, 200);
  // Counted in UTF-8 bytes, and longer than fits in an address.
  const long = await press(dev, page, { state: "é".repeat(2049) });
  assert.deepEqual([long.status, await isIn(dev)], [400, true], long.text);
  const left = await press(dev, page);
  assert.equal(left.headers.get("location"), "/oauth/logout", "the error page still offers to sign out");
  assert.equal(await isIn(dev), false);
});

test("a logout state that is not valid UTF-8 is refused in query, form and JSON (OpenID Connect RP-Initiated Logout §3)", async () => {
  const { id_token } = await tokensOf("dev");
  const dev = await signedIn(world, "dev");
  const asked = { id_token_hint: id_token, post_logout_redirect_uri: AFTER };
  for (const state of ["%E9", "a%ZZ", "%"]) {
    const page = await dev.get(`${logout(asked)}&state=${state}`);
    assert.equal(page.status, 400, state);
    assert.match(page.text, /The state is not valid UTF-8/);
    const posted = await world.call(`/oauth/logout?state=${state}`, { form: asked });
    assert.deepEqual([posted.status, posted.headers.get("location")], [400, null], state);
  }
  assert.equal((await world.call("/oauth/logout", { json: { ...asked, state: "\ud800" } })).status, 400);
  assert.equal(await isIn(dev), true);
  const whole = await dev.get(`${logout(asked)}&state=%C3%A9&ui_locales=%E9`);
  assert.equal(answerOf(whole).state, "é", "other parameters may be badly encoded");
});

test("the application's events record the sent and the registered post-logout redirect URIs (decision 0080)", async () => {
  const own = await anApplication(world, { postLogoutRedirectUris: [AFTER] });
  const sent = "https://app.example.org/signed-out/";
  await aVisitor(world).get(logout({ client_id: own.uid, post_logout_redirect_uri: sent }));
  const events = await world.call(`/api/v4/applications/${own.id}/events?endpoint=logout`, {
    as: "olga",
  });
  const reasons = (events.json as { reason: string }[]).map(({ reason }) => reason);
  assert.ok(
    reasons.some((reason) => reason.includes(`sent ${sent}, registered ${AFTER}`)),
    reasons.join("\n"),
  );
});

test("a logout request posted from another site is handled like one in the address (OpenID Connect RP-Initiated Logout §2)", async () => {
  const { id_token } = await tokensOf("dev");
  const dev = await signedIn(world, "dev");
  const elsewhere = { origin: "https://app.example.org", "sec-fetch-site": "cross-site" };
  const asked = { id_token_hint: id_token, post_logout_redirect_uri: AFTER, state: "s" };
  // Browsers do not send the cookie, and would store a new one in its place.
  const posted = await world.call("/oauth/logout", { form: asked, headers: elsewhere });
  assert.equal(posted.status, 303);
  assert.deepEqual(posted.headers.getSetCookie(), []);
  assert.equal(await isIn(dev), true);
  assert.deepEqual(answerOf(await dev.get(posted.headers.get("location") ?? "")), {
    from: "gatehouse",
    state: "s",
  });
  assert.equal(await isIn(dev), false);
});

test("a cross-site post of this server's forms signs nobody out and sets no cookie (D40)", async () => {
  const dev = await signedIn(world, "dev");
  const page = await dev.get("/oauth/logout");
  const fields = hiddenFields(page.text, "/oauth/logout");
  const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  assert.equal((await dev.post("/oauth/logout", fields, elsewhere)).status, 403);
  assert.equal((await dev.post("/oauth/logout", { csrf_token: "x" })).status, 403);
  assert.equal(await isIn(dev), true);
  for (const path of ["/oauth/logout", "/users/sign_out", "/users/sign_in", "/oauth/authorize", "/profile"]) {
    const form = { ...fields, username: "x", password: "x" };
    const reply = await world.call(path, { form, headers: elsewhere });
    assert.deepEqual(
      reply.headers.getSetCookie(),
      [],
      `${path}: browsers send no cookie with it, and would store a new one`,
    );
  }
});

test("after logout, prompt=none answers login_required (OpenID Connect Core §3.1.2.6)", async () => {
  const { id_token } = await tokensOf("dev");
  const dev = await signedIn(world, "dev");
  const silent = authorizePath(application, { scope: "openid", prompt: "none", id_token_hint: id_token });
  assert.match(answerOf(await dev.get(silent)).code ?? "", /^goc_/);
  await dev.get(logout({ id_token_hint: id_token }));
  assert.equal(answerOf(await dev.get(silent)).error, "login_required");
});

test("post-logout redirect URIs are registered by form and API under the rules of redirect URIs (OpenID Connect RP-Initiated Logout §3.1)", async () => {
  const call = (json: object) =>
    world.call("/api/v4/applications", {
      as: "ada",
      json: { name: "Tool", redirect_uri: "https://a.example/cb", scopes: "openid", ...json },
    });
  const made = await call({ post_logout_redirect_uris: ["https://a.example/out", "com.example.tool:/out"] });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(made.json.post_logout_redirect_uris, ["https://a.example/out", "com.example.tool:/out"]);
  const changed = await world.call(`/api/v4/applications/${made.json.id}`, {
    as: "ada",
    method: "PUT",
    json: { name: "Tool 2" },
  });
  assert.equal(changed.json.post_logout_redirect_uris.length, 2, "omitted fields are kept");
  assert.deepEqual((await call({})).json.post_logout_redirect_uris, []);
  for (const [uri, fault] of [
    ["https://a.example/#x", "cannot contain a fragment."],
    ["javascript:alert(1)", "is forbidden by the server."],
    ["nowhere", "must be an absolute URI."],
    ["urn:ietf:wg:oauth:2.0:oob", "cannot be a page of this server"],
  ]) {
    const refused = await call({ post_logout_redirect_uris: [uri] });
    assert.deepEqual(
      [refused.status, refused.json],
      [400, { message: { post_logout_redirect_uris: [fault] } }],
    );
  }
  const olga = await signedIn(world, "olga");
  const path = `/profile/applications/${application.id}/edit`;
  const form = await olga.get(path);
  assert.ok(form.text.includes(`${AFTER}\nhttp://127.0.0.1:4000/out</textarea>`));
  const rare = /<details class="more full"( open)?><summary>Requests, sign-out and tokens/;
  assert.equal(rare.exec(form.text)?.[1], " open", "a section with a set value is not collapsed");
  const fields = {
    ...hiddenFields(form.text, `/profile/applications/${application.id}`),
    name: "Relay Console",
    redirect_uri: application.redirectUri,
    scopes: "openid",
    grant_types: "authorization_code",
    confidential: "1",
  };
  const wrong = await olga.post(`/profile/applications/${application.id}`, {
    ...fields,
    post_logout_redirect_uris: `${AFTER}\nhttps://a.example/#x`,
  });
  assert.equal(wrong.status, 422, wrong.text);
  assert.match(wrong.text, /Line 2 cannot contain a fragment\./);
  const another = (await olga.get("/profile/applications")).text;
  assert.deepEqual([rare.test(another), rare.exec(another)?.[1]], [true, undefined]);
  assert.ok(wrong.text.includes("https://a.example/#x</textarea>"), "the typed text is kept");
  const shown = await olga.get(`/profile/applications/${application.id}`);
  assert.ok(shown.text.includes("Post-logout redirect URIs"));
});

test("a posted logout or authorization request too long for an address gets 413 with an explanation (OpenID Connect RP-Initiated Logout §2)", async () => {
  for (const state of ["é".repeat(2000), "x".repeat(20_000)]) {
    const post = (path: string, fields: Record<string, string>) =>
      world.call(path, {
        method: "POST",
        body: String(new URLSearchParams(fields)),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
    const refused = await post("/oauth/logout", { client_id: application.uid, state });
    assert.equal(refused.status, 413);
    assert.match(refused.text, /longer than an address of 8 KiB, so nothing was done/);
    const parameters = { client_id: application.uid, redirect_uri: application.redirectUri, state };
    assert.equal((await post("/oauth/authorize", parameters)).status, 413);
  }
});
