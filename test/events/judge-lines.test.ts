/** The parts of LineJudge that the flow tests of the import (`test/flows/events-import.test.ts`) do not cover. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LineJudge } from "../../src/events/judge-lines.ts";
import { openDb } from "../../src/platform/db.ts";
import { freshDatabase } from "../support/database.ts";

test("a batch whose lines name nobody looks up no identities, as an unhandled rejection there would end the process (decision 0103)", async () => {
  const away = openDb({ connection: await freshDatabase() });
  await away.close();
  const options = { project: undefined, sourceId: 7, authorId: undefined };
  const lines = new LineJudge(away, options, true);
  const now = new Date();
  const window = { now, oldest: now, latest: now, short: {} };
  assert.deepEqual(await lines.judge([{ error: "no JSON" }], window), [{ error: "no JSON" }]);
  // An unhandled rejection is reported after a turn of the event loop, and fails this test.
  await new Promise(setImmediate);
});
