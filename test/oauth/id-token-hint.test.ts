/** `id_token_hint` in an authorization request names the expected person, and nobody else can answer in their place. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from "jose";
import { currentSigningKey } from "../../src/oauth/current-signing-key.ts";
import { sql } from "../../src/platform/sql.ts";
import { aPair, aScene } from "../support/attacks.ts";
import {
  anApplication,
  answerOf,
  authorizePath,
  aVisitor,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { PASSWORD, type Person, type Reply, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;

before(async () => {
  ({ world, application } = await aScene({}, { scopes: ["openid", "profile", "read_user"] }));
});

/** An ID token of a person who has authorized the application. */
async function hintOf(person: Person, of: TestApplication = application): Promise<string> {
  const pair = await aPair(world, await signedIn(world, person), of, {
    scope: of === application ? "openid profile" : "openid",
  });
  return pair.id_token;
}

const ask = (more: Record<string, string>) => authorizePath(application, { scope: "openid", ...more });

/** Follows redirects within the service. */
async function follow(visitor: Visitor, reply: Reply): Promise<{ path: string; reply: Reply }> {
  let path = reply.headers.get("location") ?? "";
  let last = reply;
  while (path.startsWith("/")) {
    last = await visitor.get(path);
    const next = last.headers.get("location");
    if (!next) break;
    path = next;
  }
  return { path, reply: last };
}

async function signIn(visitor: Visitor, page: Reply, person: Person): Promise<Reply> {
  const fields = { ...hiddenFields(page.text, "/users/sign_in"), username: person, password: PASSWORD };
  return (await follow(visitor, await visitor.post("/users/sign_in", fields))).reply;
}

test("without a session the sign-in prefills only what the ID token itself reveals (decision 0149)", async () => {
  const of = await anApplication(world, { scopes: ["openid", "profile", "email"] });
  const filled = async (scope: string) => {
    const { id_token } = await aPair(world, await signedIn(world, "rep"), of, { scope });
    const away = await aVisitor(world).get(authorizePath(of, { scope: "openid", id_token_hint: id_token }));
    return new URLSearchParams(away.headers.get("location")?.split("?")[1]).get("login_hint");
  };
  assert.equal(await filled("openid"), null);
  assert.equal(await filled("openid email"), "rep@example.org");
  assert.equal(await filled("openid profile"), "rep");
});

test("with prompt=none only the person named by the hint gets a code; everybody else gets login_required (OpenID Connect Core §3.1.2.1)", async () => {
  const hint = await hintOf("dev");
  await hintOf("max");
  const silent = ask({ prompt: "none", id_token_hint: hint });
  const dev = await signedIn(world, "dev");
  assert.match(answerOf(await dev.get(silent)).code ?? "", /^goc_/);
  const max = await signedIn(world, "max");
  assert.match(answerOf(await max.get(ask({ prompt: "none" }))).code ?? "", /^goc_/);
  for (const other of [max, aVisitor(world)]) {
    const answer = answerOf(await other.get(silent));
    assert.deepEqual([answer.error, answer.state, answer.code], ["login_required", "s-1", undefined]);
  }
  assert.equal((await max.get("/profile/applications")).status, 200, "still signed in");
});

test("an expired hint and one signed with a retired key are accepted (OpenID Connect Core §3.1.2.1)", async () => {
  const hint = await hintOf("dev");
  const { exp } = JSON.parse(Buffer.from(hint.split(".")[1] ?? "", "base64url").toString());
  assert.ok(exp, "it has an expiry");
  const dev = await signedIn(world, "dev");
  await world.platform.db.run(sql`update signing_keys set created_at = created_at - interval '91 days'`);
  await hintOf("rep");
  await world.platform.db.run(sql`update signing_keys set created_at = created_at - interval '25 hours'`);
  assert.notEqual(decodeProtectedHeader(await hintOf("rep")).kid, decodeProtectedHeader(hint).kid);
  const keys = (await world.call("/oauth/discovery/keys")).json.keys as { alg: string }[];
  assert.equal(keys.filter(({ alg }) => alg === "RS256").length, 2);
  assert.match(answerOf(await dev.get(ask({ prompt: "none", id_token_hint: hint }))).code ?? "", /^goc_/);
});

test("the sign-in prefills the expected person's name, and signing in leads back with a code (OpenID Connect Core §3.1.2.1)", async () => {
  const hint = await hintOf("dev");
  for (const more of [{}, { prompt: "login" }, { max_age: "0" }] as Record<string, string>[]) {
    const visitor = aVisitor(world);
    const at = await follow(visitor, await visitor.get(ask({ id_token_hint: hint, ...more })));
    assert.equal(at.path, "/users/sign_in");
    assert.match(at.reply.text, /name="username"[^>]*value="dev"|value="dev"[^>]*name="username"/);
    assert.match(answerOf(await signIn(visitor, at.reply, "dev")).code ?? "", /^goc_/);
  }
});

test("another signed-in person is asked to sign in once, and still gets login_required (OpenID Connect Core §3.1.2.1)", async () => {
  const hint = await hintOf("dev");
  const max = await signedIn(world, "max");
  const at = await follow(max, await max.get(ask({ id_token_hint: hint })));
  assert.equal(at.path, "/users/sign_in");
  assert.match(at.reply.text, /value="dev"/);
  const answer = answerOf(await signIn(max, at.reply, "max"));
  assert.deepEqual([answer.error, answer.state], ["login_required", "s-1"]);
  const ahead = await (await signedIn(world, "max")).get(ask({ id_token_hint: hint }), {
    "sec-purpose": "prefetch",
  });
  assert.equal(answerOf(ahead).error, "login_required", "a prefetch signs nobody out");
});

test("the consent page for an expected person does not offer to switch the account (OpenID Connect Core §3.1.2.1)", async () => {
  const hint = await hintOf("dev");
  const dev = await signedIn(world, "dev");
  const asked = await dev.get(ask({ id_token_hint: hint, prompt: "consent" }));
  assert.equal(asked.status, 200);
  assert.doesNotMatch(asked.text, /Not you\?|value="switch"/);
  assert.match((await dev.get(ask({ prompt: "consent" }))).text, /Not you\?/);
});

test("a hint not issued by this server to this application is rejected, in GET and POST (OpenID Connect Core §3.1.2.6; RFC 7519 §7.2)", async () => {
  const [header = "", body = "", signature = ""] = (await hintOf("dev")).split(".");
  const other = await anApplication(world, { scopes: ["openid"] });
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const ours = JSON.parse(Buffer.from(header, "base64url").toString());
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  const forged = (protectedHeader: { alg: string; kid?: string }) =>
    new SignJWT(claims).setProtectedHeader(protectedHeader).sign(privateKey);
  const { kid, key } = await currentSigningKey(world.platform, "RS256");
  const resigned = (changed: object) =>
    new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg: "RS256", kid }).sign(key);
  const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
  const jwk = await exportJWK(publicKey);
  const dev = await signedIn(world, "dev");
  for (const [what, hint] of [
    ["no token", "x"],
    ["unsigned", `${none}.${body}.`],
    ["unsigned with a signature", `${none}.${body}.${signature}`],
    ["a key of somebody else under our name", await forged({ alg: "RS256", kid: ours.kid })],
    ["no name of a key", await forged({ alg: "RS256" })],
    [
      "our key, of the service when it had another address",
      await resigned({ iss: "https://old.example.org" }),
    ],
    ["our key, for several", await resigned({ aud: [claims.aud, other.uid] })],
    [
      "a key that it brings along",
      await new SignJWT(claims).setProtectedHeader({ alg: "RS256", jwk }).sign(privateKey),
    ],
    [
      "other claims",
      `${header}.${Buffer.from(JSON.stringify({ ...claims, sub: "1" })).toString("base64url")}.${signature}`,
    ],
    ["the token of another application", await hintOf("dev", other)],
    ["long", `${header}.${"a".repeat(6000)}.${signature}`],
  ] as const) {
    const answer = answerOf(await dev.get(ask({ id_token_hint: hint, prompt: "none" })));
    assert.deepEqual([answer.error, answer.state], ["invalid_request", "s-1"], what);
  }
  const fields = Object.fromEntries(new URLSearchParams(ask({ id_token_hint: "x" }).split("?")[1]));
  const posted = await dev.post("/oauth/authorize", fields, { origin: "https://app.example.org" });
  assert.equal(answerOf(await dev.get(posted.headers.get("location") ?? "")).error, "invalid_request");
  const twice = await dev.get(`${ask({ id_token_hint: "x" })}&id_token_hint=y`);
  assert.equal(answerOf(twice).error, "invalid_request");
});

test("the expected_person parameter cannot be forged or reused for another application (D45)", async () => {
  const hint = await hintOf("dev");
  const other = await anApplication(world, { scopes: ["openid"] });
  const visitor = aVisitor(world);
  const away = await visitor.get(ask({ id_token_hint: hint }));
  const kept =
    new URLSearchParams((away.headers.get("location") ?? "").split("?")[1]).get("expected_person") ?? "";
  assert.ok(kept.startsWith(`${world.ids.dev}.`), kept);
  const max = await signedIn(world, "max");
  await hintOf("max", other);
  const silent = (expected: string, of = application) =>
    max.get(authorizePath(of, { scope: "openid", prompt: "none", expected_person: expected }));
  assert.equal(answerOf(await silent(kept)).error, "login_required");
  assert.match(
    answerOf(await silent(kept, other)).code ?? "",
    /^goc_/,
    "it has no effect for another application",
  );
  assert.match(answerOf(await silent(kept.replace(/^\d+/, String(world.ids.ada)))).code ?? "", /^goc_/);
});

test("prompt=consent sends a person who is not signed in to the sign-in, and then asks for consent (OpenID Connect Core §3.1.2.1)", async () => {
  await hintOf("dev");
  for (const prompt of ["consent", "select_account", "consent select_account"]) {
    const visitor = aVisitor(world);
    const away = await visitor.get(ask({ prompt }));
    assert.equal(away.headers.get("location"), "/users/sign_in", prompt);
    const asked = await signIn(visitor, await visitor.get("/users/sign_in"), "dev");
    assert.match(asked.text, /wants to use your account/, prompt);
  }
});
