import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { authenticate, networkOf } from "../../src/accounts/authenticate.ts";
import { settleAttempt } from "../../src/accounts/store-attempts.ts";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { countedLogin, prolongWaits } from "../support/failures.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
});

const judge = async (login: string, password: string, address: string) => {
  const { user, refused } = await authenticate(world.platform, { login, password }, address);
  return user?.username ?? refused;
};

describe("password authentication", () => {
  it("distinguishes right passwords, wrong ones and unknown users, for the log only (its docstring in src/accounts/authenticate.ts)", async () => {
    assert.equal(await judge("dev", PASSWORD, "192.0.2.1"), "dev");
    assert.equal(await judge("dev", `${PASSWORD} `, "192.0.2.1"), "password");
    assert.equal(await judge("nobody", PASSWORD, "192.0.2.1"), "unknown");
    assert.equal(await judge("", "", "192.0.2.1"), "unknown");
    assert.equal(await judge("dev", "x".repeat(5000), "192.0.2.1"), "password");
  });

  it("throttles one user from one network only (reference reliability S63)", async () => {
    for (let i = 0; i < 5; i++) assert.equal(await judge("max", "wrong wrong", "198.51.100.7"), "password");
    await prolongWaits(world);
    assert.equal(await judge("max", PASSWORD, "198.51.100.7"), "throttled");
    assert.equal(await judge("MAX", PASSWORD, "198.51.100.200"), "throttled");
    assert.equal(await judge("max", PASSWORD, "203.0.113.9"), "max");
    assert.equal(await judge("dev", PASSWORD, "198.51.100.7"), "dev");
    // Neither another account's sign-in from this network nor the user's own from elsewhere resets the failures.
    assert.equal(await judge("max", PASSWORD, "198.51.100.7"), "throttled");
  });

  it("increases the wait with each failure, up to five minutes (reference reliability E)", async () => {
    const waits: number[] = [];
    const { db } = world.platform;
    for (const failures of [5, 6, 8, 20]) {
      await db.run(sql`delete from sign_in_failures where login = ${countedLogin("rep")}`);
      // In one transaction, where the database's now() does not change.
      await db.transaction(async (tx) => {
        await tx.run(
          sql`insert into sign_in_failures (login, network) select ${countedLogin("rep")}::text, '192.0.2.0/24' from generate_series(1, ${failures})`,
        );
        const still = { ...world.platform, db: { ...db, ...tx } };
        const judged = await authenticate(still, { login: "rep", password: PASSWORD }, "192.0.2.1");
        waits.push(judged.user ? 0 : judged.waitSeconds);
      });
    }
    assert.deepEqual(waits, [1, 2, 8, 300]);
  });

  it("throttles a network after 100 failures in ten minutes, for all users (reference reliability E)", async () => {
    await world.platform.db.run(
      sql`insert into sign_in_failures (login, network) select 'guess ' || n, '203.0.113.0/24' from generate_series(1, 100) n`,
    );
    assert.equal(await judge("gus", PASSWORD, "203.0.113.77"), "throttled");
    assert.equal(await judge("gus", PASSWORD, "203.0.112.77"), "gus");
  });

  it("resets failures on a right password, but not if the second factor is still to come (reference reliability S59, S63)", async () => {
    const from = "198.51.100.7";
    await world.platform.db.run(sql`update users set totp_confirmed_at = now() where id = ${world.ids.olga}`);
    for (const [person, verdict] of [
      ["gus", "gus"],
      ["olga", "throttled"],
    ] as const) {
      for (let i = 0; i < 4; i++) await judge(person, "wrong wrong", from);
      assert.equal(await judge(person, PASSWORD, from), person);
      assert.equal(await judge(person, "wrong wrong", from), "password");
      await prolongWaits(world);
      assert.equal(await judge(person, PASSWORD, from), verdict);
    }
  });

  it("fails if the user is blocked, turns on a second factor or is throttled while the password is hashed (contract §4, password flow; reference reliability S63)", async () => {
    const { db } = world.platform;
    const { passwordHash } = await db.one(
      row({ passwordHash: text }),
      sql`select password_hash from users where id = ${world.ids.stan}`,
    );
    const attempt = {
      login: "stan",
      network: "192.0.2.0/24",
      countsNetwork: true,
      userId: world.ids.stan,
      passwordHash,
    };
    const accepted = async () => (await settleAttempt(db.pooled, { ...attempt, owesMore: false })).accepted;
    assert.equal(await accepted(), true);
    await db.run(sql`update users set totp_confirmed_at = now() where id = ${world.ids.stan}`);
    assert.equal(await accepted(), false);
    await db.run(
      sql`update users set totp_confirmed_at = null, state = 'blocked' where id = ${world.ids.stan}`,
    );
    assert.equal(await accepted(), false);
    await db.run(sql`update users set state = 'active' where id = ${world.ids.stan}`);
    const failed = await db.run(
      sql`insert into sign_in_failures (login, network)
        select ${countedLogin("stan")}::text, '192.0.2.0/24' from generate_series(1, 20)`,
    );
    assert.equal(await accepted(), false);
    const forgotten = sql`delete from sign_in_failures where login = ${countedLogin("stan")}`;
    assert.equal(await db.run(forgotten), failed);
    assert.equal(await accepted(), true);
  });

  it("treats the first 64 bits of an IPv6 address and 24 of an IPv4 address as one network (decision 0008; reference reliability E)", () => {
    assert.equal(networkOf("192.0.2.17"), "192.0.2.0/24");
    assert.equal(networkOf("::ffff:192.0.2.17"), "192.0.2.0/24");
    assert.equal(networkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    assert.equal(networkOf("2001:db8::1"), "2001:db8:0:0::/64");
    assert.equal(networkOf("::1"), "0:0:0:0::/64");
    assert.equal(networkOf("2001::b:2:3:4:5"), "2001:0:0:b::/64", "omitted zeros within the network");
    assert.equal(networkOf("2001:DB8::1"), networkOf("2001:db8::2"), "capitals, as some proxies write them");
  });
});
