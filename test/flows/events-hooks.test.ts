/** Hooks: every event of a project is forwarded once, signed, and only if the hook may receive it. */
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { ACTIONS } from "../../src/events/event.ts";
import { feedHooks } from "../../src/events/feed-hooks.ts";
import { TARGET_FILTERS } from "../../src/events/filter.ts";
import { recordEvents } from "../../src/events/record.ts";
import { hookLetter } from "../../src/events/wire-hooks.ts";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { OUTBOX_SEAL } from "../../src/outbox/message.ts";
import { openDb } from "../../src/platform/db.ts";
import { sql } from "../../src/platform/sql.ts";
import { whenDone } from "../support/cleanup.ts";
import { PATIENCE_MS } from "../support/database.ts";
import { about, allArrived, comment, push, record } from "../support/events.ts";
import { meanwhile } from "../support/meanwhile.ts";
import { type Received, type Receiver, startReceiver } from "../support/receivers.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const HOOKS = "/api/v4/projects/acme%2Frocket/hooks";
let world: World;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  world = await startWorld({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(receiver.url).host });
});
beforeEach(async () => {
  receiver.reset();
  for (const { id } of (await world.call(HOOKS, { as: "max" })).json)
    await world.call(`${HOOKS}/${id}`, { as: "max", method: "DELETE" });
});

const makeHook = async (fields: object = {}) => {
  const made = await world.call(HOOKS, { as: "max", json: { url: receiver.url, ...fields } });
  assert.equal(made.status, 201, made.text);
  return made.json;
};
const ofRocket = () => ({ projectId: world.rocket.id, authorId: world.ids.dev });
const feed = async () => {
  await feedHooks(world.platform, hookLetter);
  await deliverDue(world.platform);
};
const bodies = (): { type: string; data: { id: number } }[] =>
  receiver.requests.map(({ body }) => JSON.parse(body));
const sentIds = () => bodies().map(({ data }) => data.id);
const verify = ({ body, headers }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

test("a hook is sent each event once, signed, in the format of the project's list (decision 0109)", async () => {
  const hook = await makeHook();
  assert.match(hook.secret, /^whsec_/);
  const ids = await record(world, [
    { ...about("created", "Issue", 1), ...ofRocket() },
    { ...push, ...ofRocket() },
    { ...about("created", "Issue", 1), projectId: world.open.id, authorId: world.ids.dev },
  ]);
  await feed();
  await feed();
  assert.deepEqual(
    sentIds().sort((a, b) => a - b),
    ids.slice(0, 2),
  );
  const list = (
    await world.call("/api/v4/projects/acme%2Frocket/events?include=project,target", { as: "max" })
  ).json;
  for (const request of receiver.requests) {
    verify(request, hook.secret);
    const { type, timestamp, data } = JSON.parse(request.body);
    assert.deepEqual(
      data,
      list.find(({ id }: { id: number }) => id === data.id),
    );
    assert.equal(type, `event.${data.action}`);
    assert.equal(request.headers["x-gatehouse-event"], type);
    assert.equal(timestamp, data.created_at);
  }
  const shown = (await world.call(`${HOOKS}/${hook.id}`, { as: "max" })).json;
  assert.equal(shown.secret, undefined);
  assert.equal(shown.url, receiver.url);
});

test("confidential and internal events are sent only to hooks for which that is enabled (decision 0109)", async () => {
  await makeHook({ name: "open" });
  await record(world, [
    { ...about("created", "Issue", 20), ...ofRocket(), confidential: true },
    { ...comment("Issue", 21, { internal: true }), ...ofRocket() },
    { ...about("merged", "MergeRequest", 22), ...ofRocket() },
  ]);
  await feed();
  assert.deepEqual(
    bodies().map(({ type }) => type),
    ["event.merged"],
  );
  receiver.reset();
  await makeHook({ name: "all", confidential: true });
  await record(world, [{ ...about("closed", "Issue", 20), ...ofRocket(), confidential: true }]);
  await feed();
  assert.deepEqual(
    bodies().map(({ type }) => type),
    ["event.closed"],
  );
});

test("a hook with confidential events gets everything that a Reporter sees: pushes, and confidential events of merge requests (decision 0109)", async () => {
  await makeHook({ confidential: true });
  const ids = await record(world, [
    { ...push, ...ofRocket() },
    { ...comment("MergeRequest", 22, { internal: true }), ...ofRocket() },
    { ...about("approved", "MergeRequest", 23), ...ofRocket(), confidential: true },
  ]);
  await feed();
  // Several are under way at once, so they may arrive in another order.
  assert.deepEqual(
    sentIds().sort((a, b) => a - b),
    ids,
  );
});

test("a hook is sent only the actions and target types that it names, and nothing while it is disabled (decision 0109)", async () => {
  const hook = await makeHook({ actions: ["closed", "pushed"], target_types: ["issue"] });
  const some = () => [
    { ...about("created", "Issue", 30), ...ofRocket() },
    { ...about("closed", "Issue", 30), ...ofRocket() },
    { ...about("closed", "Milestone", 30), ...ofRocket() },
    { ...push, ...ofRocket() },
  ];
  await record(world, some());
  await feed();
  assert.deepEqual(
    bodies().map(({ type }) => type),
    ["event.closed"],
  );
  await world.call(`${HOOKS}/${hook.id}`, { as: "max", method: "PUT", json: { active: false } });
  await record(world, some());
  await feed();
  const on = await world.call(`${HOOKS}/${hook.id}`, { as: "max", method: "PUT", json: { active: true } });
  assert.deepEqual([on.json.active, on.json.actions], [true, ["closed", "pushed"]]);
  await feed();
  assert.equal(receiver.requests.length, 1);
});

test("enabling a hook that is already enabled does not drop its pending events, more than 100 of them in one run (decision 0109)", async () => {
  const hook = await makeHook();
  const ids = await record(
    world,
    Array.from({ length: 120 }, (_, n) => ({ ...about("closed", "Issue", 500 + n), ...ofRocket() })),
  );
  await world.call(`${HOOKS}/${hook.id}`, { as: "max", method: "PUT", json: { active: true } });
  await feed();
  assert.deepEqual(
    sentIds().sort((a, b) => a - b),
    ids,
  );
});

test("an event that commits after many runs that found nothing is sent by the next run (decision 0109)", async () => {
  await makeHook();
  const held = await world.platform.db.transaction(async (tx) => {
    const made = await recordEvents(tx, [{ ...about("created", "Issue", 45), ...ofRocket() }], 0);
    for (let look = 0; look < 10; look++) await feedHooks(world.platform, hookLetter);
    return made.map(({ id }) => id);
  });
  await allArrived(world.platform.db);
  await feed();
  assert.deepEqual(sentIds(), held);
});

test("a hook without a name gets the name of its host, also when its name is removed (decision 0109)", async () => {
  const { host } = new URL(receiver.url);
  const hook = await makeHook({ name: "" });
  assert.equal(hook.name, host);
  for (const name of ["Tides", ""]) {
    const changed = await world.call(`${HOOKS}/${hook.id}`, { as: "max", method: "PUT", json: { name } });
    assert.equal(changed.json.name, name || host, changed.text);
  }
});

test("no event is skipped or sent twice while transactions overlap, processes compete and one fails halfway (decision 0109)", async () => {
  await makeHook();
  const { db } = world.platform;
  let finish = () => {};
  const waiting = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let begun = () => {};
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const late = db.transaction(async (tx) => {
    const made = await recordEvents(tx, [{ ...about("created", "Issue", 40), ...ofRocket() }], 0);
    begun();
    await waiting;
    return made.map(({ id }) => id);
  });
  await isBegun;
  const early = await db.transaction((tx) =>
    recordEvents(tx, [{ ...about("created", "Issue", 41), ...ofRocket() }], 0),
  );
  await feed();
  finish();
  const ids = [...(await late), ...early.map(({ id }) => id)];
  // A process that dies after reading has stored neither messages nor its position.
  const dying = { ...world.platform, config: { ...world.platform.config } };
  const dies = () => {
    throw new Error("died here");
  };
  await feedHooks({ ...dying, log: { ...dying.log, error: () => {} } as typeof dying.log }, dies);
  const more = await record(
    world,
    Array.from({ length: 250 }, (_, n) => ({ ...about("created", "Issue", 100 + n), ...ofRocket() })),
  );
  await Promise.all([1, 2, 3].map(() => feedHooks(world.platform, hookLetter)));
  await feed();
  assert.deepEqual(
    sentIds().sort((a, b) => a - b),
    [...ids, ...more].sort((a, b) => a - b),
  );
});

/**
 * Feeds the hooks of one project with many events; another one's event is recorded before the turn `lateTurn` (from 1), and
 * `onTurn` is called with the number of each. Returns the projects of the events in the order in which they were fed.
 */
async function feedingBesideMany(
  events: number,
  lateTurn: number,
  onTurn: (turn: number) => void = () => {},
) {
  await makeHook();
  const other = "/api/v4/projects/acme%2Fopen/hooks";
  const made = await world.call(other, { as: "max", json: { url: receiver.url } });
  assert.equal(made.status, 201, made.text);
  const many = Array.from({ length: events }, (_, n) => ({
    ...about("created", "Issue", 2000 + n),
    ...ofRocket(),
  }));
  while (many.length > 0) await record(world, many.splice(0, 500));
  const { db } = world.platform;
  let turn = 0;
  const transaction: typeof db.transaction = async (work) => {
    if (++turn === lateTurn) {
      const late = {
        ...about("created", "Issue", lateTurn),
        projectId: world.open.id,
        authorId: world.ids.dev,
      };
      await record(world, [late]);
    }
    onTurn(turn);
    return db.transaction(work);
  };
  const fed: number[] = [];
  await feedHooks({ ...world.platform, db: { ...db, transaction } }, (event, url) => {
    fed.push(event.projectId);
    return hookLetter(event, url);
  });
  await world.call(`${other}/${made.json.id}`, { as: "max", method: "DELETE" });
  assert.equal(fed.length, events + 1);
  return fed;
}

test("hooks take turns: one with many events does not hold up one that falls behind meanwhile (decision 0298)", async () => {
  const fed = await feedingBesideMany(350, 2);
  assert.ok(fed.indexOf(world.open.id) < 350, `fed as number ${fed.indexOf(world.open.id) + 1}`);
});

test("a hook that falls behind while others have taken many long turns is fed within a second and a round (decision 0298)", async (context) => {
  const now = performance.now.bind(performance);
  // As if each turn took a second.
  const fed = await feedingBesideMany(2000, 17, (turn) => {
    context.mock.method(performance, "now", () => now() + turn * 1000);
  });
  assert.ok(fed.indexOf(world.open.id) <= 1800, `fed as number ${fed.indexOf(world.open.id) + 1}`);
});

test("a hook is fed with one connection of the pool, as its job holds another (decision 0162)", async () => {
  await makeHook();
  const [id] = await record(world, [{ ...about("created", "Issue", 60), ...ofRocket() }]);
  const failed: unknown[] = [];
  const log = Object.assign(Object.create(world.platform.log), {
    error: (entry: unknown) => failed.push(entry),
  });
  const db = openDb({ connection: world.connection, poolSize: 1, checkRows: true, patienceMs: PATIENCE_MS });
  whenDone(() => db.close());
  await feedHooks({ ...world.platform, db, log }, hookLetter);
  assert.deepEqual(failed, []);
  await deliverDue(world.platform);
  assert.deepEqual(sentIds(), [id]);
});

test("deliveries of a hook are listed with their attempts, and can be resent (decision 0109)", async () => {
  const hook = await makeHook();
  receiver.answers(500);
  const tried = await world.call(`${HOOKS}/${hook.id}/test`, { as: "max", method: "POST" });
  assert.equal(tried.status, 202, tried.text);
  await deliverDue(world.platform);
  const [one] = (await world.call(`${HOOKS}/${hook.id}/events`, { as: "max" })).json;
  assert.deepEqual([one.trigger, one.state, one.response_status], ["event.test", "waiting", 500]);
  const path = `${HOOKS}/${hook.id}/events/${one.id}`;
  assert.equal((await world.call(`${path}/resend`, { as: "max", method: "POST" })).status, 202);
  await deliverDue(world.platform);
  const after = (await world.call(`${path}/tries`, { as: "max" })).json;
  assert.deepEqual([after.state, after.tries.length, after.tries[0].response_status], ["sent", 2, 200]);
  const other = await makeHook({ name: "another" });
  const strange = await world.call(`${HOOKS}/${other.id}/events/${one.id}/resend`, {
    as: "max",
    method: "POST",
  });
  assert.equal(strange.status, 404);
});

test("for a day after a rotation, deliveries are signed with both secrets (decision 0109)", async () => {
  const hook = await makeHook();
  const rotated = await world.call(`${HOOKS}/${hook.id}/rotate_secret`, { as: "max", method: "POST" });
  assert.notEqual(rotated.json.secret, hook.secret);
  const { db } = world.platform;
  const later = (time: string) =>
    db.run(
      sql`update event_hooks set old_secret_until = old_secret_until - ${time}::interval where id = ${hook.id}`,
    );
  const tried = async () => {
    await world.call(`${HOOKS}/${hook.id}/test`, { as: "max", method: "POST" });
    await deliverDue(world.platform);
    return receiver.requests.at(-1) as Received;
  };
  await later("23 hours");
  const within = await tried();
  for (const secret of [hook.secret, rotated.json.secret]) verify(within, secret);
  await later("1 hour");
  const behind = await tried();
  verify(behind, rotated.json.secret);
  assert.throws(() => verify(behind, hook.secret));
});

test("hooks are managed by Maintainers only, at most 20 per project, and their URLs must not lead into a private network (decision 0109; decision 0049)", async () => {
  const hook = await makeHook();
  for (const path of [HOOKS, `${HOOKS}/${hook.id}`, `${HOOKS}/${hook.id}/events`]) {
    assert.equal((await world.call(path, { as: "dev" })).status, 403, path);
    assert.equal((await world.call(path, { as: "stan" })).status, 404, path);
  }
  assert.equal(
    (await world.call(`/api/v4/projects/acme%2Fopen/hooks/${hook.id}`, { as: "max" })).status,
    404,
  );
  const long = `https://${"long.".repeat(60)}example.org/`;
  for (const url of ["http://169.254.169.254/", "ftp://example.org/", "http://a:b@example.org/", "x", long]) {
    const refused = await world.call(HOOKS, { as: "max", json: { url } });
    assert.equal(refused.status, 400, url);
    assert.match(refused.json.message.url[0], /^must /);
  }
  const wrong = await world.call(HOOKS, { as: "max", json: { url: receiver.url, actions: ["danced"] } });
  assert.equal(wrong.status, 400, wrong.text);
  for (let n = 1; n < 20; n++) await makeHook({ name: `hook ${n}` });
  assert.equal((await world.call(HOOKS, { as: "max", json: { url: receiver.url } })).status, 422);
});

test("a hook's address or name that is too long is refused beside its field, and not cut (reference ux §5, 3.3.1)", async () => {
  const visitor = await signedIn(world, "max");
  const home = "/acme/rocket/-/settings/hooks";
  const before = (await world.call(HOOKS, { as: "max" })).json.length;
  const url = `${receiver.url}/${"x".repeat(2048)}`;
  const name = "n".repeat(256);
  const far = await visitor.submit(home, { url, name: "Far" });
  assert.equal(far.status, 422);
  assert.match(far.text, /Address is too long \(maximum is 2048 characters\)/);
  assert.ok(far.text.includes(`value="${url}"`));
  const long = await visitor.post(home, { url: receiver.url, name });
  assert.equal(long.status, 422);
  assert.match(long.text, /Name is too long \(maximum is 255 characters\)/);
  assert.ok(long.text.includes(`value="${name}"`));
  assert.equal((await world.call(HOOKS, { as: "max" })).json.length, before);
});

test("the pages of hooks create, test, rotate and delete one, and keep the input beside an error (decision 0109)", async () => {
  const visitor = await signedIn(world, "max");
  const home = "/acme/rocket/-/settings/hooks";
  const empty = (await visitor.get(home)).text;
  assert.match(empty, /Nothing is sent yet/);
  for (const word of [...ACTIONS, ...TARGET_FILTERS]) {
    assert.equal(
      empty.split(`type="checkbox" name="`).filter((part) => part.includes(`value="${word}"`)).length,
      1,
      word,
    );
  }
  const wrong = await visitor.post(home, { url: "http://10.0.0.1/x", name: "My <b>hook</b>" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /Address must not lead into a private network/);
  assert.match(wrong.text, /value="My &lt;b&gt;hook&lt;\/b&gt;"/);
  const made = await visitor.post(home, [
    ["url", receiver.url],
    ["actions", "pushed"],
    ["actions", "danced"],
    ["active", "true"],
  ]);
  const page = await visitor.follow(made);
  const secret = /data-value="(whsec_[^"]+)"/.exec(page.text)?.[1] ?? "";
  const path = made.location ?? "";
  const again = await visitor.get(path);
  assert.doesNotMatch(again.text, /whsec_/);
  assert.match(again.text, /value="pushed" checked/);
  assert.equal((await visitor.post(`${path}/test`, {})).status, 303);
  await deliverDue(world.platform);
  verify(receiver.requests[0] as Received, secret);
  const sent = await visitor.get(path);
  assert.match(sent.text, /event\.test[\s\S]*Delivered/);
  const action = /action="([^"]+\/resend)"/.exec(sent.text)?.[1] ?? "";
  await visitor.post(action, {});
  await deliverDue(world.platform);
  assert.equal(receiver.requests.length, 2);
  const rotated = await visitor.follow(await visitor.post(`${path}/rotate`, {}));
  assert.match(rotated.text, /whsec_/);
  assert.doesNotMatch(rotated.text, new RegExp(secret.replace(/[+/]/g, "\\$&")));
  await visitor.post(`${path}/delete`, {});
  assert.equal((await visitor.get(path)).status, 404);
  const developer = await signedIn(world, "dev");
  assert.equal((await developer.get(home)).status, 403);
});

test("two concurrent changes of a hook are both kept, and two concurrent new secrets both sign for a day (decision 0109)", async () => {
  const hook = await makeHook({ name: "Both" });
  const off = "update event_hooks set active = false where id = $1";
  const renamed = await meanwhile(world, [[off, hook.id]], () =>
    world.call(`${HOOKS}/${hook.id}`, { as: "max", method: "PUT", json: { name: "Renamed" } }),
  );
  assert.deepEqual([renamed.json.name, renamed.json.active, renamed.json.url], ["Renamed", false, hook.url]);
  await world.call(`${HOOKS}/${hook.id}`, { as: "max", method: "PUT", json: { active: true } });

  const other = `whsec_${Buffer.alloc(24, 5).toString("base64")}`;
  const sealed = world.platform.keys.seal(`${other} ${hook.secret}`, OUTBOX_SEAL);
  const rotated =
    "update event_hooks set secret_sealed = $2, old_secret_until = now() + interval '1 day' where id = $1";
  const { json } = await meanwhile(world, [[rotated, hook.id, sealed]], () =>
    world.call(`${HOOKS}/${hook.id}/rotate_secret`, { as: "max", method: "POST" }),
  );
  await record(world, [{ ...push, ...ofRocket() }]);
  await feed();
  const [request] = receiver.requests;
  for (const secret of [json.secret, other]) verify(request as Received, secret);
});
