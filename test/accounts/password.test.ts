import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createPasswordLink } from "../../src/accounts/create-password-link.ts";
import { hashPassword } from "../../src/accounts/password.ts";
import { listAuditEntries } from "../../src/accounts/store-audit.ts";
import { updatePassword } from "../../src/accounts/store-users.ts";
import { startTwoFactor } from "../../src/accounts/turn-on-two-factor.ts";
import type { Queries } from "../../src/platform/db.ts";
import { sql } from "../../src/platform/sql.ts";
import { isWaitedFor } from "../support/meanwhile.ts";
import { signedIn as aBrowserOf, aCode, anApplication, exchange } from "../support/oauth.ts";
import { codeOf } from "../support/two-factor.ts";
import { until } from "../support/until.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

const NEXT = "a quite different sentence";

let world: World;
before(async () => {
  world = await startWorld();
});

async function signsIn(person: Person, password: string): Promise<boolean> {
  const page = await new Visitor(world.url).submit("/users/sign_in", { username: person, password });
  return page.status === 303;
}

async function linkFor(person: Person): Promise<string> {
  const act = { actorId: world.ids.ada, ip: "::1" };
  const link = new URL(await createPasswordLink(world.platform, world.ids[person], act));
  return link.pathname + link.search;
}

describe("changing the password", () => {
  it("ends all other sessions and keeps this one and the tokens (reference reliability S54)", async () => {
    const here = await signedIn(world, "dev");
    const there = await signedIn(world, "dev");
    const token = await world.tokenOf("dev", "read_user");
    const before = here.cookie("session");
    const changed = await here.submit("/profile/password", { current_password: PASSWORD, password: NEXT });
    assert.equal(changed.location, "/profile/password");
    assert.notEqual(here.cookie("session"), before);
    assert.equal((await here.get("/profile/password")).status, 200);
    assert.equal((await there.get("/")).location, "/users/sign_in");
    assert.equal((await world.call("/api/v4/user", { token })).status, 200);
    assert.deepEqual([await signsIn("dev", PASSWORD), await signsIn("dev", NEXT)], [false, true]);
  });

  it("ends personal access tokens on request, but not those of applications (reference ux §7)", async () => {
    const token = await world.tokenOf("rep", "read_user");
    const application = await anApplication(world);
    const code = await aCode(await aBrowserOf(world, "rep"), application);
    const { access_token } = (await exchange(world, application, code)).json;
    const here = await signedIn(world, "rep");
    await here.submit("/profile/password", { current_password: PASSWORD, password: NEXT, end_tokens: "yes" });
    assert.equal((await world.call("/api/v4/user", { token })).status, 401);
    const [entry] = await listAuditEntries(world.platform.db, { action: "password_changed" }, 1);
    assert.deepEqual([entry?.person, entry?.details], ["rep", { tokens: 1 }], "number of ended tokens");
    assert.equal((await world.call("/api/v4/user", { token: access_token })).status, 200);
  });

  it("requires the current password and a valid new one (decision 0008)", async () => {
    const here = await signedIn(world, "gus");
    const wrong = await here.submit("/profile/password", {
      current_password: "not it at all",
      password: NEXT,
    });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /That is not your password/);
    const short = await here.submit("/profile/password", { current_password: PASSWORD, password: "short" });
    assert.match(short.text, /New password is too short/);
    assert.equal(await signsIn("gus", PASSWORD), true);
  });
});

describe("a password change that compared the old password before it was replaced", () => {
  const id = () => world.ids.gus;

  /** Posts the change, and replaces the password between the comparison and the write. */
  async function changeWhile(replace: (tx: Queries, hash: string) => Promise<unknown>) {
    const here = await signedIn(world, "gus");
    await here.get("/profile/password");
    // Another hash of the same password, which only the change itself could make a different one.
    const hash = await hashPassword(PASSWORD);
    const { working } = await world.platform.db.transaction(async (tx) => {
      // The comparison may share this lock, the write may not.
      await tx.run(sql`select from users where id = ${id()} for share`);
      const working = here.post("/profile/password", { current_password: PASSWORD, password: NEXT });
      working.catch(() => {});
      await until(() => isWaitedFor(tx));
      await replace(tx, hash);
      return { working };
    });
    return working;
  }

  it("does not undo a reset, which has ended its session (decisions 0110, 0155)", async () => {
    const page = await changeWhile((tx, hash) => updatePassword(tx, id(), hash));
    assert.deepEqual([page.status, page.location], [302, "/users/sign_in"]);
    assert.deepEqual([await signsIn("gus", NEXT), await signsIn("gus", PASSWORD)], [false, true]);
  });

  it("does not undo another change in the same session (decision 0008)", async () => {
    const page = await changeWhile((tx, hash) =>
      tx.run(sql`update users set password_hash = ${hash} where id = ${id()}`),
    );
    assert.equal(page.status, 422, page.text);
    assert.match(page.text, /That is not your password/);
    assert.deepEqual([await signsIn("gus", NEXT), await signsIn("gus", PASSWORD)], [false, true]);
  });
});

describe("a new password", () => {
  const begin = () => world.call("/api/v4/user/two_factor", { as: "stan", json: { password: PASSWORD } });

  it("ends an authenticator app that was not confirmed yet, since whoever knew the old one may have begun it (decisions 0009, 0046)", async () => {
    const { secret } = (await begin()).json;
    const token = new URL(await linkFor("stan"), world.url).searchParams.get("reset_password_token") ?? "";
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const set = await visitor.post("/users/password", { reset_password_token: token, password: PASSWORD });
    assert.equal(set.location, "/users/sign_in");
    const json = { code: codeOf(secret) };
    const confirmed = await world.call("/api/v4/user/two_factor/confirm", { as: "stan", json });
    assert.deepEqual([confirmed.status, confirmed.json.message], [422, "Start with a new secret first."]);
    assert.equal((await world.call("/api/v4/user", { as: "stan" })).json.two_factor_enabled, false);
  });

  it("refuses an app for which the old one was compared a moment before (decision 0009)", async () => {
    const person = { id: world.ids.stan, username: "stan" };
    const compared = await hashPassword(PASSWORD);
    await assert.rejects(startTwoFactor(world.platform, person, compared), { kind: "forbidden" });
    assert.equal((await begin()).status, 201);
  });
});

describe("a link for a new password", () => {
  it("works once, and ends the user's sessions (reference reliability S54)", async () => {
    const inside = await signedIn(world, "max");
    const path = await linkFor("max");
    const token = new URL(path, world.url).searchParams.get("reset_password_token") as string;
    const visitor = new Visitor(world.url);
    const form = await visitor.get(path);
    assert.equal(form.headers.get("referrer-policy"), "no-referrer");
    const bad = await visitor.post("/users/password", { reset_password_token: token, password: "short" });
    assert.equal(bad.status, 422);
    const set = await visitor.post("/users/password", { reset_password_token: token, password: NEXT });
    assert.equal(set.location, "/users/sign_in");
    assert.match((await visitor.get("/users/sign_in")).text, /Your password is new/);
    assert.equal((await inside.get("/")).location, "/users/sign_in");
    assert.equal((await visitor.get(path)).status, 404);
    assert.equal(
      (await visitor.post("/users/password", { reset_password_token: token, password: PASSWORD })).status,
      404,
    );
    assert.equal(await signsIn("max", NEXT), true);
  });

  it("stops working after a newer one, after a day, and while the user is blocked (reference reliability S58)", async () => {
    const { db } = world.platform;
    const visitor = new Visitor(world.url);
    const first = await linkFor("stan");
    const second = await linkFor("stan");
    const over = await visitor.get(first);
    assert.equal(over.status, 404);
    assert.match(
      over.text,
      /<h1[^>]*>This link no longer works<\/h1>[\s\S]*href="\/users\/password\/new"/,
      "how to get another one",
    );
    const never = await visitor.get("/users/password/edit?reset_password_token=none");
    assert.equal(never.text, over.text, "a made-up link looks the same");
    assert.equal((await visitor.get(second)).status, 200);
    await db.run(sql`update users set state = 'blocked' where id = ${world.ids.stan}`);
    assert.equal((await visitor.get(second)).status, 404);
    await db.run(sql`update users set state = 'active' where id = ${world.ids.stan}`);
    const age = (by: string) =>
      db.run(
        sql`update password_links set expires_at = expires_at - ${by}::interval where user_id = ${world.ids.stan}`,
      );
    await age("23 hours 59 minutes");
    assert.equal((await visitor.get(second)).status, 200);
    await age("1 minute");
    assert.equal((await visitor.get(second)).status, 404);
    assert.equal((await visitor.get("/users/password/edit")).status, 404);
  });

  it("is accepted once under concurrent use (reference reliability S60)", async () => {
    const token = new URL(await linkFor("olga"), world.url).searchParams.get(
      "reset_password_token",
    ) as string;
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const fields = { reset_password_token: token, password: NEXT };
    const all = await Promise.all(Array.from({ length: 8 }, () => visitor.post("/users/password", fields)));
    assert.deepEqual(all.map(({ status }) => status).sort(), [303, 404, 404, 404, 404, 404, 404, 404]);
  });
});
