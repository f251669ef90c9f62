/** How administrators change accounts with the API: name, address, password and role, all of it or nothing. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { anApplication, tokenCall } from "../support/oauth.ts";
import { worldWithMail } from "../support/post-office.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const put = (who: string | number, json: unknown, as: Person = "ada") =>
  world.call(`/api/v4/users/${who}`, { as, method: "PUT", json });

test("an administrator changes username and name of a user; the old path redirects, and both changes are in the audit log (GitLab v4 API, PUT /users/:id; decision 0122)", async () => {
  const changed = await put(world.ids.dev, { username: "devina", name: "Devina Day" });
  assert.deepEqual([changed.status, changed.json.username, changed.json.name], [200, "devina", "Devina Day"]);
  assert.equal(changed.json.web_url, `${world.url}/devina`);
  assert.equal((await new Visitor(world.url).get("/dev")).location, "/devina");
  const log = (await (await signedIn(world, "ada")).get("/admin/audit")).text;
  assert.match(log, /class="title">Changed the username</);
  assert.match(log, /class="title">Changed a profile</);
  const back = await put("devina", { username: "dev" });
  assert.deepEqual([back.status, back.json.username], [200, "dev"]);
  assert.equal((await put("dev", { username: "dev", name: "Devina Day" })).status, 200, "nothing to change");
});

test("only administrators with the scope api may change users, and an unknown user is 404 (contract §3)", async () => {
  assert.equal((await put(world.ids.dev, { name: "Mine" }, "dev")).status, 403);
  const token = await world.tokenOf("ada", "read_api");
  const narrow = await world.call(`/api/v4/users/${world.ids.dev}`, {
    token,
    method: "PUT",
    json: { name: "x" },
  });
  assert.equal(narrow.status, 403);
  assert.equal((await put(999_999, { name: "Nobody" })).status, 404);
  assert.equal((await world.call("/api/v4/users/1", { method: "PUT", json: { name: "x" } })).status, 401);
});

test("invalid values are refused by field, taken names and addresses are a conflict, and nothing is changed then (contract §3)", async () => {
  const empty = await put("stan", { theme_id: 2 });
  assert.equal(empty.status, 400);
  assert.match(
    empty.json.error,
    /^username, name, email,.* are missing, at least one parameter must be provided$/,
  );
  for (const [change, field] of [
    [{ username: "api" }, "username"],
    [{ name: "a\u202eb" }, "name"],
    [{ email: "nowhere" }, "email"],
    [{ email: "a\u202eb@example.org" }, "email"],
    [{ email: "a\u0001@example.org" }, "email"],
    [{ email: "a\u200b@example.org" }, "email"],
    [{ password: "short" }, "password"],
    [{ public_email: "other@example.org" }, "public_email"],
  ] as const) {
    const refused = await put("stan", { ...change, private_profile: true });
    assert.equal(refused.status, 400, field);
    assert.deepEqual(Object.keys(refused.json.message), [field]);
  }
  for (const [change, field] of [
    [{ username: "ACME" }, "username"],
    [{ username: "max" }, "username"],
    [{ email: "MAX@example.org" }, "email"],
  ] as const) {
    const taken = await put("stan", { name: "Not This", ...change });
    assert.deepEqual([taken.status, taken.json], [409, { message: { [field]: ["has already been taken"] } }]);
  }
  const { json } = await world.call("/api/v4/users/stan", { as: "ada" });
  assert.deepEqual([json.name, json.private_profile], ["Stan Stranger", false]);
});

test("a new mail address counts at once, can be made public, and can be used to sign in (GitLab v4 API, PUT /users/:id)", async () => {
  const changed = await put("rep", { email: "reporter@example.org", public_email: "reporter@example.org" });
  assert.deepEqual(
    [changed.json.email, changed.json.public_email],
    ["reporter@example.org", "reporter@example.org"],
  );
  assert.equal((await put("rep", { public_email: null })).json.public_email, "");
  const by = { username: "reporter@example.org", password: PASSWORD };
  assert.equal((await new Visitor(world.url).submit("/users/sign_in", by)).status, 303);
});

test("a new password ends the sessions of the user; administrators cannot set their own this way (GitLab v4 API, PUT /users/:id)", async () => {
  const gus = await signedIn(world, "gus");
  const password = "an entirely new sentence";
  assert.equal((await put("gus", { password })).status, 200);
  assert.equal((await gus.get("/profile")).location, "/users/sign_in");
  const entered = await new Visitor(world.url).submit("/users/sign_in", { username: "gus", password });
  assert.equal(entered.status, 303);
  const own = await put("ada", { password });
  assert.equal(own.status, 403);
  assert.match(own.json.message, /your own password/);
});

test("the administrator role is granted and revoked, but administrators cannot revoke their own (decision 0047)", async () => {
  assert.equal((await put("olga", { admin: true })).json.is_admin, true);
  assert.equal((await put("olga", { admin: false })).json.is_admin, false);
  assert.equal((await put("ada", { admin: false })).status, 403);
  assert.equal((await put("ada", { admin: true, name: "Ada A." })).json.name, "Ada A.", "no change");
});

test("the old mail address is notified of the new one, which can be made public at once (decision 0112)", async () => {
  const { world: mailing, mailTo, mails } = await worldWithMail();
  const json = { email: "dev@new.example", public_email: "DEV@new.example" };
  const changed = await mailing.call(`/api/v4/users/${mailing.ids.dev}`, { as: "ada", method: "PUT", json });
  assert.deepEqual([changed.status, changed.json.public_email], [200, "dev@new.example"], changed.text);
  assert.match((await mailTo("dev@example.org")).text, /This is no longer the address of your account/);
  assert.ok(!mails.some(({ to }) => to.includes("dev@new.example")), "and the new one is not");
});

test("a placeholder user cannot be changed (decision 0139)", async () => {
  await world.platform.db.run(
    sql`with made as (insert into users (username, name, email, is_placeholder) values ('outsider', 'Out Sider', '', true)
        returning id)
      insert into namespaces (kind, owner_id, path, full_path, name, visibility)
      select 'user', id, 'outsider', 'outsider', 'Out Sider', 'public' from made`,
  );
  for (const change of [{ name: "Mine" }, { username: "mine" }, { bio: "Mine" }]) {
    const refused = await put("outsider", change);
    assert.equal(refused.status, 422, JSON.stringify(change));
    assert.match(refused.json.message, /is a placeholder: it cannot be changed/);
  }
});

test("the account of an application can be renamed, but gets no password, mail address or administrator role (decision 0139)", async () => {
  const robot = await anApplication(world, { grantTypes: ["client_credentials"], owner: null });
  const made = await tokenCall(world, { grant_type: "client_credentials" }, { authorization: robot.basic });
  const { id } = (await world.call("/api/v4/user", { token: made.json.access_token })).json;
  const named = await put(id, { username: "night-deploy", name: "Night Deploy" });
  assert.deepEqual([named.json.username, named.json.bot], ["night-deploy", true]);
  for (const change of [{ password: "nobody knows this" }, { email: "a@example.org" }, { admin: true }]) {
    const refused = await put(id, change);
    assert.equal(refused.status, 422, JSON.stringify(change));
    assert.match(refused.json.message, /belongs to an application/);
  }
});

const TOLD = {
  bio: "Bakes bread.\nSometimes cakes.",
  location: "Oslo",
  website_url: "https://bread.example/dev",
  organization: "Bread and Co.",
  job_title: "Baker",
  pronouns: "they/them",
  github: "dev-bakes",
  linkedin: "dev",
  twitter: "dev",
  discord: "1234",
  skype: "dev.bakes",
};

test("details of a profile are stored, shown to those who may see them, and removed one by one (GitLab v4 API, PUT /users/:id; decision 0157)", async () => {
  const changed = await put("dev", { ...TOLD, note: "Asked for leave." });
  assert.equal(changed.status, 200, changed.text);
  const { note, work_information, ...record } = changed.json;
  assert.deepEqual([note, work_information], ["Asked for leave.", "Baker at Bread and Co."]);
  for (const [member, words] of Object.entries(TOLD)) assert.equal(record[member], words, member);
  const seen = (await world.call(`/api/v4/users/${world.ids.dev}`, { as: "max" })).json;
  assert.deepEqual([seen.bio, seen.website_url, "note" in seen], [TOLD.bio, TOLD.website_url, false]);
  const own = (await world.call("/api/v4/user", { as: "dev" })).json;
  assert.deepEqual([own.pronouns, "note" in own], ["they/them", false]);
  const page = (await new Visitor(world.url).get("/dev")).text;
  assert.match(
    page,
    /<a class="wrap-any" href="https:\/\/bread\.example\/dev" rel="nofollow noopener noreferrer">bread\.example\/dev<\/a>/,
  );
  assert.match(page, /Baker at Bread and Co\./);
  assert.doesNotMatch(page, /Asked for leave/);

  await put("dev", { private_profile: true });
  const hidden = (await world.call(`/api/v4/users/${world.ids.dev}`, { as: "max" })).json;
  assert.deepEqual([hidden.bio, hidden.website_url, hidden.pronouns], ["", "", null]);
  assert.equal(
    (await world.call("/api/v4/user", { as: "dev" })).json.bio,
    TOLD.bio,
    "the users see their own",
  );

  const less = await put("dev", {
    bio: null,
    pronouns: "",
    job_title: null,
    note: null,
    private_profile: false,
  });
  const { bio, pronouns, job_title, location } = less.json;
  assert.deepEqual([bio, pronouns, job_title, location], ["", null, "", "Oslo"]);
  assert.deepEqual([less.json.work_information, less.json.note], ["Bread and Co.", null]);
  const log = (await (await signedIn(world, "ada")).get("/admin/audit")).text;
  assert.match(log, /changed private_profile, note, bio, pronouns, job_title/);
});

test("details of a profile can be set when a user is created, and invalid ones are refused by member (GitLab v4 API, POST /users; decision 0157)", async () => {
  const json = { username: "nell", name: "Nell", email: "nell@example.org", password: PASSWORD };
  const make = (more: object) => world.call("/api/v4/users", { as: "ada", json: { ...json, ...more } });
  for (const [member, words] of [
    ["bio", "a".repeat(256)],
    ["bio", "a\u0007b"],
    ["location", "two\nlines"],
    ["website_url", "javascript:alert(1)"],
    ["website_url", "bread.example"],
    ["github", "a\u202eb"],
    ["note", "n".repeat(4001)],
  ] as const) {
    for (const refused of [await make({ [member]: words }), await put("rep", { [member]: words })]) {
      assert.equal(refused.status, 400, `${member} ${refused.text}`);
      assert.deepEqual(Object.keys(refused.json.message), [member]);
    }
  }
  const made = await make({ bio: "b".repeat(255), note: "New", location: null });
  assert.deepEqual(
    [made.status, made.json.bio.length, made.json.note, made.json.location],
    [201, 255, "New", ""],
  );
});
