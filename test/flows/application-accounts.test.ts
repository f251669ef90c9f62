/** The account of an application: its name, where it is shown, and that it never gets credentials. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import pg from "pg";
import { FROM_CONSOLE } from "../../src/accounts/audit.ts";
import { createPasswordLink } from "../../src/accounts/create-password-link.ts";
import { ensureBot } from "../../src/accounts/ensure-bot.ts";
import { resetPassword } from "../../src/accounts/reset-password.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { type Sql, sql } from "../../src/platform/sql.ts";
import { anApplication, tokenCall } from "../support/oauth.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
/** Owned by the group acme. */
let robot: Awaited<ReturnType<typeof anApplication>>;
let account: { id: number; username: string; bot: boolean };
let token: string;
before(async () => {
  world = await startWorld();
  robot = await anApplication(world, {
    name: "Night Deploy",
    grantTypes: ["client_credentials"],
    owner: null,
  });
  await world.platform.db.run(
    sql`update applications set owner_group_id = (select id from namespaces where full_path = 'acme') where id = ${robot.id}`,
  );
  const made = await tokenCall(world, { grant_type: "client_credentials" }, { authorization: robot.basic });
  token = made.json.access_token;
  account = (await world.call("/api/v4/user", { token })).json;
});

test("the user records of an application's account and of the service's own accounts are marked as bots (decision 0139)", async () => {
  assert.equal(account.bot, true);
  const of = async (who: string | number) =>
    (await world.call(`/api/v4/users/${who}`, { as: "stan" })).json.bot;
  assert.equal(await of(account.id), true);
  assert.equal(await of("stan"), false);
  assert.equal(await of(await ensureBot(world.platform, "alert-bot", "Alert Bot")), true);
  const [listed] = (await world.call(`/api/v4/users?username=${account.username}`, { as: "ada" })).json;
  assert.equal(listed.bot, true);
});

test("an application's account invites nobody by mail address: each would have a daily limit of its own (decisions 0111 and 0125)", async () => {
  const at = "/api/v4/projects/acme%2Frocket";
  const added = await world.call(`${at}/members`, {
    as: "olga",
    json: { user_id: account.id, access_level: 40 },
  });
  assert.equal(added.status, 201, added.text);
  const invite = (by: object) =>
    world.call(`${at}/invitations`, { ...by, json: { email: "new@example.net", access_level: 10 } });
  const refused = await invite({ token });
  assert.deepEqual(
    [refused.status, refused.json.message],
    [403, "403 Forbidden - Accounts of applications cannot invite by mail address."],
  );
  assert.equal((await invite({ as: "max" })).status, 201);
  const again = `${at}/invitations/new@example.net/resend`;
  assert.equal((await world.call(again, { token, json: {} })).status, 403);
  const json = { user_id: world.ids.stan, access_level: 10 };
  assert.equal((await world.call(`${at}/invitations`, { token, json })).json.status, "success");
  for (const id of [account.id, world.ids.stan]) {
    await world.call(`${at}/members/${id}`, { as: "olga", method: "DELETE" });
  }
});

test("an application's account gets no token, password or session: every way is refused, and the database rejects the rows (decision 0139)", async () => {
  const personal = { name: "night", scopes: ["api"] };
  const tokens = `/api/v4/users/${account.id}/personal_access_tokens`;
  const refused = await world.call(tokens, { as: "ada", json: personal });
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.json.message, /belongs to an application.*client_credentials/);
  const ada = await signedIn(world, "ada");
  for (const verb of ["password_link", "make_admin", "erase", "username"]) {
    const answer = await ada.submit(
      `/admin/users/${account.id}/${verb}`,
      { username: "mine" },
      "/admin/users",
    );
    assert.equal(answer.status, 404, verb);
  }
  const password = "nobody knows this one";
  await assert.rejects(
    createPasswordLink(world.platform, account.id, FROM_CONSOLE),
    /belongs to an application/,
  );
  await assert.rejects(
    resetPassword(world.platform, account.username, password),
    /belongs to an application/,
  );
  const second = await world.call("/api/v4/user/two_factor", { token, json: { password } });
  assert.equal(second.status, 403);
  const entered = await new Visitor(world.url).submit("/users/sign_in", {
    username: account.username,
    password,
  });
  assert.equal(entered.status, 422);
  const granting = await anApplication(world, { grantTypes: ["password"] });
  const granted = await tokenCall(
    world,
    { grant_type: "password", username: account.username, password },
    { authorization: granting.basic },
  );
  assert.equal(granted.json.error, "invalid_grant");
  const { db } = world.platform;
  const key = digest(newSecret("personalAccessToken"));
  const past: Sql[] = [
    sql`update users set password_hash = 'x' where id = ${account.id}`,
    sql`update users set is_admin = true where id = ${account.id}`,
    sql`insert into access_tokens (digest, kind, user_id, scopes) values (${key}, 'personal', ${account.id}, '{api}')`,
    sql`insert into password_links (digest, user_id, expires_at) values (${key}, ${account.id}, now() + interval '1 hour')`,
    sql`insert into sessions (digest, user_id, ip, user_agent, expires_at)
      values (${key}, ${account.id}, '::1', '', now() + interval '1 hour')`,
  ];
  for (const statement of past) {
    await assert.rejects(db.run(statement), { constraint: "keys_of_people_alone" });
  }
  assert.equal((await world.call("/api/v4/user", { token })).status, 200, "its own token keeps working");
});

test("an application's account gets no feed token, which would be valid after the application is deleted (decision 0139)", async () => {
  for (const [method, path] of [
    ["GET", "/api/v4/user/feed_token"],
    ["POST", "/api/v4/user/feed_token/reset"],
  ] as const) {
    const refused = await world.call(path, { token, method });
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.json.message, /belongs to an application/);
  }
  const person = await world.call("/api/v4/user/feed_token", { as: "stan" });
  assert.equal(person.status, 200, person.text);
});

test("the upgrade deletes the feed tokens of accounts that are no person's, and the database takes no new ones (decision 0139)", async () => {
  const file = new URL("../../migrations/0111-feed-tokens-of-people.sql", import.meta.url);
  const made = await world.call("/api/v4/user/feed_token", { as: "stan" });
  const secret = newSecret("feedToken");
  const insert = sql`insert into event_feed_tokens (user_id, digest, sealed)
    values (${account.id}, ${digest(secret)}, '')`;
  const reads = async (feedToken: string) =>
    (await world.call(`/${account.username}.atom?feed_token=${feedToken}`)).status;
  await world.owner.run(sql`drop trigger feed_tokens_of_people on event_feed_tokens`);
  await world.owner.run(insert);
  assert.equal(await reads(secret), 200);
  const client = new pg.Client(world.connection);
  await client.connect();
  try {
    await client.query(await readFile(file, "utf8"));
  } finally {
    await client.end();
  }
  assert.equal(await reads(secret), 401);
  assert.equal(await reads(made.json.feed_token), 200);
  await assert.rejects(world.platform.db.run(insert), { constraint: "keys_of_people_alone" });
});

test("the account's page names the application, and links to it for those who manage it (decision 0139)", async () => {
  const words = async (person: "olga" | "ada" | "stan") =>
    (await (await signedIn(world, person)).get(`/${account.username}`)).text;
  const home = `/groups/acme/-/settings/applications/${robot.id}`;
  assert.match(
    await words("olga"),
    new RegExp(`The account of the application <a[^>]*href="${home}">Night Deploy</a>`),
  );
  assert.match(await words("ada"), new RegExp(`href="/admin/applications/${robot.id}">Night Deploy</a>`));
  const stan = await words("stan");
  assert.match(stan, /The account of an application/);
  assert.doesNotMatch(stan, new RegExp(`applications/${robot.id}`));
  const olga = await signedIn(world, "olga");
  assert.match(
    (await olga.get(home)).text,
    new RegExp(`href="/${account.username}">@${account.username}</a>`),
  );
});

test("administrators see the accounts of applications in a list, and block and unblock them there (decision 0139)", async () => {
  const path = "/admin/users/applications";
  const stan = await signedIn(world, "stan");
  assert.equal((await stan.get(path)).status, 404);
  const ada = await signedIn(world, "ada");
  assert.match((await ada.get("/admin/users")).text, new RegExp(`href="${path}">Accounts of applications`));
  const list = await ada.get(path);
  assert.match(list.text, new RegExp(`href="/admin/applications/${robot.id}">Night Deploy</a>`));
  assert.match(list.text, /href="\/acme">acme<\/a>/);
  assert.match((await ada.get(`${path}?search=no+such`)).text, /Nothing found/);
  assert.equal(
    (await ada.post(`${path}/${world.ids.stan}/block`, {})).status,
    404,
    "people are not blocked on this page",
  );
  const blocked = await ada.follow(await ada.submit(`${path}/${account.id}/block`, {}, path));
  assert.match(blocked.text, /Night Deploy is blocked/);
  assert.equal((await world.call("/api/v4/user", { token })).status, 403);
  await ada.post(`${path}/${account.id}/unblock`, {});
  assert.equal((await world.call("/api/v4/user", { token })).status, 200);
});

test("an application's account is not deleted: the application is, and the account stays, marked as one (decisions 0104, 0125, 0139)", async () => {
  const remove = () => world.call(`/api/v4/users/${account.id}`, { as: "ada", method: "DELETE" });
  const refused = await remove();
  assert.equal(refused.status, 409);
  assert.match(
    refused.json.message,
    /belongs to the application Night Deploy\. Delete the application instead/,
  );
  const gone = await world.call(`/api/v4/applications/${robot.id}`, { as: "ada", method: "DELETE" });
  assert.equal(gone.status, 204, gone.text);
  assert.match((await remove()).json.message, /application of this account is deleted/);
  assert.equal((await world.call(`/api/v4/users/${account.id}`, { as: "ada" })).json.bot, true);
  const ada = await signedIn(world, "ada");
  assert.match((await ada.get("/admin/users/applications")).text, /Deleted/);
  assert.match((await ada.get(`/${account.username}`)).text, /<span[^>]*>Application<\/span>/);
});
