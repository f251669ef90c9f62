/** How long a mail server may take for a try, over real connections. */
import assert from "node:assert/strict";
import { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import type { Outcome, Taken } from "../../src/outbox/delivery.ts";
import { sendMail } from "../../src/outbox/send-mail.ts";
import { readConfig } from "../../src/platform/config.ts";
import { keysFrom } from "../../src/platform/secret.ts";
import { startDrippingMailServer } from "../support/dripping-mail-server.ts";
import { startMailServer } from "../support/receivers.ts";
import { until } from "../support/until.ts";

const MAIL: Taken = {
  id: 1,
  messageId: "msg_1",
  channel: "mail",
  target: "dev@example.org",
  purpose: "",
  projectId: null,
  owner: "",
  content: { subject: "Hello", text: "Hello" },
  sealedUrl: null,
  sealedSecret: null,
  attempts: 1,
  takenAt: new Date(),
  isTooLate: false,
};

/** A try at this server; `outcome` is undefined until it has ended. */
function tryAt(url: string): { outcome?: Outcome } {
  const config = readConfig({ GATEHOUSE_SMTP_URL: url, GATEHOUSE_MAIL_FROM: "gatehouse@example.org" });
  const begun: { outcome?: Outcome } = {};
  void sendMail({ config, keys: keysFrom(Buffer.alloc(32, 1)) }, MAIL).then((outcome) => {
    begun.outcome = outcome;
  });
  return begun;
}

/** The time limit of a try: how long it is, and its end. */
function timeLimit(t: TestContext) {
  const limit = new AbortController();
  const { mock } = t.mock.method(AbortSignal, "timeout", () => limit.signal);
  return {
    milliseconds: () => mock.calls.map(({ arguments: [given] }) => given),
    reach: () => limit.abort(),
  };
}

test("a try ends after two minutes at a mail server that always sends one more line, so it is over before another process repeats it (decision 0316)", async (t) => {
  const limit = timeLimit(t);
  const server = await startDrippingMailServer();
  const begun = tryAt(server.url);
  await until(async () => server.lines() > 3);
  assert.deepEqual(limit.milliseconds(), [120_000]);
  assert.equal(begun.outcome, undefined);
  limit.reach();
  await until(async () => begun.outcome !== undefined);
  assert.deepEqual(begun.outcome, {
    isSent: false,
    status: null,
    error: "The mail server did not finish within 120 seconds.",
  });
  await until(async () => server.open() === 0);
});

test("a mail server may be silent for as long as the try lasts, also after it got the mail, so that it gets no second copy (RFC 5321 §4.5.3.2; decision 0316)", async (t) => {
  const limit = timeLimit(t);
  let silence = 0;
  const original = Socket.prototype.setTimeout;
  t.mock.method(Socket.prototype, "setTimeout", function (this: Socket, ...given: [number]) {
    [silence] = given;
    return original.apply(this, given);
  });
  const server = await startDrippingMailServer();
  const begun = tryAt(server.url);
  await until(async () => server.lines() > 3);
  assert.equal(silence, 120_000, "milliseconds, as set last: before the connection stood, others may hold");
  limit.reach();
  await until(async () => begun.outcome !== undefined);
});

test("with requireTLS in its address a mail server that offers no TLS gets neither the password nor a mail (ASVS 12.3.1; operations: Mail and other things that go out)", async () => {
  const server = await startMailServer();
  const plain = tryAt(server.url);
  await until(async () => plain.outcome !== undefined);
  assert.deepEqual([plain.outcome?.isSent, server.mails.length], [true, 1]);
  const begun = tryAt(`${server.url}?requireTLS=true`);
  await until(async () => begun.outcome !== undefined);
  assert.equal(begun.outcome?.isSent, false);
  assert.match(begun.outcome?.error ?? "", /^TLS with the mail server failed/);
  assert.equal(server.mails.length, 1);
});
