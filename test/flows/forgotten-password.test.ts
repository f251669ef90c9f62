/** Forgotten passwords: requested by mail address and reset by a link, without revealing who has an account. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { changeState } from "../../src/accounts/change-state.ts";
import { sendNotices } from "../../src/accounts/send-notices.ts";
import { findUser } from "../../src/accounts/store.ts";
import type { User } from "../../src/accounts/user.ts";
import { openDb } from "../../src/platform/db.ts";
import { row, text } from "../../src/platform/row.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { PATIENCE_MS } from "../support/database.ts";
import { linkIn, type PostOffice, worldWithMail } from "../support/post-office.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld } from "../support/world.ts";

const NEXT = "another long sentence to keep";
let office: PostOffice;

before(async () => {
  office = await worldWithMail();
});

const asks = (email: string, headers = {}) =>
  (async () => {
    const visitor = new Visitor(office.world.url);
    await visitor.get("/users/password/new");
    return visitor.post("/users/password/new", { email }, headers);
  })();

test("a link in a mail sets a new password once, and ends all sessions of the user (decision 0110)", async () => {
  const { world } = office;
  const elsewhere = await signedIn(world, "dev");
  assert.equal((await asks("DEV@example.org")).status, 303);
  const mail = await office.mailTo("dev@example.org");
  assert.match(mail.raw, /^Subject: Set a new password$/m);
  const link = linkIn(mail, world);
  const visitor = new Visitor(world.url);
  const token = new URLSearchParams(link.split("?")[1]).get("reset_password_token") ?? "";
  const fields = { reset_password_token: token, password: NEXT };
  const weak = await visitor.submit("/users/password", { ...fields, password: "short" }, link);
  assert.equal(weak.status, 422);
  assert.equal((await visitor.post("/users/password", fields)).status, 303);
  assert.equal((await elsewhere.get("/profile/password")).status, 302, "the other session has ended");
  assert.equal((await visitor.get(link)).status, 404, "the link has been used");
  assert.equal((await visitor.submit("/users/sign_in", { username: "dev", password: NEXT })).status, 303);
});

test("a reset link does not work for a user who has been blocked since (decision 0110)", async () => {
  const { world } = office;
  const who = { username: "later", name: "Later", email: "later@example.org", password: PASSWORD };
  const { id } = (await world.call("/api/v4/users", { as: "ada", json: who })).json;
  await asks(who.email);
  const link = linkIn(await office.mailTo(who.email), world);
  const token = new URLSearchParams(link.split("?")[1]).get("reset_password_token") ?? "";
  const visitor = new Visitor(world.url);
  assert.equal((await visitor.get(link)).status, 200);
  const user = (await findUser(world.platform.db, id)) as User;
  await changeState(world.platform.db, user, "blocked", { actorId: null, ip: "console" });
  const fields = { reset_password_token: token, password: NEXT };
  assert.equal((await visitor.post("/users/password", fields)).status, 404);
  assert.equal((await visitor.get(link)).status, 404);
  const blocked = (await findUser(world.platform.db, id)) as User;
  await changeState(world.platform.db, blocked, "active", { actorId: null, ip: "console" });
  const entering = { username: who.username, password: PASSWORD };
  assert.equal(
    (await visitor.submit("/users/sign_in", entering)).status,
    303,
    "the old password still works",
  );
});

test("a reset link sent by mail is valid for one hour (decision 0110)", async () => {
  const { world } = office;
  assert.equal((await asks("olga@example.org")).status, 303);
  const link = linkIn(await office.mailTo("olga@example.org"), world);
  const age = (by: string) =>
    world.platform.db.run(
      sql`update password_links set expires_at = expires_at - ${by}::interval where user_id = ${world.ids.olga}`,
    );
  await age("59 minutes");
  assert.equal((await new Visitor(world.url).get(link)).status, 200);
  await age("1 minute");
  assert.equal((await new Visitor(world.url).get(link)).status, 404);
});

test("the response is the same for every address, and only users who can sign in get a mail (reference reliability S62)", async () => {
  const { world } = office;
  const stan = (await findUser(world.platform.db, world.ids.stan)) as User;
  await changeState(world.platform.db, stan, "blocked", { actorId: null, ip: "console" });
  const answers = [];
  for (const email of ["max@example.org", "nobody@example.org", "stan@example.org"]) {
    const visitor = new Visitor(world.url);
    const asked = await visitor.submit("/users/password/new", { email });
    const next = await visitor.follow(asked);
    answers.push([
      asked.status,
      asked.location,
      next.text.replaceAll(email, "").replaceAll(visitor.csrfToken, ""),
    ]);
  }
  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0]);
  await office.mailTo("max@example.org");
  await office.settle();
  assert.deepEqual(office.mails, []);
});

test("a forged X-Forwarded-Host does not change the link (reference reliability S64)", async () => {
  await asks("rep@example.org", { "x-forwarded-host": "evil.example.org", "x-forwarded-proto": "https" });
  const mail = await office.mailTo("rep@example.org");
  assert.doesNotMatch(mail.text, /evil/);
  assert.ok(linkIn(mail, office.world).startsWith("/users/password/edit?"));
});

test("a second request within ten minutes sends no mail, and the first link stays valid until a newer one is sent (decision 0110)", async () => {
  const { world } = office;
  await asks("gus@example.org");
  const link = linkIn(await office.mailTo("gus@example.org"), world);
  await asks("gus@example.org");
  await office.settle();
  assert.deepEqual(office.mails, []);
  assert.equal((await new Visitor(world.url).get(link)).status, 200);
  await world.platform.db.run(sql`update password_links set created_at = now() - interval '11 minutes'`);
  await asks("gus@example.org");
  const second = linkIn(await office.mailTo("gus@example.org"), world);
  assert.equal((await new Visitor(world.url).get(link)).status, 404, "only the newest link is valid");
  await world.platform.db.run(sql`update password_links set expires_at = now() - interval '1 second'`);
  assert.equal((await new Visitor(world.url).get(second)).status, 404, "the link has expired");
});

test("a password change invalidates pending links for a password reset and for a new mail address (decision 0148)", async () => {
  const { world } = office;
  const rep = await signedIn(world, "rep");
  await asks("rep@example.org");
  const reset = linkIn(await office.mailTo("rep@example.org"), world);
  await rep.submit("/profile/email", { email: "thief@example.net" }, "/profile");
  const confirmation = linkIn(await office.mailTo("thief@example.net"), world);
  const stranger = new Visitor(world.url);
  assert.equal((await stranger.get(reset)).status, 200);
  assert.equal((await stranger.get(confirmation)).status, 200);
  const changed = { current_password: PASSWORD, password: NEXT };
  assert.equal((await rep.submit("/profile/password", changed)).location, "/profile/password");
  assert.equal((await stranger.get(reset)).status, 404);
  const over = await stranger.get(confirmation);
  assert.equal(over.status, 404);
  assert.match(
    over.text,
    /<h1[^>]*>This link no longer works<\/h1>[\s\S]*Change the address in your settings again/,
  );
  assert.equal((await stranger.submit(confirmation, {}, "/users/sign_in")).status, 404);
});

test("a user created with reset_password gets a link by mail that sets the first password and is valid for a day (GitLab v4 API, POST /users; decision 0237)", async () => {
  const { world } = office;
  const json = { username: "pia", name: "Pia", email: "pia@example.org", reset_password: true };
  const made = await world.call("/api/v4/users", { as: "ada", json });
  assert.deepEqual([made.status, made.json.state], [201, "active"]);
  const mail = await office.mailTo("pia@example.org");
  assert.match(mail.raw, /^Subject: Set your password$/m);
  assert.match(mail.text, /@pia for you/);
  const link = linkIn(mail, world);
  await world.platform.db.run(
    sql`update password_links set expires_at = expires_at - interval '23 hours 59 minutes' where user_id = ${made.json.id}`,
  );
  const token = new URLSearchParams(link.split("?")[1]).get("reset_password_token") ?? "";
  const visitor = new Visitor(world.url);
  const fields = { reset_password_token: token, password: NEXT };
  assert.equal((await visitor.submit("/users/password", fields, link)).status, 303);
  assert.equal((await visitor.submit("/users/sign_in", { username: "pia", password: NEXT })).status, 303);
  const again = { ...json, email: "pia2@example.org" };
  assert.equal((await world.call("/api/v4/users", { as: "ada", json: again })).status, 409);
  await office.settle();
  assert.ok(!office.mails.some(({ to }) => to.includes(again.email)), "no mail without a user");
});

test("a change of the mail address invalidates the reset link that was sent to the old address (decision 0112)", async () => {
  const { world } = office;
  const json = { username: "una", name: "Una", email: "una@example.org", password: PASSWORD };
  const { id } = (await world.call("/api/v4/users", { as: "ada", json })).json;
  await asks("una@example.org");
  const reset = linkIn(await office.mailTo("una@example.org"), world);
  const stranger = new Visitor(world.url);
  assert.equal((await stranger.get(reset)).status, 200);
  const change = { as: "ada", method: "PUT", json: { email: "una@example.com" } } as const;
  assert.equal((await world.call(`/api/v4/users/${id}`, change)).status, 200);
  assert.equal((await stranger.get(reset)).status, 404);
});

test("the token of a reset link is in no table of the database in plain text (reference reliability S127)", async () => {
  const { world } = office;
  await asks("olga@example.org");
  const link = linkIn(await office.mailTo("olga@example.org"), world);
  const secret = new URLSearchParams(link.split("?")[1]).get("reset_password_token") as string;
  assert.match(secret, /^\w/);
  const { owner } = world;
  const tables = await owner.many(
    row({ name: text }),
    sql`select tablename as name from pg_tables where schemaname = 'public'`,
  );
  /** The tables that contain the text, as such or as the bytes of a binary column. */
  const tablesWith = async (words: string) => {
    const bytes = Buffer.from(words).toString("hex");
    const found: string[] = [];
    for (const { name } of tables) {
      const parts = [
        `select from "${name}" t where position(`,
        " in t::text) > 0 or position(",
        " in t::text) > 0 limit 1",
      ];
      const hit = await owner.run(new Sql(parts, [words, bytes]));
      if (hit > 0) found.push(name);
    }
    return found;
  };
  assert.deepEqual(await tablesWith(secret), []);
  const holding = await tablesWith("olga@example.org");
  assert.ok(holding.includes("users") && holding.includes("outbox_deliveries"), holding.join());
});

test("an invalid mail address is refused with an error beside its field (reference ux 2)", async () => {
  const page = await asks("not an address");
  assert.equal(page.status, 422);
  assert.match(page.text, /Email is invalid\./);
  assert.match(page.text, /value="not an address"/);
});

test("users are notified once by mail about changes to their account (decision 0110)", async () => {
  const { world } = office;
  office.mails.length = 0;
  await world.call(`/api/v4/users/${world.ids.max}/personal_access_tokens`, {
    as: "ada",
    json: { name: "deploy", scopes: ["read_api"] },
  });
  await sendNotices(world.platform);
  await sendNotices(world.platform);
  const mail = await office.mailTo("max@example.org");
  assert.match(mail.text, /A personal access token was created/);
  assert.match(mail.text, /By: @ada/);
  assert.match(mail.text, /From: (127\.0\.0\.1|::1)/);
  assert.match((await office.mailTo("dev@example.org")).text, /A new password was set/);
  await office.settle();
  assert.ok(!office.mails.some(({ to }) => to.includes("max@example.org")));
});

test("a notification is sent even if thousands of audit entries follow (decision 0110)", async () => {
  const { world } = office;
  await sendNotices(world.platform);
  office.mails.length = 0;
  const reset = { method: "PUT", json: { password: "a sentence of an administrator" } };
  assert.equal((await world.call(`/api/v4/users/${world.ids.rep}`, { as: "ada", ...reset })).status, 200);
  await world.platform.db.pooled.run(
    sql`insert into audit_entries (action, user_id, person, ip)
      select 'token_revoked', ${world.ids.rep}, 'rep', '192.0.2.1' from generate_series(1, 4500)`,
  );
  await sendNotices(world.platform);
  assert.match((await office.mailTo("rep@example.org")).text, /A new password was set/);
});

test("what happened just before a stop of hours is told of by the next process, once (decision 0110)", async () => {
  const { world } = office;
  await sendNotices(world.platform);
  office.mails.length = 0;
  await world.platform.db.run(
    // With a hash, as of a restored entry, the time stays as given.
    sql`insert into audit_entries (id, at, action, user_id, person, ip, hash)
      select (select max(id) + 1 from audit_entries), now() - interval '3 hours', 'password_reset', id, username, '192.0.2.1', sha256('')
      from users where id = ${world.ids.gus}`,
  );
  for (const _start of ["first", "second"]) {
    const db = openDb({ connection: world.connection, patienceMs: PATIENCE_MS });
    await sendNotices({ ...world.platform, db }).finally(db.close);
  }
  assert.match((await office.mailTo("gus@example.org")).text, /A new password was set/);
  await office.settle();
  assert.ok(!office.mails.some(({ to }) => to.includes("gus@example.org")));
});

test("where no mail is set up, the page says to ask an administrator, and nothing is queued (decision 0046)", async () => {
  const quiet = await startWorld();
  const visitor = new Visitor(quiet.url);
  const page = await visitor.get("/users/password/new");
  assert.equal(page.status, 200);
  assert.match(page.text, /Ask an administrator/);
  assert.doesNotMatch(page.text, /name="email"/);
  await sendNotices(quiet.platform);
  const waiting = await quiet.platform.db.run(sql`select 1 from outbox_deliveries`);
  assert.equal(waiting, 0);
});
