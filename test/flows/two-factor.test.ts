import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { prolongWaits } from "../support/failures.ts";
import { meanwhile } from "../support/meanwhile.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

async function atSecondStep(person: Person, of = world): Promise<Visitor> {
  const visitor = new Visitor(of.url);
  const page = await visitor.submit("/users/sign_in", { username: person, password: PASSWORD });
  assert.equal(page.location, "/users/two_factor");
  await visitor.get("/users/two_factor");
  return visitor;
}

describe("two-factor sign-in", () => {
  it("asks for a code after the password, and gives no access before (reference reliability S57)", async () => {
    const { secret } = await turnOnTwoFactor(world, "dev");
    assert.equal((await world.call("/api/v4/user", { as: "dev" })).json.two_factor_enabled, true);
    const visitor = new Visitor(world.url);
    await visitor.get("/projects/new");
    const first = await visitor.submit("/users/sign_in", { username: "dev", password: PASSWORD });
    assert.equal(first.location, "/users/two_factor");
    const half = visitor.cookie("session");
    for (const path of [
      "/",
      "/projects/new",
      "/acme/rocket",
      "/profile/personal_access_tokens",
      "/profile/two_factor",
    ]) {
      const page = await visitor.get(path);
      assert.equal(page.location, "/users/sign_in", path);
    }
    const form = await visitor.get("/users/two_factor");
    assert.match(form.text, /name="code"/);
    const entered = await visitor.post("/users/two_factor", { code: codeOf(secret) });
    assert.equal(entered.status, 303);
    assert.notEqual(visitor.cookie("session"), half);
    assert.equal((await visitor.get("/")).status, 200);
  });

  it("accepts a TOTP code once, also with parallel requests (reference reliability S59)", async () => {
    const { secret } = await turnOnTwoFactor(world, "rep");
    const visitors = await Promise.all(Array.from({ length: 12 }, () => atSecondStep("rep")));
    const code = codeOf(secret);
    const pages = await Promise.all(visitors.map((visitor) => visitor.post("/users/two_factor", { code })));
    assert.equal(pages.filter((page) => page.status === 303).length, 1);
  });

  it("accepts each recovery code once, also with parallel requests, in upper case and with spaces (reference reliability S60)", async () => {
    const { codes } = await turnOnTwoFactor(world, "gus");
    assert.equal(codes.length, 10);
    const visitors = await Promise.all(Array.from({ length: 4 }, () => atSecondStep("gus")));
    const code = codes[0]?.toUpperCase().replaceAll("-", " ") ?? "";
    const pages = await Promise.all(visitors.map((visitor) => visitor.post("/users/two_factor", { code })));
    assert.equal(pages.filter((page) => page.status === 303).length, 1);
    const later = await atSecondStep("gus");
    assert.equal((await later.post("/users/two_factor", { code: codes[0] ?? "" })).status, 422);
    assert.equal((await later.post("/users/two_factor", { code: codes[1] ?? "" })).status, 303);
  });

  it("accepts only the recovery codes of the same user, and none from before two-factor sign-in was turned off (reference reliability S60)", async () => {
    const own = await startWorld();
    const [devs, reps] = [await turnOnTwoFactor(own, "dev"), await turnOnTwoFactor(own, "rep")];
    const entered = async (person: Person, code = "") =>
      (await (await atSecondStep(person, own)).post("/users/two_factor", { code })).status;
    assert.equal(await entered("rep", devs.codes[0]), 422);
    assert.equal(await entered("rep", reps.codes[0]), 303);
    const json = { password: PASSWORD };
    const off = await own.call("/api/v4/user/two_factor", { as: "dev", method: "DELETE", json });
    assert.equal(off.status, 204, off.text);
    const again = await turnOnTwoFactor(own, "dev");
    assert.equal(await entered("dev", devs.codes[1]), 422);
    assert.equal(await entered("dev", again.codes[1]), 303);
  });

  it("makes the user wait after five wrong codes from any networks, even with the right one from another (reference reliability S59)", async () => {
    const own = await startWorld({ GATEHOUSE_TRUSTED_PROXIES: "127.0.0.1,::1" });
    const { secret } = await turnOnTwoFactor(own, "stan");
    const visitor = await atSecondStep("stan", own);
    const enter = (code: string, ip: string) =>
      visitor.post("/users/two_factor", { code }, { "x-forwarded-for": ip });
    for (let i = 1; i <= 5; i++) assert.equal((await enter("000000", `192.0.${i}.1`)).status, 422);
    await prolongWaits(own);
    const held = await enter(codeOf(secret), "198.51.100.1");
    assert.equal(held.status, 422);
    assert.match(held.text, /set the clock of your phone/, "reference ux §7, two factor");
    assert.ok(Number(held.headers.get("retry-after")) >= 1);
    assert.match(held.text, /Wait \d+ s before the next try/);
  });

  it("does not affect personal access tokens (spec: POST /oauth/token password 7)", async () => {
    const token = await world.tokenOf("dev", "read_user");
    assert.equal((await world.call("/api/v4/user", { token })).status, 200);
  });

  it("refuses a user who was blocked between the two steps (contract §4, tokens and roles)", async () => {
    const { secret } = await turnOnTwoFactor(world, "olga");
    const visitor = await atSecondStep("olga");
    await world.platform.db.run(sql`update users set state = 'blocked' where username = 'olga'`);
    const refused = await visitor.post("/users/two_factor", { code: codeOf(secret) });
    assert.equal(refused.location, "/users/sign_in");
    assert.equal((await visitor.get("/")).location, "/users/sign_in");
    await world.platform.db.run(sql`update users set state = 'active' where username = 'olga'`);
  });

  it("is turned off with a token and the password, not with a token and a wrong one (contract §4, two-factor by API)", async () => {
    const wrong = { method: "DELETE", json: { password: "something else" } };
    assert.equal((await world.call("/api/v4/user/two_factor", { as: "dev", ...wrong })).status, 403);
    const right = { method: "DELETE", json: { password: PASSWORD } };
    const off = await world.call("/api/v4/user/two_factor", { as: "dev", ...right });
    assert.deepEqual([off.status, off.text], [204, ""]);
    await signedIn(world, "dev");
  });
});

describe("the page of two-factor sign-in", () => {
  const PATH = "/profile/two_factor";

  it("turns it on by QR code or typed key, shows recovery codes once, and turns it off (decision 0009; reference ux §7, 2FA)", async () => {
    const visitor = await signedIn(world, "max");
    const wrong = await visitor.submit(PATH, { password: "no such passphrase" });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /That is not your password/);
    const other = await signedIn(world, "max");
    const started = await visitor.follow(await visitor.post(PATH, { password: PASSWORD }));
    assert.match(started.text, /<svg class="qr"/);
    const key = /id="key"[^>]*>([A-Z2-7 ]+)</.exec(started.text)?.[1]?.replaceAll(" ", "") ?? "";
    assert.match(key, /^[A-Z2-7]{32}$/);
    const missed = await visitor.post(`${PATH}/confirm`, { code: "000000" });
    assert.equal(missed.status, 422);
    assert.match(missed.text, new RegExp(key.slice(0, 4)), "the key stays the same");
    const on = await visitor.follow(await visitor.post(`${PATH}/confirm`, { code: codeOf(key) }));
    assert.equal(on.status, 200);
    assert.equal(on.text.match(/[a-z2-7]{4}(-[a-z2-7]{4}){5}/g)?.length, 10);
    assert.match(on.text, /data-copy="recovery-codes"/);
    assert.doesNotMatch((await visitor.get(PATH)).text, /[a-z2-7]{4}(-[a-z2-7]{4}){3}/);
    assert.equal((await other.get("/")).location, "/users/sign_in", "sessions from before end");
    const off = await visitor.follow(await visitor.post(`${PATH}/off`, { password: PASSWORD }));
    assert.match(off.text, /Two-factor sign-in is off/);
  });

  it("focuses the field of the form that was refused, and names the account for password managers (reference ux §5, keyboard)", async () => {
    const visitor = await signedIn(world, "dev");
    /** The id of the field with autofocus. */
    const cursor = (text: string) =>
      /id="([^"]+)"/.exec(/<input[^>]* autofocus[^>]*>/.exec(text)?.[0] ?? "")?.[1];
    const wrong = { password: "no such passphrase" };
    assert.equal(cursor((await visitor.submit(PATH, wrong)).text), "password");
    const started = await visitor.follow(await visitor.post(PATH, { password: PASSWORD }));
    assert.equal(cursor(started.text), "code");
    assert.equal(cursor((await visitor.post(PATH, wrong)).text), "password");
    const key = /id="key"[^>]*>([A-Z2-7 ]+)</.exec(started.text)?.[1]?.replaceAll(" ", "") ?? "";
    const on = await visitor.follow(await visitor.post(`${PATH}/confirm`, { code: codeOf(key) }));
    assert.equal(cursor(on.text), undefined, "the recovery codes are read first");
    for (const [door, field] of [
      ["codes", "codes-password"],
      ["off", "off-password"],
    ] as const) {
      const refused = await visitor.post(`${PATH}/${door}`, wrong);
      assert.equal(cursor(refused.text), field);
      assert.match(
        refused.text,
        /<input type="text" value="dev" autocomplete="username" hidden readonly>\s*<div class="field">/,
      );
    }
  });
});

describe("a TOTP key that is not confirmed yet", () => {
  const start = async () =>
    (await world.call("/api/v4/user/two_factor", { as: "ada", json: { password: PASSWORD } })).json.secret;
  const confirm = (code: string) =>
    world.call("/api/v4/user/two_factor/confirm", { as: "ada", json: { code } });

  it("expires after half an hour, and is then neither shown nor confirmed (decision 0009)", async () => {
    const secret = await start();
    const ada = await signedIn(world, "ada");
    assert.match((await ada.get("/profile/two_factor")).text, /<svg class="qr"/);
    await world.platform.db.run(sql`update users set totp_started_at = now() - interval '29 minutes'`);
    assert.match((await ada.get("/profile/two_factor")).text, /<svg class="qr"/);
    await world.platform.db.run(sql`update users set totp_started_at = now() - interval '31 minutes'`);
    assert.doesNotMatch((await ada.get("/profile/two_factor")).text, /<svg class="qr"/);
    const late = await confirm(codeOf(secret));
    assert.deepEqual([late.status, late.json], [422, { message: "Start with a new secret first." }]);
    assert.equal((await world.call("/api/v4/user", { as: "ada" })).json.two_factor_enabled, false);
  });

  it("is confirmed only by a code of the same key (decision 0009)", async () => {
    const secret = await start();
    const replaced = [
      "update users set totp_sealed = 'another'::bytea where username = 'ada' and totp_confirmed_at is null",
    ] as const;
    const confirmed = await meanwhile(world, [replaced], () => confirm(codeOf(secret)));
    assert.equal(confirmed.status, 422, confirmed.text);
    assert.equal((await world.call("/api/v4/user", { as: "ada" })).json.two_factor_enabled, false);
  });

  it("is not confirmed if it expires or another request confirms it during the request (decision 0009)", async () => {
    const isOn = async () => (await world.call("/api/v4/user", { as: "ada" })).json.two_factor_enabled;
    const begin = () => world.call("/api/v4/user/two_factor", { as: "ada", json: { password: PASSWORD } });

    const secret = await start();
    const over = "update users set totp_started_at = now() - interval '31 minutes' where username = 'ada'";
    const late = await meanwhile(world, [[over]], () => confirm(codeOf(secret)));
    assert.deepEqual([late.status, await isOn()], [422, false]);

    await world.platform.db.run(sql`update users set totp_started_at = now() where username = 'ada'`);
    const other = "update users set totp_confirmed_at = now() where username = 'ada'";
    const second = await meanwhile(world, [[other]], () => confirm(codeOf(secret)));
    assert.deepEqual([second.status, await isOn()], [409, true]);
    assert.equal((await begin()).status, 409, "and no new key can be requested");
    await world.platform.db.run(sql`update users set totp_confirmed_at = null where username = 'ada'`);
  });

  it("comes without recovery codes if a passkey brought them in the meantime (decision 0028)", async () => {
    const secret = await start();
    const added = ["update users set passkeys = passkeys + 1 where username = 'ada'"] as const;
    const confirmed = await meanwhile(world, [added], () => confirm(codeOf(secret)));
    assert.deepEqual([confirmed.status, confirmed.json], [201, { recovery_codes: [] }]);
    await world.platform.db.run(
      sql`update users set totp_confirmed_at = null, totp_last_step = null, passkeys = passkeys - 1 where username = 'ada'`,
    );
  });

  it("cannot be guessed by somebody with a token: after five wrong codes there is a wait (reference reliability S59)", async () => {
    const secret = await start();
    for (let n = 0; n < 5; n++) assert.equal((await confirm("000000")).status, 422);
    await prolongWaits(world);
    const held = await confirm(codeOf(secret));
    assert.equal(held.status, 429, held.text);
    assert.ok(Number(held.headers.get("retry-after")) >= 1);
    await world.platform.db.run(sql`delete from sign_in_failures`);
    assert.equal((await confirm(codeOf(secret))).status, 201);
  });
});
