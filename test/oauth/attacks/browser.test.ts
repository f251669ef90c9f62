/** Attacks through a person's browser: forged posts, framed pages, names that deceive, pages that stay in caches. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aScene, codesInAll } from "../../support/attacks.ts";
import {
  anApplication,
  answerOf,
  aProof,
  authorizePath,
  aVisitor,
  decide,
  exchange,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../../support/oauth.ts";
import type { World } from "../../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;

before(async () => {
  ({ world, dev, application } = await aScene());
});

const ask = () => authorizePath(application, { prompt: "consent" });
const fieldsOf = async (visitor: Visitor) =>
  hiddenFields((await visitor.get(ask())).text, "/oauth/authorize");

test("an answer without the form's token, with another's, an old one, or from another site is 403 and makes no code (reference oauth D40, reliability S10)", async () => {
  const before = await codesInAll(world);
  const fields = await fieldsOf(dev);
  const gus = await signedIn(world, "gus");
  const theirs = (await fieldsOf(gus)).csrf_token ?? "";
  const again = await signedIn(world, "dev");
  const stale = (await fieldsOf(again)).csrf_token ?? "";
  for (const [form, headers] of [
    [{ ...fields, csrf_token: "" }, {}],
    [{ ...fields, csrf_token: theirs }, {}],
    [{ ...fields, csrf_token: stale }, {}],
    [{ ...fields, csrf_token: `${fields.csrf_token}x` }, {}],
    [fields, { origin: "https://evil.example" }],
    [fields, { origin: "null" }],
    [fields, { origin: `${world.url}.evil.example` }],
    [fields, { origin: world.url.replace("http:", "https:") }],
    [fields, { "sec-fetch-site": "cross-site" }],
    [fields, { "sec-fetch-site": "same-site" }],
  ] as [Record<string, string>, Record<string, string>][]) {
    for (const method of ["POST", "DELETE"]) {
      const cookieless = await world.call("/oauth/authorize", { form, headers, method });
      assert.equal(cookieless.status, 403, `${method} without a session`);
    }
    const reply = await dev.post("/oauth/authorize", { decision: "allow", ...form }, headers);
    assert.equal(reply.status, 403, JSON.stringify(headers));
    assert.equal(reply.headers.get("location"), null);
  }
  assert.equal(await codesInAll(world), before);
  assert.equal((await dev.post("/oauth/authorize", { ...fields, decision: "allow" })).status, 303);
});

test("the session's cookie is HttpOnly and SameSite=Lax, so that another site's post comes without it (reference oauth D40)", async () => {
  const reply = await world.call("/users/sign_in");
  const [cookie = ""] = reply.headers.getSetCookie();
  assert.match(cookie, /HttpOnly/i);
  assert.match(cookie, /SameSite=Lax/i);
  assert.match(cookie, /Path=\//i);
  assert.doesNotMatch(cookie, /Domain=/i);
});

test("a question belongs to the session that was asked: a victim who opens an attacker's answers nothing (reference oauth D15)", async () => {
  const attacker = await signedIn(world, "stan");
  const planted = await fieldsOf(attacker);
  const own = await fieldsOf(dev);
  const victim = await dev.post("/oauth/authorize", {
    csrf_token: own.csrf_token ?? "",
    request_id: planted.request_id ?? "",
    decision: "allow",
  });
  assert.equal(victim.status, 400);
  const elsewhere = await signedIn(world, "dev");
  const second = await fieldsOf(elsewhere);
  const other = await elsewhere.post("/oauth/authorize", {
    csrf_token: second.csrf_token ?? "",
    request_id: own.request_id ?? "",
    decision: "allow",
  });
  assert.equal(other.status, 400, "the same person in another browser");
  assert.equal((await dev.post("/oauth/authorize", { ...own, decision: "allow" })).status, 303);
});

test("every page on the way refuses frames, caches, referrers and foreign sources (reference oauth D14, D41, D49, reliability S16)", async () => {
  const stranger = aVisitor(world);
  const pages: [string, Visitor][] = [
    ["/users/sign_in", stranger],
    ["/users/two_factor", stranger],
    [ask(), dev],
    [authorizePath(application, { client_id: "x" }), dev],
    [authorizePath(application, { redirect_uri: "https://evil.example" }), dev],
    ["/oauth/device", dev],
    ["/profile/applications", dev],
    ["/profile/personal_access_tokens", dev],
    ["/profile/two_factor", dev],
    ["/profile/password", dev],
    ["/nothing/here", dev],
  ];
  const skipped: string[] = [];
  for (const [path, visitor] of pages) {
    const { headers, text, status } = await visitor.get(path);
    const policy = headers.get("content-security-policy") ?? "";
    if (status >= 300 && status < 400) {
      skipped.push(path);
      continue;
    }
    assert.equal(headers.get("x-frame-options"), "DENY", path);
    assert.match(policy, /frame-ancestors 'none'/, path);
    assert.match(policy, /default-src 'none'/, path);
    assert.match(policy, /base-uri 'none'/, path);
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'$/, path);
    assert.doesNotMatch(policy, /unsafe-|https?:\/\/(?!app\.example\.org)/, path);
    assert.equal(headers.get("cache-control"), "no-store", path);
    assert.match(headers.get("referrer-policy") ?? "", /^(no-referrer|same-origin)$/, path);
    assert.equal(headers.get("cross-origin-resource-policy"), "same-origin", path);
    assert.equal(
      headers.get("permissions-policy"),
      "camera=(), microphone=(), geolocation=(), publickey-credentials-get=(self)",
      path,
    );
    // Signing in for an application stands in its window (pages.browser); signing in by itself does not.
    const popup = path.startsWith("/oauth/authorize");
    assert.equal(headers.get("cross-origin-opener-policy"), popup ? "unsafe-none" : "same-origin", path);
    const sources = [
      ...text.matchAll(/<(?:script|link|img|iframe|form)\b[^>]*?(?:src|href|action)="([^"]*)"/g),
    ];
    for (const [, source = ""] of sources)
      assert.match(source, /^(\/(?!\/)|#|data:)/, `${path} loads ${source}`);
  }
  assert.deepEqual(skipped, ["/users/two_factor"]);
  const faults = [`${ask()}x&redirect_uri=https://evil.example`, "/oauth/authorize/native?code=goc_x"];
  for (const path of [ask(), "/oauth/device", ...faults]) {
    assert.equal((await dev.get(path)).headers.get("referrer-policy"), "no-referrer", path);
  }
});

test("after a form nothing is posted on: each answer is 302 or 303 (RFC 9700 §4.12; reference oauth D50, reliability S15)", async () => {
  const visitor = aVisitor(world);
  const form = hiddenFields((await visitor.get("/users/sign_in")).text);
  const entered = await visitor.post("/users/sign_in", {
    ...form,
    username: "gus",
    password: "correct horse battery staple",
  });
  const answered = await decide(visitor, ask());
  const switched = await decide(visitor, ask(), "switch");
  for (const { status } of [entered, answered, switched])
    assert.ok(status === 302 || status === 303, String(status));
});

test("names that deceive are refused where they are saved, in page and API (reference oauth D42, reliability S21)", async () => {
  const csrf =
    hiddenFields((await dev.get("/profile/applications")).text, "/profile/applications").csrf_token ?? "";
  for (const name of [
    "Gate\u200bhouse",
    "Gatehouse\u202e",
    "\u2066Gatehouse",
    "Gatehouse\nofficial",
    "Gate\u0000house",
    "Gate\ufeffhouse",
    "x".repeat(10_000),
    "   ",
  ]) {
    const json = { name, redirect_uri: "https://a.example/cb", scopes: "api" };
    const made = await world.call("/api/v4/applications", { as: "ada", json });
    assert.equal(made.status, 400, JSON.stringify(name.slice(0, 30)));
    const page = await dev.post("/profile/applications", {
      csrf_token: csrf,
      name,
      redirect_uri: "https://a.example/cb",
      scopes: "api",
      grant_types: "authorization_code",
      confidential: "1",
    });
    assert.ok(
      page.status === 422 || page.status === 400,
      `${page.status} ${JSON.stringify(name.slice(0, 30))}`,
    );
  }
});

test("an official-looking name stands beside its maker and the place it sends people to, and the word that nobody checked it (reference oauth D42, reliability S21)", async () => {
  const sly = await anApplication(world, {
    owner: "stan",
    name: `Gatehouse official "><script>alert(1)</script>`,
    redirectUris: ["https://evil.example/cb"],
  });
  const { text } = await dev.get(authorizePath(sly));
  assert.doesNotMatch(text, /<script>alert/);
  for (const words of ["@stan", "evil.example", "Not made or checked by Gatehouse"]) {
    assert.ok(text.includes(words), words);
  }
});

test("a public application is asked for again, with a live token too (CVE-2023-34246; reference oauth D43, reliability S12)", async () => {
  const open = await anApplication(world, { confidential: false });
  const { verifier, challenge } = aProof();
  const path = authorizePath(open, { code_challenge: challenge, code_challenge_method: "S256" });
  const { code = "" } = answerOf(await decide(dev, path));
  const form = { client_secret: undefined, code_verifier: verifier };
  assert.equal((await exchange(world, open, code, form)).status, 200);
  assert.equal((await dev.get(path)).status, 200);
  const trusted = await world.call("/api/v4/applications", {
    as: "ada",
    json: {
      name: "Trusted",
      redirect_uri: open.redirectUri,
      scopes: "api",
      confidential: false,
      trusted: true,
    },
  });
  if (trusted.status === 201) {
    const asked = { ...open, uid: trusted.json.application_id };
    const page = await dev.get(
      authorizePath(asked, { code_challenge: challenge, code_challenge_method: "S256" }),
    );
    assert.equal(page.status, 200);
  } else assert.equal(trusted.status, 400);
});

test("one scope more than was allowed is asked for, one less is not (reference oauth D44)", async () => {
  const known = await anApplication(world, { scopes: ["read_user", "profile", "openid"] });
  await decide(dev, authorizePath(known, { scope: "profile openid" }));
  for (const [scope, status] of [
    ["profile openid", 303],
    ["openid profile", 303],
    ["openid", 303],
    ["profile openid read_user", 200],
    ["read_user", 200],
  ] as const) {
    assert.equal((await dev.get(authorizePath(known, { scope }))).status, status, scope);
  }
  await decide(dev, authorizePath(known, { scope: "read_user" }));
  for (const scope of ["profile openid", "read_user openid"]) {
    const path = authorizePath(known, { scope });
    assert.equal((await dev.get(path)).status, 303, `${scope}: what is allowed later is allowed besides`);
  }
});

test("fields that name another client, scope, address or state change nothing of the answer (reference oauth D45, reliability S11)", async () => {
  const evil = await anApplication(world, { owner: "stan", redirectUris: ["https://evil.example/cb"] });
  for (const smuggled of [
    { client_id: evil.uid, redirect_uri: "https://evil.example/cb" },
    { scope: "api" },
    { state: "forged" },
    { nonce: "forged", response_mode: "fragment" },
    { user_id: "1", application_id: String(evil.id) },
  ]) {
    const page = await dev.get(authorizePath(application, { scope: "profile", prompt: "consent" }));
    const fields = hiddenFields(page.text, "/oauth/authorize");
    const reply = await dev.post("/oauth/authorize", { ...fields, ...smuggled, decision: "allow" });
    const answer = answerOf(reply);
    assert.ok(reply.headers.get("location")?.startsWith(`${application.redirectUri}?`));
    assert.equal(answer.state, "s-1");
    const issued = await exchange(world, application, answer.code ?? "");
    assert.equal(issued.json.scope, "profile", JSON.stringify(smuggled));
  }
});

test("both buttons pressed at once answer once (reference oauth D46)", async () => {
  const fields = await fieldsOf(dev);
  const replies = await Promise.all(
    (["allow", "deny", "allow", "deny"] as const).map((decision) =>
      dev.post("/oauth/authorize", { ...fields, decision }),
    ),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [303, 400, 400, 400]);
});

test("hostile text in any part of a request is shown as text, or not at all (reliability S69)", async () => {
  const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
  const mark = /<img src=x|<script>alert/;
  const own = await signedIn(world, "olga");
  const encoded = encodeURIComponent(hostile);
  for (const [visitor, path] of [
    [dev, authorizePath(application, { state: hostile, prompt: "consent", nonce: hostile })],
    [dev, authorizePath(application, { client_id: hostile })],
    [dev, authorizePath(application, { redirect_uri: `https://evil.example/${hostile}` })],
    [own, authorizePath(application, { redirect_uri: `https://evil.example/${hostile}` })],
    [dev, authorizePath(application, { state: hostile, response_mode: "form_post", prompt: "none" })],
    [dev, `/oauth/authorize/native?code=${encoded}`],
    [dev, `/oauth/device?user_code=${encoded}`],
    [dev, `/profile/applications?name=${encoded}&redirect_uri=${encoded}&scopes=${encoded}`],
    [dev, `/nothing/${encoded}`],
  ] as const) {
    const { text } = await visitor.get(path);
    assert.doesNotMatch(text, mark, path.slice(0, 80));
  }
  const stranger = aVisitor(world);
  await stranger.get(authorizePath(application, { login_hint: hostile }));
  assert.doesNotMatch((await stranger.get("/users/sign_in")).text, mark);
  const form = hiddenFields((await dev.get("/oauth/device")).text, "/oauth/device");
  assert.doesNotMatch((await dev.post("/oauth/device", { ...form, user_code: hostile })).text, mark);
});
