/** Attacks on passwords and the second factor: guessing, races, lock-outs and unusual passwords. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { authenticate } from "../../src/accounts/authenticate.ts";
import { judgeCode } from "../../src/accounts/judge-code.ts";
import { proveSecondFactor } from "../../src/accounts/prove-second-factor.ts";
import { plainRecoveryCode } from "../../src/accounts/second-factor.ts";
import { insertSignInFailure } from "../../src/accounts/store-sign-in-failures.ts";
import type { Queries } from "../../src/platform/db.ts";
import { bytes, integer, row } from "../../src/platform/row.ts";
import { digest } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { addPasskey } from "../support/authenticator.ts";
import { countedLogin, guessesSince, withLongWaits } from "../support/failures.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { anApplication, tokenCall } from "../support/oauth.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const HOME = "/profile/two_factor";

/** Lets time pass for the throttle of sign-ins only. */
const later = (seconds: number) =>
  world.platform.db.run(
    sql`update sign_in_failures set failed_at = failed_at - make_interval(secs => ${seconds})`,
  );

/** Returns how many failed attempts are recorded for a login, from all networks. */
async function failuresOf(login: string): Promise<number> {
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from sign_in_failures where login = ${countedLogin(login)}`,
  );
  return n;
}

const from = async (address: string, person: Person, password: string) => {
  const judged = await authenticate(world.platform, { login: person, password }, address);
  return judged.user ? "in" : judged.refused;
};

describe("second factor codes", () => {
  it("are accepted in one of 64 concurrent attempts, never again, and not three steps early or late (reference reliability S59)", async () => {
    const { secret } = await turnOnTwoFactor(world, "dev");
    const id = world.ids.dev;
    for (const steps of [-3, 3]) {
      const { accepted } = await proveSecondFactor(world.platform, id, { code: codeOf(secret, steps) });
      assert.equal(accepted, false, `${steps} steps away`);
    }
    await world.platform.db.run(sql`delete from sign_in_failures`);
    const code = codeOf(secret);
    const proofs = await Promise.all(
      Array.from({ length: 64 }, () => proveSecondFactor(world.platform, id, { code })),
    );
    assert.equal(proofs.filter(({ accepted }) => accepted).length, 1);
    await world.platform.db.run(sql`delete from sign_in_failures`);
    assert.equal((await proveSecondFactor(world.platform, id, { code })).accepted, false);
  });

  it("are throttled under concurrent guessing: five are checked, then waiting times apply (reference reliability S59)", async () => {
    const { secret } = await turnOnTwoFactor(world, "rep");
    const id = world.ids.rep;
    await withLongWaits(world, async () => {
      const wrong = await Promise.all(
        Array.from({ length: 40 }, () => proveSecondFactor(world.platform, id, { code: "000000" })),
      );
      assert.ok(wrong.every(({ accepted }) => !accepted));
      assert.equal(await failuresOf(`second factor ${id}`), 5);
      const held = await proveSecondFactor(world.platform, id, { code: codeOf(secret) });
      assert.ok(!held.accepted && held.waitSeconds >= 1);
    });
  });

  it("are counted in order, so that none is checked before a failure that is still being recorded (reference reliability S59)", async () => {
    const { db } = world.platform;
    const login = `second factor ${world.ids.stan}`;
    const fiveTries = async (tx: Queries) => {
      for (let tries = 0; tries < 5; tries++) await insertSignInFailure(tx, login, "anywhere");
      await tx.run(sql`update sign_in_failures set failed_at = now() + interval '40 seconds'
        where login = ${countedLogin(login)}`);
    };
    const judge = () => judgeCode(db, world.ids.stan, async () => true);
    const { worked: judged } = await whileDoing(world, fiveTries, judge);
    assert.ok(!judged.accepted && !judged.isJudged);
    await db.run(sql`delete from sign_in_failures`);
  });

  it("for recovery are accepted in one of 64 concurrent attempts, and stored as digests only (reference reliability S60)", async () => {
    const { codes } = await turnOnTwoFactor(world, "gus");
    const stored = await world.platform.db.many(
      row({ digest: bytes }),
      sql`select digest from recovery_codes where user_id = ${world.ids.gus}`,
    );
    const due = codes.map((code) => digest(plainRecoveryCode(code)).toString("hex")).sort();
    assert.deepEqual(stored.map((kept) => kept.digest.toString("hex")).sort(), due);
    const code = codes[0] ?? "";
    const proofs = await Promise.all(
      Array.from({ length: 64 }, () => proveSecondFactor(world.platform, world.ids.gus, { code })),
    );
    assert.equal(proofs.filter(({ accepted }) => accepted).length, 1);
    await world.platform.db.run(sql`delete from sign_in_failures`);
    const stranger = await proveSecondFactor(world.platform, world.ids.stan, { code: codes[1] ?? "" });
    assert.equal(stranger.accepted, false, "another user's recovery code must not be accepted");
    // A right code deletes the recorded failures and is not counted as one.
    for (const right of codes.slice(1, 4)) {
      for (const code of ["000000", "000000", "000000", "000000", right]) {
        const { accepted } = await proveSecondFactor(world.platform, world.ids.gus, { code });
        assert.equal(accepted, code === right);
      }
      assert.equal(await failuresOf(`second factor ${world.ids.gus}`), 0);
    }
  });
});

describe("second factor settings", () => {
  it("need the password to be turned on, turned off and renewed; a session or token is not enough (reference reliability S61)", async () => {
    const visitor = await signedIn(world, "olga");
    const refusedAt = async (paths: readonly string[]) => {
      for (const password of ["", "not my passphrase"]) {
        for (const path of paths) {
          const page = await visitor.submit(path, { password }, HOME);
          assert.equal(page.status, 422, path);
          assert.match(page.text, /That is not your password/);
        }
        for (const method of ["POST", "DELETE"]) {
          const json = { password };
          const reply = await world.call("/api/v4/user/two_factor", { as: "olga", method, json });
          assert.ok([400, 403].includes(reply.status), `${method} ${reply.status}`);
        }
        await world.platform.db.run(sql`delete from sign_in_failures`);
      }
    };
    await refusedAt([HOME]);
    assert.equal((await visitor.submit(`${HOME}/codes`, { password: PASSWORD }, HOME)).status, 409);
    await addPasskey(visitor, world.url);
    await refusedAt([HOME, `${HOME}/off`, `${HOME}/codes`]);
    assert.equal((await world.call("/api/v4/user", { as: "olga" })).json.two_factor_enabled, true);
  });
});

describe("wrong passwords", () => {
  it("do not lock an account: other networks can sign in, and the guesser's network waits a limited time (reference reliability S63; reference oauth D53)", async () => {
    const guesser = "198.51.100.7";
    for (let tries = 0; tries < 200; tries++) {
      await from(guesser, "ada", "wrong wrong wrong");
      await later(20);
    }
    assert.equal(await from("203.0.113.9", "ada", PASSWORD), "in");
    await later(300);
    assert.equal(await from(guesser, "ada", PASSWORD), "in");
  });

  it("for the second factor, sent by somebody who knows the password, delay the owner by five minutes at most (reference reliability S63)", async () => {
    const { secret } = await turnOnTwoFactor(world, "max");
    const id = world.ids.max;
    for (let tries = 0; tries < 300; tries++) {
      await proveSecondFactor(world.platform, id, { code: "000000" });
      await later(5);
    }
    const held = await proveSecondFactor(world.platform, id, { code: "111111" });
    assert.ok(!held.accepted && held.waitSeconds <= 300);
    await later(held.accepted ? 0 : held.waitSeconds);
    assert.equal((await proveSecondFactor(world.platform, id, { code: codeOf(secret) })).accepted, true);
    await world.call("/api/v4/user/two_factor", {
      as: "max",
      method: "DELETE",
      json: { password: PASSWORD },
    });
  });

  it("are counted together for the sign-in page and the password grant (reference oauth D52)", async () => {
    const application = await anApplication(world);
    const asks = { grant_type: "password", username: "stan", password: "wrong wrong wrong" };
    for (let tries = 0; tries < 3; tries++)
      await tokenCall(world, asks, { authorization: application.basic });
    const visitor = new Visitor(world.url);
    await visitor.submit("/users/sign_in", { username: "stan", password: "wrong wrong wrong" });
    assert.equal(await failuresOf("stan"), 4);
    await withLongWaits(world, async () => {
      const last = { username: "STAN", password: "wrong wrong wrong" };
      const fifth = await visitor.submit("/users/sign_in", last);
      assert.ok(Number(fifth.headers.get("retry-after")) >= 1);
    });
  });

  it("do not exceed the limit when sent concurrently (reference oauth D52)", async () => {
    await world.platform.db.run(sql`delete from sign_in_failures`);
    const began = performance.now();
    const judged = await Promise.all(
      Array.from({ length: 40 }, () => from("198.51.100.9", "stan", "wrong wrong wrong")),
    );
    const looked = judged.filter((word) => word === "password").length;
    // Five, one that is hashed at the same time as the fifth, and those after the end of a wait.
    assert.ok(looked >= 5 && looked <= 6 + guessesSince(began), `${looked} passwords were judged`);
    assert.equal(await failuresOf("stan"), looked);
  });
});

describe("an unusual password", () => {
  const odd: readonly (readonly [what: string, password: string, near: string])[] = [
    ["longer than 72 bytes", `${"a long sentence ".repeat(8)}end`, `${"a long sentence ".repeat(8)}END`],
    ["of other scripts and signs", "密码是一只会飞的猫 🐈", "密码是一只会飞的猫 🐕"],
    ["with spaces at its ends", "  twelve or more  ", "twelve or more"],
  ];
  for (const [what, password, near] of odd) {
    it(`${what} is compared in full, to the last byte (reference oauth D56)`, async () => {
      const username = `odd${what.length}`;
      const fields = { username, name: "Odd", email: `${username}@example.org`, password };
      const made = await world.call("/api/v4/users", { as: "ada", json: fields });
      assert.equal(made.status, 201, made.text);
      const judge = async (given: string) =>
        (await authenticate(world.platform, { login: username, password: given }, "192.0.2.8")).user
          ?.username;
      assert.equal(await judge(password), username);
      assert.equal(await judge(near), undefined);
    });
  }

  it("with a NUL is refused when it is set, and does not match a password that ends before the NUL (reference oauth D56)", async () => {
    const fields = { username: "nul", name: "Nul", email: "nul@example.org", password: `${PASSWORD}\0more` };
    assert.equal((await world.call("/api/v4/users", { as: "ada", json: fields })).status, 400);
    const judged = await authenticate(
      world.platform,
      { login: "stan", password: `${PASSWORD}\0more` },
      "192.0.2.9",
    );
    assert.equal(judged.user, undefined);
  });

  it("matches in any Unicode normalization form (reference oauth D56)", async () => {
    const password = "le café à l’été dernier";
    const fields = {
      username: "zoe",
      name: "Zoé",
      email: "zoe@example.org",
      password: password.normalize("NFD"),
    };
    assert.equal((await world.call("/api/v4/users", { as: "ada", json: fields })).status, 201);
    const judged = await authenticate(
      world.platform,
      { login: "zoe", password: password.normalize("NFC") },
      "192.0.2.8",
    );
    assert.equal(judged.user?.username, "zoe");
  });

  it("of a megabyte is refused, and a username with a NUL is refused like an unknown one (reference oauth D56)", async () => {
    const visitor = new Visitor(world.url);
    const huge = await visitor.submit("/users/sign_in", { username: "dev", password: "x".repeat(1_048_576) });
    assert.equal(huge.status, 413);
    const long = await visitor.submit("/users/sign_in", { username: "dev", password: "x".repeat(20_000) });
    assert.equal(long.status, 422);
    const nul = await visitor.submit("/users/sign_in", { username: "dev\0", password: PASSWORD });
    assert.ok([400, 422].includes(nul.status), String(nul.status));
  });
});
