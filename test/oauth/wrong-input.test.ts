/** The OAuth pages and JSON endpoints refuse values of wrong type, size and encoding without a 5xx. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  anApplication,
  authorizePath,
  CALLBACK,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
  application = await anApplication(world, { owner: "dev" });
});

// Percent-encoded, as sent.
const VALUES = [
  "",
  "%00",
  "%ff",
  "%",
  "%ED%A0%80",
  "%F0%9F%98%80",
  "%E2%80%AE",
  "%0d%0aX: y",
  "[]",
  "__proto__",
  "'%20or%20'1'='1",
  "9".repeat(40),
  "a".repeat(5000),
  "%F0%9F%98%80".repeat(300),
];
const NAMES = [
  ...["client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce"],
  ...["code_challenge", "code_challenge_method", "prompt", "max_age", "__proto__", "scope[]", "state[a][b]"],
];

test("no authorization request leads to a 5xx (reference oauth D85)", async () => {
  const base = authorizePath(application);
  for (const name of NAMES) {
    for (const value of VALUES) {
      for (const path of [
        `/oauth/authorize?${name}=${value}`,
        `${base}&${name}=${value}`,
        `${base.replace(new RegExp(`([?&])${name.replace(/\W/g, "")}=[^&]*`), "$1")}&${name}=${value}`,
      ]) {
        const { status } = await dev.get(path);
        assert.ok(status < 500, `${status} ${path.slice(0, 300)}`);
      }
    }
  }
});

test("no consent form and no form of an application leads to a 5xx (reference oauth D85)", async () => {
  const page = await dev.get(authorizePath(application));
  const { csrf_token: csrf = "" } = hiddenFields(page.text, "/oauth/authorize");
  const fields = ["request_id", "decision", "_method", "name", "redirect_uri", "scopes", "grant_types"];
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const paths = ["/oauth/authorize", "/profile/applications", `/profile/applications/${application.id}`];
  for (const path of [
    ...paths,
    `${paths[2]}/renew_secret`,
    `${paths[2]}/revoke`,
    "/profile/applications/%00",
  ]) {
    for (const field of [...fields, "home_page", "grace_seconds", "csrf_token", "__proto__"]) {
      for (const value of VALUES) {
        const body = `csrf_token=${csrf}&${field}=${value}&${field}=x&${field}[]=${value}`;
        for (const text of [body, `csrf_token=${csrf}&${field}=${value}`]) {
          const { status } = await dev.send(path, text, headers);
          assert.ok(status < 500, `${status} ${path} ${text.slice(0, 300)}`);
        }
      }
    }
  }
  for (const body of ["[]", "null", "5", '"x"', "{", '{"csrf_token":{}}']) {
    for (const path of paths) {
      const { status } = await dev.send(path, body, { "content-type": "application/json" });
      assert.ok(status >= 400 && status < 500, `${status} ${path} ${body}`);
    }
  }
});

test("a request posted as JSON to authorize or logout, with any value in any parameter, gets a redirect or a 4xx (reference oauth D85)", async () => {
  const questions: [string, Record<string, string>][] = [
    ["/oauth/authorize", { client_id: application.uid, scope: "api", state: "s", resource: "", nonce: "n" }],
    ["/oauth/logout", { client_id: application.uid, state: "s", id_token_hint: "x", logout_hint: "x" }],
  ];
  for (const [path, question] of questions) {
    for (const name of [...Object.keys(question), "scope[]", "state[a]"]) {
      for (const value of [...IN_JSON, [{ toString: 1 }], [null]].filter((one) => one !== ENDLESS)) {
        const { status, text } = await world.call(path, { json: { ...question, [name]: value } });
        const what = `${status} ${path} ${name} ${JSON.stringify(value)?.slice(0, 40)}`;
        assert.ok(status === 303 || (status >= 400 && status < 500), `${what}: ${text.slice(0, 200)}`);
      }
    }
    const asked = await world.call(path, { json: { ...question, state: null } });
    assert.doesNotMatch(asked.headers.get("location") ?? "?state", /state/);
  }
});

/** The JSON endpoints, with the parameters that let a request reach the malformed one. */
const DOORS: [string, Record<string, string>][] = [
  [
    "/oauth/token",
    {
      grant_type: "authorization_code",
      code: "goc_x",
      redirect_uri: "https://a.example",
      code_verifier: "x",
    },
  ],
  ["/oauth/token", { grant_type: "refresh_token", refresh_token: "gor_x", scope: "api" }],
  ["/oauth/token", { grant_type: "password", username: "nobody", password: "x", scope: "api" }],
  ["/oauth/token", { grant_type: "client_credentials", scope: "api" }],
  ["/oauth/token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: "god_x" }],
  ["/oauth/authorize_device", { scope: "api" }],
  [
    "/oauth/par",
    { response_type: "code", redirect_uri: CALLBACK, scope: "api", state: "s", nonce: "n", resource: "" },
  ],
  ["/oauth/revoke", { token: "x", token_type_hint: "access_token" }],
  ["/oauth/introspect", { token: "x", token_type_hint: "access_token" }],
];
/** Longer than any address may be. */
const ENDLESS = "x".repeat(100_000);
const IN_JSON: unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1e300,
    2 ** 60,
    [],
    {},
    [[]],
    ["x"],
    ["x", "y"],
    { a: "b" },
    { toString: 1 },
    { length: -1 },
  ],
  ...["", " ", "\0", "\ud800", "😀".repeat(500), ENDLESS, "__proto__", "\r\nX: y"],
];
/** Endpoints that accept any text: an unknown token, a pending device, and the state or nonce of a pushed request. */
const MAY_PASS = new Set(["/oauth/revoke", "/oauth/introspect", "/oauth/authorize_device", "/oauth/par"]);

test("any malformed parameter at a JSON endpoint gets a 4xx, never a 5xx and never a token (reference oauth D85)", async () => {
  const every = await anApplication(world, {
    grantTypes: ["authorization_code", "refresh_token", "password", "client_credentials", "device_code"],
  });
  const client = { client_id: every.uid, client_secret: every.secret };
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const judge = (path: string, { status, json, text }: Reply, what: string) => {
    const refused = status >= 400 && status < 500 && typeof json?.error === "string";
    assert.ok(
      refused || (MAY_PASS.has(path) && (status === 200 || status === 201)),
      `${status} ${path} ${what}: ${text.slice(0, 200)}`,
    );
    assert.equal(/"access_token"|stack|node_modules|select /.test(text), false, `${path} ${what}`);
  };
  for (const [path, needs] of DOORS) {
    const good: Record<string, string> = { ...needs, ...client };
    for (const name of Object.keys(good)) {
      // These parameters are optional.
      const spared = ["scope", "token_type_hint", "state", "nonce", "resource"].includes(name);
      const rest = Object.entries(good).filter(([key]) => key !== name);
      const raw = new URLSearchParams(rest).toString();
      for (const value of [...VALUES, "x".repeat(100_000), "%c0%af"]) {
        if (spared && value === "") continue;
        for (const text of [
          `${raw}&${name}=${value}`,
          `${raw}&${name}=${value}&${name}=x`,
          `${raw}&${name}[]=${value}`,
        ]) {
          judge(path, await world.call(path, { method: "POST", body: text, headers }), text.slice(-60));
        }
      }
      for (const value of IN_JSON) {
        if (spared && (value === null || value === "")) continue;
        judge(
          path,
          await world.call(path, { json: { ...Object.fromEntries(rest), [name]: value } }),
          `${name} ${JSON.stringify(value)?.slice(0, 40)}`,
        );
      }
    }
    for (const body of [
      "",
      "&",
      "=",
      "%",
      "a=%",
      "\0",
      "{}",
      "[]",
      "x".repeat(200_000),
      `a=${"b&".repeat(50_000)}`,
    ]) {
      judge(path, await world.call(path, { method: "POST", body, headers }), body.slice(0, 20));
    }
    for (const body of [
      "",
      "{",
      "[]",
      "null",
      "5",
      '"x"',
      "[".repeat(50_000),
      '{"a":'.repeat(200),
      "\ufeff{}",
    ]) {
      const json = { "content-type": "application/json" };
      judge(path, await world.call(path, { method: "POST", body, headers: json }), body.slice(0, 20));
    }
  }
});

test("malformed tokens at token info, userinfo and the API, and malformed device codes, get a 4xx (reference oauth D85)", async () => {
  for (const path of ["/oauth/token/info", "/oauth/userinfo", "/api/v4/user"]) {
    for (const value of [...VALUES, "x".repeat(7000), "goa_%00", "1".repeat(41)]) {
      for (const query of [
        `access_token=${value}`,
        `access_token=${value}&access_token=x`,
        `access_token[]=${value}`,
        `access_token[a]=${value}`,
        `private_token=${value}`,
      ]) {
        const { status } = await world.call(`${path}?${query}`);
        assert.ok(status >= 400 && status < 500, `${status} ${path}?${query.slice(0, 60)}`);
      }
    }
  }
  const form = hiddenFields((await dev.get("/oauth/device")).text, "/oauth/device");
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  for (const value of VALUES) {
    const page = await dev.get(`/oauth/device?user_code=${value}&user_code[]=${value}`);
    assert.ok(page.status === 200 || page.status === 400, `${page.status} ${value.slice(0, 20)}`);
    const body = `csrf_token=${form.csrf_token}&user_code=${value}&decision=${value}`;
    const { status } = await dev.send("/oauth/device", body, headers);
    assert.ok(status >= 400 && status < 500, `${status} ${value.slice(0, 20)}`);
  }
});
