/** Attacks on the password flow: enumeration, lockout, oversized passwords, and applications that may not use it. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { flushRefusals } from "../../../src/oauth/record-refusal.ts";
import { integer, row } from "../../../src/platform/row.ts";
import { sql } from "../../../src/platform/sql.ts";
import { counting, hashes } from "../../support/counting.ts";
import { countedLogin, prolongWaits } from "../../support/failures.ts";
import {
  anApplication,
  hiddenFields,
  signedIn,
  type TestApplication,
  tokenCall,
} from "../../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../../support/world.ts";

let world: World;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
});

function byPassword(username: string, password: string, by = application) {
  return tokenCall(world, { grant_type: "password", username, password }, { authorization: by.basic });
}
const run = (statement: Parameters<World["platform"]["db"]["run"]>[0]) => world.platform.db.run(statement);
/** As after many failures: for minutes, however slow the machine. */
const lock = (login: string) =>
  run(sql`insert into sign_in_failures (login, network)
    select ${countedLogin(login)}::text, network from generate_series(1, 20), unnest(${["127.0.0.0/24", "0:0:0:0::/64"]}::text[]) as network`);
const forget = () => run(sql`delete from sign_in_failures`);

test("whoever may not come in this way gets one answer: status, body and headers (reference oauth D51, reliability S33, S34)", async () => {
  await run(sql`update users set totp_sealed = 'x', totp_confirmed_at = now() where username = 'max'`);
  await run(sql`update users set state = 'blocked' where username = 'stan'`);
  await lock("gus");
  const replies = [
    ["unknown", await byPassword("nobody", PASSWORD)],
    ["wrong", await byPassword("dev", "wrong")],
    ["two-factor", await byPassword("max", PASSWORD)],
    ["two-factor, wrong", await byPassword("max", "wrong")],
    ["blocked", await byPassword("stan", PASSWORD)],
    ["locked", await byPassword("gus", PASSWORD)],
    ["by mail, unknown", await byPassword("nobody@example.org", PASSWORD)],
    ["a bot's name", await byPassword("ghost", PASSWORD)],
    ["empty", await byPassword("dev", "")],
  ] as const;
  const seen = new Set<string>();
  for (const [why, { status, headers, text }] of replies) {
    assert.equal(status, 400, why);
    const told = [...headers].filter(([name]) => !["date", "x-request-id"].includes(name));
    seen.add(JSON.stringify([text, told]));
  }
  assert.equal(seen.size, 1, [...seen].join("\n"));
  await forget();
  await run(sql`update users set state = 'active', totp_sealed = null, totp_confirmed_at = null where true`);
});

test("every refusal costs the same number of statements and one hash, and its answer is the same to the byte (contract §4, password flow; reference oauth D51, reliability S33)", async () => {
  await run(sql`update users set totp_sealed = 'x', totp_confirmed_at = now() where username = 'max'`);
  await run(sql`update users set state = 'blocked' where username = 'stan'`);
  await lock("gus");
  const service = await counting(world);
  const refusal = async (username: string, password: string) => {
    const before = hashes();
    await service.quiet();
    const { statusCode, headers, rawPayload } = await service.app.inject({
      url: "/oauth/token",
      method: "POST",
      payload: new URLSearchParams({ grant_type: "password", username, password }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: application.basic },
    });
    // What looks into refusals does so beside the answer.
    await flushRefusals(service.platform);
    const { date: _date, "x-request-id": _id, ...told } = headers;
    const answer = [statusCode, JSON.stringify(told), rawPayload.toString("hex")].join("\n");
    return { statements: service.statements(), hashes: hashes() - before, answer };
  };
  const wrong = await refusal("dev", "wrong");
  assert.equal(wrong.hashes, 1);
  assert.ok(wrong.statements >= 4 && wrong.answer.startsWith("400\n"), JSON.stringify(wrong));
  for (const [why, username, password] of [
    ["unknown", "nobody", PASSWORD],
    ["unknown, by mail", "nobody@example.org", PASSWORD],
    ["two-factor", "max", PASSWORD],
    ["two-factor, wrong", "max", "wrong"],
    ["blocked", "stan", PASSWORD],
    ["blocked, wrong", "stan", "wrong"],
    ["locked", "gus", PASSWORD],
    ["locked, wrong", "gus", "wrong"],
    ["a bot", "ghost", PASSWORD],
  ] as const) {
    assert.deepEqual(await refusal(username, password), wrong, why);
  }
  await service.app.close();
  await forget();
  await run(sql`update users set state = 'active', totp_sealed = null, totp_confirmed_at = null where true`);
});

test("whoever waits is not made to wait longer by asking, and fills no log (reliability S35, S63)", async () => {
  const counts = () =>
    world.platform.db.one(
      row({ failures: integer, entries: integer }),
      sql`select (select count(*) from sign_in_failures) as failures, (select count(*) from audit_entries) as entries`,
    );
  await lock("gus");
  const before = await counts();
  for (let tries = 0; tries < 4; tries++) await byPassword("gus", "wrong");
  assert.deepEqual(await counts(), before);
  await forget();
});

test("the lockout is one for this flow and the sign-in page, and the right password does not open it (reliability S35)", async () => {
  for (let tries = 0; tries < 5; tries++) await byPassword("rep", "wrong");
  await prolongWaits(world);
  assert.equal((await byPassword("rep", PASSWORD)).json.error, "invalid_grant");
  await assert.rejects(signedIn(world, "rep"), "the page waits too");
  await forget();
  await signedIn(world, "rep");
  const { status } = await byPassword("rep", PASSWORD);
  assert.equal(status, 200);
});

test("a person locked or blocked between start and redemption gets no token from a device they allowed (CVE-2026-16103; reference oauth D59, reliability S35)", async () => {
  const device = await anApplication(world, {
    grantTypes: ["device_code", "refresh_token"],
    confidential: false,
  });
  const begun = (
    await world.call("/oauth/authorize_device", { form: { client_id: device.uid, scope: "read_user" } })
  ).json;
  const rep = await signedIn(world, "rep");
  const form = await rep.get("/oauth/device");
  const fields = { ...hiddenFields(form.text, "/oauth/device"), user_code: begun.user_code };
  const question = await rep.post("/oauth/device", fields);
  await rep.post("/oauth/device", { ...hiddenFields(question.text, "/oauth/device"), decision: "allow" });
  const block = (word: string) =>
    world.call(`/api/v4/users/${world.ids.rep}/${word}`, { as: "ada", method: "POST" });
  await block("block");
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const refused = await tokenCall(world, {
    grant_type,
    device_code: begun.device_code,
    client_id: device.uid,
  });
  assert.deepEqual([refused.status, refused.json.error], [400, "invalid_grant"]);
  await block("unblock");
  // What was shown while the person was blocked is good for nothing afterwards either.
  const late = await tokenCall(world, { grant_type, device_code: begun.device_code, client_id: device.uid });
  assert.deepEqual([late.status, late.json.error], [400, "invalid_grant"]);
});

test("a password of up to 1,024 bytes counts whole, untrimmed and uncut; a longer one is refused (reliability S36)", async () => {
  const create = (username: string, password: string) =>
    world.call("/api/v4/users", {
      as: "ada",
      json: { username, name: username, email: `${username}@example.org`, password },
    });
  for (const [username, password] of [
    ["long64", `${"a1 b".repeat(15)}tail`],
    ["long72", `${"k".repeat(72)}different`],
    ["long1024", `${"x".repeat(1020)}tail`],
    ["blanks", "  a password with blanks around it  "],
    ["accents", "paßwörter mögen Ümläute \u{1f600}"],
  ] as const) {
    assert.equal((await create(username, password)).status, 201, username);
    assert.equal((await byPassword(username, password)).status, 200, username);
    for (const near of [
      password.slice(0, -1),
      `${password} `,
      password.trim().slice(0, 72),
      password.toUpperCase(),
    ]) {
      if (near === password) continue;
      assert.equal((await byPassword(username, near)).status, 400, `${username} ${near.length}`);
    }
    await forget();
  }
  assert.equal((await create("longer", "x".repeat(1025))).status, 400);
  for (const password of ["x".repeat(1025), "x".repeat(900_000), "é".repeat(513)]) {
    const { status, json } = await byPassword("dev", password);
    assert.deepEqual([status, json.error], [400, "invalid_grant"]);
  }
  await forget();
});

test("only an application that is ticked for the flow and proven may use it (reference oauth D55)", async () => {
  const unticked = await anApplication(world, { grantTypes: ["authorization_code", "implicit"] });
  assert.equal((await byPassword("dev", PASSWORD, unticked)).json.error, "unauthorized_client");
  const form = { grant_type: "password", username: "dev", password: PASSWORD };
  const nobody = await tokenCall(world, form);
  assert.deepEqual([nobody.status, nobody.json.error], [401, "invalid_client"]);
  const bare = await tokenCall(world, { ...form, client_id: application.uid });
  assert.deepEqual([bare.status, bare.json.error], [401, "invalid_client"]);
  const open = await anApplication(world, { confidential: false, grantTypes: ["authorization_code"] });
  const unasked = await tokenCall(world, { ...form, client_id: open.uid });
  assert.deepEqual([unasked.status, unasked.json.error], [400, "unauthorized_client"]);
});

test("a public application that is registered for the flow needs its secret: its id alone, which anybody may know, is no proof, whoever asks (spec: POST /oauth/token password 4; reference oauth D55; decision 0307)", async () => {
  const json = {
    name: "Kiosk",
    redirect_uri: "",
    scopes: "api",
    confidential: false,
    grant_types: ["password"],
  };
  const made = await world.call("/api/v4/applications", { as: "ada", json });
  assert.equal(made.status, 201, made.text);
  const { application_id: client_id, secret } = made.json;
  const basic = (given: string) => ({ authorization: `Basic ${btoa(`${client_id}:${given}`)}` });
  const form = { grant_type: "password", username: "dev", password: PASSWORD };
  for (const [why, reply] of [
    ["the id in the body", await tokenCall(world, { ...form, client_id })],
    ["with an empty secret", await tokenCall(world, { ...form, client_id, client_secret: "" })],
    ["the id in Basic", await tokenCall(world, form, basic(""))],
    ["a wrong secret", await tokenCall(world, { ...form, client_id, client_secret: `${secret}x` })],
    ["a wrong password", await tokenCall(world, { ...form, client_id, password: "wrong" })],
  ] as const) {
    assert.deepEqual([reply.status, reply.json.error], [401, "invalid_client"], why);
    assert.match(reply.headers.get("www-authenticate") ?? "", /^Basic /, why);
  }
  for (const reply of [
    await tokenCall(world, form, basic(secret)),
    await tokenCall(world, { ...form, client_id, client_secret: secret }),
  ]) {
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json.scope, "api");
  }
});

test("200 sign-ins at once: some pass, the rest are told to wait, and health answers all the while (reliability S37)", async () => {
  const people = Array.from({ length: 200 }, (_, n) => byPassword(`nobody${n}`, "wrong password"));
  const healthy: number[] = [];
  for (let n = 0; n < 5; n++) healthy.push((await world.call("/-/liveness")).status);
  const statuses = new Set((await Promise.all(people)).map(({ status }) => status));
  assert.deepEqual([...new Set(healthy)], [200]);
  assert.ok(statuses.has(429) && statuses.has(400), [...statuses].join());
  assert.equal(statuses.size, 2);
  const waits = await byPassword("dev", PASSWORD);
  assert.equal(waits.status, 200, "and afterwards whoever knows the password comes in");
  await forget();
});
