/** Attacks on the proof of an application: absent, wrong, doubled, smuggled into other places, guessed by time. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aPair, apiStatus, aScene, rawStatus } from "../../support/attacks.ts";
import { counting } from "../../support/counting.ts";
import {
  aCode,
  anApplication,
  CALLBACK,
  exchange,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../../support/oauth.ts";
import type { World } from "../../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;
let other: TestApplication;

before(async () => {
  ({ world, dev, application } = await aScene());
  other = await anApplication(world);
});

/** Every JSON door at which an application proves itself, with what else it needs. */
const DOORS: [string, Record<string, string>][] = [
  ["/oauth/token", { grant_type: "authorization_code", code: "x", redirect_uri: "x" }],
  ["/oauth/token", { grant_type: "refresh_token", refresh_token: "x" }],
  ["/oauth/token", { grant_type: "password", username: "dev", password: "x" }],
  ["/oauth/token", { grant_type: "client_credentials" }],
  ["/oauth/token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: "x" }],
  ["/oauth/revoke", { token: "x" }],
  ["/oauth/par", { response_type: "code", redirect_uri: CALLBACK }],
  ["/oauth/introspect", { token: "x" }],
  ["/oauth/authorize_device", { scope: "api" }],
];
const encoded = (text: string | Buffer) => ({
  authorization: `Basic ${Buffer.from(text).toString("base64")}`,
});

test("a confidential application by its id alone, an empty, a wrong or another's secret: one 401 at every door (reference oauth D30, D31, D33, reliability S27, S30)", async () => {
  const { uid, secret } = application;
  const cases: [Record<string, string>, Record<string, string>][] = [
    [{}, {}],
    [{ client_id: uid }, {}],
    [{ client_id: uid, client_secret: "" }, {}],
    [{ client_id: uid, client_secret: " " }, {}],
    [{ client_id: uid, client_secret: secret.toLowerCase() }, {}],
    [{ client_id: uid, client_secret: `${secret} ` }, {}],
    [{ client_id: uid, client_secret: other.secret }, {}],
    [{ client_id: uid, client_secret: uid }, {}],
    [{ client_id: "0".repeat(64), client_secret: secret }, {}],
    [{ client_id: uid.toUpperCase(), client_secret: secret }, {}],
    [{ client_id: `${uid}\0`, client_secret: secret }, {}],
    [{}, encoded(uid)],
    [{}, encoded(`${uid}:`)],
    [{}, encoded(`:${secret}`)],
    [{}, encoded(`${uid}:${other.secret}`)],
    [{}, encoded(Buffer.from([0xff, 0x3a, 0xfe]))],
    [{}, { authorization: `Basic ${uid}:${secret}` }],
    [{}, { authorization: `Digest ${secret}` }],
    [{}, { authorization: `Bearer ${secret}` }],
    [
      {
        client_assertion: "eyJhbGciOiJub25lIn0.e30.",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      },
      {},
    ],
    [{ client_id: uid, client_assertion: "eyJhbGciOiJub25lIn0.e30." }, {}],
  ];
  const seen = new Set<string>();
  for (const [path, needs] of DOORS) {
    for (const [form, headers] of cases) {
      const reply = await world.call(path, { form: { ...needs, ...form }, headers });
      assert.equal(reply.status, 401, JSON.stringify([path, form, headers]));
      assert.equal(reply.headers.get("www-authenticate"), 'Basic realm="Gatehouse"');
      assert.equal(reply.headers.get("cache-control"), "no-store");
      seen.add(reply.text);
    }
  }
  assert.equal(seen.size, 1);
});

test("two proofs, two ids, doubled parameters and credentials in the query are never a proof (reference oauth D30, reliability S28, S29)", async () => {
  const { uid, secret } = application;
  const basic = { authorization: application.basic };
  for (const [path, needs] of DOORS) {
    for (const form of [
      { ...needs, client_secret: secret },
      { ...needs, client_id: uid, client_secret: secret },
      { ...needs, client_id: other.uid },
    ]) {
      const reply = await world.call(path, { form, headers: basic });
      assert.deepEqual([reply.status, reply.json.error], [400, "invalid_request"], path);
      assert.equal(reply.headers.get("www-authenticate"), null);
    }
    for (const name of ["client_id", "client_secret"]) {
      const good: [string, string][] = Object.entries({ ...needs, client_id: uid, client_secret: secret });
      const value = good.find(([key]) => key === name)?.[1] ?? "";
      const reply = await world.call(path, { form: [...good, [name, value]] });
      assert.deepEqual([reply.status, reply.json.error], [400, "invalid_request"], `${path} ${name}`);
    }
    const query = new URLSearchParams({ client_id: uid, client_secret: secret });
    assert.equal((await world.call(`${path}?${query}`, { form: needs })).status, 401, path);
  }
});

test("an access token that a client puts on every request proves no application and keeps none from proving itself (RFC 6749 §2.3.1, decision 0016)", async () => {
  const open = await anApplication(world, { confidential: false });
  const old = await aPair(world, dev, application);
  const authorization = `Bearer ${old.access_token}`;
  const own = { client_id: application.uid, client_secret: application.secret };
  const grant = { grant_type: "refresh_token", refresh_token: old.refresh_token };
  const bare = await world.call("/oauth/token", { form: grant, headers: { authorization } });
  assert.deepEqual([bare.status, bare.json.error], [401, "invalid_client"]);
  const renewed = await world.call("/oauth/token", {
    form: { ...grant, ...own },
    headers: { authorization },
  });
  assert.equal(renewed.status, 200, renewed.text);
  const publicly = await world.call("/oauth/token", {
    form: { ...grant, refresh_token: "x", client_id: open.uid },
    headers: { authorization },
  });
  assert.deepEqual([publicly.status, publicly.json.error], [400, "invalid_grant"]);
  for (const path of ["/oauth/introspect", "/oauth/revoke"]) {
    const form = { ...own, token: renewed.json.access_token };
    assert.equal((await world.call(path, { form, headers: { authorization } })).status, 200, path);
  }
  assert.equal(await apiStatus(world, renewed.json.access_token), 401);
});

test("a Basic that names no application, of a proxy or a ~/.netrc, is no proof and keeps none in the body from counting (RFC 6749 §2.3; spec: POST /oauth/token; decision 0221)", async () => {
  const open = await anApplication(world, { confidential: false });
  const { uid, secret } = application;
  const foreign = [
    encoded("dev:gpat_of-a-netrc"),
    encoded("proxy:"),
    encoded("d%C3%A9v:x+y"),
    encoded(`${uid}x:y`),
  ];
  for (const headers of foreign) {
    for (const [path, needs] of DOORS) {
      const alike = (form: Record<string, string>) =>
        world.call(path, { form: { ...needs, ...form }, headers });
      const plain = await world.call(path, { form: { ...needs, client_id: uid, client_secret: secret } });
      const beside = await alike({ client_id: uid, client_secret: secret });
      assert.deepEqual([beside.status, beside.json.error], [plain.status, plain.json.error], path);
      for (const form of [{}, { client_id: uid }, { client_id: uid, client_secret: other.secret }]) {
        const { status, json } = await alike(form);
        assert.deepEqual([status, json.error], [401, "invalid_client"], JSON.stringify([path, form]));
      }
    }
    const code = await aCode(dev, application);
    const form = { grant_type: "authorization_code", code, redirect_uri: CALLBACK };
    const got = await world.call("/oauth/token", {
      form: { ...form, client_id: uid, client_secret: secret },
      headers,
    });
    assert.equal(got.status, 200, got.text);
    const publicly = { grant_type: "refresh_token", refresh_token: "x", client_id: open.uid };
    assert.equal((await world.call("/oauth/token", { form: publicly, headers })).json.error, "invalid_grant");
  }
  // Whatever may name an application is a proof, and one that cannot be read may be.
  for (const named of [
    `Basic ${Buffer.from(`${"0".repeat(64)}:x`).toString("base64")}`,
    `Basic ${Buffer.from(`${encodeURIComponent(other.uid).replace("a", "%61")}:x`).toString("base64")}`,
    "Basic !!!",
  ]) {
    const form = { grant_type: "client_credentials", client_id: uid, client_secret: secret };
    const reply = await world.call("/oauth/token", { form, headers: { authorization: named } });
    assert.deepEqual([reply.status, reply.json.error], [400, "invalid_request"], named);
  }
  for (const authorization of [
    "Basic !!!",
    "Basic",
    `Basic ${Buffer.from("\xff:x", "latin1").toString("base64")}`,
  ]) {
    const publicly = { grant_type: "refresh_token", refresh_token: "x", client_id: open.uid };
    const reply = await world.call("/oauth/token", { form: publicly, headers: { authorization } });
    assert.deepEqual([reply.status, reply.json.error], [401, "invalid_client"], authorization);
  }
});

test("headers of a megabyte, with NUL, or twice over are refused by a 4xx (reference oauth D30, reliability S28)", async () => {
  const question = ["POST /oauth/introspect HTTP/1.1", "Host: localhost", "Connection: close"];
  const head = [...question, "Content-Length: 0"];
  const huge = await rawStatus(world, [...head, `Authorization: Basic ${"A".repeat(1_000_000)}`]);
  assert.ok(huge === 431 || huge === 0, `${huge}: refused, or cut off while it was sent`);
  assert.equal(await rawStatus(world, [...head, "Authorization: Basic \0\0"]), 400);
  const form = ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 7", "", "token=x"];
  const proof = `Authorization: ${application.basic}`;
  assert.equal(await rawStatus(world, [...question, proof, ...form]), 200);
  assert.equal(await rawStatus(world, [...question, proof, proof, ...form]), 400);
  assert.equal(
    await rawStatus(world, [
      ...head,
      Buffer.from([..."Authorization: Basic ".split("").map((c) => c.charCodeAt(0)), 0xff, 0xfe]),
    ]),
    401,
  );
});

test("an unknown application costs the same statements as a wrong secret, so that time tells neither (reference oauth D33, reliability S27)", async () => {
  const { app, tokenCost } = await counting(world);
  const cost = (client_id: string, client_secret: string) =>
    tokenCost({ grant_type: "refresh_token", refresh_token: "x", client_id, client_secret }, 401);
  const wrong = await cost(application.uid, other.secret);
  assert.equal(await cost("0".repeat(64), application.secret), wrong);
  assert.equal(await cost(application.uid, ""), wrong);
  await app.close();
});

test("a secret whose prefix or checksum is wrong is refused without asking the database for it (reliability S52)", async () => {
  const { app, statements } = await counting(world);
  const { access_token: good } = await aPair(world, dev, application);
  const ask = async (token: string, url = "/api/v4/user") => {
    statements();
    const reply = await app.inject({ url, headers: { authorization: `Bearer ${token}` } });
    return [reply.statusCode, statements()] as const;
  };
  const last = good.endsWith("a") ? "b" : "a";
  for (const token of [
    good.slice(0, -1) + last,
    `${good}a`,
    good.slice(0, -1),
    good.replace("goa_", "gpat_"),
    good.replace("goa_", "gor_"),
    "goa_",
    "gpat_x",
  ]) {
    for (const url of ["/api/v4/user", "/oauth/token/info"]) {
      assert.deepEqual(await ask(token, url), [401, 0], `${url} ${token.length}`);
    }
  }
  const [status, cost] = await ask(good);
  assert.ok(status === 200 && cost > 0);
  await app.close();
});

test("a public application proves itself by its id, and nothing with a secret that is wrong (reference oauth D31, D32)", async () => {
  const open = await anApplication(world, { confidential: false });
  const form = { grant_type: "refresh_token", refresh_token: "x", client_id: open.uid };
  assert.equal((await tokenCall(world, form)).json.error, "invalid_grant");
  assert.equal(
    (await tokenCall(world, { ...form, client_secret: "gos_wrong" })).json.error,
    "invalid_client",
  );
  const machine = await tokenCall(world, { grant_type: "client_credentials", client_id: open.uid });
  assert.equal(machine.json.error, "unauthorized_client");
  const refused = await world.call("/api/v4/applications", {
    as: "ada",
    json: {
      name: "x",
      redirect_uri: "",
      scopes: "api",
      confidential: false,
      grant_types: ["client_credentials"],
    },
  });
  assert.equal(refused.status, 400, refused.text);
});

test("Basic credentials are read form-decoded, with colons and letters beyond ASCII (RFC 6749 §2.3.1; reliability S31)", async () => {
  const { uid, secret } = application;
  const everyByte = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("");
  const code = () => aCode(dev, application);
  for (const pair of [
    `${uid}:${secret}`,
    `${everyByte(uid)}:${everyByte(secret)}`,
    `${uid}:${secret.replaceAll("_", "%5f")}`,
  ]) {
    const form = { client_id: undefined, client_secret: undefined };
    const reply = await exchangeBasic(await code(), pair, form);
    assert.equal(reply.status, 200, pair);
    assert.equal(await apiStatus(world, reply.json.access_token), 200);
  }
  for (const pair of [
    `${uid}:${secret}:`,
    `${uid}:é`,
    `${uid}:%`,
    `${uid}:a:b`,
    `${uid}:${secret}%00`,
    `é:${secret}`,
  ]) {
    assert.equal((await exchangeBasic("x", pair, {})).status, 401, pair);
  }
});

function exchangeBasic(code: string, pair: string, more: Record<string, string | undefined>) {
  const form = { grant_type: "authorization_code", code, redirect_uri: application.redirectUri, ...more };
  return tokenCall(world, form, encoded(pair));
}

test("GET, PUT and bodies that are neither form nor JSON get no token (RFC 6749 §3.2; reliability S22)", async () => {
  const code = await aCode(dev, application);
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: application.redirectUri,
    client_id: application.uid,
    client_secret: application.secret,
  });
  const paths = [
    "/oauth/token",
    "/oauth/revoke",
    "/oauth/introspect",
    "/oauth/authorize_device",
    "/oauth/par",
  ];
  for (const path of paths) {
    for (const method of ["GET", "PUT", "PATCH", "DELETE", "HEAD"]) {
      const reply = await world.call(`${path}?${form}`, { method });
      assert.equal(reply.status, 405, `${method} ${path}`);
      assert.match(reply.headers.get("allow") ?? "", /POST/);
    }
    for (const type of [
      "text/plain",
      "multipart/form-data; boundary=x",
      "application/xml",
      "application/octet-stream",
    ]) {
      const reply = await world.call(path, {
        method: "POST",
        body: form.toString(),
        headers: { "content-type": type },
      });
      assert.equal(reply.status, 415, `${type} ${path}`);
    }
    const head = [
      `POST ${path} HTTP/1.1`,
      "Host: localhost",
      "Connection: close",
      `Content-Length: ${form.toString().length}`,
    ];
    assert.ok([400, 415].includes(await rawStatus(world, [...head, "", form.toString()])), `no type ${path}`);
  }
  assert.equal((await exchange(world, application, code)).status, 200, "and none of them spent the code");
});

test("what the grant may be is named for what it is: missing, a list, a megabyte, unknown, not ticked (reliability S32)", async () => {
  const basic = { authorization: application.basic };
  const ask = (form: Record<string, string> | [string, string][]) =>
    world.call("/oauth/token", { form, headers: basic });
  const json = (body: unknown) => world.call("/oauth/token", { json: body, headers: basic });
  for (const [reply, status, error] of [
    [await ask({}), 400, "invalid_request"],
    [await ask({ grant_type: "" }), 400, "invalid_request"],
    [
      await ask([
        ["grant_type", "password"],
        ["grant_type", "password"],
      ]),
      400,
      "invalid_request",
    ],
    [await ask({ "grant_type[]": "password" }), 400, "invalid_request"],
    [await json({ grant_type: ["password"] }), 400, "invalid_request"],
    [await json({ grant_type: { a: "b" } }), 400, "invalid_request"],
    [await ask({ grant_type: "x".repeat(900_000) }), 400, "unsupported_grant_type"],
    [await ask({ grant_type: "x".repeat(1_100_000) }), 413, "invalid_request"],
    [await ask({ grant_type: "implicit" }), 400, "unsupported_grant_type"],
    [await ask({ grant_type: "constructor" }), 400, "unsupported_grant_type"],
    [await ask({ grant_type: "client_credentials" }), 400, "unauthorized_client"],
  ] as const) {
    assert.deepEqual([reply.status, reply.json.error], [status, error]);
  }
});

test("every answer of the token doors is JSON that nobody stores, good or bad (reliability S44)", async () => {
  const code = await aCode(dev, application);
  const replies = [
    await exchange(world, application, code),
    await exchange(world, application, code),
    await tokenCall(world, {}),
    await world.call("/oauth/revoke", {
      form: { token: "x" },
      headers: { authorization: application.basic },
    }),
    await world.call("/oauth/introspect", {
      form: { token: "x" },
      headers: { authorization: application.basic },
    }),
    await world.call("/oauth/token/info"),
    await world.call("/oauth/token/info", { token: await world.tokenOf("dev", "api") }),
    await world.call("/oauth/token"),
  ];
  for (const { headers, status, text } of replies) {
    assert.match(headers.get("content-type") ?? "", /^application\/json(; ?charset=utf-8)?$/, text);
    assert.equal(headers.get("cache-control"), "no-store", `${status} ${text}`);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
  }
});

test("any origin may call the token doors, none with cookies, and the authorization endpoint none (contract §4, CORS; reliability S45)", async () => {
  const origin = { origin: "https://spa.example" };
  for (const path of ["/oauth/token", "/oauth/revoke", "/oauth/userinfo"]) {
    const method = path === "/oauth/userinfo" ? "GET" : "POST";
    const reply = await world.call(path, { method, headers: origin });
    assert.equal(reply.headers.get("access-control-allow-origin"), "*", path);
    assert.equal(reply.headers.get("access-control-allow-credentials"), null);
    assert.equal(reply.headers.get("set-cookie"), null);
  }
  for (const path of ["/oauth/authorize", "/users/sign_in", "/profile/applications", "/oauth/device"]) {
    for (const method of ["GET", "OPTIONS"]) {
      const reply = await world.call(path, {
        method,
        headers: { ...origin, "access-control-request-method": "POST" },
      });
      assert.equal(reply.headers.get("access-control-allow-origin"), null, `${method} ${path}`);
    }
  }
});
