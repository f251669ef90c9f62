import assert from "node:assert/strict";
import { before, test } from "node:test";
import { findUser } from "../../src/accounts/store.ts";
import { sql } from "../../src/platform/sql.ts";
import { addPasskey, optionsOf } from "../support/authenticator.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

const TOKENS = "/profile/personal_access_tokens";
const TYPED = { name: 'Nightly "build" <1>', scopes: "read_user", expires_at: "2099-03-01" };

let world: World;
before(async () => {
  world = await startWorld();
});

/** A person who signed in twenty minutes ago and whose browser tells where forms come from. */
async function lateIn(person: Person): Promise<{ visitor: Visitor; own: Record<string, string> }> {
  const visitor = await signedIn(world, person);
  await world.platform.db.run(
    sql`update sessions set authenticated_at = now() - interval '20 minutes' where user_id = ${world.ids[person]}`,
  );
  return {
    visitor,
    own: { origin: world.url, "sec-fetch-site": "same-origin", "sec-fetch-dest": "document" },
  };
}

const tokensOf = (person: Person, name: string) =>
  world.platform.db.run(
    sql`select 1 from access_tokens where user_id = ${world.ids[person]} and name = ${name}`,
  );

test("a form that needs the password again is kept on the page that asks for it, and acted on with the password (decision 0289)", async () => {
  const { visitor, own } = await lateIn("dev");
  await visitor.get(TOKENS);
  const asked = await visitor.post(TOKENS, TYPED, own);
  assert.equal(asked.status, 403);
  assert.match(asked.text, /<form class="form mt" action="\/profile\/personal_access_tokens" method="post">/);
  assert.match(asked.text, /name="name" value="Nightly &quot;build&quot; &lt;1&gt;"/);
  assert.match(asked.text, /name="expires_at" value="2099-03-01"/);
  assert.match(asked.text, /<a href="\/profile\/personal_access_tokens\?name=Nightly[^"]*#new">Cancel<\/a>/);
  assert.equal(await tokensOf("dev", TYPED.name), 0);

  const wrong = await visitor.post(TOKENS, { ...TYPED, with_proof: "1", password: "not it at all" }, own);
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /That is not your password\./);
  assert.match(wrong.text, /name="expires_at" value="2099-03-01"/);
  assert.doesNotMatch(wrong.text, /not it at all/);
  assert.equal(await tokensOf("dev", TYPED.name), 0);

  const before = visitor.cookie("session");
  const made = await visitor.post(TOKENS, { ...TYPED, with_proof: "1", password: PASSWORD }, own);
  assert.match(made.location ?? "", /#ready$/);
  assert.notEqual(visitor.cookie("session"), before);
  assert.equal(await tokensOf("dev", TYPED.name), 1);
  await visitor.get(TOKENS);
  const second = await visitor.post(TOKENS, { ...TYPED, name: "Second" }, own);
  assert.match(second.location ?? "", /#ready$/, "the proof counts for 15 minutes");
});

test("what is wrong with a form that brought a proof is shown in the form, which can be sent again (decision 0289)", async () => {
  const { visitor, own } = await lateIn("dev");
  await visitor.get(TOKENS);
  const fields = { ...TYPED, name: "Soon", expires_at: "some day" };
  await visitor.post(TOKENS, fields, own);
  const refused = await visitor.post(TOKENS, { ...fields, with_proof: "1", password: PASSWORD }, own);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /is not a day/);
  const made = await visitor.post(TOKENS, { ...fields, expires_at: "2099-03-01" }, own);
  assert.match(made.location ?? "", /#ready$/);
});

test("a form of an administrator, and a button without fields, wait for the password, too (decision 0289)", async () => {
  const { visitor, own } = await lateIn("ada");
  const unblock = `/admin/users/${world.ids.stan}/block`;
  await visitor.get("/admin/users");
  const asked = await visitor.post(unblock, {}, own);
  assert.equal(asked.status, 403);
  assert.match(asked.text, /Confirm your password/);
  const done = await visitor.post(unblock, { with_proof: "1", password: PASSWORD }, own);
  assert.equal(done.status, 303);
  assert.equal((await findUser(world.platform.db, world.ids.stan))?.state, "blocked");
});

test("the page that refuses a form after its proof does not ask the person to sign in, whose session the proof has replaced (decision 0289)", async () => {
  const { visitor, own } = await lateIn("ada");
  await visitor.get("/admin/users");
  const fields = { with_proof: "1", password: PASSWORD };
  const missing = await visitor.post("/admin/users/99999999/block", fields, own);
  assert.equal(missing.status, 404);
  assert.match(missing.text, /Check the address, or ask whoever gave it to you for access\./);
  assert.doesNotMatch(missing.text, /sign in/i);
  assert.equal((await visitor.get("/admin/users")).status, 200);
});

test("a form waits for a passkey as for a password (decision 0289; WebAuthn 3 §7.2)", async () => {
  const first = await signedIn(world, "max");
  const { authenticator } = await addPasskey(first, world.url);
  await world.platform.db.run(
    sql`update sessions set authenticated_at = now() - interval '20 minutes' where user_id = ${world.ids.max}`,
  );
  const own = { origin: world.url, "sec-fetch-site": "same-origin", "sec-fetch-dest": "document" };
  await first.get(TOKENS);
  const asked = await first.post(TOKENS, TYPED, own);
  assert.match(asked.text, /data-options="\/users\/prove\/passkey\/options"/);
  const answer = () => optionsOf(first, "/users/prove/passkey/options").then((one) => authenticator.get(one));
  const forged = { ...TYPED, with_proof: "1", passkey: "{}" };
  assert.equal((await first.post(TOKENS, forged, own)).status, 422);
  assert.equal(await tokensOf("max", TYPED.name), 0);
  const made = await first.post(TOKENS, { ...TYPED, with_proof: "1", passkey: await answer() }, own);
  assert.match(made.location ?? "", /#ready$/);
  assert.equal(await tokensOf("max", TYPED.name), 1);
});

test("a form with a secret, of a script, or from nobody knows where is not kept: the password is asked for on its own page (decision 0289)", async () => {
  const { visitor, own } = await lateIn("rep");
  await visitor.get(TOKENS);
  for (const [fields, headers] of [
    [{ ...TYPED, client_secret: "x" }, own],
    [TYPED, { ...own, "sec-fetch-dest": "empty" }],
    [TYPED, {}],
  ] as const) {
    assert.equal((await visitor.post(TOKENS, fields, headers)).location, "/users/prove");
  }
});

test("the form for a new user contains a password, so only its other fields are filled in again, and never the role (decision 0289)", async () => {
  const { visitor, own } = await lateIn("ada");
  await visitor.get("/admin/users");
  const typed = { username: "tess", name: 'Tess "T" Ray', email: "tess+1@example.org" };
  const fields = { ...typed, password: "never in an address", is_admin: "yes" };
  assert.equal((await visitor.post("/admin/users", fields, own)).location, "/users/prove");
  const proven = await visitor.submit("/users/prove", { password: PASSWORD });
  assert.doesNotMatch(proven.location ?? "", /never|is_admin/);
  const { text } = await visitor.get((proven.location ?? "").replace(/#.*/, ""));
  for (const value of ["tess", "Tess &quot;T&quot; Ray", "tess+1@example.org"])
    assert.match(text, new RegExp(`value="${value.replace("+", "\\+")}"`));
  assert.doesNotMatch(text, /name="is_admin"[^>]*checked/);
});

test("another site cannot have a password tried, nor an action done, with a form that brings a proof (decision 0289; reference ux §4)", async () => {
  const { visitor } = await lateIn("gus");
  await visitor.get(TOKENS);
  const proven = { ...TYPED, with_proof: "1", password: PASSWORD };
  const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  assert.equal((await visitor.post(TOKENS, proven, foreign)).status, 403);
  assert.equal((await visitor.post(TOKENS, { ...proven, csrf_token: "made up" }, {})).status, 403);
  assert.equal(await tokensOf("gus", TYPED.name), 0);
  assert.equal((await visitor.post(TOKENS, TYPED, {})).location, "/users/prove", "nothing was proven");
});

test("an action on a row that needs the password again leads back to its page of the list, as does Cancel (decisions 0289, 0319)", async () => {
  const { visitor, own } = await lateIn("ada");
  await visitor.get("/admin/users?search=gus");
  const unblock = `/admin/users/${world.ids.gus}/unblock?search=gus`;
  const asked = await visitor.post(unblock, {}, own);
  assert.equal(asked.status, 403);
  assert.match(asked.text, /<a href="\/admin\/users\?search=gus">Cancel<\/a>/);
  const [, action = ""] = /<form class="form mt" action="([^"]*)"/.exec(asked.text) ?? [];
  assert.equal(action, unblock);
  const done = await visitor.post(action, { with_proof: "1", password: PASSWORD }, own);
  assert.equal(done.location, "/admin/users?search=gus");
});
