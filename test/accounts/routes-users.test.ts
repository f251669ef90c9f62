import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const nina = {
  username: "nina",
  name: "Nina New",
  email: "nina@example.org",
  password: "a long enough sentence",
};

describe("creating users", () => {
  it("creates an active, confirmed user for administrators (contract §4, new users)", async () => {
    const made = await world.call("/api/v4/users", { as: "ada", json: nina });
    assert.equal(made.status, 201);
    assert.equal(made.json.username, "nina");
    assert.equal(made.json.state, "active");
    assert.equal(made.json.email, "nina@example.org");
    assert.equal(made.json.is_admin, false);
    assert.ok(made.json.confirmed_at);
    assert.doesNotMatch(made.text, /password|hash/);
  });

  it("refuses usernames and email addresses that are taken, in any case (GitLab v4 API, POST /users; reference events A10)", async () => {
    const name = await world.call("/api/v4/users", {
      as: "ada",
      json: { ...nina, username: "DEV", email: "x@y.z" },
    });
    assert.equal(name.status, 409);
    assert.deepEqual(name.json, { message: { username: ["has already been taken"] } });
    const mail = { ...nina, username: "nina2", email: "DEV@example.org" };
    assert.deepEqual((await world.call("/api/v4/users", { as: "ada", json: mail })).json, {
      message: { email: ["has already been taken"] },
    });
    const group = await world.call("/api/v4/users", {
      as: "ada",
      json: { ...nina, username: "acme", email: "x@y.z" },
    });
    assert.equal(group.status, 409);
  });

  it("reports missing and invalid fields by name (contract §4, new users, API errors; reference events A2)", async () => {
    const empty = await world.call("/api/v4/users", { as: "ada", json: {} });
    assert.equal(empty.status, 400);
    assert.equal(
      empty.json.error,
      "username is missing, name is missing, email is missing, password is missing",
    );
    for (const [change, field] of [
      [{ password: "short" }, "password"],
      [{ password: "password1234" }, "password"],
      [{ username: "a b" }, "username"],
      [{ username: "oauth" }, "username"],
      [{ username: "../x" }, "username"],
      [{ email: "nowhere" }, "email"],
    ] as const) {
      const refused = await world.call("/api/v4/users", {
        as: "ada",
        json: { ...nina, username: "other", email: "other@example.org", ...change },
      });
      assert.equal(refused.status, 400, JSON.stringify(change));
      assert.ok(refused.json.message[field], JSON.stringify(refused.json));
    }
    const wrongType = await world.call("/api/v4/users", { as: "ada", json: { ...nina, name: 5 } });
    assert.deepEqual([wrongType.status, wrongType.json], [400, { error: "name is invalid" }]);
    const notJson = await world.call("/api/v4/users", {
      as: "ada",
      body: "{",
      headers: { "content-type": "application/json" },
    });
    assert.equal(notJson.status, 400);
  });

  it("sets a random password on request, and refuses reset_password without mail (GitLab v4 API, POST /users; decision 0237)", async () => {
    const { password, ...pam } = { ...nina, username: "pam", name: "Pam", email: "pam@example.org" };
    const ask = (more: object) => world.call("/api/v4/users", { as: "ada", json: { ...pam, ...more } });
    for (const none of [
      { reset_password: false },
      { force_random_password: false },
      { reset_password: null },
    ]) {
      const refused = await ask(none);
      assert.deepEqual([refused.status, refused.json], [400, { error: "password is missing" }]);
    }
    for (const more of [{}, { force_random_password: true }, { password }]) {
      const refused = await ask({ reset_password: true, ...more });
      assert.equal(refused.status, 400);
      assert.match(
        refused.json.message.reset_password[0],
        /needs mail.*GATEHOUSE_SMTP_URL.*force_random_password/,
      );
    }
    assert.equal(
      (await world.call("/api/v4/users/pam", { as: "ada" })).status,
      404,
      "no user may be created",
    );
    assert.equal((await ask({ force_random_password: true, password })).status, 201);
    const visitor = new Visitor(world.url);
    const refused = await visitor.submit("/users/sign_in", { username: "pam", password });
    assert.notEqual(refused.status, 303, "a password sent with force_random_password must be ignored");
    const form = {
      ...pam,
      username: "pim",
      name: "Pim",
      email: "pim@example.org",
      force_random_password: "true",
    };
    assert.equal((await world.call("/api/v4/users", { as: "ada", form })).status, 201);
  });

  it("needs an administrator with the api scope (contract §3; reference oauth A8, A11)", async () => {
    const json = { ...nina, username: "sneaky", email: "sneaky@example.org", admin: true };
    assert.equal((await world.call("/api/v4/users", { json })).status, 401);
    assert.equal((await world.call("/api/v4/users", { as: "olga", json })).status, 403);
    const token = await world.tokenOf("ada", "read_user");
    assert.equal((await world.call("/api/v4/users", { token, json })).status, 403);
  });
});

describe("reading users", () => {
  it("finds a user by id or by username in any case, without private members (reference events A10, B1)", async () => {
    for (const reference of [world.ids.dev, "dev", "DEV"]) {
      const found = await world.call(`/api/v4/users/${reference}`, { as: "stan" });
      assert.equal(found.status, 200);
      assert.equal(found.json.id, world.ids.dev);
      for (const member of ["email", "last_sign_in_at", "two_factor_enabled", "is_admin", "commit_email"]) {
        assert.ok(!(member in found.json), member);
      }
    }
    const seenByAdmin = await world.call("/api/v4/users/dev", { as: "ada" });
    assert.equal(seenByAdmin.json.email, "dev@example.org");
  });

  it("returns 404 for users that do not exist, however the id is written (reference reliability S85)", async () => {
    for (const reference of ["999999", "99999999999999999999", "no-one", "-1", "1e3", "a%2Fb", "%252F"]) {
      const { status, json } = await world.call(`/api/v4/users/${reference}`, { as: "stan" });
      assert.equal(status, 404, reference);
      assert.deepEqual(json, { message: "404 User Not Found" });
    }
  });

  it("filters by exact username and part of the name, with pages and totals (reference events A5, B1; GitLab v4 API, GET /users)", async () => {
    const exact = await world.call("/api/v4/users?username=Dev", { as: "stan" });
    assert.deepEqual(
      exact.json.map((user: { username: string }) => user.username),
      ["dev"],
    );
    assert.equal(exact.headers.get("x-total"), "1");
    assert.deepEqual((await world.call("/api/v4/users?username=de", { as: "stan" })).json, []);
    const part = await world.call("/api/v4/users?search=report", { as: "stan" });
    assert.deepEqual(
      part.json.map((user: { username: string }) => user.username),
      ["rep"],
    );
    const page = await world.call("/api/v4/users?per_page=2&page=2", { as: "stan" });
    assert.equal(page.json.length, 2);
    assert.equal(page.headers.get("x-prev-page"), "1");
    assert.match(page.headers.get("link") ?? "", /rel="next"/);
  });

  it("searches private email addresses for administrators only (GitLab v4 API, GET /users)", async () => {
    assert.deepEqual((await world.call("/api/v4/users?search=dev@example.org", { as: "stan" })).json, []);
    assert.equal((await world.call("/api/v4/users?search=dev@example.org", { as: "ada" })).json.length, 1);
  });

  it("filters by admins=true for administrators only (contract §3)", async () => {
    const asked = async (as: "ada" | "stan") =>
      (await world.call("/api/v4/users?admins=true&per_page=100", { as })).json as { username: string }[];
    const seen = await asked("ada");
    assert.ok(seen.length > 0 && seen.every((user) => "is_admin" in user && user.is_admin === true));
    assert.ok((await asked("stan")).length > seen.length);
  });

  it("filters by dates, humans, active and public_email for everybody (GitLab v4 API, GET /users)", async () => {
    const named = async (query: string, as: "ada" | "stan" = "stan") => {
      const { status, json, text } = await world.call(`/api/v4/users?per_page=100&${query}`, { as });
      assert.equal(status, 200, text);
      return json.map((user: { username: string }) => user.username) as string[];
    };
    const all = await named("");
    const made = (await world.call("/api/v4/users/dev", { as: "ada" })).json.created_at;
    const after = await named(`created_after=${made}`);
    assert.ok(after.includes("rep") && !after.includes("dev") && !after.includes("olga"));
    const first = await named(`created_before=${made}`);
    assert.ok(first.includes("olga") && !first.includes("dev") && !first.includes("rep"));
    assert.deepEqual(await named("humans=true&exclude_humans=false"), all);
    assert.deepEqual([await named("exclude_humans=true"), await named("exclude_active=1")], [[], []]);
    const { dev } = world.ids;
    const public_email = "dev@example.org";
    assert.deepEqual(await named(`public_email=${public_email}`), []);
    await world.call(`/api/v4/users/${dev}`, { as: "ada", method: "PUT", json: { public_email } });
    assert.deepEqual(await named(`public_email=${public_email.toUpperCase()}`), ["dev"]);
    assert.deepEqual(await named(`search=${public_email}`), ["dev"]);
    await world.call(`/api/v4/users/${dev}`, { as: "ada", method: "PUT", json: { public_email: null } });
  });

  it("sorts, and filters by two_factor and without_projects, for administrators only (GitLab v4 API, GET /users)", async () => {
    const named = async (query: string, as: "ada" | "stan" = "ada") => {
      const { json } = await world.call(`/api/v4/users?per_page=100&${query}`, { as });
      return json.map((user: { username: string }) => user.username) as string[];
    };
    const all = await named("");
    for (const order of ["name", "username"]) {
      assert.deepEqual(await named(`order_by=${order}&sort=asc`), all.toSorted(), order);
      assert.deepEqual(await named(`order_by=${order}`), all.toSorted().reverse(), order);
      assert.deepEqual(await named(`order_by=${order}`, "stan"), all, order);
    }
    assert.deepEqual(await named("order_by=created_at&sort=asc"), all.toReversed());
    const { stan, dev, max } = world.ids;
    for (const id of [dev, stan]) {
      const json = { name: id === stan ? "aa Stan" : "Dev Newer" };
      await world.call(`/api/v4/users/${id}`, { as: "ada", method: "PUT", json });
    }
    assert.deepEqual((await named("order_by=updated_at")).slice(0, 2), ["stan", "dev"]);
    assert.equal((await named("order_by=name&sort=asc"))[0], "stan", "in any case");
    assert.deepEqual([await named("two_factor=enabled"), await named("two_factor=disabled")], [[], all]);
    await world.platform.db.run(sql`insert into passkeys (user_id, credential_id, public_key, sign_count, transports, name, backed_up)
      values (${max}, 'key', 'key', 0, '{}', 'Key', false)`);
    assert.deepEqual(await named("two_factor=enabled"), ["max"]);
    assert.ok(!(await named("two_factor=disabled")).includes("max"));
    await world.platform.db.run(sql`delete from passkeys`);
    const without = await named("without_projects=true");
    assert.ok(without.includes("stan") && without.includes("ada"));
    for (const member of ["olga", "max", "gus"]) assert.ok(!without.includes(member), member);
    assert.deepEqual(await named("without_projects=true&two_factor=enabled", "stan"), all);
    for (const word of [
      "order_by=email",
      "sort=up",
      "two_factor=yes",
      "created_after=soon",
      "humans=maybe",
    ]) {
      assert.equal((await world.call(`/api/v4/users?${word}`, { as: "ada" })).status, 400, word);
    }
  });

  it("returns no users for kinds that do not exist here, such as external or LDAP ones (GitLab v4 API, GET /users; decision 0157)", async () => {
    const total = async (query: string) =>
      (await world.call(`/api/v4/users?${query}`, { as: "ada" })).headers.get("x-total");
    for (const query of [
      "external=true",
      "auditors=true",
      "extern_uid=dev&provider=saml",
      "provider=ldapmain",
      "saml_provider_id=1",
      "extern_uid=dev&username=dev",
    ]) {
      assert.equal(await total(query), "0", query);
    }
    for (const query of ["external=false", "auditors=false", "exclude_external=true", "skip_ldap=true"]) {
      assert.equal(await total(query), await total(""), query);
    }
  });

  it("needs a token with a scope for reading users (reference oauth A8)", async () => {
    assert.equal((await world.call("/api/v4/users")).status, 401);
    const token = await world.tokenOf("stan", "write_events");
    assert.equal((await world.call("/api/v4/users/dev", { token })).status, 403);
  });
});

describe("blocking users", () => {
  it("refuses all tokens of the user at once, until unblocked (contract §4, tokens and roles, media types)", async () => {
    const token = await world.tokenOf("gus", "read_user");
    assert.equal((await world.call("/api/v4/user", { token })).status, 200);
    const blocked = await world.call(`/api/v4/users/${world.ids.gus}/block`, { as: "ada", method: "POST" });
    assert.deepEqual([blocked.status, blocked.json], [201, true]);
    assert.equal(blocked.headers.get("content-type"), "application/json");
    const refused = await world.call("/api/v4/user", { token });
    assert.equal(refused.status, 403);
    assert.match(refused.json.message, /blocked/);
    assert.equal((await world.call("/api/v4/users/gus", { as: "stan" })).json.state, "blocked");
    const unblocked = await world.call(`/api/v4/users/${world.ids.gus}/unblock`, {
      as: "ada",
      method: "POST",
    });
    assert.deepEqual([unblocked.status, unblocked.json], [201, true]);
    assert.equal(unblocked.headers.get("content-type"), "application/json");
    assert.equal((await world.call("/api/v4/user", { token })).status, 200);
  });

  it("is for administrators only, not for oneself, and for existing users only (contract §3; decision 0047)", async () => {
    const path = `/api/v4/users/${world.ids.gus}/block`;
    assert.equal((await world.call(path, { method: "POST" })).status, 401);
    assert.equal((await world.call(path, { as: "olga", method: "POST" })).status, 403);
    assert.equal((await world.call("/api/v4/users/999999/block", { as: "ada", method: "POST" })).status, 404);
    assert.equal(
      (await world.call(`/api/v4/users/${world.ids.ada}/block`, { as: "ada", method: "POST" })).status,
      403,
    );
  });
});

describe("two-factor sign-in through the API", () => {
  it("needs the right password and a token with the api scope (contract §4, two-factor by API)", async () => {
    const wrong = await world.call("/api/v4/user/two_factor", {
      as: "rep",
      json: { password: "not this one" },
    });
    assert.equal(wrong.status, 403);
    assert.equal((await world.call("/api/v4/user/two_factor", { as: "rep", json: {} })).status, 400);
    assert.equal((await world.call("/api/v4/user/two_factor", { json: { password: PASSWORD } })).status, 401);
    const token = await world.tokenOf("rep", "read_user");
    assert.equal(
      (await world.call("/api/v4/user/two_factor", { token, json: { password: PASSWORD } })).status,
      403,
    );
  });

  it("cannot be confirmed before it was started, nor with a wrong code (decision 0009; contract §4, two-factor by API)", async () => {
    const early = await world.call("/api/v4/user/two_factor/confirm", {
      as: "rep",
      json: { code: "123456" },
    });
    assert.equal(early.status, 422);
    const started = await world.call("/api/v4/user/two_factor", { as: "rep", json: { password: PASSWORD } });
    assert.equal(started.status, 201);
    assert.match(started.json.otpauth_url, /^otpauth:\/\/totp\/Gatehouse:rep\?.*secret=[A-Z2-7]{32}/);
    for (const code of ["000000", "abc", ""]) {
      const wrong = await world.call("/api/v4/user/two_factor/confirm", { as: "rep", json: { code } });
      assert.equal(wrong.status, 422, code);
    }
    assert.equal((await world.call("/api/v4/user", { as: "rep" })).json.two_factor_enabled, false);
    const off = await world.call("/api/v4/user/two_factor", {
      as: "rep",
      method: "DELETE",
      json: { password: PASSWORD },
    });
    assert.equal(off.status, 404);
  });
});
