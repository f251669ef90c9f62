/** Race conditions: what was read before may have changed when it is written. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createToken } from "../../src/accounts/create-token.ts";
import { INVITATIONS_A_DAY } from "../../src/accounts/invitation.ts";
import { checkSentLately } from "../../src/accounts/invite.ts";
import { hashPassword } from "../../src/accounts/password.ts";
import { pseudonym } from "../../src/accounts/pseudonym.ts";
import { recordAudit } from "../../src/accounts/record-audit.ts";
import { rotateToken } from "../../src/accounts/rotate-token.ts";
import { withinTransaction } from "../../src/demo/within-transaction.ts";
import type { Queries } from "../../src/platform/db.ts";
import { digest } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { meanwhile, whileDoing, whileHeld } from "../support/meanwhile.ts";
import { anApplication, authorizePath, type TestApplication, tokenCall } from "../support/oauth.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
import { until } from "../support/until.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
let otherHash: string;
before(async () => {
  world = await startWorld();
  otherHash = await hashPassword("another battery and a staple");
});

const isIn = async (visitor: Visitor) => (await visitor.get("/profile/sessions")).status === 200;

describe("a request with the old password while it is changed", () => {
  const changed = (person: string) =>
    ["update users set password_hash = $1 where username = $2", otherHash, person] as const;

  it("does not sign in (reference reliability S54; contract §4, sign in)", async () => {
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const page = await meanwhile(world, [changed("dev")], () =>
      visitor.post("/users/sign_in", { username: "dev", password: PASSWORD }),
    );
    assert.equal(page.status, 422);
    assert.equal(await isIn(visitor), false);
  });

  it("creates no session if the password changes, or the user is blocked, after the password was accepted (reference reliability S54)", async () => {
    const json = { username: "changed", name: "Changed", email: "changed@example.org", password: PASSWORD };
    const { id } = (await world.call("/api/v4/users", { as: "ada", json })).json;
    const blocked = ["update users set state = 'blocked' where id = $1", id] as const;
    for (const [statement, ...values] of [blocked, changed("changed")]) {
      const visitor = new Visitor(world.url);
      await visitor.get("/users/sign_in");
      const held = ["lock table sessions in share mode"] as const;
      const { entered } = await whileHeld(world, [held], async (isWaitedFor, watcher) => {
        const entered = visitor.post("/users/sign_in", { username: "changed", password: PASSWORD });
        await until(isWaitedFor);
        await watcher.query(statement, values as unknown[]);
        return { entered };
      });
      assert.equal((await entered).headers.get("location"), "/users/sign_in", statement);
      await world.call(`/api/v4/users/${id}/unblock`, { as: "ada", method: "POST" });
      assert.equal(await isIn(visitor), false, statement);
    }
  });

  it("loses a session in progress: the change of the password waits for it and ends it (reference reliability S54)", async () => {
    const json = { username: "late", name: "Late", email: "late@example.org", password: PASSWORD };
    const { id } = (await world.call("/api/v4/users", { as: "ada", json })).json;
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const held = ["lock table audit_entries in share mode"] as const;
    const { entered, changed } = await whileHeld(world, [held], async (isWaitedFor, watcher) => {
      const entered = visitor.post("/users/sign_in", { username: "late", password: PASSWORD });
      await until(isWaitedFor);
      const password = "another battery and a staple";
      const changed = world.call(`/api/v4/users/${id}`, { as: "ada", method: "PUT", json: { password } });
      const waiting =
        "select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0 and datname = current_database()";
      await until(async () => ((await watcher.query(waiting)).rowCount ?? 0) >= 2);
      return { entered, changed };
    });
    assert.deepEqual([(await entered).status, (await changed).status], [303, 200]);
    assert.equal(await isIn(visitor), false);
  });

  it("gets no token (contract §4, password flow)", async () => {
    const application = await anApplication(world);
    const reply = await meanwhile(world, [changed("rep")], () =>
      tokenCall(world, {
        grant_type: "password",
        username: "rep",
        password: PASSWORD,
        client_id: application.uid,
        client_secret: application.secret,
      }),
    );
    assert.equal(reply.status, 400);
    assert.equal(reply.json.error, "invalid_grant");
  });
});

describe("a session that ends during its next step", () => {
  it("is not renewed by the second factor (reference reliability S54)", async () => {
    const { codes } = await turnOnTwoFactor(world, "gus");
    const visitor = new Visitor(world.url);
    await visitor.submit("/users/sign_in", { username: "gus", password: PASSWORD });
    await visitor.get("/users/two_factor");
    const held = ["delete from sessions where digest = $1", digest(visitor.cookie("session") ?? "")] as const;
    await meanwhile(world, [held], () => visitor.post("/users/two_factor", { code: codes[0] ?? "" }));
    assert.equal(await isIn(visitor), false);
  });

  it("is not renewed by re-authentication (decision 0047)", async () => {
    const visitor = new Visitor(world.url);
    await visitor.submit("/users/sign_in", { username: "stan", password: PASSWORD });
    await visitor.get("/users/prove");
    const held = ["delete from sessions where digest = $1", digest(visitor.cookie("session") ?? "")] as const;
    await meanwhile(world, [held], () => visitor.post("/users/prove", { password: PASSWORD }));
    assert.equal(await isIn(visitor), false);
  });

  it("is not renewed by confirming an authenticator app (reference reliability S54)", async () => {
    const visitor = await signedIn(world, "olga");
    await visitor.submit("/profile/two_factor", { password: PASSWORD });
    const { text } = await visitor.get("/profile/two_factor");
    const key = /id="key"[^>]*>([A-Z2-7 ]+)</.exec(text)?.[1]?.replaceAll(" ", "") ?? "";
    const held = ["delete from sessions where digest = $1", digest(visitor.cookie("session") ?? "")] as const;
    await meanwhile(world, [held], () => visitor.post("/profile/two_factor/confirm", { code: codeOf(key) }));
    assert.equal(await isIn(visitor), false);
    await world.call("/api/v4/user/two_factor", {
      as: "olga",
      method: "DELETE",
      json: { password: PASSWORD },
    });
  });

  it("is not created for a user who is blocked during sign-in, so that unblocking revives nothing (reference reliability S54)", async () => {
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const blocked = ["update users set state = 'blocked' where username = 'max'"] as const;
    await meanwhile(world, [blocked], () =>
      visitor.post("/users/sign_in", { username: "max", password: PASSWORD }),
    );
    await world.call(`/api/v4/users/${world.ids.max}/unblock`, { as: "ada", method: "POST" });
    assert.equal(await isIn(visitor), false);
  });
});

it("trust revoked by an administrator stays revoked when the owner saves an older form (reference oauth D80)", async () => {
  const made = await anApplication(world, { trusted: true });
  const olga = await signedIn(world, "olga");
  await olga.get(`/profile/applications/${made.id}/edit`);
  const form: [string, string][] = [
    ["name", "Relay"],
    ["redirect_uri", made.redirectUri],
    ["scopes", "api"],
    ["grant_types", "authorization_code"],
    ["confidential", "1"],
  ];
  const taken = ["update applications set trusted = false where id = $1", made.id] as const;
  const saved = await meanwhile(world, [taken], () => olga.post(`/profile/applications/${made.id}`, form));
  assert.equal(saved.status, 303, saved.text);
  const now = (await world.call(`/api/v4/applications/${made.id}`, { as: "ada" })).json;
  assert.deepEqual([now.application_name, now.trusted], ["Relay", false]);
});

it("a member whose role is raised meanwhile can be neither demoted nor removed by a lower role (decision 0040)", async () => {
  const at = `/api/v4/projects/acme%2Frocket/members/${world.ids.gus}`;
  const raised = [
    "update members set access_level = 50 where user_id = $1 and project_id = $2",
    world.ids.gus,
    world.rocket.id,
  ] as const;
  const lowered = await meanwhile(world, [raised], () =>
    world.call(at, { as: "max", method: "PUT", json: { access_level: 20 } }),
  );
  assert.equal(lowered.status, 403, lowered.text);
  const removed = await world.call(at, { as: "max", method: "DELETE" });
  assert.equal(removed.status, 403);
  await world.call(at, { as: "olga", method: "PUT", json: { access_level: 10 } });
});

it("an account deleted by concurrent requests is deleted once, and the others get 404 or 409 (decision 0104)", async () => {
  const json = { username: "cleo", name: "Cleo", email: "cleo@example.org", password: PASSWORD };
  const { id } = (await world.call("/api/v4/users", { as: "ada", json })).json;
  const remove = () => world.call(`/api/v4/users/${id}`, { as: "ada", method: "DELETE" });
  const replies = await Promise.all(Array.from({ length: 6 }, remove));
  const statuses = replies.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 204).length, 1);
  assert.deepEqual(
    [...new Set(statuses)].filter((status) => ![204, 404, 409].includes(status)),
    [],
  );
});

it("a password change that ends all tokens also ends one that is rotated at the same time (reference ux §7; decision 0043)", async () => {
  const { db } = world.platform;
  const json = { username: "robbed", name: "Robbed", email: "robbed@example.org", password: PASSWORD };
  const { id } = (await world.call("/api/v4/users", { as: "ada", json })).json;
  const owner = new Visitor(world.url);
  await owner.submit("/users/sign_in", { username: "robbed", password: PASSWORD });
  const stolen = { name: "stolen", scopes: ["api"], expiresOn: null };
  const { token } = await db.transaction((tx) => createToken(tx, id, stolen));
  const given = { current_password: PASSWORD, password: "entirely other words", end_tokens: "yes" };
  const { first, worked } = await whileDoing(
    world,
    (tx) => rotateToken(withinTransaction(world.platform, tx).db, token, null, { actorId: id, ip: "::1" }),
    () => owner.submit("/profile/password", given),
  );
  assert.equal(worked.status, 303, worked.text);
  assert.equal((await world.call("/api/v4/user", { token: first.secret })).status, 401);
});

it("the ghost user is created once if two transactions need it at the same time (decision 0104)", async () => {
  const { db } = world.platform;
  const stands = (tx: Queries) => pseudonym(tx, "ghost-of-two", "Ghost user");
  const { first, worked } = await whileDoing(world, stands, () => db.transaction(stands));
  assert.equal(worked, first);
});

it("concurrent invitations do not exceed the daily limit (decision 0111)", async () => {
  const { db } = world.platform;
  const actorId = world.ids.max;
  const note = { actorId, ip: "::1", action: "invitation_sent", userId: null } as const;
  const sent = async (tx: Queries) => {
    await checkSentLately(tx, { actorId });
    await recordAudit(tx, note);
  };
  await db.transaction(async (tx) => {
    for (let n = 1; n < INVITATIONS_A_DAY; n++) await recordAudit(tx, note);
  });
  const json = { email: "one-too-many@example.org", access_level: 30 };
  const ask = () => world.call("/api/v4/projects/acme%2Frocket/invitations", { as: "max", json });
  const { worked } = await whileDoing(world, sent, ask);
  assert.equal(worked.status, 429, worked.text);
  await world.owner.run(sql`alter table audit_entries disable trigger user`);
  await world.owner.run(
    sql`update audit_entries set at = at - interval '24 hours' where action = 'invitation_sent'`,
  );
  await world.owner.run(sql`alter table audit_entries enable trigger user`);
  assert.equal((await ask()).status, 201, "the limit is per day");
});

describe("a request of an application that is deleted meanwhile", () => {
  const asks: [string, (made: TestApplication) => Promise<{ status: number; text: string }>][] = [
    [
      "for a token of its own",
      (made) => tokenCall(world, { grant_type: "client_credentials", ...proofOf(made) }),
    ],
    ["for a device", (made) => world.call("/oauth/authorize_device", { form: proofOf(made) })],
    ["for a person", async (made) => (await signedIn(world, "stan")).get(authorizePath(made))],
  ];
  const proofOf = ({ uid, secret }: TestApplication) => ({ client_id: uid, client_secret: secret });

  for (const [what, ask] of asks) {
    it(`${what} gets 409 (reference reliability A18; house §2.7)`, async () => {
      const made = await anApplication(world, {
        grantTypes: ["authorization_code", "client_credentials", "device_code"],
      });
      const gone = ["delete from applications where id = $1", made.id] as const;
      const { status, text } = await meanwhile(world, [gone], () => ask(made));
      assert.equal(status, 409, text);
      assert.match(text, /was removed during the request/);
    });
  }
});

describe("administrators acting against each other at the same time", () => {
  const another = async (username: string, admin: boolean): Promise<{ id: number; token: string }> => {
    const json = { username, name: username, email: `${username}@example.org`, password: PASSWORD, admin };
    const { id } = (await world.call("/api/v4/users", { as: "ada", json })).json;
    const made = await world.call(`/api/v4/users/${id}/personal_access_tokens`, {
      as: "ada",
      json: { name: "for a test", scopes: ["api"] },
    });
    return { id, token: made.json.token };
  };
  const administering = async (token: string) => {
    const { status, json } = await world.call("/api/v4/user", { token });
    return status === 200 && json.is_admin === true;
  };
  const everyAdministrator = ["select 1 from users where is_admin for update"] as const;
  /** Both requests have passed authentication and wait for the lock before either continues. */
  const atOnce = async (ask: () => Promise<Reply>[]) => {
    const asked = await whileHeld(world, [everyAdministrator], async (_, watcher) => {
      const replies = ask();
      const waiting =
        "select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0 and datname = current_database()";
      await until(async () => ((await watcher.query(waiting)).rowCount ?? 0) >= replies.length);
      return { replies };
    });
    return Promise.all(asked.replies);
  };

  it("cannot both be blocked: the later one was blocked before (reference reliability S54; decision 0313)", async () => {
    const bea = await another("bea", true);
    const replies = await atOnce(() => [
      world.call(`/api/v4/users/${bea.id}/block`, { as: "ada", method: "POST" }),
      world.call(`/api/v4/users/${world.ids.ada}/block`, { token: bea.token, method: "POST" }),
    ]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 401]);
    const ada = await world.tokenOf("ada", "api");
    assert.deepEqual([await administering(ada), await administering(bea.token)].sort(), [false, true]);
    const left = (await administering(ada)) ? ada : bea.token;
    for (const id of [bea.id, world.ids.ada]) {
      await world.call(`/api/v4/users/${id}/unblock`, { token: left, method: "POST" });
    }
  });

  it("cannot both be deleted (decision 0104)", async () => {
    const cora = await another("cora", true);
    await world.call("/api/v4/users/bea", { as: "ada", method: "DELETE" });
    const replies = await atOnce(() => [
      world.call(`/api/v4/users/${cora.id}`, { as: "ada", method: "DELETE" }),
      world.call(`/api/v4/users/${world.ids.ada}`, { token: cora.token, method: "DELETE" }),
    ]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 409]);
  });
});
