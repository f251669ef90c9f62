/** Feeds: what a reader with the token sees, what nobody sees, and what a token that is over sees. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { about, record } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  const made = { ...about("created", "Issue", 7), title: 'Late <vessels> & "berths"' };
  for (const project of [world.rocket, world.open]) {
    await record(world, [{ ...made, projectId: project.id, authorId: world.ids.dev }]);
  }
});

test("a feed shows what the owner of its token may see, and nobody else's token opens it (contract-events §4, feeds; §5)", async () => {
  const { json } = await world.call("/api/v4/user/feed_token", { as: "rep" });
  assert.match(json.feed_token, /^gft_/);
  assert.deepEqual((await world.call("/api/v4/user/feed_token", { as: "rep" })).json, json);
  const feed = await world.call(`/acme/rocket.atom?feed_token=${json.feed_token}`);
  assert.equal(feed.status, 200, feed.text);
  assert.match(feed.headers.get("content-type") ?? "", /^application\/atom\+xml/);
  assert.match(feed.text, /Late &lt;vessels&gt; &amp; &quot;berths&quot;/);
  assert.ok(!feed.text.includes(json.feed_token));
  const mine = await world.call(`/dev.atom?feed_token=${json.feed_token}`);
  assert.equal(mine.text.match(/<entry>/g)?.length, 2);
  assert.equal((await world.call("/dev.atom")).text.match(/<entry>/g)?.length, 1);
  assert.equal((await world.call("/acme/open.atom")).status, 200);
  assert.equal((await world.call("/acme/rocket.atom")).status, 404);
  assert.equal((await world.call("/nobody.atom")).status, 404);
  for (const wrong of ["x", "", "gft_wrong", `${json.feed_token}x`]) {
    assert.equal((await world.call(`/acme/rocket.atom?feed_token=${wrong}`)).status, 401, wrong);
    assert.equal((await world.call(`/acme/open.atom?feed_token=${wrong}`)).status, 401, wrong);
  }
  assert.equal((await world.call(`/api/v4/user?access_token=${json.feed_token}`)).status, 401);
});

test("a reset token opens nothing any more, the new one does (contract-events §4, feeds)", async () => {
  const old = (await world.call("/api/v4/user/feed_token", { as: "dev" })).json.feed_token;
  const reset = await world.call("/api/v4/user/feed_token/reset", { as: "dev", method: "POST" });
  assert.equal(reset.status, 200, reset.text);
  assert.notEqual(reset.json.feed_token, old);
  assert.equal((await world.call(`/acme/rocket.atom?feed_token=${old}`)).status, 401);
  assert.equal((await world.call(`/acme/rocket.atom?feed_token=${reset.json.feed_token}`)).status, 200);
});
