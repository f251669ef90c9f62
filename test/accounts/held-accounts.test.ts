/**
 * Rows of accounts that are locked or deleted meanwhile: other requests are not delayed, and the caller gets a clear
 * response.
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { acceptInvitation } from "../../src/accounts/accept-invitation.ts";
import type { Db, Queries } from "../../src/platform/db.ts";
import { digest } from "../../src/platform/secret.ts";
import { type Sql, sql } from "../../src/platform/sql.ts";
import { hashes } from "../support/counting.ts";
import { meanwhile, whileHeld } from "../support/meanwhile.ts";
import { codeOf } from "../support/two-factor.ts";
import { until } from "../support/until.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const manyOthers = () =>
  Promise.all(Array.from({ length: 40 }, () => world.call("/api/v4/user", { as: "max" })));

describe("a user whose row is locked", () => {
  it("can use a token, without a query that waits for the lock (decision 0051)", async () => {
    await manyOthers();
    await world.tokenOf("dev", "api");
    const held = ["select from users where username = 'dev' for update"] as const;
    const wasWaitedFor = await whileHeld(world, [held], async (isWaitedFor) => {
      assert.equal((await world.call("/api/v4/user", { as: "dev" })).status, 200);
      let isDone = false;
      const others = manyOthers().finally(() => {
        isDone = true;
      });
      let seen = false;
      while (!isDone && !seen) {
        seen = await isWaitedFor();
        await sleep(5);
      }
      return [others, seen] as const;
    });
    await wasWaitedFor[0];
    assert.equal(wasWaitedFor[1], false);
  });

  it("has last_activity_on recorded by a later use of the token (contract §3; decision 0051)", async () => {
    const token = await world.tokenOf("rep", "api");
    const use = async (age: Sql) => {
      await world.platform.db.run(
        sql`update access_tokens set last_used_at = ${age} where user_id = ${world.ids.rep}`,
      );
      assert.equal((await world.call("/api/v4/user", { token })).status, 200);
    };
    const lastActivity = async () =>
      (await world.call("/api/v4/users/rep", { as: "ada" })).json.last_activity_on;
    await world.platform.db.run(sql`update users set last_activity_on = null where username = 'rep'`);
    const held = ["select from users where username = 'rep' for update"] as const;
    await whileHeld(world, [held], async () => {
      await use(sql`null`);
      await until(() =>
        world.platform.db.run(
          sql`select from access_tokens where user_id = ${world.ids.rep} and last_used_at is not null`,
        ),
      );
    });
    assert.equal(await lastActivity(), null, "the locked row was skipped");
    // A use is recorded once in ten minutes.
    await use(sql`now() - interval '11 minutes'`);
    await until(async () => (await lastActivity()) !== null);
  });

  it("does not delay others by a renewal of the session that waits for a lock (decision 0051)", async () => {
    await manyOthers();
    const stan = await signedIn(world, "stan");
    await stan.get("/users/prove");
    const session = digest(stan.cookie("session") ?? "");
    const held = ["select from sessions where digest = $1 for update", session] as const;
    const [proving, stillWaits] = await whileHeld(world, [held], async (isWaitedFor) => {
      const posted = stan.post("/users/prove", { password: PASSWORD });
      await until(isWaitedFor);
      await manyOthers();
      await manyOthers();
      return [posted, await isWaitedFor()] as const;
    });
    assert.equal((await proving).status, 303);
    assert.equal(stillWaits, true, "the others were answered while it still waited");
  });
});

describe("an account that is deleted while it is changed", () => {
  for (const change of [{ username: "gone2" }, { email: "gone2@example.org" }, { name: "Gone" }]) {
    it(`gets 404 for a change of ${Object.keys(change)} (decision 0151; house §2.7)`, async () => {
      const json = { username: "gone", name: "Going", email: "gone@example.org", password: PASSWORD };
      const { id } = (await world.call("/api/v4/users", { as: "ada", json })).json;
      const reply = await meanwhile(world, [["delete from users where id = $1", id]], () =>
        world.call(`/api/v4/users/${id}`, { as: "ada", method: "PUT", json: change }),
      );
      assert.deepEqual([reply.status, reply.json], [404, { message: "404 User Not Found" }]);
    });
  }
});

it("of concurrent password changes from several sessions one password and one session remain (reference reliability S54)", async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => signedIn(world, "gus")));
  for (const visitor of all) await visitor.get("/profile/password");
  const passwordOf = (n: number) => `sentence number ${n} of several`;
  const pages = await Promise.all(
    all.map((visitor, n) =>
      visitor.post("/profile/password", { current_password: PASSWORD, password: passwordOf(n) }),
    ),
  );
  const open = await Promise.all(all.map(async (visitor) => (await visitor.get("/profile")).status === 200));
  assert.equal(open.filter(Boolean).length, 1, JSON.stringify(pages.map(({ status }) => status)));
  const by = { username: "gus", password: passwordOf(open.indexOf(true)) };
  const entered = await new Visitor(world.url).submit("/users/sign_in", by);
  assert.equal(entered.status, 303, "the remaining session's password must be the valid one");
});

describe("the lock of the audit log", () => {
  const AUDIT_LOCK = 7239402;

  it("is not held while turning on two-factor sign-in waits for another lock (decision 0045)", async () => {
    const started = await world.call("/api/v4/user/two_factor", { as: "olga", json: { password: PASSWORD } });
    const visitor = await signedIn(world, "olga");
    const session = digest(visitor.cookie("session") ?? "");
    const held = ["select from sessions where digest = $1 for update", session] as const;
    const json = { code: codeOf(started.json.secret) };
    const [confirming, isFree] = await whileHeld(world, [held], async (isWaitedFor, watcher) => {
      const confirmed = world.call("/api/v4/user/two_factor/confirm", { as: "olga", json });
      await until(isWaitedFor);
      return [confirmed, await lockIsFree(watcher)] as const;
    });
    assert.equal((await confirming).status, 201);
    assert.equal(isFree, true);
  });

  async function lockIsFree(watcher: {
    query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
  }) {
    const { rows } = await watcher.query("select pg_try_advisory_lock($1) as free", [AUDIT_LOCK]);
    await watcher.query("select pg_advisory_unlock($1)", [AUDIT_LOCK]);
    return (rows[0] as { free: boolean }).free;
  }

  it("is not held while accepting an invitation waits for another lock (decision 0045)", async () => {
    const link = await invited("late@example.org");
    const visitor = new Visitor(world.url);
    await visitor.get(link);
    const held = ["select from projects where id = $1 for update", world.rocket.id] as const;
    const [accepting, isFree] = await whileHeld(world, [held], async (isWaitedFor, watcher) => {
      const posted = visitor.post(link, { name: "Late", username: "late", password: PASSWORD });
      await until(isWaitedFor);
      return [posted, await lockIsFree(watcher)] as const;
    });
    assert.equal((await accepting).status, 303);
    assert.equal(isFree, true);
  });
});

async function invited(email: string, as: Person = "max"): Promise<string> {
  const json = { email, access_level: 30 };
  const made = await world.call("/api/v4/projects/acme%2Frocket/invitations", { as, json });
  assert.equal(made.status, 201, made.text);
  return new URL(made.json.links?.[email] ?? made.json.link).pathname;
}

it("the password of a new user is hashed before the transaction, whose locks others wait for (house §2.5)", async () => {
  const link = await invited("new@example.org");
  let inside = 0;
  const { db } = world.platform;
  const watched: Db = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx: Queries) => {
        const before = hashes();
        const done = await work(tx);
        inside += hashes() - before;
        return done;
      }),
  };
  const who = { username: "newcomer", name: "New", password: PASSWORD };
  const before = hashes();
  const secret = link.split("/").at(-1) ?? "";
  await acceptInvitation({ ...world.platform, db: watched }, secret, who, "127.0.0.1", async () => "member");
  assert.deepEqual([hashes() - before, inside], [1, 0]);
});
