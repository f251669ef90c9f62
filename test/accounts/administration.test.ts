import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { changeAdministrator } from "../../src/accounts/change-administrator.ts";
import { findUser } from "../../src/accounts/store.ts";
import type { User } from "../../src/accounts/user.ts";
import { sql } from "../../src/platform/sql.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const userOf = async (person: Person) => (await findUser(world.platform.db, world.ids[person])) as User;
const age = (person: Person) =>
  world.platform.db.run(
    sql`update sessions set authenticated_at = now() - interval '16 minutes' where user_id = ${world.ids[person]}`,
  );

describe("admin pages", () => {
  it("return 404 to other users and redirect anonymous visitors to the sign-in page (contract §4, visibility)", async () => {
    const olga = await signedIn(world, "olga");
    for (const path of ["/admin", "/admin/users", "/admin/audit"]) {
      assert.equal((await olga.get(path)).status, 404, path);
      assert.equal((await new Visitor(world.url).get(path)).location, "/users/sign_in", path);
    }
    await olga.get("/");
    for (const verb of ["block", "unblock", "make_admin", "end_admin", "password_link"]) {
      assert.equal((await olga.post(`/admin/users/${world.ids.dev}/${verb}`, {})).status, 404, verb);
    }
    assert.equal((await olga.post("/admin/users", { username: "x" })).status, 404);
    assert.equal((await olga.post("/admin/users", { csrf_token: "not the token" })).status, 403);
    assert.doesNotMatch((await olga.get("/")).text, /href="\/admin"/);
    assert.match((await (await signedIn(world, "ada")).get("/")).text, /href="\/admin"/);
  });

  it("have titles different from each other and from the profile pages (WCAG 2.4.2)", async () => {
    const ada = await signedIn(world, "ada");
    const own = ["/profile/applications", "/profile/identities"];
    const all = [
      "users",
      "users/applications",
      "applications",
      "settings",
      "invitations",
      "identities",
      "audit",
    ];
    const titles = new Map<string, string>();
    for (const path of [...own, "/admin", ...all.map((page) => `/admin/${page}`)]) {
      const [, title = ""] = /<title>(.*)<\/title>/.exec((await ada.get(path)).text) ?? [];
      assert.equal(titles.get(title), undefined, `${path} has the same title: ${title}`);
      titles.set(title, path);
      assert.equal(/Administration/.test(title), path.startsWith("/admin"), title);
    }
  });

  it("create a user who can sign in at once, and keep what was typed after an error (contract §4, new users)", async () => {
    const ada = await signedIn(world, "ada");
    const fields = { name: "Nina", username: "nina", email: "nina@example.org", password: "short" };
    const refused = await ada.submit("/admin/users", fields);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /value="nina@example\.org"/);
    assert.equal((await ada.post("/admin/users", { ...fields, password: PASSWORD })).status, 303);
    const nina = await new Visitor(world.url).submit("/users/sign_in", {
      username: "nina",
      password: PASSWORD,
    });
    assert.equal(nina.status, 303);
    assert.match((await ada.get("/admin/users?search=nina")).text, /@nina/);
    assert.doesNotMatch((await ada.get("/admin/users?search=nina")).text, /@olga/);
  });

  it("block and unblock a user, and show a link for a new password once (reference reliability S54)", async () => {
    const ada = await signedIn(world, "ada");
    const gus = await signedIn(world, "gus");
    await ada.submit(`/admin/users/${world.ids.gus}/block`, {}, "/admin/users");
    assert.equal((await gus.get("/")).location, "/users/sign_in");
    await ada.submit(`/admin/users/${world.ids.gus}/unblock`, {}, "/admin/users");
    const made = await ada.submit(`/admin/users/${world.ids.gus}/password_link`, {}, "/admin/users");
    const shown = await ada.follow(made);
    const path = /\/users\/password\/edit\?reset_password_token=gpl_\w+/.exec(shown.text)?.[0] ?? "";
    assert.equal((await new Visitor(world.url).get(path)).status, 200);
    assert.doesNotMatch((await ada.get("/admin/users")).text, /gpl_/);
    assert.match((await ada.get("/admin/audit?name=GUS&action=user_blocked")).text, /Blocked a user/);
  });

  it("grant and revoke the administrator role, and end the sessions of that user (reference reliability S54)", async () => {
    const ada = await signedIn(world, "ada");
    const rep = await signedIn(world, "rep");
    await ada.submit(`/admin/users/${world.ids.rep}/make_admin`, {}, "/admin/users");
    assert.equal((await rep.get("/")).location, "/users/sign_in");
    const again = await signedIn(world, "rep");
    assert.equal((await again.get("/admin")).status, 200);
    assert.equal((await ada.post(`/admin/users/${world.ids.ada}/end_admin`, {})).status, 403);
    await ada.submit(`/admin/users/${world.ids.rep}/end_admin`, {}, "/admin/users");
    assert.equal((await userOf("rep")).isAdmin, false);
  });

  it("keep one administrator when two revoke each other's role at the same time (decision 0047)", async () => {
    const { db } = world.platform;
    await changeAdministrator(db, await userOf("stan"), true, { actorId: world.ids.ada, ip: "::1" });
    const [ada, stan] = [await userOf("ada"), await userOf("stan")];
    const outcomes = await Promise.allSettled([
      changeAdministrator(db, ada, false, { actorId: stan.id, ip: "::1" }),
      changeAdministrator(db, stan, false, { actorId: ada.id, ip: "::1" }),
    ]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    await db.run(sql`update users set is_admin = (username = 'ada') where username in ('ada', 'stan')`);
  });
});

describe("re-authentication with the password", () => {
  it("is required to create a token if the last one is older than 15 minutes, and the form keeps its values (decision 0047)", async () => {
    const dev = await signedIn(world, "dev");
    await age("dev");
    const fields = { name: "later", scopes: "read_user" };
    const asked = await dev.submit("/profile/personal_access_tokens", fields);
    assert.equal(asked.location, "/users/prove");
    const wrong = await dev.submit("/users/prove", { password: "not it at all" });
    assert.equal(wrong.status, 422);
    const old = dev.cookie("session");
    const proven = await dev.submit("/users/prove", { password: PASSWORD });
    assert.notEqual(dev.cookie("session"), old);
    const back = await dev.get((proven.location ?? "").replace(/#.*/, ""));
    assert.match(back.text, /value="later"/);
    const made = await dev.post("/profile/personal_access_tokens", fields);
    assert.match(made.location ?? "", /#ready$/);
  });

  it("is required to send an invitation, and the form keeps the address (decision 0047)", async () => {
    const ada = await signedIn(world, "ada");
    await age("ada");
    await ada.submit("/admin/invitations", { email: "new+er@example.org" });
    const proven = await ada.submit("/users/prove", { password: PASSWORD });
    const form = await ada.get((proven.location ?? "").replace(/#.*/, ""));
    assert.match(form.text, /<input[^>]*name="email"[^>]*value="new\+er@example.org"/);
  });

  it("keeps the expiry date in the form of a token, which would never expire without it (decision 0047; reference oauth A10)", async () => {
    const dev = await signedIn(world, "dev");
    await age("dev");
    const fields = { name: "Nightly", scopes: "read_user", expires_at: "2099-03-01" };
    await dev.submit("/profile/personal_access_tokens", fields);
    const proven = await dev.submit("/users/prove", { password: PASSWORD });
    const form = await dev.get((proven.location ?? "").replace(/#.*/, ""));
    assert.match(form.text, /<input[^>]*name="expires_at"[^>]*value="2099-03-01"/);
    const linked = await dev.get("/profile/personal_access_tokens?name=x&expires_at=2099-3-1");
    assert.match(linked.text, /<input[^>]*name="expires_at"[^>]*value="2099-03-01"/);
  });

  it("is required for admin actions on other users, but never in the API (contract §4, consent)", async () => {
    const ada = await signedIn(world, "ada");
    await age("ada");
    const asked = await ada.submit(`/admin/users/${world.ids.max}/block`, {}, "/admin/users");
    assert.equal(asked.location, "/users/prove");
    assert.equal((await userOf("max")).state, "active");
    const blocked = await world.call(`/api/v4/users/${world.ids.max}/block`, { as: "ada", method: "POST" });
    assert.equal(blocked.status, 201);
  });
});
