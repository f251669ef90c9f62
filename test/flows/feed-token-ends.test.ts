/** What ends the feed token (contract-events §4, feeds; decision 0106). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signedIn } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const feedToken = async (as: Person): Promise<string> =>
  (await world.call("/api/v4/user/feed_token", { as })).json.feed_token;
const readsFeed = async (token: string) =>
  (await world.call(`/acme/rocket.atom?feed_token=${token}`)).status === 200;

test("a new password ends the feed token if personal access tokens are to end, and keeps it otherwise (decision 0106; reference ux §7)", async () => {
  const next = "entirely other words";
  const token = await feedToken("rep");
  const here = await signedIn(world, "rep");
  await here.submit("/profile/password", { current_password: PASSWORD, password: next });
  assert.equal(await readsFeed(token), true);
  const fields = { current_password: next, password: `${next} again`, end_tokens: "yes" };
  assert.equal((await here.submit("/profile/password", fields)).status, 303);
  assert.equal(await readsFeed(token), false);
});
