/** A link to the database that loses replies, is slow and lossy, or is down: answers are honest, and nothing accepted is lost. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { AlertLoad, AlertReceiver } from "../support/alert-receiver.ts";
import { addressOf, freshDatabase } from "../support/database.ts";
import { DatabaseLink } from "../support/database-link.ts";
import { until } from "../support/until.ts";

let link: DatabaseLink;
let receiver: AlertReceiver;

before(async () => {
  link = await DatabaseLink.start(await freshDatabase());
  // The driver takes its time limit from the address; that of the service is twenty seconds.
  receiver = await AlertReceiver.start({ DATABASE_URL: `${addressOf(link.connection)}&query_timeout=5000` });
});

test("if only the replies of the database are lost, a 503 says that the alert may have been stored, and a repeat with its key does not double it (reference reliability F20)", async () => {
  await until(async () => (await receiver.send("Before")).status === 200);
  link.watch = ({ text, earlier }) => {
    if (text === "commit" && earlier.some((each) => each.startsWith("insert into alert_idempotency_keys")))
      link.hold("replies");
  };
  const { status, text } = await receiver.send("Unanswered", "once");
  assert.equal(status, 503);
  assert.match(text, /may or may not have been stored/);
  assert.equal(await receiver.statusOf("/-/liveness"), 200);
  link.watch = undefined;
  link.release();
  await receiver.isReady();
  const countOf = async () => {
    const { alerts } = await receiver.stored();
    return alerts.filter(({ title }) => title === "Unanswered").map(({ events }) => events);
  };
  assert.deepEqual(await countOf(), [1], "the request had reached the database");
  await until(async () => (await receiver.send("Unanswered", "once")).status === 200);
  assert.deepEqual(await countOf(), [1]);
});

test("under load with lost replies nothing accepted is lost, and no repeat is counted twice (reference reliability F20)", async () => {
  const load = new AlertLoad(receiver);
  await load.goesOn();
  link.hold("replies");
  await load.isRefused(10);
  link.release();
  await receiver.isReady();
  await load.goesOn();
  await load.assertKept();
});

test("over a link that is slow and loses a tenth of what it carries, and after it was down, nothing accepted is lost (reference reliability F18, F19, F21)", async () => {
  const load = new AlertLoad(receiver, { senders: 4 });
  await load.goesOn(10);
  link.pace = { delayMs: 10, loss: 0.1, bytesPerSecond: 65_536 };
  await load.goesOn(10);
  link.hold("requests", "replies");
  await load.isRefused(4);
  link.release();
  link.refuses = true;
  link.cut();
  await load.isRefused(4);
  link.refuses = false;
  link.pace = {};
  await receiver.isReady();
  await load.goesOn(10);
  await load.assertKept();
});
