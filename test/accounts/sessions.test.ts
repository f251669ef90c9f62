import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { deviceWords } from "../../src/accounts/device.ts";
import { ownPath } from "../../src/accounts/session.ts";
import { digest } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const keysIn = (text: string) =>
  [...text.matchAll(/\/profile\/sessions\/([0-9a-f]{24})\/end/g)].map(([, key]) => key);

describe("the page of sessions", () => {
  it("lists the user's own sessions and marks the current one (reference ux §7)", async () => {
    const here = await signedIn(world, "dev");
    await signedIn(world, "dev");
    await signedIn(world, "rep");
    await world.platform.db.run(sql`update sessions set last_seen_at = now() + interval '1 minute'
      where user_id = ${world.ids.dev} and digest <> ${digest(here.cookie("session") ?? "")}`);
    const { text } = await here.get("/profile/sessions");
    assert.equal(text.match(/This one/g)?.length, 1);
    assert.ok(text.indexOf("This one") < text.search(/sessions\/[0-9a-f]{24}\/end/), "which is listed first");
    const [other, ...more] = keysIn(text);
    assert.ok(other && more.length === 0);
    await world.platform.db.run(sql`update sessions set expires_at = now()
      where user_id = ${world.ids.dev} and left(encode(sha256(digest), 'hex'), 24) = ${other}`);
    assert.deepEqual(
      keysIn((await here.get("/profile/sessions")).text),
      [],
      "an expired session is not listed",
    );
  });

  it("shows when a session began and was last used, to the minute and with the time zone (reference ux §5)", async () => {
    await signedIn(world, "stan");
    await world.platform.db.run(
      sql`update sessions set created_at = '2026-01-02T03:04:05Z', last_seen_at = '2026-01-05T22:10:59Z'
        where user_id = ${world.ids.stan}`,
    );
    const { text } = await (await signedIn(world, "stan")).get("/profile/sessions");
    assert.match(text, />2 Jan 2026, 03:04 UTC<\/time>/);
    assert.match(text, />5 Jan 2026, 22:10 UTC<\/time>/);
  });

  it("ends one session, whose next request is refused (reference reliability S54)", async () => {
    const here = await signedIn(world, "max");
    const there = await signedIn(world, "max");
    const [key] = keysIn((await here.get("/profile/sessions")).text);
    const ended = await here.post(`/profile/sessions/${key}/end`, {});
    assert.equal(ended.location, "/profile/sessions");
    assert.equal((await there.get("/profile/sessions")).location, "/users/sign_in");
    assert.equal((await here.get("/profile/sessions")).status, 200);
    assert.equal((await here.post(`/profile/sessions/${key}/end`, {})).status, 404);
  });

  it("redirects a blocked user to the sign-in page (reference reliability S54)", async () => {
    const inside = await signedIn(world, "rep");
    const become = (state: string) =>
      world.platform.db.run(sql`update users set state = ${state} where id = ${world.ids.rep}`);
    await become("blocked");
    assert.equal((await inside.get("/profile/sessions")).location, "/users/sign_in");
    await become("active");
  });

  it("ends all other sessions and keeps the current one (reference reliability S54)", async () => {
    const here = await signedIn(world, "gus");
    const there = [await signedIn(world, "gus"), await signedIn(world, "gus")];
    const stranger = await signedIn(world, "stan");
    await here.get("/profile/sessions");
    await here.post("/profile/sessions/end_others", {});
    for (const other of there) assert.equal((await other.get("/")).location, "/users/sign_in");
    assert.equal((await stranger.get("/")).status, 200);
    const { text } = await here.get("/profile/sessions");
    assert.match(text, /2 other sessions are over\./);
  });

  it("is paginated, and all other sessions can be ended at once (reference ux §7)", async () => {
    const ada = await signedIn(world, "ada");
    await world.platform.db.run(
      sql`insert into sessions (digest, user_id, expires_at, last_seen_at)
        select sha256(n::text::bytea), ${world.ids.ada}, now() + interval '1 day', now() - make_interval(mins => n)
        from generate_series(1, 251) n`,
    );
    const keys = new Set<string | undefined>();
    for (let page = 1; page <= 9; page++) {
      const { text } = await ada.get(`/profile/sessions?page=${page}`);
      for (const key of keysIn(text)) keys.add(key);
      assert.equal(/This one/.test(text), page === 1);
    }
    assert.equal(keys.size, 251);
    assert.match((await ada.get("/profile/sessions")).text, /href="\/profile\/sessions\?page=9"/);
    await ada.post("/profile/sessions/end_others", {});
    assert.match((await ada.get("/profile/sessions")).text, /251 other sessions are over\./);
  });

  it("returns 404 for another user's session (contract §4, visibility)", async () => {
    const olga = await signedIn(world, "olga");
    await signedIn(world, "olga");
    const [key] = keysIn((await olga.get("/profile/sessions")).text);
    const rep = await signedIn(world, "rep");
    await rep.get("/profile/sessions");
    assert.equal((await rep.post(`/profile/sessions/${key}/end`, {})).status, 404);
    assert.equal(keysIn((await olga.get("/profile/sessions")).text).length, 1);
  });
});

describe("the return path after signing in", () => {
  const most = `/${"a".repeat(8191)}`;
  for (const path of [
    "/",
    "/acme/rocket?tab=1",
    "/oauth/authorize?redirect_uri=https%3A%2F%2Fa.example",
    most,
  ]) {
    it(`may be ${path.slice(0, 60)} (RFC 9700 §4.11)`, () => assert.equal(ownPath(path), path));
  }
  for (const path of [
    "",
    "acme/rocket",
    "https://evil.example",
    "javascript:alert(1)",
    "//evil.example",
    "/\\evil.example",
    "/acme\\..\\..",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\u0000",
    "/\u0085/evil.example",
    `${most}a`,
  ]) {
    it(`must not be ${JSON.stringify(path.slice(0, 60))} (RFC 9700 §4.11)`, () =>
      assert.equal(ownPath(path), undefined));
  }
});

describe("the name of a device", () => {
  const agents: readonly (readonly [agent: string, words: string])[] = [
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0",
      "Edge on Windows",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
    ],
    [
      "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
      "Chrome on Android",
    ],
    ["curl/8.14.1", "curl"],
    ["", "Unknown program"],
  ];
  for (const [agent, words] of agents) {
    it(`is ${words} (reference ux §7)`, () => assert.equal(deviceWords(agent), words));
  }
});
