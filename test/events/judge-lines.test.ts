/** What is judged of the lines of a file, beside the flows of its import (`test/flows/events-import.test.ts`). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LineJudge } from "../../src/events/judge-lines.ts";
import { openDb } from "../../src/platform/db.ts";
import { freshDatabase } from "../support/database.ts";

test("lines that name nobody ask for no identities: unheard, what fails there would end the process (decision 0103)", async () => {
  const away = openDb({ connection: await freshDatabase() });
  await away.close();
  const options = { project: undefined, sourceId: 7, authorId: undefined };
  const lines = new LineJudge(away, options, true);
  const now = new Date();
  const window = { now, oldest: now, latest: now, short: {} };
  assert.deepEqual(await lines.judge([{ error: "no JSON" }], window), [{ error: "no JSON" }]);
  // A rejection that nobody heard is told after a turn of the event loop, and fails this test.
  await new Promise(setImmediate);
});
