/** Token requests as clients in other languages send them, and that each gets its token. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { before, test } from "node:test";
import {
  anApplication,
  answerOf,
  aProof,
  authorizePath,
  decide,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;
let open: TestApplication;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
  const redirectUris = ["https://app.example.org/callback?tenant=a%20b&next=%2Fhome"];
  application = await anApplication(world, { redirectUris });
  open = await anApplication(world, { redirectUris, confidential: false });
});

const FORM = "application/x-www-form-urlencoded";
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
/** As Go's `url.QueryEscape` and Java's `URLEncoder` do. */
const escaped = (text: string) => encodeURIComponent(text).replaceAll("%20", "+").replaceAll("_", "%5F");

/** How one client requests a token once it has a code. */
interface Habit {
  /** The client and what is special about it, with its source. */
  client: string;
  /** What it adds to the authorization request. */
  asks?: Record<string, string | undefined>;
  isPublic?: boolean;
  headers: (uid: string, secret: string) => Record<string, string>;
  body: (form: Record<string, string>, uid: string, secret: string) => string;
}

const encode = (form: Record<string, string>) => new URLSearchParams(form).toString();
const inBody = (form: Record<string, string>, client_id: string, client_secret: string) =>
  encode({ ...form, client_id, client_secret });

const HABITS: Habit[] = [
  {
    client: "Python, requests-oauthlib: Basic, and the same client_id in the body (RFC 6749 §2.3.1)",
    headers: (uid, secret) => ({
      authorization: basic(uid, secret),
      "content-type": `${FORM};charset=UTF-8`,
      accept: "application/json",
    }),
    body: (form, client_id) => encode({ ...form, client_id }),
  },
  {
    client: "Go, oauth2: Basic with both halves escaped, no Accept (RFC 6749 §2.3.1)",
    headers: (uid, secret) => ({ authorization: basic(escaped(uid), escaped(secret)), "content-type": FORM }),
    body: (form) => encode(form),
  },
  {
    client: "Go, oauth2, second attempt: both in the body, parameters sorted by name (RFC 6749 §2.3.1)",
    headers: () => ({ "content-type": FORM, "accept-encoding": "gzip", "user-agent": "Go-http-client/1.1" }),
    body: (form, uid, secret) => {
      const all = new URLSearchParams(inBody(form, uid, secret));
      all.sort();
      return all.toString();
    },
  },
  {
    client: "Java, Spring Security: a charset in both media types (RFC 6749 §4.1.3)",
    headers: (uid, secret) => ({
      authorization: basic(escaped(uid), escaped(secret)),
      accept: "application/json;charset=UTF-8",
      "content-type": `${FORM};charset=UTF-8`,
    }),
    body: (form) => encode(form),
  },
  {
    client:
      "PHP, league/oauth2-client: approval_prompt at authorize, an empty scope, all in the body (RFC 6749 §3.1)",
    asks: { approval_prompt: "auto", scope: undefined },
    headers: () => ({ "content-type": FORM, accept: "*/*", "user-agent": "GuzzleHttp/7" }),
    body: (form, uid, secret) => inBody({ scope: "", ...form }, uid, secret),
  },
  {
    client: "Ruby, OmniAuth: access_type at authorize, unknown parameters (RFC 6749 §3.2)",
    asks: { access_type: "offline", include_granted_scopes: "true" },
    headers: () => ({ "content-type": FORM, accept: "*/*", "user-agent": "Faraday v2" }),
    body: (form, uid, secret) =>
      encode({ ...form, client_id: uid, client_secret: secret, parse: "json", audience: "x" }),
  },
  {
    client: "Swift and Kotlin, AppAuth: public, with nonce and PKCE, client_id in the body (RFC 8252)",
    asks: { nonce: "n-1", response_mode: "query" },
    isPublic: true,
    headers: () => ({ "content-type": FORM, accept: "*/*" }),
    body: (form, client_id) => encode({ ...form, client_id }),
  },
  {
    client:
      "a public client that sends Basic with an empty secret, or an empty client_secret (RFC 6749 §2.3.1)",
    isPublic: true,
    headers: (uid) => ({ authorization: basic(uid, ""), "content-type": FORM }),
    body: (form, client_id) => encode({ ...form, client_id, client_secret: "" }),
  },
  {
    client: "JavaScript, axios: JSON with a charset (contract §4, media types)",
    headers: () => ({
      "content-type": "application/json; charset=utf-8",
      accept: "application/json, text/plain, */*",
    }),
    body: (form, client_id, client_secret) => JSON.stringify({ ...form, client_id, client_secret }),
  },
  {
    client: "C#, HttpClient: the scope again at the exchange, a media type with capitals (RFC 6749 §4.1.3)",
    headers: () => ({ "content-type": "Application/X-WWW-Form-UrlEncoded", accept: "application/json" }),
    body: (form, uid, secret) => inBody({ ...form, scope: "read_user" }, uid, secret),
  },
  {
    client: "a shop plugin that accepts HTML only and gets JSON (RFC 6749 §5.1)",
    headers: () => ({ "content-type": FORM, accept: "text/html" }),
    body: inBody,
  },
  {
    client: "a client that sends an Origin header, as browsers do (contract §4, CORS)",
    headers: () => ({ "content-type": FORM, origin: "https://spa.example", "sec-fetch-site": "cross-site" }),
    body: inBody,
  },
];

for (const { client, asks = {}, isPublic = false, headers, body } of HABITS) {
  test(`gets a token: ${client}`, async () => {
    const client = isPublic ? open : application;
    const { verifier, challenge } = aProof();
    const path = authorizePath(client, {
      scope: "read_user",
      code_challenge: challenge,
      code_challenge_method: "S256",
      prompt: "consent",
      ...asks,
    });
    const back = await decide(dev, path);
    assert.match(back.headers.get("location") ?? "", /callback\?tenant=a%20b&next=%2Fhome&code=/);
    const form = {
      grant_type: "authorization_code",
      code: answerOf(back).code ?? "",
      redirect_uri: client.redirectUri,
      code_verifier: verifier,
    };
    const sent = {
      method: "POST",
      headers: headers(client.uid, client.secret),
      body: body(form, client.uid, client.secret),
    };
    const issued = await world.call("/oauth/token", sent);
    assert.equal(issued.status, 200, issued.text);
    assert.match(issued.headers.get("content-type") ?? "", /^application\/json/);
    const { json } = issued;
    // Required by strict clients.
    assert.equal(typeof json.expires_in, "number");
    assert.equal(typeof json.scope, "string");
    assert.equal(json.token_type, "bearer");
    assert.equal((await world.call(`/api/v4/user?access_token=${json.access_token}`)).json.username, "dev");

    const again = {
      grant_type: "refresh_token",
      refresh_token: json.refresh_token,
      redirect_uri: client.redirectUri,
      scope: json.scope,
    };
    const renewed = await world.call("/oauth/token", {
      ...sent,
      body: body(again, client.uid, client.secret),
    });
    assert.equal(renewed.status, 200, renewed.text);
    assert.ok(renewed.json.refresh_token);
    const ended = await world.call("/oauth/revoke", {
      ...sent,
      body: body(
        { token: renewed.json.access_token, token_type_hint: "access_token" },
        client.uid,
        client.secret,
      ),
    });
    assert.deepEqual([ended.status, ended.text], [200, "{}"]);
  });
}

test("token endpoint parameters in the query get an error that they belong in the body (RFC 6749 §2.3.1, §3.2)", async () => {
  const { uid, secret } = application;
  const given = {
    client_id: uid,
    client_secret: secret,
    grant_type: "password",
    token: "x",
    scope: "read_user",
  };
  for (const path of [
    "/oauth/token",
    "/oauth/revoke",
    "/oauth/introspect",
    "/oauth/authorize_device",
    "/oauth/par",
  ]) {
    for (const sent of [
      {},
      { headers: { authorization: basic(uid, secret), "content-type": FORM } },
      { json: {} },
    ]) {
      const reply = await world.call(`${path}?${encode(given)}`, { method: "POST", ...sent });
      assert.deepEqual([reply.status, reply.json.error], [400, "invalid_request"], path);
      assert.match(reply.json.error_description, /in the address: they are read from the body/);
    }
  }
});

test("chunked bodies, Expect: 100-continue and HTTP/1.0 work (RFC 9112)", async () => {
  const form = encode({
    grant_type: "password",
    username: "dev",
    password: PASSWORD,
    client_id: application.uid,
    client_secret: application.secret,
  });
  for (const more of [
    { "transfer-encoding": "chunked" },
    { expect: "100-continue", "content-length": form.length },
  ]) {
    const reply = await new Promise<string>((resolve, reject) => {
      const headers = { "content-type": FORM, ...more };
      const asked = request(`${world.url}/oauth/token`, { method: "POST", headers }, async (answer) =>
        resolve(Buffer.concat(await answer.toArray()).toString()),
      );
      asked.on("error", reject);
      if ("expect" in more) asked.on("continue", () => asked.end(form));
      else {
        asked.write(form.slice(0, 20));
        asked.end(form.slice(20));
      }
    });
    assert.match(reply, /"access_token":"goa_/);
  }
  const old = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(world.url).port), "127.0.0.1");
    let text = "";
    socket.on("data", (part) => {
      text += part.toString();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
    socket.write(
      `POST /oauth/token HTTP/1.0\r\ncontent-type: ${FORM}\r\ncontent-length: ${form.length}\r\n\r\n${form}`,
    );
  });
  assert.match(old, /^HTTP\/1\.[01] 200/);
  assert.match(old, /"access_token":"goa_/);
});

test("requests that cannot be accepted get a 4xx in JSON with an explanation (RFC 6749 §5.2)", async () => {
  const form = { grant_type: "authorization_code", code: "x", redirect_uri: application.redirectUri };
  const { uid, secret } = application;
  const header = { authorization: basic(uid, secret), "content-type": FORM };
  for (const [why, headers, body, status, error] of [
    ["Basic and both in the body", header, inBody(form, uid, secret), 400, "invalid_request"],
    ["a GET's parameters in the query", { "content-type": FORM }, "", 400, "invalid_request"],
    [
      "a GitHub token header",
      { authorization: `token ${secret}`, "content-type": FORM },
      encode(form),
      401,
      "invalid_client",
    ],
    [
      "parameters doubled by a retrying proxy",
      header,
      `${encode(form)}&${encode(form)}`,
      400,
      "invalid_request",
    ],
    ["JSON that says it is a form", header, JSON.stringify(form), 400, "invalid_request"],
    [
      "a form that says it is JSON",
      { ...header, "content-type": "application/json" },
      encode(form),
      400,
      "invalid_request",
    ],
  ] as const) {
    const reply = await world.call("/oauth/token", { method: "POST", headers, body });
    assert.deepEqual([reply.status, reply.json?.error], [status, error], why);
    assert.ok(reply.json.error_description.length > 10, why);
  }
});
