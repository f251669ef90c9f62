/** What the owner of a personal access token learns about it: from where it was used, and that it expires. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { digest } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { runJob } from "../support/jobs.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { anApplication, tokenCall } from "../support/oauth.ts";
import { type PostOffice, worldWithMail } from "../support/post-office.ts";
import { until } from "../support/until.ts";
import { signedIn } from "../support/visitor.ts";
import { PASSWORD, type Person, type World } from "../support/world.ts";

const HOME = "/profile/personal_access_tokens";
let office: PostOffice;
let world: World;

before(async () => {
  await awayFromMidnight();
  office = await worldWithMail({ GATEHOUSE_TRUSTED_PROXIES: "127.0.0.1,::1" });
  world = office.world;
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

async function made(person: Person, name: string, days?: number): Promise<{ id: number; token: string }> {
  const json = { name, scopes: ["read_user"], ...(days === undefined ? {} : { expires_at: inDays(days) }) };
  const path = `/api/v4/users/${world.ids[person]}/personal_access_tokens`;
  const { status, json: answer, text } = await world.call(path, { as: "ada", json });
  assert.equal(status, 201, text);
  return answer;
}

/** The text in the column "Last used" of this token on its owner's page. */
async function lastUse(person: Person, name: string): Promise<string> {
  const { text } = await (await signedIn(world, person)).get(HOME);
  const row = text.split("<tr").find((one) => one.includes(`>${name}<`)) ?? "";
  const cell = /data-label="Last used"[^>]*>(.*?)<\/td>/s.exec(row)?.[1] ?? assert.fail(row);
  return cell
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

const use = (token: string, address: string) =>
  world.call("/api/v4/user", { token, headers: { "x-forwarded-for": address } });

/** Runs the job twice and returns the mails about expiring tokens, as receiver and subject. */
async function told(): Promise<string[]> {
  office.mails.length = 0;
  await runJob(world, "ends of tokens");
  await runJob(world, "ends of tokens");
  await office.settle();
  return office.mails.map(({ to, text }) => `${to} ${/^Subject: (.*)$/m.exec(text)?.[1]}`).toSorted();
}

/** Moves all times of a token into the past. */
async function later(id: number, days: number): Promise<void> {
  const moved = await world.platform.db.run(
    sql`update access_tokens set created_at = created_at - make_interval(days => ${days}),
      expires_at = expires_at - make_interval(days => ${days}), end_told_at = end_told_at - make_interval(days => ${days})
      where id = ${id}`,
  );
  assert.equal(moved, 1);
}

describe("the expiry of a personal access token", () => {
  it("is announced to its owner by one mail in the week before and one when it has expired, neither of which contains the token (decision 0193; reference ux §7)", async () => {
    const { id, token } = await made("max", "nightly", 30);
    await made("max", "for ever");
    assert.deepEqual(await told(), []);
    await later(id, 22);
    assert.deepEqual(await told(), [], "more than a week ahead");
    await later(id, 1);
    assert.deepEqual(await told(), ["max@example.org Your personal access token expires soon: nightly"]);
    const [mail] = office.mails;
    const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
    assert.match(mail?.text ?? "", new RegExp(`^Expires: ${day} 00:00 UTC$`, "m"));
    assert.match(mail?.text ?? "", /\/profile\/personal_access_tokens/);
    assert.ok(!mail?.text.includes(token));
    await later(id, 3);
    assert.deepEqual(await told(), [], "only once");
    await later(id, 4);
    assert.deepEqual(await told(), ["max@example.org Your personal access token has expired: nightly"]);
    assert.match(office.mails[0]?.text ?? "", /Programs that used it are refused now\./);
    assert.deepEqual(await told(), [], "only once");
  });

  it("is announced only when it has expired if the token was valid for a week or less (decision 0193)", async () => {
    const { id } = await made("rep", "short", 7);
    assert.deepEqual(await told(), []);
    await later(id, 7);
    assert.deepEqual(await told(), ["rep@example.org Your personal access token has expired: short"]);
  });

  it("is not announced for tokens of applications, which expire after two hours (decision 0193; contract §4, token lifetimes)", async () => {
    const { basic: authorization } = await anApplication(world);
    const form = { grant_type: "password", username: "dev", password: PASSWORD };
    const { json } = await tokenCall(world, form, { authorization });
    const ended = sql`update access_tokens set expires_at = now() - interval '1 minute' where digest = ${digest(json.access_token)}`;
    assert.equal(await world.platform.db.run(ended), 1);
    assert.deepEqual(await told(), []);
  });

  it("is not announced for a token that is revoked or expired days ago, or to a blocked user (decision 0193)", async () => {
    const [gone, old, theirs] = [
      await made("rep", "gone", 9),
      await made("rep", "old", 9),
      await made("gus", "theirs", 9),
    ];
    const ended = await world.call(`/api/v4/personal_access_tokens/${gone.id}`, {
      as: "ada",
      method: "DELETE",
    });
    assert.equal(ended.status, 204);
    assert.equal(
      (await world.call(`/api/v4/users/${world.ids.gus}/block`, { as: "ada", method: "POST" })).status,
      201,
    );
    await later(gone.id, 5);
    await later(old.id, 11);
    await later(theirs.id, 5);
    assert.deepEqual(await told(), []);
  });

  it("is marked as soon on the page in the week before (reference ux §7)", async () => {
    await made("dev", "next week", 6);
    await made("dev", "next month", 30);
    const { text } = await (await signedIn(world, "dev")).get(HOME);
    const row = (name: string) => text.split("<tr").find((one) => one.includes(`>${name}<`)) ?? "";
    assert.match(row("next week"), />Soon</);
    assert.doesNotMatch(row("next month"), />Soon</);
  });
});

describe("the address from which a personal access token was last used", () => {
  it("is shown on its owner's page with the time, but not in the API (reference ux §7; decision 0193)", async () => {
    const { id, token } = await made("dev", "backups");
    assert.equal(await lastUse("dev", "backups"), "Never");
    assert.equal((await use(token, "203.0.113.9")).status, 200);
    await until(async () => (await lastUse("dev", "backups")) !== "Never");
    assert.match(await lastUse("dev", "backups"), / from 203\.0\.113\.9$/);
    const record = await world.call(`/api/v4/personal_access_tokens/${id}`, { as: "ada" });
    assert.ok(record.json.last_used_at);
    assert.doesNotMatch(record.text, /203\.0\.113/);
  });

  it("is stored together with the time of use, not at each use, and updated at the next such time (decision 0193)", async () => {
    const { id, token } = await made("dev", "deploys");
    const rows = () =>
      world.platform.db.run(sql`select 1 from access_tokens where id = ${id} and last_used_ip is not null`);
    await use(token, "203.0.113.9");
    await until(async () => (await rows()) === 1);
    await use(token, "198.51.100.4");
    assert.match(await lastUse("dev", "deploys"), / from 203\.0\.113\.9$/);
    await world.platform.db.run(
      sql`update access_tokens set last_used_at = now() - interval '11 minutes' where id = ${id}`,
    );
    await use(token, "198.51.100.4");
    await until(async () => (await lastUse("dev", "deploys")).endsWith(" from 198.51.100.4"));
  });

  it("is not stored for tokens of applications (decision 0193)", async () => {
    const application = await anApplication(world);
    const form = { grant_type: "password", username: "dev", password: PASSWORD };
    const { json } = await tokenCall(world, form, { authorization: application.basic });
    await use(json.access_token, "203.0.113.9");
    const used = (from: "nowhere" | "somewhere") =>
      world.platform.db.run(sql`select 1 from access_tokens where application_id = ${application.id}
        and last_used_at is not null and (last_used_ip is null) = ${from === "nowhere"}`);
    await until(async () => (await used("nowhere")) + (await used("somewhere")) === 1);
    assert.equal(await used("somewhere"), 0);
  });

  it("is deleted 90 days after the use, while the time stays (decision 0193)", async () => {
    const { id, token } = await made("dev", "reports");
    await use(token, "203.0.113.9");
    await until(async () => (await lastUse("dev", "reports")) !== "Never");
    const used = (days: number) =>
      world.platform.db.run(
        sql`update access_tokens set last_used_at = now() - make_interval(days => ${days}) where id = ${id}`,
      );
    await used(89);
    await runJob(world, "accounts");
    assert.match(await lastUse("dev", "reports"), / from 203\.0\.113\.9$/);
    await used(91);
    await runJob(world, "accounts");
    assert.doesNotMatch(await lastUse("dev", "reports"), /Never|from/);
  });
});

it("all errors of the form of a new token are shown at once (ux §7, error summary)", async () => {
  const dev = await signedIn(world, "dev");
  for (const [day, why] of [
    ["2001-01-01", "The day on which it ends must be in the future"],
    ["soon", "The day on which it ends is not a day"],
  ] as const) {
    const { status, text } = await dev.submit(HOME, { name: " ", expires_at: day });
    assert.equal(status, 422);
    assert.match(text, /3 things need fixing: .*Name.*Scopes/);
    assert.ok(text.includes(why), why);
  }
});
