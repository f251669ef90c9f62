/** What waits in the outbox for a hook follows its address and secret, and ends with it (decision 0109). */
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { feedHooks } from "../../src/events/feed-hooks.ts";
import { hookLetter } from "../../src/events/wire-hooks.ts";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { sql } from "../../src/platform/sql.ts";
import { about, record } from "../support/events.ts";
import { type Received, type Receiver, startReceiver } from "../support/receivers.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const HOOKS = "/api/v4/projects/acme%2Frocket/hooks";
let world: World;
let receiver: Receiver;
let other: Receiver;
before(async () => {
  [receiver, other] = [await startReceiver(), await startReceiver()];
  const allowed = [receiver, other].map(({ url }) => new URL(url).host).join(",");
  world = await startWorld({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: allowed });
});
beforeEach(async () => {
  for (const one of [receiver, other]) one.reset();
  for (const { id } of (await world.call(HOOKS, { as: "max" })).json)
    await world.call(`${HOOKS}/${id}`, { as: "max", method: "DELETE" });
});

const change = async (id: number, json: object) => {
  const changed = await world.call(`${HOOKS}/${id}`, { as: "max", method: "PUT", json });
  assert.equal(changed.status, 200, changed.text);
};

let issues = 0;
/** A hook that gets everything, with one event whose first try failed. */
async function failedOnce(): Promise<{ id: number; secret: string }> {
  const made = await world.call(HOOKS, { as: "max", json: { url: `${receiver.url}/old` } });
  assert.equal(made.status, 201, made.text);
  const what = { ...about("created", "Issue", ++issues), confidential: false };
  await record(world, [{ ...what, projectId: world.rocket.id, authorId: world.ids.dev }]);
  receiver.answers(503);
  await feedHooks(world.platform, hookLetter);
  await deliverDue(world.platform);
  assert.equal(receiver.requests.length, 1);
  return made.json;
}

/** Makes the next try of everything due, and sends it. */
async function tryAgain(): Promise<void> {
  await world.platform.db.run(sql`update outbox_deliveries set due_at = now() where state = 'waiting'`);
  await deliverDue(world.platform);
}

const verify = ({ body, headers }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

test("nothing that waits is sent to a hook that was removed or disabled, whether by the API or on the page, nor after it is enabled again (decision 0109)", async () => {
  const page = "/acme/rocket/-/settings/hooks";
  const max = await signedIn(world, "max");
  for (const end of [
    async (id: number) => {
      const gone = await world.call(`${HOOKS}/${id}`, { as: "max", method: "DELETE" });
      assert.equal(gone.status, 204, gone.text);
    },
    async (id: number) => {
      await max.get(page);
      assert.equal((await max.post(`${page}/${id}/delete`, {})).status, 303);
    },
    (id: number) => change(id, { active: false }),
    async (id: number) => {
      await change(id, { active: false });
      await change(id, { active: true });
    },
  ]) {
    receiver.reset();
    const { id } = await failedOnce();
    await end(id);
    await tryAgain();
    assert.equal(receiver.requests.length, 1);
  }
});

test("what waits for a hook with a new address is sent there, and not to the old one (decision 0109)", async () => {
  const { id, secret } = await failedOnce();
  await change(id, { url: `${other.url}/new`, name: "Moved" });
  await tryAgain();
  assert.equal(receiver.requests.length, 1);
  assert.deepEqual(
    other.requests.map(({ path }) => path),
    ["/new"],
  );
  verify(other.requests[0] as Received, secret);
  const [listed] = (await world.call(`${HOOKS}/${id}/events`, { as: "max" })).json;
  assert.deepEqual([listed.state, listed.attempts], ["sent", 2]);
});

test("what waits while a hook gets a new secret is signed with the new one and the old one (decision 0109)", async () => {
  const { id, secret } = await failedOnce();
  const rotated = await world.call(`${HOOKS}/${id}/rotate_secret`, { as: "max", method: "POST" });
  await tryAgain();
  const request = receiver.requests.at(-1) as Received;
  for (const one of [rotated.json.secret, secret]) verify(request, one);
});

test("a delivery that is sent again goes to the present address, signed with the present secret, by the API and on the page (decision 0109)", async () => {
  const { id, secret } = await failedOnce();
  await tryAgain();
  const [{ id: event }] = (await world.call(`${HOOKS}/${id}/events`, { as: "max" })).json;
  await change(id, { url: `${other.url}/new` });
  const rotated = await world.call(`${HOOKS}/${id}/rotate_secret`, { as: "max", method: "POST" });
  await world.platform.db.run(
    sql`update event_hooks set old_secret_until = now() - interval '1 minute' where id = ${id}`,
  );
  const before = receiver.requests.length;
  const again = await world.call(`${HOOKS}/${id}/events/${event}/resend`, { as: "max", method: "POST" });
  assert.equal(again.status, 202, again.text);
  await deliverDue(world.platform);
  const max = await signedIn(world, "max");
  const page = `/acme/rocket/-/settings/hooks/${id}`;
  await max.get(page);
  assert.match(
    (await max.follow(await max.post(`${page}/events/${event}/resend`, {}))).text,
    /It is sent again now/,
  );
  await deliverDue(world.platform);
  assert.equal(receiver.requests.length, before);
  assert.equal(other.requests.length, 2);
  for (const request of other.requests) {
    verify(request, rotated.json.secret);
    assert.throws(() => verify(request, secret));
  }
});
