/** The outbox on a real database, with real HTTP receivers and a mail server. */
import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { before, beforeEach, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import type { Outcome } from "../../src/outbox/delivery.ts";
import { enqueue } from "../../src/outbox/enqueue.ts";
import { findAttempts, findDeliveries } from "../../src/outbox/find-deliveries.ts";
import { type Message, OUTBOX_SEAL } from "../../src/outbox/message.ts";
import { resend } from "../../src/outbox/resend.ts";
import { newWebhookSecret } from "../../src/outbox/signature.ts";
import { startOutbox } from "../../src/outbox/start-outbox.ts";
import { recordAttempt } from "../../src/outbox/store.ts";
import { takeDue } from "../../src/outbox/store-queues.ts";
import { sweepOutbox } from "../../src/outbox/sweep.ts";
import { type Db, openDb } from "../../src/platform/db.ts";
import { Problem } from "../../src/platform/problem.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { whenDone } from "../support/cleanup.ts";
import { PATIENCE_MS } from "../support/database.ts";
import { startDrippingMailServer } from "../support/dripping-mail-server.ts";
import { type Receiver, startMailServer, startReceiver } from "../support/receivers.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let db: Db;
let receiver: Receiver;
let mail: Awaited<ReturnType<typeof startMailServer>>;

before(async () => {
  receiver = await startReceiver();
  mail = await startMailServer();
  world = await startWorld({
    GATEHOUSE_ALLOW_PRIVATE_TARGETS: "127.0.0.1",
    GATEHOUSE_SMTP_URL: mail.url,
    GATEHOUSE_MAIL_FROM: "Gatehouse <gatehouse@example.org>",
    GATEHOUSE_LOG_LEVEL: "silent",
  });
  db = world.platform.db;
});

beforeEach(async () => {
  receiver.reset();
  mail.reset();
  await db.run(sql`delete from outbox_deliveries`);
});

const webhook = (more: Partial<Message> = {}): Message =>
  ({
    channel: "webhook",
    url: `${receiver.url}/hook`,
    event: "alert.opened",
    body: { b: 1, a: "é" },
    ...more,
  }) as Message;

async function only(state?: "waiting" | "sent" | "dead") {
  const { deliveries } = await findDeliveries(db, { state }, { limit: 10, offset: 0 });
  assert.equal(deliveries.length, 1);
  return deliveries[0] as (typeof deliveries)[number];
}

/** As if the pause before the next attempt were over. */
const wait = () =>
  db.run(
    sql`update outbox_deliveries set due_at = date_trunc('milliseconds', now()) where state = 'waiting'`,
  );

test("a message is sent once when its transaction commits, and never when it rolls back (decision 0048)", async () => {
  await db.transaction((tx) => enqueue(tx, [webhook({ purpose: "hook:7", projectId: world.rocket.id })]));
  await assert.rejects(
    db.transaction(async (tx) => {
      await enqueue(tx, [webhook()]);
      throw new Error("changed my mind");
    }),
  );
  assert.equal(await deliverDue(world.platform), 1);
  assert.equal(await deliverDue(world.platform), 0);
  assert.equal(receiver.requests.length, 1);
  const sent = await only("sent");
  assert.deepEqual(
    [sent.title, sent.target, sent.attempts, sent.lastStatus, sent.lastError, sent.projectId, sent.purpose],
    ["alert.opened", new URL(receiver.url).host, 1, 200, "", world.rocket.id, "hook:7"],
  );
  const ofOthers = await findDeliveries(db, { projectId: world.open.id }, { limit: 10, offset: 0 });
  assert.deepEqual(ofOthers, { deliveries: [], total: 0 });
});

test("a webhook is signed as in Standard Webhooks, with the old and the new secret (decision 0048)", async () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()] as const;
  const secret = world.platform.keys.seal(secrets.join(" "), OUTBOX_SEAL);
  await enqueue(db, [webhook({ secret })]);
  await deliverDue(world.platform);
  const [request] = receiver.requests;
  assert.ok(request);
  assert.equal(request.body, '{"b":1,"a":"é"}');
  assert.equal(request.headers["x-gatehouse-event"], "alert.opened");
  assert.equal(request.headers.host, new URL(receiver.url).host);
  assert.match(String(request.headers["webhook-id"]), /^msg_[0-9a-f]{32}$/);
  for (const one of secrets) {
    new Webhook(one).verify(request.body, request.headers as Record<string, string>);
  }
  const sent = request.headers as Record<string, string>;
  const forged = { ...sent, "webhook-id": "msg_other" };
  assert.throws(() => new Webhook(secrets[0]).verify(request.body, forged));
});

test("a failed attempt is repeated after growing pauses with the same webhook-id until it succeeds (decision 0048)", async () => {
  receiver.answers(500, 503, 200);
  await enqueue(db, [webhook()]);
  /** Makes one attempt; returns the minimum and maximum seconds until the next one. */
  const pauses = async () => {
    const began = Date.now();
    await deliverDue(world.platform);
    const ended = Date.now();
    const { dueAt } = await only("waiting");
    return [(dueAt.getTime() - ended) / 1000, (dueAt.getTime() - began) / 1000] as const;
  };
  const [least, most] = await pauses();
  assert.ok(least < 12 && most > 7.9, `10 s, plus or minus a fifth: ${least} to ${most}`);
  const first = await only("waiting");
  assert.equal(first.lastError, "The response had status 500.");
  assert.equal(await deliverDue(world.platform), 0, "not before it is due");
  await wait();
  const [, longer] = await pauses();
  assert.ok(longer > 19.9, `25 s, plus or minus a fifth: ${longer}`);
  await wait();
  await deliverDue(world.platform);
  const sent = await only("sent");
  const attempts = await findAttempts(db, sent.id);
  assert.deepEqual(
    attempts.map(({ number, status }) => [number, status]),
    [
      [3, 200],
      [2, 503],
      [1, 500],
    ],
  );
  assert.equal(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size, 1);
});

test("Retry-After of a busy target is respected (decision 0048)", async () => {
  receiver.answers({ status: 429, headers: { "retry-after": "600" } });
  await enqueue(db, [webhook()]);
  await deliverDue(world.platform);
  const { dueAt } = await only("waiting");
  assert.ok(dueAt.getTime() - Date.now() > 590_000);
});

test("Retry-After as a date is interpreted by the Date header of the same response (decision 0048; RFC 9110 §10.2.3)", async () => {
  const clock = { date: "Sun, 06 Nov 1994 08:49:37 GMT", "retry-after": "Sun, 06 Nov 1994 08:59:37 GMT" };
  receiver.answers({ status: 503, headers: clock });
  await enqueue(db, [webhook()]);
  await deliverDue(world.platform);
  const { dueAt } = await only("waiting");
  const seconds = (dueAt.getTime() - Date.now()) / 1000;
  assert.ok(seconds > 400 && seconds < 620, `${seconds} s`);
});

test("a message whose target responds with a Retry-After of days is not given up, and gets another attempt after 12 hours (decision 0048)", async () => {
  receiver.answers({ status: 503, headers: { "retry-after": "172800" } }, 200);
  await enqueue(db, [webhook()]);
  const began = Date.now();
  await deliverDue(world.platform);
  const ended = Date.now();
  const { dueAt } = await only("waiting");
  const pause = 12 * 3_600_000;
  assert.ok(dueAt.getTime() >= began + pause - 100 && dueAt.getTime() <= ended + pause + 100, `${dueAt}`);
  await wait();
  await deliverDue(world.platform);
  assert.equal((await only("sent")).attempts, 2);
});

test("a message is given up at the end of its time, stays readable, and can be sent again (decision 0048)", async () => {
  receiver.answers({ status: 503, headers: { "retry-after": "7200" } }, 200);
  await enqueue(db, [webhook({ projectId: world.rocket.id })]);
  await db.run(sql`update outbox_deliveries set give_up_at = now() + interval '1 hour'`);
  await deliverDue(world.platform);
  const dead = await only("dead");
  assert.ok(dead.finishedAt);
  assert.equal(
    await resend(db, dead.id, { projectId: world.open.id }),
    false,
    "a delivery of another project",
  );
  assert.equal(await resend(db, dead.id, { projectId: world.rocket.id }), true);
  await deliverDue(world.platform);
  assert.equal((await only("sent")).attempts, 2);
});

test("a message whose time is over is not sent, so that a copy restored from a backup sends no old ones, and can be sent by hand (decision 0048)", async () => {
  const words = world.platform.keys.seal(JSON.stringify({ link: "https://x.example/" }), OUTBOX_SEAL);
  await enqueue(db, [
    webhook(),
    { channel: "mail", to: "dev@example.org", subject: "Hello", text: "{{link}}", words },
  ]);
  await db.run(
    sql`update outbox_deliveries set created_at = created_at - interval '1 day', give_up_at = give_up_at - interval '1 day'`,
  );
  await deliverDue(world.platform);
  assert.deepEqual([receiver.requests.length, mail.mails.length], [0, 0]);
  const { deliveries } = await findDeliveries(db, { state: "dead" }, { limit: 10, offset: 0 });
  assert.deepEqual(
    deliveries.map(({ channel, lastStatus, lastError }) => [channel, lastStatus, lastError]),
    [
      ["mail", null, "Not sent: its time was over."],
      ["webhook", null, "Not sent: its time was over."],
    ],
  );
  assert.equal(await db.run(sql`select from outbox_deliveries where sealed_secret is not null`), 0);
  assert.equal(await resend(db, deliveries[1]?.id ?? 0, {}), true);
  await deliverDue(world.platform);
  assert.equal(receiver.requests.length, 1);
});

test("a message to a target that responds with 410 or is not allowed is given up at once (decision 0048)", async () => {
  receiver.answers(410);
  await enqueue(db, [webhook()]);
  await deliverDue(world.platform);
  assert.equal((await only("dead")).lastError, "The target is gone.");
  await db.run(sql`delete from outbox_deliveries`);
  await enqueue(db, [webhook({ url: "http://10.0.0.1/" })]);
  await deliverDue(world.platform);
  assert.match((await only("dead")).lastError ?? "", /private network/);
});

test("redirects are not followed (reference reliability S126)", async () => {
  receiver.answers({ status: 302, headers: { location: `${receiver.url}/other` } }, 200);
  await enqueue(db, [webhook()]);
  await deliverDue(world.platform);
  assert.equal(receiver.requests.length, 1);
  assert.match((await only("waiting")).lastError ?? "", /redirect/);
});

test("a second message with the same purpose and dedupe key is not queued (decision 0048)", async () => {
  const one = webhook({ purpose: "digest", dedupeKey: "2026-11-21" });
  const ids = await enqueue(db, [one, one, webhook({ purpose: "other", dedupeKey: "2026-11-21" })]);
  assert.equal(ids.length, 2);
  assert.deepEqual(await enqueue(db, [one]), []);
});

test("several senders in parallel send each message once, and a slow target does not delay others (decision 0048)", async () => {
  const other = await startReceiver();
  receiver.delays(4000);
  const many = Array.from({ length: 12 }, () => webhook());
  await enqueue(db, [...many, ...Array.from({ length: 12 }, () => webhook({ url: other.url }))]);
  await Promise.all([deliverDue(world.platform), deliverDue(world.platform), deliverDue(world.platform)]);
  assert.equal(receiver.requests.length, 12);
  assert.equal(other.requests.length, 12);
  const { total } = await findDeliveries(db, { state: "sent" }, { limit: 1, offset: 0 });
  assert.equal(total, 24);
  const lastOfOther = Math.max(...other.requests.map(({ at }) => at));
  const lastOfSlow = Math.max(...receiver.requests.map(({ at }) => at));
  assert.ok(lastOfOther < lastOfSlow, "messages to the other target were sent before the slow one's");
});

test("one process sends at most four messages at once to one target (decisions 0048, 0298)", async () => {
  receiver.delays(300);
  await enqueue(
    db,
    Array.from({ length: 12 }, () => webhook()),
  );
  assert.equal(await deliverDue(world.platform), 12);
  assert.ok(receiver.mostAtOnce <= 4, `${receiver.mostAtOnce} at once`);
});

test("an attempt whose process died is repeated when its lease expires (decision 0048; reference reliability F40)", async () => {
  await enqueue(db, [webhook()]);
  // What a process leaves behind that is killed during an attempt.
  await db.run(sql`update outbox_deliveries set attempts = 1, due_at = now() + interval '180 seconds'`);
  assert.equal(await deliverDue(world.platform), 0);
  await wait();
  assert.equal(await deliverDue(world.platform), 1);
  const sent = await only("sent");
  assert.deepEqual(
    (await findAttempts(db, sent.id)).map(({ number }) => number),
    [2],
  );
});

test("a process whose lease has expired cannot record the result of its attempt over a newer one (decision 0048)", async () => {
  await enqueue(db, [webhook()]);
  // Expired from the start: the column has milliseconds, and rounding may put it half a millisecond ahead.
  const asked = {
    ...{ linkMails: 1, notices: 1, others: 1, projectMails: 1, logouts: 0, perTarget: 1 },
    ...{ busy: [], busyNotices: [], leaseSeconds: -1 },
  };
  const [first] = await takeDue(db, asked);
  const [second] = await takeDue(db, asked);
  assert.deepEqual([first?.attempts, second?.attempts], [1, 2]);
  const ended = {
    id: first?.id ?? 0,
    durationMs: 1,
    status: 200,
    error: "",
    isFinal: false,
    pauseSeconds: 60,
  };
  assert.equal(await recordAttempt(db, { ...ended, number: 1, isSent: true }), undefined);
  const { deliveries } = await findDeliveries(db, {}, { limit: 1, offset: 0 });
  assert.equal(deliveries[0]?.state, "waiting");
  assert.equal(await recordAttempt(db, { ...ended, number: 2, isSent: true }), "sent");
});

test("a Slack message is sent in the format of an incoming webhook, and its URL is stored encrypted only (decision 0048)", async () => {
  const url = `${receiver.url}/services/T0/B0/very-secret`;
  const sealed = world.platform.keys.seal(url, OUTBOX_SEAL);
  const blocks = [{ type: "section", text: { type: "mrkdwn", text: "*Disk full*" } }];
  await enqueue(db, [
    { channel: "slack", url: { sealed, host: "hooks.example.org" }, text: "Disk full", blocks },
  ]);
  const { n } = await db.one(
    row({ n: integer }),
    sql`select count(*) as n from outbox_deliveries d where d::text like '%very-secret%'`,
  );
  assert.equal(n, 0);
  await deliverDue(world.platform);
  assert.equal(receiver.requests[0]?.path, "/services/T0/B0/very-secret");
  assert.deepEqual(JSON.parse(receiver.requests[0]?.body ?? ""), { text: "Disk full", blocks });
  const sent = await only("sent");
  assert.deepEqual([sent.target, sent.title], ["hooks.example.org", "Disk full"]);
});

test("a mail is sent with its placeholders filled in, and their values are deleted afterwards (reference reliability S127)", async () => {
  const words = world.platform.keys.seal(JSON.stringify({ link: "https://x.example/?a&b" }), OUTBOX_SEAL);
  const html = '<a href="{{link}}">Reset</a>';
  await enqueue(db, [
    {
      channel: "mail",
      to: "dev@example.org",
      subject: "Grüße\r\nBcc: stan@example.org",
      text: "Open {{link}} {{not}}",
      html,
      words,
    },
  ]);
  await deliverDue(world.platform);
  const [got] = mail.mails;
  assert.ok(got);
  assert.deepEqual([got.from, got.to], ["gatehouse@example.org", ["dev@example.org"]]);
  assert.match(got.raw, /^From: Gatehouse <gatehouse@example\.org>/m);
  assert.match(got.raw, /^Message-ID: <msg_[0-9a-f]{32}@localhost>/m);
  assert.match(got.raw, /^Auto-Submitted: auto-generated/m);
  assert.doesNotMatch(got.raw, /^Bcc:/m);
  assert.match(got.text, /Open https:\/\/x\.example\/\?a&b \{\{not\}\}/);
  assert.match(got.text, /href="https:\/\/x\.example\/\?a&#38;b"/);
  const sent = await only("sent");
  const forgotten = row({ n: integer });
  const { n } = await db.one(
    forgotten,
    sql`select count(*) as n from outbox_deliveries where sealed_secret is not null`,
  );
  assert.equal(n, 0);
  assert.equal(await resend(db, sent.id, {}), false);
});

test("a list of addresses in place of one is treated as one address, which the mail server refuses (reference reliability S64)", async () => {
  await enqueue(db, [
    { channel: "mail", to: "dev@example.org, stan@example.org", subject: "Hello", text: "Hello" },
  ]);
  await deliverDue(world.platform);
  const dead = await only("dead");
  assert.deepEqual([dead.attempts, dead.lastError], [1, "The mail server refused the address (501)."]);
  assert.deepEqual(mail.mails, []);
});

test("a mail to a refused address is given up at once, and retried if the server cannot be reached (decision 0048)", async () => {
  mail.refuses("gone@example.org");
  await enqueue(db, [{ channel: "mail", to: "gone@example.org", subject: "Hello", text: "Hello" }]);
  await deliverDue(world.platform);
  const dead = await only("dead");
  assert.deepEqual([dead.lastStatus, dead.lastError], [550, "The mail server refused the address (550)."]);
  await db.run(sql`delete from outbox_deliveries`);
  const smtpUrl = "smtp://127.0.0.1:9";
  const away = {
    ...world.platform,
    config: { ...world.platform.config, mail: { smtpUrl, from: { name: "", address: "a@example.org" } } },
  };
  await enqueue(db, [{ channel: "mail", to: "dev@example.org", subject: "Hello", text: "Hello" }]);
  await deliverDue(away);
  assert.equal((await only("waiting")).lastError, "The mail server could not be reached.");
});

/** A mail server that accepts connections and says nothing. */
async function silentMailServer() {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const smtpUrl = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const mail = { smtpUrl, from: { name: "", address: "a@example.org" } };
  const platform = { ...world.platform, config: { ...world.platform.config, mail } };
  const end = () => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  };
  return { platform, sockets, end };
}

test("a mail server that does not respond does not delay webhooks, however many mails wait (decision 0048)", async () => {
  const { platform, end } = await silentMailServer();
  const mails = Array.from({ length: 40 }, (_, n): Message => {
    return { channel: "mail", to: `p${n}@example.org`, subject: "Hello", text: "Hello" };
  });
  await enqueue(db, mails);
  await enqueue(db, [webhook()]);
  let mayGoOn = true;
  const done = deliverDue(platform, () => mayGoOn);
  await receiver.next(1);
  const ended = await db.one(
    row({ n: integer }),
    sql`select count(*) as n from outbox_attempts a
    join outbox_deliveries d on d.id = a.delivery_id where d.channel = 'mail'`,
  );
  assert.equal(ended.n, 0, "the webhook was sent while the first mails still waited for a response");
  mayGoOn = false;
  end();
  await done;
});

test("notices to oneself, of which people can cause many, delay no mail with a link and none of a project, however slowly they are accepted (decision 0306)", async () => {
  const { platform, sockets, end } = await silentMailServer();
  const to = { channel: "mail", to: "dev@example.org", subject: "Hello", text: "Hello" } as const;
  await enqueue(
    db,
    Array.from({ length: 50 }, () => to),
  );
  let mayGoOn = true;
  const done = deliverDue(platform, () => mayGoOn);
  await until(async () => sockets.size >= 2);
  const link = world.platform.keys.seal(JSON.stringify({ link: "https://x.example/" }), OUTBOX_SEAL);
  await enqueue(db, [
    { ...to, words: link },
    { ...to, projectId: world.rocket.id },
  ]);
  const tried = () =>
    db.one(
      row({ notices: integer, others: integer }),
      sql`select count(*) filter (where sealed_secret is null and project_id is null) as notices,
          count(*) filter (where sealed_secret is not null or project_id is not null) as others
        from outbox_deliveries where attempts > 0`,
    );
  await until(async () => {
    const { notices, others } = await tried();
    return others === 2 || notices > 25;
  });
  const { others } = await tried();
  mayGoOn = false;
  end();
  await done;
  assert.equal(others, 2, "half of the notices were tried before");
});

test("targets of a project that do not respond delay no mail about an account, however many messages wait for them (decision 0298)", async () => {
  const sockets = new Set<Socket>();
  const urls: string[] = [];
  for (let n = 0; n < 5; n++) {
    const silent = createServer((socket) => sockets.add(socket.on("error", () => {})));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    whenDone(async () => silent.close());
    urls.push(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`);
  }
  const projectId = world.rocket.id;
  await enqueue(
    db,
    Array.from({ length: 100 }, (_, n) => webhook({ url: urls[n % 5] ?? "", projectId })),
  );
  let mayGoOn = true;
  const done = deliverDue(world.platform, () => mayGoOn);
  await until(async () => sockets.size >= 12);
  await enqueue(db, [{ channel: "mail", to: "dev@example.org", subject: "Hello", text: "Hello" }]);
  await until(async () => mail.mails.length > 0);
  mayGoOn = false;
  for (const socket of sockets) socket.destroy();
  await done;
});

test("sign-outs about which applications do not respond delay no webhook, however many are waiting (decision 0318)", async () => {
  await db.run(
    sql`select announce_logout(n, 'https://a' || n || '.example.org/', ${world.ids.stan}, gen_random_uuid())
      from generate_series(1, 50) n`,
  );
  const waiting: ((outcome: Outcome) => void)[] = [];
  const send = () => new Promise<Outcome>((resolve) => waiting.push(resolve));
  let mayGoOn = true;
  const done = deliverDue(world.platform, () => mayGoOn, { logout: { send } });
  try {
    await until(async () => waiting.length > 0);
    assert.equal(waiting.length, 6);
    await enqueue(db, [webhook()]);
    await receiver.next(1);
    assert.equal(waiting.length, 6, "still under way, and no others took the places that are left");
  } finally {
    mayGoOn = false;
    for (const end of waiting) end({ isSent: false, status: null, error: "The target did not respond." });
    await done;
  }
});

test("a running process sends by itself, also messages queued before its start, and stops after current attempts (decision 0048)", async () => {
  await enqueue(db, [webhook()]);
  const stop = startOutbox(world.platform);
  await receiver.next(1);
  await enqueue(db, [webhook()]);
  await receiver.next(2);
  receiver.delays(200);
  await enqueue(db, [webhook()]);
  await receiver.begun(3);
  await stop(60);
  assert.equal((await findDeliveries(db, { state: "sent" }, { limit: 9, offset: 0 })).total, 3);
});

test("a stop waits for a mail server that never ends its answer only for as long as it was told, and the mail is left to others (decision 0316)", async () => {
  const server = await startDrippingMailServer();
  const from = { name: "", address: "a@example.org" };
  const config = { ...world.platform.config, mail: { smtpUrl: server.url, from } };
  await enqueue(db, [{ channel: "mail", to: "dev@example.org", subject: "Hello", text: "Hello" }]);
  const stop = startOutbox({ ...world.platform, config });
  await until(async () => server.lines() > 3);
  await stop(0);
  const left = await only("waiting");
  assert.deepEqual([left.attempts, await findAttempts(db, left.id)], [1, []]);
  server.end();
  await until(async () => (await findAttempts(db, left.id)).length === 1);
});

test("finished deliveries are deleted after 30 days, and waiting ones are kept (decision 0048)", async () => {
  await enqueue(db, [webhook(), webhook()]);
  await deliverDue(world.platform);
  await enqueue(db, [webhook()]);
  await db.run(
    sql`update outbox_deliveries set created_at = now() - interval '31 days',
      finished_at = case when state = 'sent' and id % 2 = 0 then now() - interval '31 days' else finished_at end`,
  );
  await sweepOutbox(world.platform);
  assert.equal((await findDeliveries(db, {}, { limit: 9, offset: 0 })).total, 2);
});

test("the metrics count waiting, given up and attempted messages (decision 0071)", async () => {
  receiver.answers(410);
  await enqueue(db, [webhook()]);
  await deliverDue(world.platform);
  await enqueue(db, [webhook()]);
  const { text } = await world.call("/-/metrics");
  assert.match(text, /^gatehouse_outbox_waiting 1$/m);
  assert.match(text, /^gatehouse_outbox_dead 1$/m);
  assert.match(text, /^gatehouse_outbox_attempts_total\{channel="webhook",result="dead"\} \d+$/m);
});

test("deliveries are deleted with their project (decision 0048)", async () => {
  const other = openDb({ connection: world.connection, checkRows: true, patienceMs: PATIENCE_MS });
  whenDone(() => other.close());
  await enqueue(other, [webhook({ projectId: world.free.id })]);
  await other.run(sql`delete from projects where id = ${world.free.id}`);
  assert.equal((await findDeliveries(db, {}, { limit: 9, offset: 0 })).total, 0);
});

test("a stop waits for a current attempt, even if the database was unavailable for further ones (decision 0048)", async () => {
  await enqueue(db, [webhook()]);
  const [answered, failed] = [Promise.withResolvers<Outcome>(), Promise.withResolvers<void>()];
  let asked = 0;
  const many: Db["many"] = async (shape, statement) => {
    if (++asked === 1) return db.pooled.many(shape, statement);
    failed.resolve();
    throw new Problem("unavailable", "The database is not available.");
  };
  const platform = { ...world.platform, db: { ...db, pooled: { ...db.pooled, many } } };
  const stop = startOutbox(platform, { webhook: { send: () => answered.promise } });
  await failed.promise;
  let isOver = false;
  const stopping = stop(60).finally(() => {
    isOver = true;
  });
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  assert.equal(isOver, false);
  answered.resolve({ isSent: true, status: 200, error: "" });
  await stopping;
  assert.equal((await only()).state, "sent");
});
