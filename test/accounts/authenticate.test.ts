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
  const { user, refused } = await authenticate(world.platform, login, password, address);
  return user?.username ?? refused;
};

describe("the gate for passwords", () => {
  it("tells right from wrong, and from nobody", async () => {
    assert.equal(await judge("dev", PASSWORD, "192.0.2.1"), "dev");
    assert.equal(await judge("dev", `${PASSWORD} `, "192.0.2.1"), "password");
    assert.equal(await judge("nobody", PASSWORD, "192.0.2.1"), "unknown");
    assert.equal(await judge("", "", "192.0.2.1"), "unknown");
    assert.equal(await judge("dev", "x".repeat(5000), "192.0.2.1"), "password");
  });

  it("holds back one person from one network alone (reference reliability S63)", async () => {
    for (let i = 0; i < 5; i++) assert.equal(await judge("max", "wrong wrong", "198.51.100.7"), "password");
    await prolongWaits(world);
    assert.equal(await judge("max", PASSWORD, "198.51.100.7"), "throttled");
    assert.equal(await judge("MAX", PASSWORD, "198.51.100.200"), "throttled");
    assert.equal(await judge("max", PASSWORD, "203.0.113.9"), "max");
    assert.equal(await judge("dev", PASSWORD, "198.51.100.7"), "dev");
    // Neither an account of the guesser's own, nor the person who comes in from elsewhere, makes the failures forgotten.
    assert.equal(await judge("max", PASSWORD, "198.51.100.7"), "throttled");
  });

  it("waits longer with each failure, to five minutes at most (reference reliability E)", async () => {
    const waits: number[] = [];
    const { db } = world.platform;
    for (const failures of [5, 6, 8, 20]) {
      await db.run(sql`delete from sign_in_failures where login = ${countedLogin("rep")}`);
      // In one transaction, for which the clock of the database stands still.
      await db.transaction(async (tx) => {
        await tx.run(
          sql`insert into sign_in_failures (login, network) select ${countedLogin("rep")}::text, '192.0.2.0/24' from generate_series(1, ${failures})`,
        );
        const still = { ...world.platform, db: { ...db, ...tx } };
        const judged = await authenticate(still, "rep", PASSWORD, "192.0.2.1");
        waits.push(judged.user ? 0 : judged.waitSeconds);
      });
    }
    assert.deepEqual(waits, [1, 2, 8, 300]);
  });

  it("holds back a network after 100 failures in ten minutes, whomever it tried (reference reliability E)", async () => {
    await world.platform.db.run(
      sql`insert into sign_in_failures (login, network) select 'guess ' || n, '203.0.113.0/24' from generate_series(1, 100) n`,
    );
    assert.equal(await judge("gus", PASSWORD, "203.0.113.77"), "throttled");
    assert.equal(await judge("gus", PASSWORD, "203.0.112.77"), "gus");
  });

  it("forgets wrong passwords with a right one, but not while a second step is owed (reference reliability S59, S63)", async () => {
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

  it("accepts nobody whose state or second factor changed while the password was hashed, or who must wait by then (contract §4, password flow; reference reliability S63)", async () => {
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

  it("takes the first 64 bits of an IPv6 address and 24 of an IPv4 one for one network", () => {
    assert.equal(networkOf("192.0.2.17"), "192.0.2.0/24");
    assert.equal(networkOf("::ffff:192.0.2.17"), "192.0.2.0/24");
    assert.equal(networkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    assert.equal(networkOf("2001:db8::1"), "2001:db8:0:0::/64");
    assert.equal(networkOf("::1"), "0:0:0:0::/64");
    assert.equal(
      networkOf("2001::b:2:3:4:5"),
      "2001:0:0:b::/64",
      "zeros that are left out inside the network",
    );
    assert.equal(networkOf("2001:DB8::1"), networkOf("2001:db8::2"), "as a proxy may write it");
  });
});
