/** The commands for an emergency: a new administrator, a lost password or second factor, a doubted audit log. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { addressOf } from "../support/database.ts";
import { type Installation, newInstallation, runGatehouse } from "../support/installation.ts";
import { turnOnTwoFactor } from "../support/two-factor.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let beside: Installation;
before(async () => {
  world = await startWorld();
  beside = await newInstallation({ DATABASE_URL: addressOf(world.connection) });
});

async function json(...words: string[]) {
  const ran = await runGatehouse(beside, ["admin", ...words, "--json"]);
  assert.equal(ran.code, 0, ran.stderr);
  return JSON.parse(ran.stdout);
}

/** Where the password leads: into the account, to the second step, or back to the form. */
async function signIn(username: string, password: string): Promise<[number, string | null]> {
  const page = await new Visitor(world.url).submit("/users/sign_in", { username, password });
  return [page.status, page.location];
}

/** What the console did to the person, newest first. */
async function notedOf(person: string): Promise<string[]> {
  const entries = await world.platform.db.many(
    row({ action: text }),
    sql`select action from audit_entries where person = ${person} and ip = 'console' order by id desc`,
  );
  return entries.map(({ action }) => action);
}

describe("gatehouse admin", { concurrency: false }, () => {
  it("create makes an administrator who signs in with the printed password (contract §1)", async () => {
    const created = await json("create", "--username", "amy", "--email", "amy@example.org");
    assert.deepEqual([created.username, created.email], ["amy", "amy@example.org"]);
    const visitor = new Visitor(world.url);
    await visitor.submit("/users/sign_in", { username: "amy", password: created.password });
    assert.equal((await visitor.get("/admin/users")).status, 200);
    assert.deepEqual(await notedOf("amy"), ["user_created"]);
    const again = ["admin", "create", "--username", "amy", "--email", "amy@example.com"];
    const refused = await runGatehouse(beside, again);
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.equal(refused.stderr, "username has already been taken\n");
  });

  it("disable-2fa lets a user sign in who has lost every factor, and says whether it was on (operations: Sign-in)", async () => {
    await turnOnTwoFactor(world, "dev");
    await world.owner.run(
      sql`insert into passkeys (user_id, credential_id, public_key, name)
        values (${world.ids.dev}, '\\x01'::bytea, '\\x02'::bytea, 'lost')`,
    );
    assert.deepEqual(await signIn("dev", PASSWORD), [303, "/users/two_factor"]);
    const off = { username: "dev", two_factor_enabled: false };
    assert.deepEqual(await json("disable-2fa", "--username", "dev"), { ...off, changed: true });
    assert.deepEqual(await signIn("dev", PASSWORD), [303, "/"]);
    assert.deepEqual(await json("disable-2fa", "--username", "dev"), { ...off, changed: false });
    assert.deepEqual(await notedOf("dev"), ["two_factor_off"]);
    const nobody = await runGatehouse(beside, ["admin", "disable-2fa", "--username", "nobody"]);
    assert.deepEqual([nobody.code, nobody.stderr], [1, "There is no user nobody.\n"]);
  });

  it("reset-password --link prints a link that sets the password once and ends the sessions (decision 0008)", async () => {
    const earlier = await signedIn(world, "rep");
    const { link } = await json("reset-password", "--username", "rep", "--link");
    const { pathname, searchParams } = new URL(link);
    assert.equal(pathname, "/users/password/edit");
    assert.deepEqual(await signIn("rep", PASSWORD), [303, "/"], "the link alone changes nothing");
    const secret = searchParams.get("reset_password_token") ?? "";
    const visitor = new Visitor(world.url);
    const set = async (password: string) => {
      await visitor.get("/users/sign_in");
      return (await visitor.post("/users/password", { reset_password_token: secret, password })).location;
    };
    assert.equal(await set("a sentence of their own"), "/users/sign_in");
    assert.equal(await set("a sentence of somebody else"), null);
    assert.deepEqual(await signIn("rep", "a sentence of their own"), [303, "/"]);
    assert.equal((await earlier.get("/profile")).location, "/users/sign_in");
    assert.deepEqual(await notedOf("rep"), ["password_link_created"]);
  });

  it("verify-audit prints the number and the hash of the newest entry, and fails naming a changed one (decision 0045)", async () => {
    const hashed = row({ entries: text, head: text });
    const newest = sql`select id::text as entries, encode(hash, 'hex') as head from audit_entries
      order by id desc limit 1`;
    const { entries, head } = await world.platform.db.one(hashed, newest);
    assert.deepEqual(await json("verify-audit"), { entries: Number(entries), head });
    const intact = await runGatehouse(beside, ["admin", "verify-audit"]);
    assert.equal(
      intact.stdout,
      `The audit log is intact: ${entries} entries.\nHash of the newest entry: ${head}\n`,
    );
    await world.owner.transaction(async (tx) => {
      await tx.run(sql`alter table audit_entries disable trigger user`);
      await tx.run(sql`update audit_entries set actor = 'x' where id = 3`);
      await tx.run(sql`alter table audit_entries enable trigger user`);
    });
    const broken = await runGatehouse(beside, ["admin", "verify-audit", "--json"]);
    assert.deepEqual([broken.code, broken.stdout], [1, ""]);
    assert.equal(broken.stderr, "Entry 3 of the audit log is changed. The 2 entries before it are intact.\n");
  });
});
