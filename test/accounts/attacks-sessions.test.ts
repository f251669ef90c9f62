/** Attacks on sessions: stolen and fixated cookies, incomplete sign-ins, steps out of order, cross-site requests. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { ConfigError, readConfig } from "../../src/platform/config.ts";
import { row, text } from "../../src/platform/row.ts";
import { digest } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { addPasskey, optionsOf } from "../support/authenticator.ts";
import { type Door, doorsOf } from "../support/doors.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { anApplication } from "../support/oauth.ts";
import { turnOnTwoFactor } from "../support/two-factor.ts";
import { until } from "../support/until.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let doors: Door[];
before(async () => {
  world = await startWorld();
  doors = doorsOf(world.app);
});

const isIn = async (visitor: Visitor) => (await visitor.get("/profile/sessions")).status === 200;

/** A browser whose only cookie is the given one of a sign-in. */
function withCookie(session: string | undefined): Visitor {
  const visitor = new Visitor(world.url);
  visitor.setCookie("session", session ?? "");
  return visitor;
}

/** A visitor whose password was accepted and who has yet to pass the second factor. */
async function halfIn(person: "stan" | "gus"): Promise<Visitor> {
  const visitor = new Visitor(world.url);
  const page = await visitor.submit("/users/sign_in", { username: person, password: PASSWORD });
  assert.equal(page.location, "/users/two_factor");
  return visitor;
}

/** The path of an endpoint, with existing resources for its parameters. */
function addressOf({ path }: Door): string {
  return path.replace(/^\/:project/, "/acme/rocket").replace(/:[a-z_]+(\|:[a-z_]+)*/g, "1");
}

const isPageForm = ({ method, path }: Door) =>
  method === "POST" &&
  !/^\/(api|v2|generic|opsgenie|-|\.well-known)\//.test(path) &&
  !/^\/oauth\/(par|token|revoke|introspect|userinfo|authorize_device|register|discovery)/.test(path);

describe("the secret of a session", () => {
  it("changes on each step of signing in, on re-authentication and with the password, and old ones grant no access (reference reliability S53; reference oauth D47)", async () => {
    const { codes } = await turnOnTwoFactor(world, "gus");
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const secrets = [visitor.cookie("session")];
    const step = async (path: string, fields: Record<string, string>) => {
      assert.equal((await visitor.submit(path, fields)).status, 303, path);
      secrets.push(visitor.cookie("session"));
    };
    await step("/users/sign_in", { username: "gus", password: PASSWORD });
    await step("/users/two_factor", { code: codes[0] ?? "" });
    await step("/users/prove", { password: PASSWORD });
    await step("/profile/password", { current_password: PASSWORD, password: PASSWORD });
    assert.equal(new Set(secrets).size, 5);
    const newest = secrets.pop();
    for (const old of secrets) assert.equal(await isIn(withCookie(old)), false);
    assert.equal(await isIn(withCookie(newest)), true);
  });

  it("cannot be fixated: signing in replaces an attacker's session with a new one (reference reliability S53; reference oauth D47)", async () => {
    const attacker = new Visitor(world.url);
    await attacker.get("/users/sign_in");
    const victim = withCookie(attacker.cookie("session"));
    const page = await victim.submit("/users/sign_in", { username: "dev", password: PASSWORD });
    assert.equal(page.status, 303);
    assert.equal(await isIn(victim), true);
    assert.equal(await isIn(attacker), false);
  });

  const HOUR = 3600;
  const DAY = 24 * HOUR;
  const later = (visitor: Visitor, seconds: number) =>
    world.platform.db.run(
      sql`update sessions set created_at = created_at - make_interval(secs => ${seconds}),
          last_seen_at = last_seen_at - make_interval(secs => ${seconds}),
          expires_at = expires_at - make_interval(secs => ${seconds})
        where digest = ${digest(visitor.cookie("session") ?? "")}`,
    );
  // The use is recorded after the response.
  const isNoted = (visitor: Visitor) =>
    until(() =>
      world.platform.db.run(sql`select from sessions where digest = ${digest(visitor.cookie("session") ?? "")}
        and last_seen_at > now() - interval '1 minute'`),
    );
  const staying = async (username: string, remember: string) => {
    const visitor = new Visitor(world.url);
    const page = await visitor.submit("/users/sign_in", { username, password: PASSWORD, remember });
    assert.equal(page.location, "/");
    return visitor;
  };
  for (const { whose, username, remember, idle, absolute } of [
    {
      whose: "a user who stays signed in",
      username: "max",
      remember: "1",
      idle: 14 * DAY,
      absolute: 30 * DAY,
    },
    {
      whose: "an administrator who stays signed in",
      username: "ada",
      remember: "1",
      idle: 14 * DAY,
      absolute: 30 * DAY,
    },
    {
      whose: "a user who does not stay signed in",
      username: "max",
      remember: "",
      idle: 2 * HOUR,
      absolute: 12 * HOUR,
    },
    {
      whose: "an administrator who does not stay signed in",
      username: "ada",
      remember: "",
      idle: HOUR / 2,
      absolute: 12 * HOUR,
    },
  ]) {
    it(`expires ${idle / HOUR} hours after its last use and ${absolute / HOUR} hours after sign-in: ${whose} (reference reliability E, S55; decision 0202)`, async () => {
      const idler = await staying(username, remember);
      const nearly = idle - 60;
      await later(idler, nearly);
      assert.equal(await isIn(idler), true);
      await isNoted(idler);
      await later(idler, nearly);
      assert.equal(await isIn(idler), true);
      await isNoted(idler);
      await later(idler, idle);
      assert.equal(await isIn(idler), false);
      const busy = await staying(username, remember);
      const step = Math.min(nearly, absolute / 5);
      let passed = 0;
      for (; passed < 2 * absolute && (await isIn(busy)); passed += step) {
        await isNoted(busy);
        await later(busy, step);
      }
      assert.ok(passed >= absolute && passed <= absolute + step, String(passed / HOUR));
    });
  }

  it("is in a cookie that ends with the browser, or lasts as long as the session can if the user stays signed in (RFC 6265bis §5.5; decision 0202)", async () => {
    const lasting = ({ headers }: { headers: Headers }) =>
      headers.getSetCookie().map((line) => /Max-Age=(\d+)|Expires=/.exec(line)?.[1]);
    const own = await startWorld();
    const { codes } = await turnOnTwoFactor(own, "max");
    for (const [remember, age] of [
      ["1", String(30 * DAY)],
      ["", undefined],
    ] as const) {
      const visitor = new Visitor(own.url);
      assert.deepEqual(lasting(await visitor.get("/users/sign_in")), [undefined]);
      const wrong = { username: "max", password: "not this one", remember };
      const again = await visitor.post("/users/sign_in", wrong);
      assert.equal(/name="remember" value="1" checked/.test(again.text), remember === "1");
      const step = (path: string, fields: Record<string, string>) =>
        visitor.submit(path, { username: "max", password: PASSWORD, ...fields });
      assert.deepEqual(lasting(await step("/users/sign_in", { remember })), [age]);
      assert.deepEqual(lasting(await step("/users/two_factor", { code: codes.pop() ?? "" })), [age]);
      assert.deepEqual(lasting(await step("/users/prove", {})), [age]);
      const next = { current_password: PASSWORD };
      assert.deepEqual(lasting(await step("/profile/password", next)), [age]);
      await visitor.submit("/users/sign_out", {}, "/profile");
      const other = { username: "dev", remember: "" };
      assert.deepEqual(lasting(await step("/users/sign_in", other)), [undefined]);
    }
  });

  it("is in a cookie with the __Host- prefix that is HttpOnly, Secure and SameSite=Lax (reference reliability S56)", async () => {
    const secure = await startWorld({ GATEHOUSE_PUBLIC_URL: "https://gatehouse.example.org" });
    const reply = await fetch(`${secure.url}/users/sign_in`);
    const [cookie = ""] = reply.headers.getSetCookie();
    const [pair = "", ...attributes] = cookie.split("; ");
    assert.match(pair, /^__Host-session=gss_/);
    assert.deepEqual(attributes.sort(), ["HttpOnly", "Path=/", "SameSite=Lax", "Secure"]);
  });

  it("is deleted on sign-out with the same cookie attributes, as browsers ignore it otherwise (RFC 6265bis §4.1.3.2)", async () => {
    const secure = await startWorld({ GATEHOUSE_PUBLIC_URL: "https://gatehouse.example.org" });
    const visitor = new Visitor(secure.url);
    await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
    const out = await visitor.submit("/users/sign_out", {}, "/profile");
    const [cookie = ""] = out.headers.getSetCookie();
    assert.match(cookie, /^__Host-session=;/);
    for (const attribute of ["Secure", "HttpOnly", "Path=/", "SameSite=Lax", "Expires=Thu, 01 Jan 1970"]) {
      assert.ok(cookie.includes(attribute), cookie);
    }
  });

  it("is not served over plain HTTP to other machines: such a public URL is refused by default (reference reliability S56)", () => {
    const environment = { PORT: "8080", GATEHOUSE_PUBLIC_URL: "http://gatehouse.example.org" };
    assert.throws(() => readConfig(environment), ConfigError);
  });
});

describe("a visitor who has yet to pass the second factor", () => {
  it("gets the same response as an anonymous visitor from every other endpoint (reference reliability S57; reference oauth D48)", async () => {
    await turnOnTwoFactor(world, "stan");
    const half = await halfIn("stan");
    const nobody = new Visitor(world.url);
    const theirs = new Set(["/users/two_factor", "/users/two_factor/passkey/options", "/users/sign_out"]);
    const judged = doors.filter(({ path, method }) => !theirs.has(path) && /^(GET|POST)$/.test(method));
    for (const door of judged) {
      if (/stream|\/live/.test(door.path)) continue;
      const address = addressOf(door);
      await half.get("/users/sign_in");
      await nobody.get("/users/sign_in");
      const [mine, strangers] =
        door.method === "GET"
          ? [await half.get(address), await nobody.get(address)]
          : [await half.post(address, {}), await nobody.post(address, {})];
      assert.deepEqual(
        [mine.status, mine.location],
        [strangers.status, strangers.location],
        `${door.method} ${address}`,
      );
    }
    assert.ok(judged.length > 100);
  });

  it("is sent to sign in instead of the consent page (reference oauth D48)", async () => {
    const application = await anApplication(world);
    const half = await halfIn("stan");
    const query = new URLSearchParams({
      response_type: "code",
      client_id: application.uid,
      redirect_uri: application.redirectUri,
    });
    const page = await half.get(`/oauth/authorize?${query}`);
    assert.equal(page.location, "/users/sign_in");
    await half.get("/users/two_factor");
    const forged = await half.post("/oauth/authorize", { ...Object.fromEntries(query), decision: "allow" });
    assert.deepEqual([forged.status, forged.location], [302, "/users/sign_in"]);
    assert.equal(await world.platform.db.run(sql`select from authorization_codes`), 0);
  });
});

describe("a step of signing in", () => {
  it("leads back to the start if it is out of order, and fails with a code or form of another sign-in (reference reliability S58)", async () => {
    const { codes } = await turnOnTwoFactor(world, "rep");
    const stranger = new Visitor(world.url);
    await stranger.get("/users/sign_in");
    assert.equal((await stranger.get("/users/two_factor")).location, "/users/sign_in");
    await stranger.get("/users/sign_in");
    const code = codes[0] ?? "";
    assert.equal((await stranger.post("/users/two_factor", { code })).location, "/users/sign_in");
    assert.equal((await stranger.post("/users/two_factor/passkey/options", {})).location, "/users/sign_in");
    // Another user's code in one's own incomplete sign-in.
    const other = await halfIn("stan");
    await other.get("/users/two_factor");
    assert.equal((await other.post("/users/two_factor", { code })).status, 422);
    // The form of one sign-in with the session of another.
    const first = new Visitor(world.url);
    await first.submit("/users/sign_in", { username: "rep", password: PASSWORD });
    await first.get("/users/two_factor");
    const token = first.csrfToken;
    assert.equal((await other.post("/users/two_factor", { code, csrf_token: token })).status, 403);
    assert.equal((await first.post("/users/two_factor", { code })).status, 303);
  });

  it("fails if the password was changed or the user was blocked after it began (reference reliability S58; reference reliability S54)", async () => {
    const { codes } = await turnOnTwoFactor(world, "olga");
    const owner = new Visitor(world.url);
    await owner.submit("/users/sign_in", { username: "olga", password: PASSWORD });
    await owner.submit("/users/two_factor", { code: codes[0] ?? "" });
    const changePassword = () =>
      owner.submit("/profile/password", { current_password: PASSWORD, password: PASSWORD });
    const block = async () => {
      for (const verb of ["block", "unblock"]) {
        const path = `/api/v4/users/${world.ids.olga}/${verb}`;
        assert.equal((await world.call(path, { as: "ada", method: "POST" })).status, 201);
      }
    };
    const code = codes[1] ?? "";
    for (const happens of [changePassword, block]) {
      const thief = new Visitor(world.url);
      await thief.submit("/users/sign_in", { username: "olga", password: PASSWORD });
      await thief.get("/users/two_factor");
      await happens();
      const refused = await thief.post("/users/two_factor", { code });
      assert.deepEqual([refused.status, refused.location], [403, null], happens.name);
      assert.equal(await isIn(thief), false, happens.name);
    }
    const again = new Visitor(world.url);
    await again.submit("/users/sign_in", { username: "olga", password: PASSWORD });
    assert.equal((await again.submit("/users/two_factor", { code })).status, 303, "the code was valid");
    assert.equal(await isIn(again), true);
  });

  it("does not accept a passkey response to the challenge of another step (reference reliability S58)", async () => {
    const owner = await signedIn(world, "ada");
    const { authenticator } = await addPasskey(owner, world.url);
    await owner.get("/users/prove");
    const proof = authenticator.get(await optionsOf(owner, "/users/prove/passkey/options"));
    const half = new Visitor(world.url);
    await half.submit("/users/sign_in", { username: "ada", password: PASSWORD });
    await half.get("/users/two_factor");
    await optionsOf(half, "/users/two_factor/passkey/options");
    assert.equal((await half.post("/users/two_factor", { passkey: proof })).status, 422);
    assert.equal(await isIn(half), false);
    await world.call("/api/v4/user/two_factor", {
      as: "ada",
      method: "DELETE",
      json: { password: PASSWORD },
    });
  });
});

describe("forms of the pages", () => {
  it("are all refused without token, with that of another session, from another origin, and as plain text (reference reliability S65)", async () => {
    const visitor = await signedIn(world, "ada");
    const old = new Visitor(world.url);
    await old.get("/users/sign_in");
    const forms = doors.filter(isPageForm);
    assert.ok(forms.length > 130, String(forms.length));
    for (const door of forms) {
      const address = addressOf(door);
      await visitor.get("/projects");
      for (const [fields, headers] of [
        [{ csrf_token: "" }, {}],
        [{ csrf_token: old.csrfToken }, {}],
        [{}, { origin: "null" }],
        [{}, { origin: "https://evil.example" }],
        [{}, { "sec-fetch-site": "cross-site" }],
      ] as [Record<string, string>, Record<string, string>][]) {
        const page = await visitor.post(address, fields, headers);
        const told = `${address} ${JSON.stringify([fields, headers])}`;
        assert.equal(page.status, 403, told);
      }
      const plain = await visitor.post(address, {}, { "content-type": "text/plain" });
      assert.equal(plain.status, 415, address);
    }
  });

  it("from another site sign nobody in or out (reference reliability S67; reference oauth D47)", async () => {
    const victim = new Visitor(world.url);
    const attacker = new Visitor(world.url);
    await attacker.get("/users/sign_in");
    const credentials = { username: "dev", password: PASSWORD, csrf_token: attacker.csrfToken };
    for (const headers of [{}, { origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const page = await victim.post("/users/sign_in", credentials, headers);
      assert.equal(page.status, 403);
      assert.equal(await isIn(victim), false);
    }
    // A cross-site form is sent without the cookie, and a new cookie would replace the browser's session.
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const page = await new Visitor(world.url).post("/users/sign_out", {}, headers);
      assert.deepEqual([page.status, page.headers.getSetCookie()], [403, []]);
    }
    // Nor are its values filled into the form in the response, such as a checkbox the user did not tick (decision 0202).
    for (const [headers, isFilledIn] of [
      [{}, true],
      [{ origin: "https://evil.example" }, false],
    ] as [Record<string, string>, boolean][]) {
      const { text } = await victim.post("/users/sign_in", { ...credentials, remember: "1" }, headers);
      assert.equal(/name="remember" value="1" checked/.test(text), isFilledIn);
      assert.equal(/name="username" [^>]*value="dev"/.test(text), isFilledIn);
    }
    const { codes } = await turnOnTwoFactor(world, "max");
    const half = new Visitor(world.url);
    await half.submit("/users/sign_in", { username: "max", password: PASSWORD });
    await half.get("/users/two_factor");
    const page = await half.post(
      "/users/two_factor",
      { code: codes[0] ?? "" },
      { "sec-fetch-site": "cross-site" },
    );
    assert.equal(page.status, 403);
    assert.equal((await half.post("/users/two_factor", { code: codes[0] ?? "" })).status, 303);
  });
});

describe("GET requests", () => {
  it("change nothing but records of use, at any endpoint (reference reliability S66)", async () => {
    // The day of the last activity is recorded too.
    await awayFromMidnight();
    const visitor = await signedIn(world, "ada");
    const token = await world.tokenOf("ada", "api");
    await isIn(visitor);
    await world.call("/api/v4/user", { token });
    // An installation creates its first key on first use.
    await world.call("/oauth/discovery/keys");
    const before = await tables();
    for (const door of doors.filter(({ method }) => method === "GET")) {
      if (/stream|\/live/.test(door.path)) continue;
      const address = addressOf(door);
      const headers: Record<string, string> = address.startsWith("/api/")
        ? { authorization: `Bearer ${token}` }
        : {};
      await visitor.get(address, headers);
    }
    assert.deepEqual(await tables(), before);
  });
});

/**
 * Tables that GET requests may write to: records of use (sessions, last use of tokens), the write by which readiness
 * is checked, and the feed token, which is created when it is first shown.
 */
const NOTES = ["sessions", "access_tokens", "readiness", "event_feed_tokens"];

/**
 * And this column: the transaction up to which no crash can undo ids, recorded for those who follow events (decision
 * 0026).
 */
const SETTLED = "settled";

/** Returns a digest of every other table. */
async function tables(): Promise<Record<string, string>> {
  const db = world.owner;
  const named = await db.many(
    row({ name: text }),
    sql`select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind = 'r' and c.relname <> all(${NOTES}) order by 1`,
  );
  const found: Record<string, string> = {};
  for (const { name } of named) {
    const { digest: it } = await db.one(
      row({ digest: text }),
      sql`select md5(coalesce(query_to_xml(format('select (to_jsonb(t) - %L)::text as line from %I t order by 1', ${SETTLED}::text, ${name}::text), true, true, '')::text, '')) as digest`,
    );
    found[name] = it;
  }
  assert.ok(named.length > 20);
  return found;
}
