/** Attacks with tokens at the API: two at once, of another kind, dead ones at another process, broken headers. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { buildApp } from "../../../src/app.ts";
import { openDb } from "../../../src/platform/db.ts";
import { bytes, row, text } from "../../../src/platform/row.ts";
import { Sql, sql } from "../../../src/platform/sql.ts";
import { aPair, apiStatus, aScene, rawStatus } from "../../support/attacks.ts";
import { PATIENCE_MS } from "../../support/database.ts";
import {
  aCode,
  anApplication,
  exchange,
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

const ROUTES = [
  "/api/v4/user",
  "/api/v4/events",
  "/api/v4/projects",
  "/oauth/token/info",
  "/api/v4/personal_access_tokens",
];

test("two tokens that differ are an invalid request wherever they stand; the same one twice is fine (RFC 6750 §2; reference oauth D67, reliability S47)", async () => {
  const [one, two] = [await world.tokenOf("dev", "api"), await world.tokenOf("gus", "api")];
  for (const path of ROUTES) {
    const differing: [string, Record<string, string>][] = [
      [`?access_token=${two}`, { authorization: `Bearer ${one}` }],
      [`?access_token=x`, { authorization: `Bearer ${one}` }],
      [`?private_token=${two}`, { "private-token": one }],
      [`?access_token=${one}&private_token=${two}`, {}],
      [`?bearer_token=${two}`, { authorization: `Bearer ${one}` }],
      [`?access_token=${one}&bearer_token=${two}`, {}],
      [`?access_token=${one}&access_token=${two}`, {}],
      ["", { authorization: `Bearer ${one}`, "private-token": two }],
      [`?access_token=${one}`, { authorization: "Bearer a b" }],
    ];
    for (const [query, headers] of differing) {
      const reply = await world.call(path + query, { headers });
      assert.deepEqual(
        [reply.status, reply.json.error],
        [400, "invalid_request"],
        `${path}${query.slice(0, 20)}`,
      );
      assert.equal(reply.headers.get("www-authenticate"), null);
    }
    const same = await world.call(`${path}?access_token=${one}`, {
      headers: { authorization: `Bearer ${one}` },
    });
    assert.equal(same.status, 200, path);
  }
});

test("a token counts beside another scheme, which names none: the Basic of a ~/.netrc or of a proxy in front; alone it passes as nobody nowhere, and is told no error (RFC 6750 §2, §3.1; contract §4, token/info; reference oauth D67)", async () => {
  const token = await world.tokenOf("dev", "api");
  for (const authorization of [application.basic, "Negotiate x", "Token x", "", "Bearer", "DPoP"]) {
    for (const path of ROUTES) {
      for (const [query, more] of [
        ["", { "private-token": token }],
        [`?access_token=${token}`, {}],
        [`?private_token=${token}`, { "private-token": token }],
      ] as const) {
        const reply = await world.call(path + query, { headers: { authorization, ...more } });
        assert.equal(reply.status, 200, `${authorization} at ${path}${query}`);
      }
      const alone = await world.call(path, { headers: { authorization } });
      assert.equal(alone.status, 401, `${authorization} alone at ${path}`);
      assert.match(alone.headers.get("www-authenticate") ?? "", /^(Bearer|DPoP) (?!.*error=)/);
    }
    const strange = await world.call(`/api/v4/user?access_token=goa_x`, { headers: { authorization } });
    assert.equal(strange.status, 401);
  }
  const twice = [`PRIVATE-TOKEN: ${token}`, "Authorization: Basic eDp5", "Authorization: Basic eDp5"];
  const head = ["GET /api/v4/user HTTP/1.1", "Host: localhost", "Connection: close"];
  assert.equal(await rawStatus(world, [...head, ...twice]), 400, "two headers");
  assert.equal(await rawStatus(world, [...head, ...twice.slice(0, 2)]), 200);
});

test("a token is taken as bearer_token too, and goes into no header and no cache (reference oauth A6, D66)", async () => {
  const token = await world.tokenOf("dev", "api");
  const info = await world.call(`/oauth/token/info?bearer_token=${token}`);
  assert.deepEqual([info.status, info.json.resource_owner_id], [200, world.ids.dev]);
  assert.equal((await world.call("/oauth/token/info?bearer_token=x")).status, 401);
  const listed = await world.call(`/api/v4/projects?per_page=1&bearer_token=${token}`);
  assert.deepEqual([listed.status, listed.headers.get("cache-control")], [200, "private, no-store"]);
  assert.match(listed.headers.get("link") ?? "", /per_page=1/);
  assert.ok(![...listed.headers.values()].some((value) => value.includes(token)));
});

test("Bearer in any case is taken; two Authorization headers are not (reliability S50)", async () => {
  const token = await world.tokenOf("dev", "api");
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
    assert.equal(
      (await world.call("/api/v4/user", { headers: { authorization: `${scheme} ${token}` } })).status,
      200,
    );
  }
  const head = (path: string) => [`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: close"];
  for (const path of ["/api/v4/user", "/oauth/token/info"]) {
    const line = `Authorization: Bearer ${token}`;
    assert.equal(await rawStatus(world, [...head(path), line]), 200);
    assert.equal(await rawStatus(world, [...head(path), line, line]), 400, path);
    assert.equal(
      await rawStatus(world, [...head(path), line, `authorization: Basic ${"x".repeat(8)}`]),
      400,
      path,
    );
  }
});

test("expired, revoked and made-up tokens are one and the same 401 at token/info (reliability S47)", async () => {
  const replies = [];
  const pair = await aPair(world, dev, application);
  await world.call("/oauth/revoke", {
    form: { token: pair.access_token },
    headers: { authorization: application.basic },
  });
  const late = await aPair(world, dev, application);
  await world.platform.db.run(
    sql`update access_tokens set expires_at = now() where id = (select max(id) from access_tokens)`,
  );
  for (const token of [pair.access_token, late.access_token, "goa_x", "x", `goa_${"A".repeat(36)}`]) {
    const reply = await world.call("/oauth/token/info", { token });
    replies.push(JSON.stringify([reply.status, reply.text, reply.headers.get("www-authenticate")]));
  }
  assert.equal(new Set(replies).size, 1, replies.join("\n"));
  assert.match(replies[0] ?? "", /^\[401,/);
});

test("the API opens for no token that has expired or was revoked, and says of each which (RFC 6750 §3.1; reference oauth A8)", async () => {
  const revoked = await aPair(world, dev, application);
  await world.call("/oauth/revoke", {
    form: { token: revoked.access_token },
    headers: { authorization: application.basic },
  });
  const expired = await aPair(world, dev, application);
  await world.platform.db.run(
    sql`update access_tokens set expires_at = now() where id = (select max(id) from access_tokens)`,
  );
  for (const [{ access_token }, words] of [
    [expired, "Token is expired. You can either do re-authorization or token refresh."],
    [revoked, "Token was revoked. You have to re-authorize from the user."],
  ] as const) {
    for (const path of ["/api/v4/user", "/api/v4/events", "/api/v4/projects"]) {
      const reply = await world.call(path, { token: access_token });
      assert.equal(reply.status, 401, path);
      assert.deepEqual(reply.json, { error: "invalid_token", error_description: words });
    }
  }
});

test("the API tells a token that nobody has from none at all in its challenge, and answers both in GitLab's words (RFC 6750 §3.1; reference oauth A8)", async () => {
  const realm = 'Bearer realm="Gatehouse"';
  const presented = `${realm}, error="invalid_token"`;
  for (const [headers, challenge] of [
    [{}, realm],
    [{ authorization: "Bearer goa_x" }, presented],
    [{ "private-token": "x" }, presented],
  ] as [Record<string, string>, string][]) {
    const reply = await world.call("/api/v4/user", { headers });
    assert.deepEqual([reply.status, reply.json], [401, { message: "401 Unauthorized" }]);
    assert.equal(reply.headers.get("www-authenticate"), challenge);
  }
});

test("no secret of another kind is an access token, and an access token is no other (reference oauth D68, reliability S49)", async () => {
  const pair = await aPair(world, dev, application);
  const integration = await world.call(`/api/v4/projects/${world.rocket.id}/alert_integrations`, {
    as: "max",
    json: { name: "x", type: "http", active: true },
  });
  assert.equal(integration.status, 201, integration.text);
  const key: string = integration.json.authorization_key;
  assert.ok(key);
  const others = [
    pair.refresh_token,
    await aCode(dev, application),
    application.secret,
    application.uid,
    key,
    PASSWORD,
  ];
  for (const token of others) {
    for (const path of ROUTES.filter((each) => each !== "/api/v4/projects")) {
      assert.equal((await world.call(path, { token })).status, 401, `${token.slice(0, 4)} at ${path}`);
      assert.equal((await world.call(path, { headers: { "private-token": token } })).status, 401);
      assert.equal((await world.call(`${path}?access_token=${encodeURIComponent(token)}`)).status, 401);
    }
    assert.equal((await world.call("/api/v4/projects", { token })).status, 401, "not even as nobody");
  }
  const personal = await world.tokenOf("dev", "api");
  for (const token of [personal, pair.access_token, key]) {
    assert.equal((await exchange(world, application, token)).json.error, "invalid_grant");
    assert.equal((await refresh(world, application, token)).json.error, "invalid_grant");
    const body = {
      body: "{}",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    };
    if (token !== key) {
      const alert = await world.call(new URL(integration.json.url).pathname, { ...body, method: "POST" });
      assert.equal(alert.status, 401, "a person's token at the alert receiver");
    }
  }
});

test("what ends at one process is refused by another from the same moment (contract §4, tokens and roles; reference oauth D69)", async () => {
  const db = openDb({ connection: world.connection, checkRows: true, patienceMs: PATIENCE_MS });
  const app = await buildApp({ ...world.platform, db });
  const there = async (token: string, url = "/api/v4/user") =>
    (await app.inject({ url, headers: { authorization: `Bearer ${token}` } })).statusCode;
  const pair = await aPair(world, dev, application);
  const second = await aPair(world, dev, application);
  for (const url of ["/api/v4/user", "/oauth/token/info"])
    assert.equal(await there(pair.access_token, url), 200);
  const ended = await world.call("/oauth/revoke", {
    form: { token: pair.access_token },
    headers: { authorization: application.basic },
  });
  assert.equal(ended.status, 200);
  for (const url of ["/api/v4/user", "/oauth/token/info"])
    assert.equal(await there(pair.access_token, url), 401);

  assert.equal(await there(second.access_token), 200);
  const block = (word: string) =>
    world.call(`/api/v4/users/${world.ids.dev}/${word}`, { as: "ada", method: "POST" });
  await block("block");
  assert.equal(await there(second.access_token), 403);
  assert.equal(await there(second.access_token, "/oauth/token/info"), 401);
  await block("unblock");
  assert.equal(await there(second.access_token), 200);

  const gus = await signedIn(world, "gus");
  const third = await aPair(world, gus, application);
  const path = `/api/v4/projects/${world.rocket.id}`;
  assert.equal(await there(third.access_token, path), 200);
  await world.call(`${path}/members/${world.ids.gus}`, { as: "olga", method: "DELETE" });
  assert.equal(await there(third.access_token, path), 404);
  await world.platform.db.run(sql`delete from applications where id = ${application.id}`);
  assert.equal(await there(third.access_token), 401);
  await app.close();
  await db.close();
  dev = await signedIn(world, "dev");
  application = await anApplication(world);
});

test("a dump of the database holds no token, code, secret, session or password (reference oauth D70)", async () => {
  const gone = await aCode(dev, application);
  const pair = await aPair(world, dev, application);
  const device = await anApplication(world, { grantTypes: ["device_code"] });
  const begun = (
    await world.call("/oauth/authorize_device", {
      form: { scope: "api" },
      headers: { authorization: device.basic },
    })
  ).json;
  const personal = await world.tokenOf("dev", "api");
  const setup = await dev.get("/profile/applications");
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(setup.text)?.[1] ?? "";
  const secrets = [
    ...[
      gone,
      pair.access_token,
      pair.refresh_token,
      application.secret,
      begun.device_code,
      personal,
      PASSWORD,
      csrf,
    ],
    begun.user_code.replace("-", ""),
  ];
  const { db } = world.platform;
  const tables = await db.many(
    row({ name: text }),
    sql`select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  assert.ok(tables.length > 20);
  for (const { name } of tables) {
    const rows = await db.many(row({ line: text }), new Sql([`select t::text as line from ${name} t`], []));
    const dumped = rows.map(({ line }) => line).join("\n");
    for (const secret of secrets) {
      const hex = Buffer.from(secret).toString("hex");
      assert.ok(
        secret.length > 6 && !dumped.includes(secret) && !dumped.includes(hex),
        `${secret.slice(0, 4)} in ${name}`,
      );
    }
  }
  const digests = await db.many(row({ digest: bytes }), sql`select digest from access_tokens`);
  assert.ok(digests.length > 0 && digests.every(({ digest }) => digest.length === 32));
});

test("a header with NUL, a line break or ten megabytes in it is refused by a 4xx (reference oauth D71; reliability S109)", async () => {
  const head = ["GET /api/v4/user HTTP/1.1", "Host: localhost", "Connection: close"];
  for (const line of [
    "Authorization: Bearer \0",
    "Authorization: Bearer a\rb",
    "Authorization: Bearer goa_\x01",
  ]) {
    const status = await rawStatus(world, [...head, line]);
    assert.ok(status >= 400 && status < 500, `${status} ${JSON.stringify(line)}`);
  }
  const huge = await rawStatus(world, [...head, `Authorization: Bearer ${"x".repeat(10_000_000)}`]);
  assert.ok(huge === 431 || huge === 0, `${huge}`);
  for (const authorization of [
    "Bearer",
    "Bearer ",
    "Bearer a b",
    "bearer\ta",
    "Token x",
    "x",
    "Bearer é",
    "Negotiate x",
  ]) {
    const reply = await world.call("/api/v4/user", {
      headers: { authorization: Buffer.from(authorization).toString("latin1") },
    });
    assert.equal(reply.status, 401, authorization);
  }
  assert.equal(await apiStatus(world, "x".repeat(8000)), 401);
  assert.equal(
    (await world.call(`/api/v4/user?access_token=${"x".repeat(9000)}`)).status,
    400,
    "longer than an address may be",
  );
});

test("what is answered to a token in the address is stored by nobody, and no link of it repeats the token (RFC 6750 §2.3; reference oauth D66, reliability S51)", async () => {
  const { access_token: token } = await aPair(world, dev, application);
  for (const path of [
    "/api/v4/user",
    "/api/v4/events",
    "/api/v4/projects?per_page=1",
    "/oauth/token/info",
    "/oauth/userinfo",
    "/api/v4/nothing",
  ]) {
    const reply = await world.call(`${path}${path.includes("?") ? "&" : "?"}access_token=${token}`);
    const stored = reply.headers.get("cache-control") ?? "";
    assert.match(stored, /no-store/, `${path}: ${stored}`);
    assert.equal(reply.text.includes(token), false, path);
    for (const [name, value] of reply.headers) assert.equal(value.includes(token), false, `${path} ${name}`);
  }
  assert.equal(
    (await tokenCall(world, { grant_type: "refresh_token", refresh_token: token })).text.includes(token),
    false,
  );
});
