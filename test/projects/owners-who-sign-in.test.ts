/** A group keeps an owner who can sign in: accounts of applications and placeholders do not count (decision 0165). */
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { placeholderUser } from "../../src/accounts/placeholder-user.ts";
import { recordHappenings } from "../../src/events/record-happenings.ts";
import { sql } from "../../src/platform/sql.ts";
import { endMemberships } from "../../src/projects/end-memberships.ts";
import { anApplication, tokenCall } from "../support/oauth.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
/** The account of an application, and the token with which it acts. */
let bot: { id: number; token: string };
/** Somebody of a forge who has no account here. */
let outsider: number;
before(async () => {
  world = await startWorld();
  const robot = await anApplication(world, { grantTypes: ["client_credentials"], owner: null });
  const issued = await tokenCall(world, { grant_type: "client_credentials" }, { authorization: robot.basic });
  const token = issued.json.access_token;
  bot = { id: (await world.call("/api/v4/user", { token })).json.id, token };
  outsider = await world.platform.db.transaction((tx) =>
    placeholderUser(tx, { login: "octo", name: "Octo" }),
  );
});

let made = 0;
let group: { id: number; path: string };
beforeEach(async () => {
  group = await aGroup("gus");
  for (const id of [bot.id, outsider]) assert.equal((await own(id)).status, 201);
});

async function aGroup(as: Person, parent_id?: number): Promise<typeof group> {
  const path = `kept-${++made}`;
  const reply = await world.call("/api/v4/groups", { as, json: { name: path, path, parent_id } });
  assert.equal(reply.status, 201, reply.text);
  return { id: reply.json.id, path };
}

const members = () => `/api/v4/groups/${group.id}/members`;
const own = (user_id: number) => world.call(members(), { as: "gus", json: { user_id, access_level: 50 } });
const leave = () => world.call(`${members()}/${world.ids.gus}`, { as: "gus", method: "DELETE" });
const owners = async (): Promise<[number, string | null][]> =>
  (await world.call(members(), { as: "ada" })).json.map((one: { id: number; expires_at: string | null }) => [
    one.id,
    one.expires_at,
  ]);
const end = (userId: number, ago: string) =>
  world.platform.db.run(
    sql`update members set expires_at = now() - ${ago}::interval
      where namespace_id = ${group.id} and user_id = ${userId}`,
  );

test("the last owner who can sign in does not leave a group to an application's account or a placeholder (decision 0165)", async () => {
  const refused = await leave();
  assert.equal(refused.status, 403, refused.text);
  assert.equal((await own(world.ids.stan)).status, 201);
  assert.equal((await leave()).status, 204);
});

test("the role of the last owner who can sign in stays when it expires, not that of an application's account (decision 0165)", async () => {
  await end(world.ids.gus, "2 minutes");
  await endMemberships(world.platform, recordHappenings);
  assert.deepEqual((await owners()).sort(), [bot.id, outsider, world.ids.gus].map((id) => [id, null]).sort());
  await end(world.ids.gus, "2 minutes");
  await end(bot.id, "1 minute");
  await end(outsider, "1 second");
  await endMemberships(world.platform, recordHappenings);
  assert.deepEqual(await owners(), [[world.ids.gus, null]]);
});

test("an application's account keeps its role in a group that nobody else owns (decision 0165)", async () => {
  await world.platform.db.run(
    sql`delete from members where namespace_id = ${group.id} and user_id <> ${bot.id}`,
  );
  await end(bot.id, "1 minute");
  await endMemberships(world.platform, recordHappenings);
  assert.deepEqual(await owners(), [[bot.id, null]]);
});

test("whoever moves a group to the top becomes its owner if only an application's account owns it there (decision 0165)", async () => {
  const above = await aGroup("gus");
  group = await aGroup("gus", above.id);
  assert.equal((await own(bot.id)).status, 201);
  assert.equal((await leave()).status, 204, "the group above still gives the role");
  const transfer = (by: object) =>
    world.call(`/api/v4/groups/${group.id}/transfer`, { method: "POST", json: {}, ...by });
  const refused = await transfer({ token: bot.token });
  assert.equal(refused.status, 400, refused.text);
  const moved = await transfer({ as: "gus" });
  assert.equal(moved.status, 201, moved.text);
  assert.deepEqual(
    (await owners()).sort(),
    [
      [bot.id, null],
      [world.ids.gus, null],
    ].sort(),
  );
});

test("the account of the last owner who can sign in is not removed, though an application's account owns the group (decisions 0104 and 0165)", async () => {
  const refused = await world.call(`/api/v4/users/${world.ids.gus}?erase=true`, {
    as: "ada",
    method: "DELETE",
  });
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.json.message, new RegExp(`no other owner: .*${group.path}`));
});
