/** Downloads of events end with the rights of whoever started them (decision 0107). */
import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { comment, recordOnly } from "../support/events.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  // More than the sockets between take before their reader reads.
  const body = "x".repeat(12_000);
  for (let done = 0; done < 3000; done += 500) {
    const events = Array.from({ length: 500 }, (_, n) => ({
      ...comment("Issue", done + n + 1, { body }),
      ...{ projectId: world.rocket.id, authorId: world.ids.dev },
    }));
    await recordOnly(world, events);
  }
});

/** A download that nobody reads yet. */
async function started(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(world.url + path, { headers, agent: false }, resolve).on("error", reject);
  });
  assert.equal(answer.statusCode, 200);
  return answer;
}

/** Reads the rest; returns whether the download is complete. */
async function isWhole(answer: IncomingMessage): Promise<boolean> {
  let end = "";
  try {
    for await (const chunk of answer) end = (end + chunk).slice(-200);
  } catch {
    assert.doesNotMatch(end, /"end":true/);
    return false;
  }
  assert.match(end, /"end":true,"events":3000\b/);
  return true;
}

const EXPORT = "/api/v4/projects/acme%2Frocket/events/export";
const PAGE = "/acme/rocket/activity?export=ndjson";
const cookiesOf = (visitor: Visitor) => ({ cookie: `session=${visitor.cookie("session")}` });
const block = (person: Person) =>
  world.call(`/api/v4/users/${world.ids[person]}/block`, { as: "ada", method: "POST" });

test("a download of the API ends when its token is revoked, or its account blocked or no administrator any more (contract §4, tokens and roles; decision 0107)", async () => {
  const withToken = async (person: Person) => ({ "private-token": await world.tokenOf(person, "read_api") });
  assert.equal(await isWhole(await started(EXPORT, await withToken("dev"))), true);

  const blocked = await started(EXPORT, await withToken("rep"));
  assert.equal((await block("rep")).status, 201);
  assert.equal(await isWhole(blocked), false);

  const revoked = await started(EXPORT, await withToken("dev"));
  await world.platform.db.run(
    sql`update access_tokens set revoked_at = now() where user_id = ${world.ids.dev} and scopes = '{read_api}'`,
  );
  assert.equal(await isWhole(revoked), false);

  await world.platform.db.run(sql`update users set is_admin = true where id = ${world.ids.stan}`);
  const demoted = await started("/api/v4/users/dev/events/export", await withToken("stan"));
  await world.platform.db.run(sql`update users set is_admin = false where id = ${world.ids.stan}`);
  let text = "";
  for await (const chunk of demoted) text = (text + chunk).slice(-200);
  assert.doesNotMatch(text, /"events":3000\b/, "what only administrators see");
});

test("a download of a page ends with the session and with the block of the account, and that of a profile when it becomes private (decision 0107)", async () => {
  const whole = await signedIn(world, "max");
  assert.equal(await isWhole(await started(PAGE, cookiesOf(whole))), true);

  const signedOut = await started(PAGE, cookiesOf(whole));
  await world.platform.db.run(sql`delete from sessions where user_id = ${world.ids.max}`);
  assert.equal(await isWhole(signedOut), false);

  const olga = await signedIn(world, "olga");
  const blocked = await started("/-/activity?export=ndjson", cookiesOf(olga));
  assert.equal((await block("olga")).status, 201);
  assert.equal(await isWhole(blocked), false);

  const hidden = await started("/dev?export=ndjson", cookiesOf(await signedIn(world, "max")));
  await world.platform.db.run(sql`update users set private_profile = true where id = ${world.ids.dev}`);
  assert.equal(await isWhole(hidden), false);
});
