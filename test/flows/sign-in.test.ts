import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { prolongWaits, withLongWaits } from "../support/failures.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
});

const REFUSED = "That username and password don’t match.";

describe("signing in", () => {
  it("redirects from a page to the sign-in form and back to the page (contract §4, sign in)", async () => {
    const visitor = new Visitor(world.url);
    const asked = await visitor.get("/projects/new?from=here");
    assert.equal(asked.status, 302);
    assert.equal(asked.location, "/users/sign_in");
    const form = await visitor.get("/users/sign_in");
    assert.equal(form.status, 200);
    assert.match(form.text, /name="username"/);
    assert.match(form.text, /name="password"/);
    const entered = await visitor.post("/users/sign_in", { username: "dev", password: PASSWORD });
    assert.equal(entered.status, 303);
    assert.equal(entered.location, "/projects/new?from=here");
    const again = await visitor.get("/users/sign_in");
    assert.equal(again.location, "/");
  });

  it("accepts the username or the mail address, in any case (contract §4, sign in; reference events A10)", async () => {
    for (const username of ["dev@example.org", "DEV", " Dev@Example.ORG "]) {
      const visitor = new Visitor(world.url);
      const entered = await visitor.submit("/users/sign_in", { username, password: PASSWORD });
      assert.equal(entered.status, 303, username);
    }
  });

  it("fails with the same response for unknown names, wrong passwords and blocked users (reference reliability S62)", async () => {
    await world.call(`/api/v4/users/${world.ids.gus}/block`, { as: "ada", method: "POST" });
    const texts: string[] = [];
    for (const [username, password] of [
      ["nobody-here", PASSWORD],
      ["rep", "a wrong passphrase"],
      ["gus", PASSWORD],
    ] as const) {
      const visitor = new Visitor(world.url);
      const refused = await visitor.submit("/users/sign_in", { username, password });
      assert.equal(refused.status, 422);
      assert.match(refused.text, new RegExp(REFUSED));
      texts.push(refused.text.replaceAll(username, "NAME").replaceAll(/value="[\w-]{43}"/g, ""));
    }
    assert.equal(texts[0], texts[1]);
    assert.equal(texts[0], texts[2]);
  });

  it("tells screen readers which fields the error is about (WCAG 3.3.1; reference ux §5)", async () => {
    const field = (page: string, name: string) =>
      new RegExp(`<input [^>]*name="${name}"[^>]*>`).exec(page)?.[0] ?? "";
    const visitor = new Visitor(world.url);
    const before = (await visitor.get("/users/sign_in")).text;
    const refused = await visitor.submit("/users/sign_in", { username: "rep", password: "not this one" });
    assert.match(refused.text, /role="alert"[^>]*id="refused"|id="refused"[^>]*role="alert"/);
    for (const name of ["username", "password"]) {
      assert.match(field(refused.text, name), /aria-invalid="true" aria-describedby="refused"/);
      assert.doesNotMatch(field(before, name), /aria-/);
    }
  });

  it("keeps the typed username, but never the password (reference ux §7; decision 0008)", async () => {
    const visitor = new Visitor(world.url);
    const refused = await visitor.submit("/users/sign_in", {
      username: 'a"<b>',
      password: "wrong wrong wrong",
    });
    assert.match(refused.text, /value="a&quot;&lt;b&gt;"/);
    assert.doesNotMatch(refused.text, /wrong wrong/);
  });

  it("starts a new session, and the old one is invalid (reference reliability S53)", async () => {
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const before = visitor.cookie("session") ?? "";
    await visitor.post("/users/sign_in", { username: "max", password: PASSWORD });
    assert.notEqual(visitor.cookie("session"), before);
    const thief = new Visitor(world.url);
    thief.setCookie("session", before);
    assert.equal((await thief.get("/")).location, "/users/sign_in");
  });

  it("does not accept a session id that an attacker planted (reference reliability S53)", async () => {
    const visitor = new Visitor(world.url);
    visitor.setCookie("session", "gss_planted");
    await visitor.get("/users/sign_in");
    assert.notEqual(visitor.cookie("session"), "gss_planted");
  });

  it("sets a cookie that is HttpOnly and SameSite=Lax (reference ux §4)", async () => {
    const reply = await fetch(`${world.url}/users/sign_in`);
    const cookie = reply.headers.getSetCookie().find((line) => line.startsWith("session=")) ?? "";
    assert.match(cookie, /HttpOnly/);
    assert.match(cookie, /SameSite=Lax/);
    assert.match(cookie, /Path=\//);
    assert.doesNotMatch(cookie, /Secure/);
    assert.equal(reply.headers.get("cache-control"), "no-store");
    assert.match(
      reply.headers.get("content-security-policy") ?? "",
      /form-action 'self'; .*frame-ancestors 'none'/,
    );
  });

  it("never redirects to another site (RFC 9700 §4.11)", async () => {
    for (const path of ["//evil.example/x", "/\\evil.example", "/%09//evil.example"]) {
      const visitor = new Visitor(world.url);
      await visitor.get(path);
      const entered = await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
      assert.equal(new URL(entered.location ?? "", world.url).origin, new URL(world.url).origin, path);
    }
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in?return_to=https://evil.example");
    const entered = await visitor.post("/users/sign_in", {
      username: "max",
      password: PASSWORD,
      return_to: "https://evil.example",
    });
    assert.equal(entered.location, "/");
  });

  it("signing out ends the session on the server too, and sends Clear-Site-Data for the cache (reference reliability S54, S74)", async () => {
    const visitor = await signedIn(world, "max");
    const old = visitor.cookie("session") ?? "";
    const out = await visitor.submit("/users/sign_out", {}, "/projects");
    assert.equal(out.status, 303);
    assert.equal(out.headers.get("clear-site-data"), '"cache"');
    visitor.setCookie("session", old);
    assert.equal((await visitor.get("/")).location, "/users/sign_in");
  });

  it("blocking a user ends all of their sessions at once (reference reliability S54)", async () => {
    const [visitor, other] = [await signedIn(world, "rep"), await signedIn(world, "rep")];
    assert.equal((await visitor.get("/")).status, 200);
    const { status, json } = await world.call(`/api/v4/users/${world.ids.rep}/block`, {
      as: "ada",
      method: "POST",
    });
    assert.equal(status, 201);
    assert.equal(json, true);
    assert.equal((await visitor.get("/")).location, "/users/sign_in");
    await world.call(`/api/v4/users/${world.ids.rep}/unblock`, { as: "ada", method: "POST" });
    // The other browser sent no request in the meantime, so its cookie still has the first secret.
    assert.equal((await other.get("/")).location, "/users/sign_in");
  });

  it("works 30 times within a minute from one address (contract §4, rate limits)", async () => {
    const entered = await Promise.all(Array.from({ length: 30 }, () => signedIn(world, "dev")));
    assert.equal(entered.length, 30);
  });
});

describe("forms", () => {
  it("are refused without the CSRF token of the session, with that of another, and from another site (reference reliability S65, S67)", async () => {
    const visitor = await signedIn(world, "max");
    await visitor.get("/projects");
    const other = await signedIn(world, "dev");
    await other.get("/projects");
    for (const [fields, headers] of [
      [{ csrf_token: "" }, {}],
      [{ csrf_token: other.csrfToken }, {}],
      [{}, { origin: "https://evil.example" }],
      [{}, { origin: "null" }],
      [{}, { origin: "null", "sec-fetch-site": "cross-site" }],
      [{}, { "sec-fetch-site": "cross-site" }],
      [{}, { "sec-fetch-site": "same-site" }],
      [{}, { origin: `${world.url}.evil.example` }],
    ] as [Record<string, string>, Record<string, string>][]) {
      const refused = await visitor.post("/users/sign_out", fields, headers);
      assert.equal(refused.status, 403, JSON.stringify([fields, headers]));
    }
    const text = await visitor.post("/users/sign_out", {}, { "content-type": "text/plain" });
    assert.equal(text.status, 415);
    assert.equal((await visitor.get("/")).status, 200);
  });

  it("are accepted from the site itself, also with no-referrer, where the Origin header is null (decision 0008)", async () => {
    for (const headers of [
      { origin: world.url, "sec-fetch-site": "same-origin" },
      { origin: "null", "sec-fetch-site": "same-origin" },
      {},
    ]) {
      const visitor = await signedIn(world, "max");
      await visitor.get("/projects");
      assert.equal((await visitor.post("/users/sign_out", {}, headers)).status, 303);
    }
  });

  it("keep the typed username if the sign-in form is too old (reference ux §7, 403)", async () => {
    const visitor = new Visitor(world.url);
    const stale = await visitor.post("/users/sign_in", {
      username: "max",
      password: PASSWORD,
      csrf_token: "old",
    });
    assert.equal(stale.status, 403);
    assert.match(stale.text, /value="max"/);
    const entered = await visitor.post("/users/sign_in", { username: "max", password: PASSWORD });
    assert.equal(entered.status, 303);
  });
});

describe("wrong passwords", () => {
  it("make the user wait after five attempts, even with the right password, and say how many are left and how long to wait (reference reliability S63)", async () => {
    const visitor = new Visitor(world.url);
    const told: string[] = [];
    for (let i = 0; i < 5; i++) {
      const fields = { username: "olga", password: "not the passphrase" };
      const { text } = await visitor.submit("/users/sign_in", fields);
      told.push(/don’t match\. ([^<]*)</.exec(text)?.[1] ?? "");
    }
    const left = (tries: string) => `You have ${tries} left before a short wait.`;
    assert.deepEqual(told, [
      ...["4 tries", "3 tries", "2 tries", "one try"].map(left),
      "Wait 1 s before the next try.",
    ]);
    await prolongWaits(world);
    const held = await visitor.post("/users/sign_in", { username: "olga", password: PASSWORD });
    assert.equal(held.status, 429);
    assert.ok(Number(held.headers.get("retry-after")) >= 1);
    assert.match(held.text, /Wait \d+ s before the next try/);
    assert.equal((await visitor.get("/")).location, "/users/sign_in");
  });

  it("of one user do not make another wait (decision 0008)", async () => {
    await signedIn(world, "max");
  });

  it("cannot exceed the limit when many are sent at once (reference reliability S63)", async () => {
    const visitors = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const visitor = new Visitor(world.url);
        await visitor.get("/users/sign_in");
        return visitor;
      }),
    );
    await world.platform.db.run(sql`delete from sign_in_failures`);
    await withLongWaits(world, async () => {
      const pages = await Promise.all(
        visitors.map((visitor) =>
          visitor.post("/users/sign_in", { username: "stan", password: "wrong again here" }),
        ),
      );
      const judged = pages.filter(({ status }) => status === 422).length;
      // At most five, and one that is hashed at the same time as the fifth; guesses that fail together may all hold each other up.
      assert.ok(judged <= 6, `${judged} guesses were checked`);
      assert.equal(pages.filter(({ status }) => status === 429).length, pages.length - judged);
    });
  });
});
