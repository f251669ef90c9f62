/** Rate limits, on a service that has them on. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { row, text } from "../../src/platform/row.ts";
import { newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { assetPath } from "../../src/ui/assets.ts";
import { aSource } from "../support/alerts.ts";
import { aKey, assertionForm, type Pair, setOf } from "../support/assertions.ts";
import { whenDone } from "../support/cleanup.ts";
import { counting } from "../support/counting.ts";
import { stopsMeasuring } from "../support/measuring.ts";
import { anApplication, aProof, type TestApplication } from "../support/oauth.ts";
import { push } from "../support/pushed.ts";
import { assertLimited } from "../support/rate-limits.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  stopsMeasuring();
  world = await startWorld({ GATEHOUSE_RATE_LIMITS: "on", GATEHOUSE_TRUSTED_PROXIES: "127.0.0.1,::1" });
});

/** Every test uses its own addresses, forwarded by a trusted proxy. */
const from = (address: string) => ({ "x-forwarded-for": address });

/** Repeats a request until it is refused, at most `most` times. */
async function untilRefused(
  most: number,
  ask: () => Promise<Reply>,
): Promise<{ passed: number; last: Reply }> {
  for (let passed = 0; ; passed++) {
    const last = await ask();
    if (last.status === 429 || passed === most) return { passed, last };
  }
}

describe("the API", () => {
  it("returns the remaining requests in every response (contract §4, rate limits)", async () => {
    const reply = await world.call("/api/v4/user", { as: "dev", headers: from("198.51.100.1") });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get("ratelimit-limit"), "2000");
    assert.match(reply.headers.get("ratelimit-remaining") ?? "", /^199\d$/);
    assert.match(reply.headers.get("ratelimit-reset") ?? "", /^\d+$/);
    assert.match(reply.headers.get("access-control-expose-headers") ?? "", /RateLimit-Remaining/);
  });

  it("counts a token as one, whatever scheme it is sent with (RFC 9449 §7.1; decision 0070)", async () => {
    const token = await world.tokenOf("rep", "api");
    const left = async (headers: Record<string, string>) => {
      const reply = await world.call("/api/v4/user", { headers: { ...from("198.51.100.9"), ...headers } });
      return [reply.status, Number(reply.headers.get("ratelimit-remaining"))];
    };
    assert.deepEqual(await left({ authorization: `Bearer ${token}` }), [200, 1999]);
    assert.deepEqual(await left({ authorization: `DPoP ${token}` }), [401, 1998]);
    assert.deepEqual(await left({ authorization: `dpop  ${token}` }), [401, 1997]);
    assert.deepEqual(await left({ "private-token": token }), [200, 1996]);
  });

  it("counts by the token beside any other scheme, and does not treat Basic credentials as a known token (decision 0070)", async () => {
    const headers = { ...from("198.51.100.31"), authorization: "Basic b2ZmaWNlOnByb3h5" };
    const left = async (token: string) => {
      const reply = await world.call("/api/v4/user", { headers: { ...headers, "private-token": token } });
      return [reply.status, Number(reply.headers.get("ratelimit-remaining"))];
    };
    const [one, two] = [await world.tokenOf("rep", "read_user"), await world.tokenOf("gus", "read_user")];
    assert.deepEqual(
      [await left(one), await left(one), await left(two)],
      [
        [200, 1999],
        [200, 1998],
        [200, 1999],
      ],
    );
    let made = 0;
    const guess = () =>
      world.call("/api/v4/user", { headers: { ...headers, "private-token": `guess-${made++}` } });
    const { passed } = await untilRefused(400, guess);
    assert.equal(passed, 300);
    assert.deepEqual(await left(one), [200, 1997]);
  });

  it("accepts 300 requests a minute from an address without a token, then answers 429 in JSON (decision 0070)", async () => {
    const ask = () => world.call("/api/v4/projects/acme%2Fopen", { headers: from("198.51.100.2") });
    const { passed, last } = await untilRefused(400, ask);
    assert.equal(passed, 300);
    assertLimited(last, "300");
    assert.match(last.json.message, /^429 Too Many Requests/);
    const neighbour = await world.call("/api/v4/projects/acme%2Fopen", { headers: from("198.51.100.3") });
    assert.notEqual(neighbour.status, 429);
  });

  it("counts invalid tokens for their address, and lets tokens that were valid before pass (decision 0070)", async () => {
    const headers = from("198.51.100.4");
    assert.equal((await world.call("/api/v4/user", { as: "max", headers })).status, 200);
    let made = 0;
    const guess = () => world.call("/api/v4/user", { token: `guess-${made++}`, headers });
    const { passed, last } = await untilRefused(400, guess);
    assert.equal(passed, 300);
    assertLimited(last, "300");
    assert.equal((await world.call("/api/v4/user", { as: "max", headers })).status, 200);
  });

  it("counts requests without a token and with an unknown one separately, so that neither blocks the other (reference reliability E; decision 0070)", async () => {
    const ask = (headers: Record<string, string>, token?: string) =>
      world.call("/api/v4/projects/acme%2Fopen", { headers, ...(token && { token }) });
    const [office, thief] = [from("198.51.100.32"), from("198.51.100.33")];
    const anonymous = await untilRefused(400, () => ask(office));
    assert.equal(anonymous.passed, 300);
    const fresh = await world.tokenOf("stan", "read_api");
    assert.equal((await ask(office, fresh)).status, 200, "a newly issued token");
    assert.equal((await ask(office)).status, 429);
    let made = 0;
    const guessed = await untilRefused(400, () => ask(thief, `guess-${made++}`));
    assert.equal(guessed.passed, 300);
    assertLimited(guessed.last, "300");
    assert.equal((await ask(thief)).status, 200, "a request without a token");
    const unknown = await ask(thief, await world.tokenOf("stan", "api"));
    assertLimited(unknown, "300");
    assert.equal((await ask(thief, fresh)).status, 200, "a token that was valid before");
  });

  it("makes no database query for invalid tokens beyond the limit (reference reliability S52; decision 0070)", async () => {
    const { app, statements } = await counting(world);
    whenDone(() => app.close());
    const guess = async (n: number) => {
      const headers = { ...from("198.51.100.34"), authorization: `Bearer guess-${n}` };
      return (await app.inject({ url: "/api/v4/user", headers })).statusCode;
    };
    for (let n = 0; n < 300; n++) assert.equal(await guess(n), 401);
    assert.ok(statements() >= 300);
    for (let n = 300; n < 310; n++) assert.equal(await guess(n), 429);
    assert.equal(statements(), 0);
  });

  it("counts a 304 as a tenth of a request for a valid token, and as a whole one without a token (decision 0200)", async () => {
    const path = "/api/v4/projects/acme%2Fopen/events";
    for (const [as, steps] of [
      ["gus", [0, 1, 1, 1, 1, 1, 2]],
      [undefined, [0, 1, 2, 3, 4, 5, 6]],
    ] as const) {
      const headers = from("198.51.100.5");
      const first = await world.call(path, { ...(as && { as }), headers });
      const known = { ...headers, "if-none-match": first.headers.get("etag") ?? "" };
      const replies = [first];
      for (const given of [known, known, known, known, known, headers]) {
        replies.push(await world.call(path, { ...(as && { as }), headers: given }));
      }
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 304, 304, 304, 304, 304, 200],
      );
      const left = replies.map((reply) => Number(reply.headers.get("ratelimit-remaining")));
      assert.deepEqual(
        left.map((each) => (left[0] ?? 0) - each),
        steps,
      );
    }
  });

  it("counts a 304 as a whole request if events had to be read for it (RFC 9110 §13.1.2; decision 0200)", async () => {
    const headers = { ...from("198.51.100.14"), "if-none-match": "*" };
    const left = [];
    for (const search of ["a", "b", "c", "d"]) {
      const path = `/api/v4/projects/acme%2Fopen/events?search=${search}`;
      const reply = await world.call(path, { as: "rep", headers });
      assert.equal(reply.status, 304);
      left.push(Number(reply.headers.get("ratelimit-remaining")));
    }
    assert.equal((left[0] ?? 0) - (left[3] ?? 0), 3);
  });
});

describe("a password in the API", () => {
  const start = (as: "rep" | "gus", token: string, address: string, method = "POST") =>
    world.call("/api/v4/user/two_factor", {
      ...{ as, token, method, json: { password: PASSWORD }, headers: from(address) },
    });

  it("is accepted ten times a minute from a person, whatever tokens and addresses they use, since each right one is hashed (decision 0070)", async () => {
    const tokens = [await world.tokenOf("rep", "api"), await world.tokenOf("rep", "api", "read_user")];
    let sent = 0;
    const { passed, last } = await untilRefused(20, () =>
      start("rep", tokens[sent++ % 2] ?? "", `198.51.100.${50 + sent}`),
    );
    assert.equal(passed, 10);
    assertLimited(last, "10");
    assert.equal((await start("rep", tokens[0] ?? "", "198.51.100.90", "DELETE")).status, 429);
    assert.equal((await start("gus", await world.tokenOf("gus", "api"), "198.51.100.91")).status, 201);
    const read = await world.call("/api/v4/user", { as: "rep", headers: from("198.51.100.92") });
    assert.equal(read.status, 200, "other requests of the person");
  });
});

describe("a forwarded address", () => {
  it("counts as the same with and without a port, and as the proxy's if it is invalid (operations: Behind a proxy)", async () => {
    const ask = (address: string) => world.call("/api/v4/projects/acme%2Fopen", { headers: from(address) });
    for (let port = 40_000; port < 40_320; port++) await ask(`198.51.100.6:${port}`);
    assert.equal((await ask("198.51.100.6")).status, 429);
    assert.equal((await ask("198.51.100.7:40000")).status, 200);
    // Otherwise every invented word would have its own limit.
    for (let i = 0; i < 320; i++) await ask(`nobody-${i}`);
    assert.equal((await ask("nobody-else")).status, 429);
    assert.equal((await ask("198.51.100.8")).status, 200);
  });
});

describe("an invalid token", () => {
  it("does not become a known one by a request that needs no token (decision 0070)", async () => {
    const headers = from("198.51.100.9");
    const asked = (token: string, path: string, method: string) =>
      world.call(path, { token, headers, method });
    for (let i = 0; i < 320; i++) await asked(`guess-${i}`, "/api/v4/user", "GET");
    assert.equal((await asked("guess-preflight", "/api/v4/user", "OPTIONS")).status, 200);
    assert.equal((await asked("guess-preflight", "/api/v4/user", "GET")).status, 429);
    const others = from("198.51.100.13");
    const oauth = (token: string, path: string) => world.call(path, { token, headers: others });
    for (let i = 0; i < 620; i++) await oauth(`strange-${i}`, "/oauth/token/info");
    await oauth("strange-keys", "/oauth/discovery/keys");
    assert.equal((await oauth("strange-keys", "/oauth/token/info")).status, 429);
  });
});

describe("the OAuth endpoints", () => {
  const wrong = (address: string, client: string) =>
    world.call("/oauth/token", {
      form: {
        grant_type: "authorization_code",
        client_id: client,
        code: "no",
        redirect_uri: "https://a.example",
      },
      headers: from(address),
    });

  it("refuse a client at an address after 60 failures in a minute, and no others (contract §4, rate limits; reference oauth D88)", async () => {
    const { passed, last } = await untilRefused(100, () => wrong("198.51.100.10", "one"));
    assert.equal(passed, 60);
    assertLimited(last, "60");
    assert.equal(last.json.error, "temporarily_unavailable");
    assert.equal((await wrong("198.51.100.10", "two")).status, 401);
    assert.equal((await wrong("198.51.100.11", "one")).status, 401);
  });

  it("identify a client by its assertion, since libraries send no client_id beside it (decisions 0070, 0206)", async () => {
    const headers = from("198.51.100.15");
    const [key, strange] = [aKey(), aKey()];
    const [one, two] = [
      await anApplication(world, { jwks: setOf(key) }),
      await anApplication(world, { jwks: setOf(key) }),
    ];
    const ask = (application: TestApplication, by: Pair) =>
      world.call("/oauth/token", {
        form: { grant_type: "refresh_token", refresh_token: "no", ...assertionForm(world, application, by) },
        headers,
      });
    const { passed, last } = await untilRefused(100, () => ask(one, strange));
    assert.equal(passed, 60);
    assertLimited(last, "60");
    assert.equal((await ask(two, key)).json.error, "invalid_grant");
  });

  it("identify a client by the body, even if Basic credentials of no application are sent too (decisions 0070, 0221)", async () => {
    const application = await anApplication(world, { grantTypes: ["password"], scopes: ["api"] });
    let tries = 0;
    const guess = () =>
      world.call("/oauth/token", {
        form: {
          grant_type: "refresh_token",
          refresh_token: "no",
          client_id: application.uid,
          client_secret: "wrong",
        },
        headers: {
          ...from("198.51.100.16"),
          authorization: `Basic ${Buffer.from(`proxy-${tries++}:x`).toString("base64")}`,
        },
      });
    const { passed, last } = await untilRefused(100, guess);
    assert.equal(passed, 60);
    assertLimited(last, "60");
  });

  it("count guesses of device codes and secrets, but not polls with a valid device code (RFC 8628 §3.5, §5.2; decision 0070)", async () => {
    const grantTypes = ["device_code"] as const;
    const [open, closed] = [
      await anApplication(world, { grantTypes, confidential: false }),
      await anApplication(world, { grantTypes }),
    ];
    const poll = (address: string, device_code: string, more: Record<string, string>) =>
      world.call("/oauth/token", {
        form: { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code, ...more },
        headers: from(address),
      });
    const guesses = () => poll("198.51.100.16", newSecret("deviceCode"), { client_id: open.uid });
    const secrets = () => poll("198.51.100.17", "x", { client_id: closed.uid, client_secret: "no" });
    for (const ask of [guesses, secrets]) {
      const { passed, last } = await untilRefused(100, ask);
      assert.equal(passed, 60);
      assertLimited(last, "60");
    }
    const form = { client_id: open.uid, scope: "read_user" };
    const begun = await world.call("/oauth/authorize_device", { form, headers: from("198.51.100.18") });
    const { device_code } = begun.json;
    const told = new Set<string>();
    for (let n = 0; n < 100; n++) {
      told.add((await poll("198.51.100.18", device_code, { client_id: open.uid })).json.error);
    }
    assert.deepEqual([...told], ["authorization_pending", "slow_down"]);
  });

  it("count an IPv6 /64 as one address (decision 0070; reference oauth D88)", async () => {
    for (let i = 1; i <= 61; i++) await wrong(`2001:db8:7:7::${i.toString(16)}`, "six");
    assert.equal((await wrong("2001:db8:7:7:ffff::1", "six")).status, 429);
    assert.equal((await wrong("2001:db8:7:8::1", "six")).status, 401);
  });

  it("allow any number of lookups of a valid token, and 600 a minute of unknown ones (decision 0070)", async () => {
    const headers = from("198.51.100.12");
    const token = await world.tokenOf("rep", "read_user");
    for (let i = 0; i < 700; i++) {
      const reply = await world.call("/oauth/token/info", { token, headers });
      assert.equal(reply.status, 200, `lookup ${i}`);
    }
    let made = 0;
    const strange = () => world.call("/oauth/token/info", { token: `strange-${made++}`, headers });
    const { passed, last } = await untilRefused(800, strange);
    assert.equal(passed, 600);
    assertLimited(last, "600");
    assert.equal((await world.call("/oauth/token/info", { token, headers })).status, 200);
    // A token does not authenticate an application.
    const beside = { ...headers, "private-token": token };
    assertLimited(await world.call("/oauth/revoke", { form: { token: "x" }, headers: beside }), "600");
  });
});

describe("pushed authorization requests", () => {
  it("are limited to 600 a minute from an address without client authentication, and unlimited for an authenticated application (decision 0205)", async () => {
    const headers = from("198.51.100.73");
    const open = await anApplication(world, { confidential: false });
    const good = await anApplication(world);
    const { challenge } = aProof();
    const unproven = { client_secret: undefined, code_challenge: challenge, code_challenge_method: "S256" };
    for (let i = 0; i < 650; i++) assert.equal((await push(world, good, {}, headers)).status, 201);
    // A proxy's Basic credentials do not authenticate an application either (decision 0221).
    const proxied = { ...headers, authorization: `Basic ${Buffer.from("proxy:x").toString("base64")}` };
    let pushes = 0;
    const next = () => push(world, open, unproven, pushes++ % 2 === 0 ? headers : proxied);
    const { passed, last } = await untilRefused(700, next);
    assert.equal(passed, 600);
    assertLimited(last, "600");
    const elsewhere = from("198.51.100.74");
    assert.equal((await push(world, open, unproven, elsewhere)).status, 201);
    // Neither does a token that is valid elsewhere.
    const token = await world.tokenOf("rep", "api");
    assert.equal((await world.call("/oauth/token/info", { token, headers: elsewhere })).status, 200);
    const beside = { ...headers, authorization: `Bearer ${token}` };
    assertLimited(await push(world, open, unproven, beside), "600");
  });
});

describe("the sign-in form", () => {
  it("allows 30 sign-ins a minute from one address (contract §4, rate limits)", async () => {
    for (let i = 0; i < 30; i++) await signedIn(world, "stan");
  });

  it("answers 429 with a page after 60 posts a minute (decision 0070)", async () => {
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const post = () =>
      visitor.post("/users/sign_in", { username: "", csrf_token: "no" }, from("198.51.100.20"));
    let [page, passed] = [await post(), 0];
    for (; page.status !== 429 && passed < 100; passed++) page = await post();
    assert.equal(passed, 60);
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(page.headers.get("retry-after") ?? "", /^\d+$/);
  });
});

describe("the forms for signing in and creating accounts", () => {
  it("share one limit for the address, forms that send mail have a lower one, and other forms have none (decision 0070)", async () => {
    const headers = from("198.51.100.21");
    const left = async (path: string, form = {}) => {
      const reply = await world.call(path, { method: "POST", headers, form });
      return [reply.headers.get("ratelimit-limit"), reply.headers.get("ratelimit-remaining")];
    };
    const doors = ["/users/sign_in", "/users/sign_in/passkey", "/users/two_factor", "/users/prove"];
    const links = ["/users/password", "/users/invitations/giv_x", "/setup/gsu_x", "/oauth/device"];
    const own = ["/profile/password", ...["", "/codes", "/off"].map((part) => `/profile/two_factor${part}`)];
    for (const [i, path] of [...doors, ...links, ...own].entries()) {
      assert.deepEqual(await left(path), ["60", String(59 - i)], path);
    }
    for (const [i, path] of ["/users/password/new", "/users/sign_up"].entries()) {
      assert.deepEqual(await left(path), ["10", String(9 - i)], path);
    }
    const proven = { with_proof: "1", password: "guessed" };
    assert.deepEqual(await left("/profile", proven), ["60", "47"], "a form with a proof (decision 0289)");
    assert.deepEqual(await left("/users/sign_out"), [null, null]);
  });
});

describe("pages", () => {
  it("can be requested 1,800 times a minute from one address, then answer 429 with a page (decision 0114)", async () => {
    const headers = from("198.51.100.40");
    const look = () => world.call("/users/two_factor", { headers });
    let passed = 0;
    let last: Reply | undefined;
    while (last === undefined && passed < 2200) {
      const replies = await Promise.all(Array.from({ length: 20 }, look));
      passed += replies.filter(({ status }) => status !== 429).length;
      last = replies.find(({ status }) => status === 429);
    }
    assert.equal(passed, 1800);
    assert.match(last?.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(last?.headers.get("retry-after") ?? "", /^\d+$/);
    assert.match(last?.text ?? "", /Try again in \d+ s\./, "when to retry (reference ux §7, 429)");
    assert.doesNotMatch(last?.text ?? "", /429 Too Many|Wait a minute/);
    const neighbour = await world.call("/users/two_factor", { headers: from("198.51.100.41") });
    assert.equal(neighbour.status, 303);
  });
});

it("health checks, assets and the alert receiver are not limited here (decision 0070)", async () => {
  const headers = from("198.51.100.30");
  const asset = assetPath("app.css");
  for (const [path, most] of [
    ["/-/liveness", 320],
    ["/-/readiness", 320],
    [asset, 1820],
  ] as const) {
    await twentyAtOnce(most, async () => {
      const reply = await world.app.inject({ url: path, headers });
      assert.deepEqual([reply.statusCode, reply.headers["ratelimit-limit"]], [200, undefined], path);
    });
  }
  const source = await aSource(world);
  await twentyAtOnce(320, async () => {
    const reply = await source.send({ title: "Disk full" }, headers);
    assert.equal(reply.status, 200, reply.text);
  });
});

/** Sends so many requests in groups. */
async function twentyAtOnce(most: number, ask: () => Promise<void>): Promise<void> {
  for (let sent = 0; sent < most; sent += 20) await Promise.all(Array.from({ length: 20 }, ask));
}

it("without trusted proxies, forwarded addresses, hosts and schemes are ignored (contract §1; reference reliability S87)", async () => {
  const bare = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
  let made = 0;
  const told = () => {
    const address = `203.0.113.${made++ % 250}`;
    const forwarded = `for=${address};host=evil.example;proto=https`;
    return {
      ...{ "x-forwarded-for": address, "x-real-ip": address, forwarded, "x-forwarded-proto": "https" },
      ...{ "x-forwarded-host": "evil.example", "x-forwarded-port": "443", "cf-connecting-ip": address },
    };
  };
  const ask = () => bare.call("/api/v4/projects/acme%2Fopen", { headers: told() });
  const { passed } = await untilRefused(400, ask);
  assert.equal(passed, 300);
  const visitor = new Visitor(bare.url);
  const page = await visitor.get("/users/sign_in", told());
  assert.doesNotMatch(`${page.text}${[...page.headers].join()}`, /evil\.example|strict-transport/i);
  const entered = await visitor.post("/users/sign_in", { username: "dev", password: PASSWORD }, told());
  assert.equal(entered.status, 303);
  const { ip } = await bare.platform.db.one(
    row({ ip: text }),
    sql`select ip from audit_entries where action = 'sign_in' order by id desc limit 1`,
  );
  assert.match(ip, /^(127\.0\.0\.1|::1)$/);
});

it("forwarded addresses are believed only from trusted proxies, and only the part that they have seen (contract §1; reference reliability S87)", async () => {
  const seen = async (proxies: string, told: string) => {
    const behind = await startWorld({ GATEHOUSE_TRUSTED_PROXIES: proxies });
    const visitor = new Visitor(behind.url);
    await visitor.get("/users/sign_in");
    const form = { username: "dev", password: PASSWORD };
    assert.equal((await visitor.post("/users/sign_in", form, { "x-forwarded-for": told })).status, 303);
    return /<code>([^<]+)<\/code>/.exec((await visitor.get("/profile/sessions")).text)?.[1] ?? "";
  };
  assert.match(await seen("192.0.2.1", "198.51.100.9"), /^(::1|(::ffff:)?127\.0\.0\.1)$/);
  assert.equal(await seen("loopback", "203.0.113.7, 198.51.100.9"), "198.51.100.9");
  assert.equal(await seen("loopback,198.51.100.9", "203.0.113.7, 198.51.100.9"), "203.0.113.7");
});

it("with rate limits switched off nothing is limited (contract §1)", async () => {
  const open = await startWorld();
  const [tokens, signIn] = ["/oauth/token", "/users/sign_in"];
  const code = {
    grant_type: "authorization_code",
    client_id: "one",
    code: "no",
    redirect_uri: "https://a.example",
  };
  for (const [most, status, path, options] of [
    [320, 401, "/api/v4/user", {}],
    [80, 401, tokens, { form: code }],
    [80, 403, signIn, { form: { username: "", csrf_token: "no" } }],
  ] as const) {
    await twentyAtOnce(most, async () => {
      const reply = await open.call(path, options);
      assert.deepEqual([reply.status, reply.headers.get("ratelimit-limit")], [status, null], path);
    });
  }
  await twentyAtOnce(1820, async () => {
    const reply = await open.app.inject({ url: "/users/two_factor" });
    assert.equal(reply.statusCode, 303);
  });
});
