import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { recordAudit } from "../../src/accounts/record-audit.ts";
import { insertAuditEntry, listAuditEntries } from "../../src/accounts/store-audit.ts";
import { verifyAudit } from "../../src/accounts/verify-audit.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { anApplication, authorizePath, hiddenFields } from "../support/oauth.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const actionsOf = async (person: Person) =>
  (await listAuditEntries(world.platform.db, { userId: world.ids[person] }, 100)).map(({ action }) => action);

describe("the audit log", () => {
  it("records sign-ins, refused ones and sign-outs, without what was typed (reference reliability S62)", async () => {
    const visitor = new Visitor(world.url);
    const typed = "my secret in the wrong field";
    await visitor.submit("/users/sign_in", { username: typed, password: "wrong wrong wrong" });
    await visitor.submit("/users/sign_in", { username: "rep", password: "wrong wrong wrong" });
    await visitor.submit("/users/sign_in", { username: "rep", password: PASSWORD });
    const { text } = await visitor.get("/profile/security_log");
    assert.match(text, /Password refused<\/span><br><span class="sub wrap-any">the password was wrong</);
    await visitor.post("/users/sign_out", {});
    assert.deepEqual(await actionsOf("rep"), ["sign_out", "sign_in", "password_refused"]);
    const all = JSON.stringify(await listAuditEntries(world.platform.db, {}, 1000));
    assert.ok(!all.includes(typed) && !all.includes(PASSWORD));
  });

  it("records with which second factor somebody signed in, and shows it (ASVS 16.3.1)", async () => {
    const { secret, codes } = await turnOnTwoFactor(world, "dev");
    const [recovery = ""] = codes;
    for (const code of [codeOf(secret), recovery]) {
      const visitor = new Visitor(world.url);
      await visitor.submit("/users/sign_in", { username: "dev", password: PASSWORD });
      const { location } = await visitor.submit("/users/two_factor", { code });
      assert.equal(location, "/");
      const { text } = await visitor.get("/profile/security_log");
      assert.match(
        text,
        /Signed in<\/span><br><span class="sub wrap-any">[^<]*, with a code beside the password</,
      );
    }
    const off = { as: "dev", method: "DELETE", json: { password: PASSWORD } } as const;
    assert.equal((await world.call("/api/v4/user/two_factor", off)).status, 204);
  });

  it("records changes of tokens, made on pages and through the API (reference ux §7)", async () => {
    const visitor = await signedIn(world, "max");
    await visitor.submit("/profile/personal_access_tokens", { name: "one", scopes: "read_user" });
    const [token] = (await world.call("/api/v4/personal_access_tokens?search=one", { as: "max" })).json;
    const rotated = await world.call(`/api/v4/personal_access_tokens/${token.id}/rotate`, {
      as: "max",
      json: {},
    });
    await world.call(`/api/v4/personal_access_tokens/${rotated.json.id}`, { as: "max", method: "DELETE" });
    const actions = await actionsOf("max");
    assert.deepEqual(actions.slice(0, 3), ["token_revoked", "token_rotated", "token_created"]);
    const secret = rotated.json.token as string;
    const all = JSON.stringify(await listAuditEntries(world.platform.db, {}, 1000));
    assert.ok(!all.includes(secret));
  });

  it("records who created, blocked and unblocked whom (reference ux §7)", async () => {
    const json = { username: "nina", name: "Nina", email: "nina@example.org", password: PASSWORD };
    const made = await world.call("/api/v4/users", { as: "ada", json });
    await world.call(`/api/v4/users/${made.json.id}/block`, { as: "ada", method: "POST" });
    await world.call(`/api/v4/users/${made.json.id}/block`, { as: "ada", method: "POST" });
    await world.call(`/api/v4/users/${made.json.id}/unblock`, { as: "ada", method: "POST" });
    const entries = await listAuditEntries(world.platform.db, { userId: made.json.id }, 10);
    assert.deepEqual(
      entries.map(({ action, actor, person }) => [action, actor, person]),
      [
        ["user_unblocked", "ada", "nina"],
        ["user_blocked", "ada", "nina"],
        ["user_created", "ada", "nina"],
      ],
    );
  });

  it("shows users their own entries only (contract §4, visibility)", async () => {
    const dev = await signedIn(world, "dev");
    const { text } = await dev.get("/profile/security_log");
    assert.match(text, /Signed in/);
    assert.doesNotMatch(text, /Created a user/);
    assert.equal((await dev.get("/profile/security_log?before=%00x")).status, 200);
  });

  it("of a person is filtered by the kind of entry, with a link to older ones of that kind (reference ux §7, security log)", async () => {
    const gus = await signedIn(world, "gus");
    for (let n = 0; n < 51; n++) {
      const note = { actorId: world.ids.gus, userId: world.ids.gus, ip: "198.51.100.7" };
      await insertAuditEntry(world.platform.db, {
        ...note,
        action: n % 2 ? "token_created" : "token_revoked",
      });
    }
    const { text } = await gus.get("/profile/security_log?kind=tokens");
    assert.match(text, /<option value="tokens" selected>Tokens and leaked secrets<\/option>/);
    assert.match(text, /Created a personal access token/);
    assert.doesNotMatch(text, /<span class="title">Signed in</);
    const [, older = ""] = /href="(\/profile\/security_log\?kind=tokens&amp;before=\d+)"/.exec(text) ?? [];
    const rest = await gus.get(older.replace("&amp;", "&"));
    assert.equal(rest.text.match(/Revoked a personal access token/g)?.length, 1);
    assert.match((await gus.get("/profile/security_log?kind=alerts")).text, /No entry is of this kind\./);
    assert.match(
      (await gus.get("/profile/security_log?kind=nothing")).text,
      /<option value="" selected>Everything/,
    );
    assert.match(
      (await gus.get("/profile/security_log?kind=sign_ins")).text,
      /<span class="title">Signed in</,
    );
  });

  it("page says only what the hash chain guarantees (decision 0045)", async () => {
    const { text } = await (await signedIn(world, "ada")).get("/admin/audit");
    assert.match(text, /verify-audit<\/code> tells whether one was changed or removed\. Keep the hash/);
  });

  it("records two-factor sign-in being turned on, which ends tokens of the password grant (reference reliability S61)", async () => {
    const app = await anApplication(world, { grantTypes: ["password"] });
    const form = {
      grant_type: "password",
      client_id: app.uid,
      client_secret: app.secret,
      username: "gus",
      password: PASSWORD,
    };
    const granted = await world.call("/oauth/token", { form });
    assert.equal(granted.status, 200, granted.text);
    const token = granted.json.access_token as string;
    assert.equal((await world.call("/api/v4/user", { token })).status, 200);
    await turnOnTwoFactor(world, "gus");
    assert.equal((await world.call("/api/v4/user", { token })).status, 401);
    assert.equal((await world.call("/api/v4/user", { as: "gus" })).status, 200);
    assert.equal((await actionsOf("gus"))[0], "two_factor_on");
  });
});

describe("the hash chain of the audit log", () => {
  it("is intact after concurrent writes (decision 0045)", async () => {
    const { db } = world.platform;
    const note = { action: "sign_in", actorId: world.ids.ada, userId: world.ids.ada, ip: "::1" } as const;
    const { entries: earlier } = await verifyAudit(db);
    await Promise.all([
      ...Array.from({ length: 40 }, () => recordAudit(db.pooled, note)),
      ...Array.from({ length: 20 }, () => db.transaction((tx) => recordAudit(tx, note))),
      db
        .transaction(async (tx) => {
          await recordAudit(tx, note);
          throw new Error("taken back");
        })
        .catch(() => undefined),
    ]);
    const verdict = await verifyAudit(db);
    assert.equal(verdict.broken, undefined);
    assert.equal(verdict.entries, earlier + 60);
    assert.match(verdict.head, /^[0-9a-f]{64}$/);
  });

  it("is protected: entries can neither be changed nor deleted, for which the service has no permission either (decisions 0045 and 0210; reference reliability S130)", async () => {
    const { platform, owner } = world;
    for (const statement of [
      sql`update audit_entries set person = 'x' where id = 1`,
      sql`delete from audit_entries where id = 1`,
      sql`truncate audit_entries`,
    ]) {
      await assert.rejects(owner.run(statement), /neither changed nor removed/);
      await assert.rejects(platform.db.run(statement), /permission denied for table audit_entries/);
    }
  });

  it("shows which entry was changed or deleted past the triggers (decision 0045; reference reliability S130)", async () => {
    const db = world.owner;
    const behind = (work: ReturnType<typeof sql>, judge: (verdict: unknown) => void) =>
      assert.rejects(
        db.transaction(async (tx) => {
          await tx.run(sql`alter table audit_entries disable trigger user`);
          await tx.run(work);
          const inside = { ...db, pooled: tx };
          judge((await verifyAudit(inside)).broken);
          throw new Error("taken back");
        }),
        /taken back/,
      );
    await behind(sql`update audit_entries set actor = 'x' where id = 3`, (broken) =>
      assert.deepEqual(broken, { id: 3, why: "changed" }),
    );
    await behind(sql`delete from audit_entries where id = 2`, (broken) =>
      assert.deepEqual(broken, { id: 2, why: "missing" }),
    );
    assert.equal((await verifyAudit(db)).broken, undefined);
  });
});

/** Makes inserting audit entries with this action fail during `work`. */
async function unwritable(action: string, work: () => Promise<void>): Promise<void> {
  await world.owner.run(sql`create function unwritable() returns trigger language plpgsql
    as $$ begin raise exception 'disk on fire'; end $$`);
  const on = `create trigger unwritable before insert on audit_entries
    for each row when (new.action = '${action}') execute function unwritable()`;
  await world.owner.run(new Sql([on], []));
  try {
    await work();
  } finally {
    await world.owner.run(sql`drop function unwritable cascade`);
  }
}

describe("a failure to write the audit entry", () => {
  it("leaves an invitation in place (decision 0045)", async () => {
    const json = { email: "guest@example.net", access_level: 20 };
    const at = "/api/v4/projects/acme%2Frocket/invitations";
    await world.call(at, { as: "max", json });
    await unwritable("invitation_withdrawn", async () => {
      const gone = await world.call(`${at}/guest@example.net`, { as: "max", method: "DELETE" });
      assert.equal(gone.status, 500);
    });
    assert.equal((await world.call(at, { as: "max" })).json.length, 1);
  });

  it("leaves other sessions of a user in place (decision 0045)", async () => {
    const here = await signedIn(world, "olga");
    const there = await signedIn(world, "olga");
    const [, key] = /sessions\/([0-9a-f]{24})\/end/.exec((await here.get("/profile/sessions")).text) ?? [];
    await unwritable("session_ended", async () => {
      assert.equal((await here.post(`/profile/sessions/${key}/end`, {})).status, 500);
      assert.equal((await here.post("/profile/sessions/end_others", {})).status, 500);
    });
    assert.equal((await there.get("/profile")).status, 200);
  });

  it("makes sign-in and sign-out fail (decision 0045)", async () => {
    const here = await signedIn(world, "stan");
    await here.get("/profile");
    await unwritable("sign_out", async () => {
      assert.equal((await here.post("/users/sign_out", {})).status, 500);
    });
    assert.equal((await here.get("/profile")).status, 200);
    const there = new Visitor(world.url);
    await unwritable("sign_in", async () => {
      const refused = await there.submit("/users/sign_in", { username: "stan", password: PASSWORD });
      assert.equal(refused.status, 500);
    });
    assert.equal((await there.get("/profile")).location, "/users/sign_in");
    assert.equal([...(await here.get("/profile/sessions")).text.matchAll(/\/end"/g)].length, 0);
  });

  it("makes allowing and denying an application or device fail (decision 0045)", async () => {
    const application = await anApplication(world, { grantTypes: ["authorization_code", "device_code"] });
    const dev = await signedIn(world, "dev");
    const asked = { form: { client_id: application.uid, scope: "read_user" } };
    const headers = { authorization: application.basic };
    const begun = (await world.call("/oauth/authorize_device", { ...asked, headers })).json;
    const answered = async (decision: string) => {
      await dev.submit("/oauth/device", { user_code: begun.user_code });
      return dev.post("/oauth/device", { user_code: begun.user_code, decision });
    };
    await unwritable("access_granted", async () => {
      const question = await dev.get(authorizePath(application));
      const allowed = await dev.post("/oauth/authorize", {
        ...hiddenFields(question.text, "/oauth/authorize"),
        decision: "allow",
      });
      assert.equal(allowed.status, 500);
      assert.equal((await answered("allow")).status, 500);
    });
    await unwritable("access_denied", async () => assert.equal((await answered("deny")).status, 500));
    assert.doesNotMatch((await dev.get("/profile/applications")).text, /Relay Console/);
    assert.equal((await answered("allow")).location, "/oauth/device/answered");
  });
});
