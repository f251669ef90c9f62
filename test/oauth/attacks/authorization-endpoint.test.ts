/** Attacks on the authorization endpoint: addresses that only look registered, doubled parameters, hostile states. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../../src/platform/sql.ts";
import { apiStatus, codesInAll } from "../../support/attacks.ts";
import {
  anApplication,
  answerOf,
  authorizePath,
  aVisitor,
  decide,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../../support/oauth.ts";
import { push } from "../../support/pushed.ts";
import { startWorld, type World } from "../../support/world.ts";

let world: World;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
});

/** Nobody is sent anywhere, and no code is made. */
async function staysHere(path: string, what = path): Promise<void> {
  const reply = await dev.get(path);
  assert.equal(reply.status, 400, what);
  assert.equal(reply.headers.get("location"), null, what);
  assert.equal(reply.headers.get("refresh"), null, what);
}

const HOST = "app.ex";
const REGISTERED = `https://${HOST}/cb`;
const MUTATIONS = [
  ...["http://app.ex/cb", "ftp://app.ex/cb", "HTTPS://app.ex/cb", "https:app.ex/cb", "https:/app.ex/cb"],
  ...["https:///app.ex/cb", "//app.ex/cb", "/cb", "cb", "app.ex/cb", "https://app.ex:443/cb"],
  ...["https://app.ex:8443/cb", "https://app.ex:/cb", "https://app.ex:0443/cb", "https://app.ex./cb"],
  ...["https://APP.EX/cb", "https://app.ex/CB", "https://app.ex/cb/", "https://app.ex//cb", "https://app.ex"],
  ...["https://app.ex/", "https://app.ex/./cb", "https://app.ex/x/../cb", "https://app.ex/cb/../x"],
  ...["https://app.ex/cb/..;/x", "https://app.ex/cb%2f..", "https://app.ex/%2e%2e/cb", "https://app.ex/c%62"],
  ...["https://app.ex/cb%252f..", "https://app.ex/cb%00", "https://app.ex/cb?", "https://app.ex/cb?x=1"],
  ...["https://app.ex/cb?code=mine", "https://app.ex/cb&x=1", "https://app.ex/cb;x=1", "https://app.ex/cb#"],
  ...["https://app.ex/cb#f", "https://app.ex/cb%23", "https://app.ex@evil.example/cb", "https://@app.ex/cb"],
  ...["https://evil.example@app.ex/cb", "https://a@b@app.ex/cb", "https://u:p@app.ex/cb"],
  ...["https://app.ex.evil.example/cb", "https://evil.example/app.ex/cb", "https://evil.example?app.ex/cb"],
  ...[
    "https://evil.example#app.ex/cb",
    "https://evil.example\\@app.ex/cb",
    "https://evil.example\\app.ex/cb",
  ],
  ...["https:\\\\app.ex\\cb", "https://app.ex\\cb", "https://xapp.ex/cb", "https://sub.app.ex/cb"],
  ...[
    "https://app.ex%2eevil.example/cb",
    "https://app．ex/cb",
    "https://аpp.ex/cb",
    "https://xn--pp-7kc.ex/cb",
  ],
  ...["https://app.ex\u200b/cb", "https://app.ex/cb\u202e", "https://app.ex\t/cb", "https://app.ex/cb\t"],
  ...["https://app.ex/cb\n", "https://app.ex/cb\r\nLocation: x", "https://app.ex/cb ", " https://app.ex/cb"],
  ...["\0https://app.ex/cb", "https://app.ex/cb\0", "https://[::1]/cb", "https://127.0.0.1/cb"],
  ...["https://app.ex/cb https://evil.example", "https://app.ex/cb,https://evil.example"],
  ...["javascript:alert(1)//https://app.ex/cb", "JaVaScRiPt://app.ex/cb", "data:text/html,https://app.ex/cb"],
  ...[
    "vbscript:https://app.ex/cb",
    "urn:ietf:wg:oauth:2.0:oob",
    "*",
    "https://*.ex/cb",
    "null",
    "about:blank",
  ],
];

test("refuses every mutation of a registered address with a page, no redirect and no code (reference oauth D1, reliability S2, S3)", async () => {
  const application = await anApplication(world, { redirectUris: [REGISTERED] });
  const before = await codesInAll(world);
  assert.ok(new Set(MUTATIONS).size >= 60);
  for (const redirect_uri of MUTATIONS) {
    await staysHere(authorizePath(application, { redirect_uri }), JSON.stringify(redirect_uri));
  }
  // Decoded once, by nobody twice.
  const raw = authorizePath(application, { redirect_uri: undefined });
  for (const value of [
    "https%253A%252F%252Fapp.ex%252Fcb",
    "https://app.ex/cb%0d%0a",
    "https://app.ex/cb%ff",
  ]) {
    await staysHere(`${raw}&redirect_uri=${value}`);
  }
  assert.equal(await codesInAll(world), before);
});

test("takes another port on a loopback address of IP alone, and nothing else that differs (reference oauth D2)", async () => {
  const application = await anApplication(world, {
    redirectUris: ["http://127.0.0.1/cb?a=1", "http://[::1]:80/cb", "http://localhost:3000/cb"],
  });
  for (const redirect_uri of [
    "http://127.0.0.1:51004/cb?a=1",
    "http://[::1]:4000/cb",
    "http://localhost:3000/cb",
  ]) {
    const reply = await decide(dev, authorizePath(application, { redirect_uri, prompt: "consent" }));
    assert.ok(reply.headers.get("location")?.startsWith(redirect_uri), redirect_uri);
  }
  for (const redirect_uri of [
    ...[
      "https://127.0.0.1:51004/cb?a=1",
      "http://127.0.0.2/cb?a=1",
      "http://127.0.0.1:5/cb",
      "http://127.1/cb?a=1",
    ],
    ...["http://127.0.0.1:5/cb?a=2", "http://u@127.0.0.1:5/cb?a=1", "http://127.0.0.1.evil.example/cb?a=1"],
    ...["http://127.0.0.1:80@evil.example/cb?a=1", "http://0x7f.1/cb?a=1", "http://2130706433/cb?a=1"],
    ...["http://localhost:3001/cb", "http://localhost/cb?a=1", "http://[::1]:4000/cb/", "http://[::]/cb"],
    ...["http://[::ffff:127.0.0.1]/cb", "http://127.0.0.1:99999/cb?a=1", "http://0177.0.0.1/cb?a=1"],
  ]) {
    await staysHere(authorizePath(application, { redirect_uri }));
  }
});

test("two redirect_uri, a list, a structure, and none beside one registered are refused without a redirect (reference oauth D3, reliability S2)", async () => {
  const application = await anApplication(world, { redirectUris: [REGISTERED] });
  const none = authorizePath(application, { redirect_uri: undefined });
  const [good, evil] = [REGISTERED, "https://evil.example/cb"].map(encodeURIComponent);
  for (const query of [
    "",
    "&redirect_uri=",
    `&redirect_uri=${good}&redirect_uri=${evil}`,
    `&redirect_uri=${evil}&redirect_uri=${good}`,
    `&redirect_uri=${good}&redirect_uri=${good}`,
    `&redirect_uri[]=${good}`,
    `&redirect_uri[0]=${good}`,
    `&redirect_uri[a]=${good}`,
    `&Redirect_Uri=${good}`,
    `&redirect_uri%00=${good}`,
    `#&redirect_uri=${good}`,
  ]) {
    await staysHere(none + query);
  }
});

test("a scheme that runs script is refused at registration, and at authorize even from an old row (reference oauth D4, D5)", async () => {
  const register = (redirect_uri: string) =>
    world.call("/api/v4/applications", { as: "ada", json: { name: "Sly", redirect_uri, scopes: "api" } });
  const application = await anApplication(world);
  for (const uri of [
    ...[
      "javascript:alert(1)",
      "JAVASCRIPT://x",
      "\x01javascript:alert(1)",
      "java\tscript:alert(1)",
      "data:text/html,x",
    ],
    ...[
      "vbscript:x",
      "blob:https://app.ex/1",
      "file:///etc/passwd",
      "about:blank",
      "view-source:https://app.ex/",
    ],
  ]) {
    for (const list of [uri, `https://fine.example/cb\n${uri}`, ` https://fine.example/cb\r\n\t ${uri} `]) {
      const reply = await register(list);
      assert.equal(reply.status, 400, JSON.stringify(list));
      assert.ok(reply.json.message.redirect_uri, reply.text);
    }
    await world.platform.db.run(
      sql`update applications set redirect_uris = ${[uri]} where id = ${application.id}`,
    );
    await staysHere(authorizePath(application, { redirect_uri: uri }), uri);
  }
});

test("no error is sent to an address that is not proven, whatever else is wrong (reference oauth D7, reliability S1, S2)", async () => {
  const application = await anApplication(world);
  const gone = await anApplication(world);
  await world.platform.db.run(sql`delete from applications where id = ${gone.id}`);
  for (const more of [
    { prompt: "none" },
    { response_mode: "form_post" },
    { response_mode: "fragment" },
    { response_type: "token" },
    { response_type: "nonsense" },
    { scope: "nonsense" },
    { code_challenge_method: "plain" },
  ]) {
    await staysHere(authorizePath(application, { ...more, redirect_uri: "https://evil.example/cb" }));
    await staysHere(authorizePath(gone, more));
    await staysHere(authorizePath(application, { ...more, client_id: "f".repeat(64) }));
  }
});

/** What a request says of itself, each parameter with a value that is good. */
const FULL: Record<string, string> = {
  response_mode: "query",
  scope: "read_user",
  code_challenge: "x".repeat(43),
  code_challenge_method: "S256",
  nonce: "n",
  prompt: "consent",
  max_age: "3600",
};

test("a parameter that stands twice is an invalid request, whichever it is (RFC 6749 §3.1; reliability S4)", async () => {
  const application = await anApplication(world);
  const path = authorizePath(application, FULL);
  for (const name of Object.keys({ response_type: "", state: "", ...FULL })) {
    const value = new URL(path, world.url).searchParams.get(name) ?? "";
    const answer = answerOf(await dev.get(`${path}&${name}=${encodeURIComponent(value)}`));
    assert.equal(answer.error, "invalid_request", name);
    assert.match(answer.error_description ?? "", new RegExp(name), name);
  }
  for (const name of ["client_id", "redirect_uri"]) {
    const value = name === "client_id" ? application.uid : application.redirectUri;
    await staysHere(`${path}&${name}=${encodeURIComponent(value)}`);
  }
});

test("a structure where text belongs is an invalid request, as in a body; never the widest scope for a narrower one (reference oauth D62, D85; decision 0016)", async () => {
  const application = await anApplication(world, { scopes: ["read_user", "profile"] });
  const path = authorizePath(application, { prompt: "consent" });
  for (const structured of ["scope[]=read_user", "scope[a]=read_user", "scope[]=", "nonce[a][b]=x"]) {
    for (const address of [path, `${path}&scope=profile`]) {
      const answer = answerOf(await dev.get(`${address}&${structured}`));
      assert.equal(answer.error, "invalid_request", structured);
      assert.match(answer.error_description ?? "", /(scope|nonce) is repeated or is a list/);
    }
  }
  const posted = await dev.send(
    "/oauth/authorize",
    `${path.slice(path.indexOf("?") + 1)}&scope[]=read_user`,
    {
      "content-type": "application/x-www-form-urlencoded",
    },
  );
  assert.equal(answerOf(await dev.get(posted.headers.get("location") ?? "")).error, "invalid_request");
  await staysHere(`${path}&redirect_uri[]=${encodeURIComponent(application.redirectUri)}`);
  await staysHere(`${path}&client_id[0]=${application.uid}`);
  assert.equal(
    (await dev.get(`${path}&scopes[]=x&foo[scope]=y&[]=z`)).status,
    200,
    "unknown ones are passed over",
  );
});

test("a body beside the query names nothing: the answer is to the question that was shown (reliability S4)", async () => {
  const application = await anApplication(world);
  const page = await dev.get(authorizePath(application, { scope: "profile" }));
  const fields = hiddenFields(page.text, "/oauth/authorize");
  const other = authorizePath(await anApplication(world), { scope: "api", state: "theirs" });
  const reply = await dev.post(other, { ...fields, decision: "allow" });
  assert.equal(answerOf(reply).state, "s-1");
});

test("response types beyond code and token are refused, in any order and case (reference oauth D39, reliability S5)", async () => {
  const application = await anApplication(world);
  for (const response_type of [
    ...["code token", "token code", "id_token", "code id_token", "token id_token", "none", "TOKEN", "Code"],
    ...["code ", " token", "code,token", "code+token", "\u{1f600}", "code\0"],
  ]) {
    const answer = answerOf(await dev.get(authorizePath(application, { response_type })));
    assert.equal(answer.error, "unsupported_response_type", response_type);
    assert.equal(answer.state, "s-1");
    assert.equal(answer.code ?? answer.access_token, undefined);
  }
  const missing = answerOf(await dev.get(authorizePath(application, { response_type: undefined })));
  assert.deepEqual([missing.error, missing.state], ["invalid_request", "s-1"]);
});

test("scopes: unknown, wide, empty and endless ones are invalid_scope; order and encoding of blanks do not matter (reference oauth D62, reliability S8)", async () => {
  const application = await anApplication(world, { scopes: ["read_user", "profile"] });
  const path = authorizePath(application, { prompt: "consent" });
  for (const scope of [
    ...[
      "root",
      "api",
      "API",
      "Read_user",
      "read_user%20%20profile",
      "%20read_user",
      "read_user%20",
      "read_user%09profile",
    ],
    ...[
      "read_user%0aprofile",
      "read_user%2Bprofile",
      "read_user%00",
      "profile;read_user",
      "sudo",
      "%20",
      "read_user,,profile",
    ],
    ...["x".repeat(5000), Array(1000).fill("profile").join("%20")].map((long) => long.slice(0, 7000)),
  ]) {
    const answer = answerOf(await dev.get(`${path}&scope=${scope}`));
    assert.equal(answer.error, "invalid_scope", scope.slice(0, 60));
  }
  for (const scope of ["profile+read_user", "read_user%20profile", "read_user+profile+read_user"]) {
    assert.equal((await dev.get(`${path}&scope=${scope}`)).status, 200, scope);
  }
});

test("the state comes back as it was sent, whatever is in it; over 4 KiB nobody is sent anywhere (reliability S9, S109)", async () => {
  const application = await anApplication(world);
  const hostile = `"'<script>&amp;\r\nSet-Cookie: a=b\r\n\r\n%0d%0a+ %20é😀\u202e${"x".repeat(1900)}`;
  for (const state of [hostile, " ", "0", "null", "a=b&code=forged#x", "\u0001\u007f", "x".repeat(4096)]) {
    for (const response_type of ["code", "token"]) {
      const reply = await decide(
        dev,
        authorizePath(application, { state, response_type, prompt: "consent" }),
      );
      assert.equal(answerOf(reply).state, state);
      assert.equal(reply.headers.get("set-cookie")?.includes("a=b") ?? false, false);
      assert.doesNotMatch(reply.headers.get("location") ?? "", /[\r\n<>" ]/);
    }
  }
  await staysHere(authorizePath(application, { state: "x".repeat(4097) }), "4097 bytes");
  await staysHere(authorizePath(application, { state: "é".repeat(2049) }), "4098 bytes of UTF-8");
  // Which an address could not hold in any case.
  const long = await push(world, application, { state: "é".repeat(2049) });
  assert.deepEqual([long.status, long.json.error], [400, "invalid_request"], long.text);
  assert.equal((await push(world, application, { state: "é".repeat(2048) })).status, 201);
  const absent = answerOf(
    await decide(dev, authorizePath(application, { state: undefined, prompt: "consent" })),
  );
  assert.ok(absent.code);
  assert.equal("state" in absent, false);
});

test("a state or another parameter that is no UTF-8 is told to the application, for whom one that came back changed would fail behind an issued code; so is NUL, whoever is asked (RFC 6749 §4.1.2.1, appendix B; reliability S9, S109)", async () => {
  const asked = await anApplication(world);
  const known = await anApplication(world);
  await decide(dev, authorizePath(known));
  const trusted = await anApplication(world, { owner: null, trusted: true });
  const codes = await codesInAll(world);
  for (const [application, response_type] of [
    [asked, "code"],
    [asked, "token"],
    [known, "code"],
    [trusted, "code"],
    [trusted, "token"],
  ] as const) {
    const bare = authorizePath(application, { response_type, state: undefined });
    for (const broken of [
      "%FF%FE",
      "%E9",
      "abc%",
      "%u00e9",
      "%ED%A0%80",
      "%C0%80",
      "+%ff&nonce=x",
      "%25%FF",
    ]) {
      for (const name of ["state", "st%61te"]) {
        const reply = await dev.get(`${bare}&${name}=${broken}`);
        const answer = answerOf(reply);
        assert.equal(answer.error, "invalid_request", `${response_type} ${broken}`);
        assert.match(answer.error_description ?? "", /state is not valid UTF-8/);
        assert.equal("state" in answer, false, "another than was sent");
        assert.equal(new URL(reply.headers.get("location") ?? "").hash !== "", response_type === "token");
      }
    }
    const path = authorizePath(application, { response_type });
    for (const name of ["nonce", "scope", "login_hint", "prompt", "code_challenge"]) {
      const { error, state, error_description } = answerOf(await dev.get(`${path}&${name}=%E9`));
      assert.deepEqual([error, state], ["invalid_request", "s-1"], name);
      assert.match(error_description ?? "", new RegExp(`${name} is not valid UTF-8`));
    }
    for (const more of [{ state: "a\0b" }, { nonce: "a\0b" }]) {
      const { error, state } = answerOf(
        await dev.get(authorizePath(application, { response_type, ...more })),
      );
      assert.deepEqual([error, state], ["invalid_request", "state" in more ? "a\0b" : "s-1"]);
    }
  }
  assert.equal(await codesInAll(world), codes);
  const path = authorizePath(asked, { state: undefined });
  await staysHere(`${path}&redirect_uri=%FF`);
  await staysHere(path.replace("client_id=", "client_id=%FF"));
  assert.equal((await dev.get(`${path}&colour=%E9&%FF=x`)).status, 200, "unknown ones are passed over");
  const exact = answerOf(await decide(dev, `${path}&state=%25FF%C3%A9+%2B`));
  assert.equal(exact.state, "%FFé +");
});

test("a question that is posted is refused as every form that is no UTF-8 (RFC 6749 appendix B; OpenID Connect Core §3.1.2.1)", async () => {
  const application = await anApplication(world);
  const form = authorizePath(application, { state: undefined }).split("?")[1] ?? "";
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const json = JSON.stringify({ ...Object.fromEntries(new URLSearchParams(form)), state: "a\ud800" });
  for (const reply of [
    await dev.send("/oauth/authorize", `${form}&state=%FF`, headers),
    await dev.send("/oauth/authorize?state=%FF", form, headers),
    await dev.send("/oauth/authorize", json, { "content-type": "application/json" }),
  ]) {
    assert.deepEqual([reply.status, reply.headers.get("location")], [400, null]);
    assert.match(reply.text, /not valid UTF-8/);
  }
  const good = await dev.send("/oauth/authorize?state=%C3%A9", form, headers);
  assert.match(good.headers.get("location") ?? "", /[?&]state=%C3%A9(&|$)/);
});

test("other methods, and what is fetched ahead or framed, get no code (reliability S13)", async () => {
  const known = await anApplication(world);
  const path = authorizePath(known);
  await decide(dev, path);
  const before = await codesInAll(world);
  for (const method of ["PUT", "PATCH", "OPTIONS"]) {
    const reply = await world.call(path, { method });
    assert.ok([404, 405].includes(reply.status), method);
    assert.equal(reply.headers.get("access-control-allow-origin"), null);
  }
  for (const headers of [
    { "sec-purpose": "prefetch;prerender" },
    { "x-moz": "prefetch" },
    { "sec-fetch-dest": "frame" },
    { "sec-fetch-dest": "image" },
    { "sec-fetch-dest": "script" },
  ] as Record<string, string>[]) {
    assert.equal((await dev.get(path, headers)).headers.get("location"), null, JSON.stringify(headers));
  }
  assert.equal(await codesInAll(world), before);
});

test("a way back after sign-in is this service's own path, whatever a link asks for (reference oauth D8, reliability S14)", async () => {
  for (const evil of [
    "//evil.example",
    "https:evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "https://evil.example",
  ]) {
    const visitor = aVisitor(world);
    const query = ["return_to", "redirect_to", "redirect", "next", "back", "url"]
      .map((name) => `${name}=${encodeURIComponent(evil)}`)
      .join("&");
    const page = await visitor.get(`/users/sign_in?${query}`);
    const entered = await visitor.post(
      `/users/sign_in?${query}`,
      {
        ...hiddenFields(page.text),
        username: "dev",
        password: "correct horse battery staple",
        return_to: evil,
        redirect_to: evil,
      },
      { referer: `${world.url}/`, "x-forwarded-host": "evil.example" },
    );
    assert.equal(entered.status, 303);
    assert.match(entered.headers.get("location") ?? "", /^\/(?![/\\])/, evil);
  }
  // An address with two slashes at its front is kept as a path, never as a host.
  const visitor = aVisitor(world);
  await visitor.get("//evil.example/profile/applications");
  const page = await visitor.get("/users/sign_in");
  const fields = { ...hiddenFields(page.text), username: "dev", password: "correct horse battery staple" };
  const entered = await visitor.post("/users/sign_in", fields);
  assert.match(entered.headers.get("location") ?? "", /^\/(?![/\\])/);
});

test("the issuer in every answer is the metadata's, byte for byte (RFC 9207 §2; reference oauth D76)", async () => {
  const application = await anApplication(world);
  const { json } = await world.call("/.well-known/oauth-authorization-server");
  for (const [more, decision] of [
    [{}, "allow"],
    [{}, "deny"],
    [{ response_type: "token" }, "allow"],
    [{ response_type: "token" }, "deny"],
    [{ response_mode: "fragment" }, "allow"],
  ] as const) {
    const answer = answerOf(
      await decide(dev, authorizePath(application, { ...more, prompt: "consent" }), decision),
    );
    assert.equal(answer.iss, json.issuer, JSON.stringify([more, decision]));
  }
  for (const more of [{ scope: "nonsense" }, { response_type: "nonsense" }, { prompt: "none" }]) {
    assert.equal(answerOf(await dev.get(authorizePath(application, more))).iss, json.issuer);
  }
  assert.equal(json.issuer, world.url);
});

test("an answer to a token question is never altered to a question it was not (reference oauth D37, reliability S6)", async () => {
  const without: TestApplication = await anApplication(world, { grantTypes: ["authorization_code"] });
  const refused = answerOf(await dev.get(authorizePath(without, { response_type: "token" })));
  assert.equal(refused.error, "unauthorized_client");
  // The consent form, edited; and the sign-in form, on whose way back the request waits.
  const page = await dev.get(authorizePath(without));
  const edited = await dev.post("/oauth/authorize", {
    ...hiddenFields(page.text, "/oauth/authorize"),
    response_type: "token",
    response_mode: "fragment",
    decision: "allow",
  });
  const answer = answerOf(edited);
  assert.ok(answer.code);
  assert.equal(answer.access_token, undefined);
  const visitor = aVisitor(world);
  await visitor.get(authorizePath(without));
  const form = await visitor.get("/users/sign_in?response_type=token");
  const entered = await visitor.post("/users/sign_in", {
    ...hiddenFields(form.text),
    username: "gus",
    password: "correct horse battery staple",
    response_type: "token",
  });
  assert.equal(entered.headers.get("location"), authorizePath(without));
  // The application loses the flow while the question is open.
  const losing = await anApplication(world);
  const asked = await dev.get(authorizePath(losing, { response_type: "token" }));
  await world.platform.db.run(
    sql`update applications set grant_types = '{authorization_code}' where id = ${losing.id}`,
  );
  const late = answerOf(
    await dev.post("/oauth/authorize", {
      ...hiddenFields(asked.text, "/oauth/authorize"),
      decision: "allow",
    }),
  );
  assert.equal(late.error, "unauthorized_client");
  assert.equal(late.access_token, undefined);
});

test("a token in the fragment ends with the person that it acts for (reference oauth D38, reliability S7)", async () => {
  const application = await anApplication(world);
  const path = authorizePath(application, { response_type: "token", prompt: "consent" });
  for (const response_mode of ["query", "form_post"]) {
    const reply = await dev.get(`${path}&response_mode=${response_mode}`);
    assert.equal(new URL(reply.headers.get("location") ?? "").search, "");
    assert.equal(answerOf(reply).error, "invalid_request");
  }
  const gus = await signedIn(world, "gus");
  const answer = answerOf(await decide(gus, path));
  assert.equal("refresh_token" in answer || "code" in answer, false);
  assert.ok(Number(answer.expires_in) <= 7200);
  assert.equal(await apiStatus(world, answer.access_token ?? ""), 200);
  await world.call(`/api/v4/users/${world.ids.gus}/block`, { as: "ada", method: "POST" });
  assert.equal(await apiStatus(world, answer.access_token ?? ""), 403);
});
