/** Whose turn it is in the outbox, however much waits for others. */
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import {
  alreadyHereMail,
  confirmationMail,
  firstPasswordMail,
  invitationMail,
  registrationMail,
  resetMail,
} from "../../src/accounts/mails.ts";
import type { Taken } from "../../src/outbox/delivery.ts";
import { enqueue } from "../../src/outbox/enqueue.ts";
import { DELETION_PURPOSE, type MailMessage, type Message } from "../../src/outbox/message.ts";
import { type Asked, takeDue } from "../../src/outbox/store-queues.ts";
import type { Db, Queries } from "../../src/platform/db.ts";
import { sql } from "../../src/platform/sql.ts";
import { rowsHandled } from "../support/plans.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let db: Db;
before(async () => {
  world = await startWorld();
  db = world.platform.db;
});
beforeEach(async () => {
  await db.run(sql`delete from outbox_deliveries`);
});

const FREE: Asked = {
  linkMails: 4,
  notices: 2,
  others: 12,
  projectMails: 4,
  logouts: 6,
  perTarget: 4,
  busy: [],
  busyNotices: [],
  leaseSeconds: 180,
};
const take = (asked: Partial<Asked>, on: Queries = db.pooled) => takeDue(on, { ...FREE, ...asked });

/** Takes until each message was taken; that so many looks among some of them all pass one does not happen. */
const takeEach = async (asked: Partial<Asked>) => {
  const waiting = () => db.run(sql`select from outbox_deliveries where attempts = 0`);
  for (let looks = 0; (await waiting()) > 0 && looks < 200; looks++) await take(asked);
  assert.equal(await waiting(), 0);
};

const webhook = (projectId: number | undefined, host: string): Message => ({
  channel: "webhook",
  url: `https://${host}/`,
  event: "event.created",
  body: {},
  projectId,
});
const mail = (to: string, projectId?: number): MailMessage => ({
  channel: "mail",
  to,
  subject: "Hello",
  text: "Hello",
  projectId,
});
/** A mail that somebody waits for. */
const link = (to: string): Message => ({ ...mail(to), words: Buffer.from("sealed") });
/** So many messages, the first for the first host. */
const many = (projectId: number, hosts: number, each: number) =>
  Array.from({ length: hosts * each }, (_, n) => webhook(projectId, `h${n % hosts}.example.org`));

/** Enqueues messages that have been due for an hour. */
async function longAgo(messages: readonly Message[]): Promise<void> {
  const ids = await enqueue(db, messages);
  await db.run(
    sql`update outbox_deliveries set due_at = due_at - interval '1 hour' where id = any (${ids}::bigint[])`,
  );
}

/** Inserts so many messages of a project, for this many hosts. */
const flood = (projectId: number, messages: number, hosts: number) =>
  db.run(
    sql`insert into outbox_deliveries (channel, target, content, project_id, due_at)
      select 'webhook', 'h' || n % ${hosts}::integer || '.example.org', '{}', ${projectId}, now() - interval '1 hour'
      from generate_series(1, ${messages}::integer) n`,
  );

/** Ends a session in which so many applications were signed in, each on a host of its own. */
const signOut = (person: Person, applications: number) =>
  db.run(
    sql`select announce_logout(n, 'https://' || ${person} || n || '.example.org/', ${world.ids[person]}, gen_random_uuid())
      from generate_series(1, ${applications}::integer) n`,
  );
const isLogout = ({ channel }: Taken) => channel === "logout";

const targets = (taken: readonly Taken[]) => taken.map(({ target }) => target);
/** The tries of twelve messages that a project has under way. */
const busyWith = (projectId: number) =>
  Array.from({ length: 12 }, (_, n) => ({ owner: String(projectId), target: `h${n % 3}.example.org` }));

test("a mail with a link is taken at once, whatever waits or is being sent to the targets of projects (decision 0298)", async () => {
  await longAgo([
    ...many(world.rocket.id, 20, 10),
    ...Array.from({ length: 40 }, (_, n) => mail(`p${n}@example.org`, world.rocket.id)),
  ]);
  await enqueue(db, [link("dev@example.org")]);
  const taken = await take({});
  assert.ok(targets(taken).includes("dev@example.org"));
  assert.equal(taken.length, 13);
  assert.ok(taken.filter(({ channel, projectId }) => channel === "mail" && projectId !== null).length <= 4);
  await enqueue(db, [link("max@example.org")]);
  const full = { others: 0, projectMails: 0, notices: 0, busy: busyWith(world.rocket.id) };
  assert.deepEqual(targets(await take(full)), ["max@example.org"]);
});

test("links for a password, to sign up, to accept an invitation and to confirm an address are such mails (decision 0306)", async () => {
  const { platform } = world;
  const to = (name: string) => ({ to: `${name}@example.org`, link: "https://x.example/" });
  await enqueue(db, [
    resetMail(platform, { ...to("reset"), username: "dev" }),
    firstPasswordMail(platform, { ...to("first"), username: "dev" }),
    invitationMail(platform, { ...to("invited"), inviter: "Max", place: "acme/rocket" }),
    registrationMail(platform, to("registered")),
    confirmationMail(platform, { ...to("confirmed"), username: "dev" }),
    alreadyHereMail(platform.config, { to: "here@example.org", username: "dev" }),
  ]);
  const taken = await take({ linkMails: 10, notices: 0, others: 0 });
  assert.deepEqual(
    targets(taken)
      .map((one) => one.replace("@example.org", ""))
      .sort(),
    ["confirmed", "first", "invited", "registered", "reset"],
  );
});

test("notices to one person delay no mail with a link, nothing of a project and no notice to others, however many there are (decision 0306)", async () => {
  await longAgo(Array.from({ length: 200 }, () => mail("stan@example.org")));
  await longAgo(many(world.rocket.id, 20, 10));
  await enqueue(db, [
    link("stan@example.org"),
    mail("dev@example.org"),
    mail("max@example.org", world.open.id),
  ]);
  const taken = await take({});
  const ofStan = taken.filter(({ target, sealedSecret }) => target === "stan@example.org" && !sealedSecret);
  assert.deepEqual([taken.length, ofStan.length], [15, 1]);
  assert.ok(taken.some(({ target, sealedSecret }) => target === "stan@example.org" && sealedSecret));
  for (const other of ["dev@example.org", "max@example.org"])
    assert.ok(targets(taken).includes(other), other);
  await enqueue(db, [mail("rep@example.org")]);
  const [next] = await take({ linkMails: 0, notices: 1, others: 0, busyNotices: ["stan@example.org"] });
  assert.equal(next?.target, "rep@example.org", "to nobody else a notice is being sent");
  assert.equal(
    (await take({ linkMails: 0, others: 0 })).length,
    2,
    "where nobody else waits, both tries are Stan's",
  );
  assert.deepEqual(await take({ linkMails: 0, notices: 0, others: 0 }), []);
});

test("notices to a thousand people take no turns of projects, and each has its own (decision 0306)", async () => {
  await db.run(
    sql`insert into outbox_deliveries (channel, target, content)
      select 'mail', 'p' || n || '@example.org', '{}' from generate_series(1, 1000) n`,
  );
  await enqueue(db, [webhook(world.open.id, "other.example.org"), mail("max@example.org", world.rocket.id)]);
  await world.owner.run(sql`analyze outbox_deliveries`);
  const taken = await take({});
  for (const other of ["other.example.org", "max@example.org"])
    assert.ok(targets(taken).includes(other), other);
  assert.equal(taken.length, 4);
  const rows = await rowsHandled(world, (on) => take({}, on));
  assert.ok(rows < 30_000, `${rows} rows`);
  // A look compares the messages of 250.
  await takeEach({ notices: 500 });
});

test("notices of deletions, of which people can cause many, delay no other mail of no project, and take turns with projects (decision 0298)", async () => {
  const notices = Array.from({ length: 40 }, (_, n) => mail(`p${n}@example.org`));
  await longAgo(notices.map((one) => ({ ...one, purpose: DELETION_PURPOSE })));
  await longAgo(many(world.rocket.id, 20, 10));
  await enqueue(db, [link("dev@example.org"), webhook(world.open.id, "other.example.org")]);
  const taken = await take({});
  assert.ok(targets(taken).includes("dev@example.org"));
  assert.ok(targets(taken).includes("other.example.org"));
  const isNotice = ({ purpose }: Taken) => purpose === DELETION_PURPOSE;
  const sent = taken.filter(isNotice).length;
  assert.ok(sent >= 1 && sent <= 4, `${sent}`);
  const busy = [1, 2, 3].map((n) => ({ owner: DELETION_PURPOSE, target: `p${n}@example.org` }));
  await enqueue(db, [webhook(world.free.id, "third.example.org")]);
  const [next] = await take({ others: 1, busy });
  assert.equal(next?.purpose === DELETION_PURPOSE, false, "others have fewer tries under way");
});

test("nine hundred applications that hear of one person's sign-out delay nothing of a project and no notice about others (decision 0318)", async () => {
  await signOut("stan", 900);
  await signOut("dev", 1);
  await enqueue(db, [webhook(world.open.id, "other.example.org")]);
  const taken = await take({});
  for (const other of ["other.example.org", "dev1.example.org"])
    assert.ok(targets(taken).includes(other), other);
  assert.equal(taken.filter(isLogout).length, 6, "of twelve tries");
  const busy = taken.filter(({ target }) => target.startsWith("stan"));
  assert.equal(busy.length, 5);
  await signOut("max", 1);
  const next = await take({ others: 7, logouts: 1, busy });
  assert.deepEqual(targets(next), ["max1.example.org"], "about nobody else a notice is under way");
  await enqueue(db, [webhook(world.open.id, "another.example.org")]);
  assert.deepEqual(targets(await take({ logouts: 0 })), ["another.example.org"]);
});

test("notices of the sign-outs of nine hundred people leave half of the tries to projects, and each is sent (decision 0318)", async () => {
  await db.run(
    sql`select announce_logout(1, 'https://a' || n || '.example.org/', n, gen_random_uuid())
      from generate_series(1, 900) n`,
  );
  await enqueue(db, [webhook(world.open.id, "other.example.org"), mail("max@example.org", world.rocket.id)]);
  await world.owner.run(sql`analyze outbox_deliveries`);
  const taken = await take({});
  for (const other of ["other.example.org", "max@example.org"])
    assert.ok(targets(taken).includes(other), other);
  assert.equal(taken.filter(isLogout).length, 6, "of twelve tries");
  const rows = await rowsHandled(world, (on) => take({}, on));
  assert.ok(rows < 30_000, `${rows} rows`);
  await takeEach({ others: 300, logouts: 300 });
});

test("the next message is that of the project with the fewest tries under way, however long those of others have waited (decision 0298)", async () => {
  await longAgo(many(world.rocket.id, 20, 10));
  await enqueue(db, [webhook(world.open.id, "other.example.org")]);
  assert.ok(targets(await take({})).includes("other.example.org"));
  await enqueue(db, [webhook(world.open.id, "another.example.org")]);
  const one = { others: 1, busy: busyWith(world.rocket.id).slice(1) };
  assert.deepEqual(targets(await take(one)), ["another.example.org"]);
});

test("a project's message for a target that others use too is taken before the second one of another project (decision 0298)", async () => {
  await longAgo(many(world.rocket.id, 1, 100));
  await enqueue(db, [webhook(world.open.id, "h0.example.org")]);
  const taken = await take({});
  assert.equal(taken.length, 4, "for one target");
  assert.equal(taken.filter(({ projectId }) => projectId === world.open.id).length, 1);
});

test("within a project a target that does not respond does not hold up the others, and has at most four tries at once (decision 0298)", async () => {
  await longAgo(many(world.rocket.id, 1, 100));
  await enqueue(db, [webhook(world.rocket.id, "other.example.org")]);
  const busy = Array.from({ length: 4 }, () => ({
    owner: String(world.rocket.id),
    target: "h0.example.org",
  }));
  assert.deepEqual(targets(await take({ others: 8, busy })), ["other.example.org"]);
});

test("projects with as many tries under way take turns, also with those whose messages are older (decision 0298)", async () => {
  const busyOnes = [world.rocket.id, world.free.id];
  for (const id of busyOnes) await flood(id, 200, 1);
  await enqueue(db, [webhook(world.open.id, "other.example.org")]);
  let turns = 0;
  for (let isTaken = false; !isTaken && turns < 100; turns++)
    isTaken = targets(await take({ others: 1 })).includes("other.example.org");
  // Two in three are not its turn: that it has none in a hundred does not happen.
  assert.ok(turns < 100, `${turns} turns`);
});

test("how many messages wait does not matter: of each queue only the first few are read, also while its target is busy (decision 0298)", async () => {
  await flood(world.rocket.id, 20_000, 20);
  await flood(world.open.id, 20_000, 1);
  await db.run(
    sql`insert into outbox_deliveries (channel, target, content)
      select 'mail', 'stan@example.org', '{}' from generate_series(1, 20000)`,
  );
  await enqueue(db, [link("dev@example.org")]);
  await world.owner.run(sql`analyze outbox_deliveries`);
  const busy = busyWith(world.open.id).map(({ owner }) => ({ owner, target: "h0.example.org" }));
  for (const asked of [{}, { others: 1, busy }]) {
    const rows = await rowsHandled(world, (on) => take(asked, on));
    assert.ok(rows < 10_000, `${rows} rows`);
  }
});

test("where more queues wait than one look reads, each has its turn (decision 0298)", async () => {
  await db.run(
    sql`insert into outbox_deliveries (channel, target, content)
      select 'webhook', 'h' || n || '.example.org', '{}' from generate_series(1, 1500) n`,
  );
  const rows = await rowsHandled(world, (on) => take({}, on));
  assert.ok(rows < 50_000, `${rows} rows`);
  // A look compares the messages of 1,000.
  await takeEach({ others: 500 });
});

test("processes of the previous version still find their queues by an index (decision 0306; house §2.8)", async () => {
  await flood(world.rocket.id, 20_000, 20);
  await world.owner.run(sql`analyze outbox_deliveries`);
  const rows = await rowsHandled(world, (on) =>
    on.run(
      sql`select outbox_queue(channel, project_id, target, purpose) collate "C" as key from outbox_deliveries
        where state = 'waiting' and outbox_queue(channel, project_id, target, purpose) collate "C" > '' order by 1 limit 1`,
    ),
  );
  assert.ok(rows < 10, `${rows} rows`);
});
