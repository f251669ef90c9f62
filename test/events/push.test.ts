/** What becomes of a push of many refs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pushesOf } from "../../src/events/push.ts";

const zeros = "0".repeat(40);
const told = { commitCount: 1, commitTitle: null };

test("a push of several refs is an event each, and one for all of a kind where they are more than three, however many (reference events A8)", () => {
  const few = [1, 2, 3].map((n) => ({ ref: `refs/tags/v${n}`, before: zeros, after: "a", ...told }));
  const many = Array.from({ length: 200_000 }, (_, n) => ({
    ...{ ref: `refs/heads/b${n}`, before: "a", after: "b" },
    ...told,
  }));
  const pushes = pushesOf([...few, ...many]).map(({ push }) => push);
  assert.deepEqual(
    pushes.map(({ action, refType, ref, refCount }) => [action, refType, ref, refCount]),
    [
      ["created", "tag", "v1", null],
      ["created", "tag", "v2", null],
      ["created", "tag", "v3", null],
      ["pushed", "branch", null, 200_000],
    ],
  );
});
