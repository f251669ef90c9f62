import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { isAnonymousSecret, newAnonymousSecret } from "../../src/accounts/anonymous-session.ts";
import { ANONYMOUS_AT_MOST } from "../../src/accounts/session.ts";
import { integer, row } from "../../src/platform/row.ts";
import { digest, keysFrom, newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { optionsOf } from "../support/authenticator.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
beforeEach(() => world.platform.db.run(sql`delete from sessions`));

/** Requests pages concurrently, each as a new visitor. */
function askFor(paths: readonly string[]) {
  return Promise.all(paths.map((path) => new Visitor(world.url).get(path)));
}

async function rows(): Promise<number> {
  const counted = await world.platform.db.one(
    row({ count: integer }),
    sql`select count(*) as count from sessions`,
  );
  return counted.count;
}

describe("an anonymous visitor", () => {
  it("creates no session row by viewing pages, however many (decision 0114)", async () => {
    const pages = [
      "/users/sign_in",
      "/acme/open",
      "/acme/open/activity",
      "/nobody-of-that-name",
      "/users/password/new",
    ];
    const seen = new Set<number>();
    for (let looks = 0; looks < 500; looks += 10) {
      const replies = await askFor(Array.from({ length: 10 }, (_, at) => pages[at % pages.length] as string));
      for (const { status } of replies) seen.add(status);
    }
    assert.deepEqual(
      [...seen].filter((status) => status >= 500 || status === 429),
      [],
    );
    assert.ok(seen.has(200));
    assert.equal(await rows(), 0);
  });

  it("gets a session row when redirected to sign in; one IP address has a limited number, and nobody else's are evicted (decision 0114)", async () => {
    const inside = await signedIn(world, "dev");
    const elsewhere = newSecret("session");
    await world.platform.db.run(sql`insert into sessions (digest, ip, user_agent, created_at, expires_at)
      values (${digest(elsewhere)}, '203.0.113.9', '', now() - interval '1 minute', now() + interval '1 hour')`);
    for (let looks = 0; looks < ANONYMOUS_AT_MOST + 100; looks += 20) {
      const replies = await askFor(Array.from({ length: 20 }, () => "/profile/applications"));
      for (const { location } of replies) assert.equal(location, "/users/sign_in");
    }
    // Concurrent requests do not see each other's rows.
    const others = await world.platform.db.run(
      sql`delete from sessions where digest in (${digest(elsewhere)}, ${digest(inside.cookie("session") ?? "")})`,
    );
    assert.equal(others, 2);
    const kept = await rows();
    assert.ok(kept >= ANONYMOUS_AT_MOST && kept < ANONYMOUS_AT_MOST + 20, `${kept} rows`);
  });

  it("keeps cookie and CSRF token of the first page, and returns to the requested page after signing in (contract §4, sign in)", async () => {
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const { csrfToken } = visitor;
    const first = visitor.cookie("session");
    assert.equal((await visitor.get("/profile/applications")).location, "/users/sign_in");
    assert.equal(await rows(), 1);
    await visitor.get("/users/sign_in");
    assert.deepEqual([visitor.cookie("session"), visitor.csrfToken], [first, csrfToken]);
    const page = await visitor.post("/users/sign_in", { username: "dev", password: PASSWORD });
    assert.equal(page.location, "/profile/applications");
    assert.equal(await rows(), 1);
  });

  it("signs in with a form whose session has no row (contract §4, sign in)", async () => {
    const visitor = new Visitor(world.url);
    const page = await visitor.submit("/users/sign_in", { username: "dev", password: PASSWORD });
    assert.equal(page.location, "/");
    assert.equal((await visitor.get("/profile/sessions")).status, 200);
  });

  it("gets a session row on requesting a passkey challenge, which is bound to it (decision 0114)", async () => {
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const asked = await optionsOf(visitor, "/users/sign_in/passkey/options");
    assert.ok(asked.challenge);
    await optionsOf(visitor, "/users/sign_in/passkey/options");
    assert.equal(await rows(), 1);
  });
});

describe("the cookie of an anonymous visitor", () => {
  const keys = keysFrom(Buffer.alloc(32, 7));

  it("is recognized by its signature (reference reliability S53)", () => {
    const given = newAnonymousSecret(keys);
    assert.equal(isAnonymousSecret(keys, given), true);
    const [secret = "", signature = ""] = given.split(".");
    const others = [`${newSecret("session")}.${signature}`, `${secret}.`, secret, `.${signature}`, "", "."];
    for (const other of others) assert.equal(isAnonymousSecret(keys, other), false, other);
    assert.equal(isAnonymousSecret(keysFrom(Buffer.alloc(32, 8)), given), false);
  });

  it("is replaced if it is forged, and a form signed for it is refused (reference reliability S53)", async () => {
    for (const planted of ["planted", newSecret("session"), `${newSecret("session")}.${"A".repeat(43)}`]) {
      const visitor = new Visitor(world.url);
      visitor.setCookie("session", planted);
      await visitor.get("/users/sign_in");
      assert.notEqual(visitor.cookie("session"), planted);
      const forged = world.platform.keys.sign("csrf", planted);
      visitor.setCookie("session", planted);
      const page = await visitor.post("/users/sign_in", {
        ...{ username: "dev", password: PASSWORD },
        csrf_token: forged,
      });
      assert.equal(page.status, 403);
    }
    assert.equal(await rows(), 0);
  });

  it("grants no access after signing in, and neither does that of an ended session (reference reliability S53)", async () => {
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const before = visitor.cookie("session") as string;
    await visitor.post("/users/sign_in", { username: "dev", password: PASSWORD });
    const inside = visitor.cookie("session") as string;
    await world.platform.db.run(sql`delete from sessions where digest = ${digest(inside)}`);
    for (const old of [before, inside]) {
      const other = new Visitor(world.url);
      other.setCookie("session", old);
      assert.equal((await other.get("/profile/sessions")).location, "/users/sign_in");
    }
  });
});
