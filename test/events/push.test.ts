/** How a push of several refs becomes events. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { commitTitle, pushData, pushesOf } from "../../src/events/push.ts";

const zeros = "0".repeat(40);
const told = { commitCount: 1, commitTitle: null };

test("a push is one event for each ref, and one event for all refs of a kind if they are more than three (reference events A8)", () => {
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

const push = (ref: string, before: string, after: string) => ({ ref, before, after, ...told });

test("refs that are neither branch nor tag are ignored, and so are those with two null commits (decision 0024)", () => {
  const sha256 = "0".repeat(64);
  const pushes = pushesOf([
    push("refs/heads/", "a", "b"),
    push("refs/notes/commits", "a", "b"),
    push("refs/heads/brief", zeros, sha256),
    push("refs/heads/odd\nname", sha256, "b"),
    push("refs/tags/v1", "a", zeros),
  ]);
  assert.deepEqual(
    pushes.map(({ push: { action, refType, ref, commitFrom, commitTo } }) => [
      ...[action, refType, ref],
      ...[commitFrom, commitTo],
    ]),
    [
      ["created", "branch", "odd\nname", null, "b"],
      ["removed", "tag", "v1", "a", null],
    ],
  );
});

test("a created ref has no commit before and a removed ref has none after, whatever the sender says (contract-events §1, push_data)", () => {
  const given = { ref: "refs/heads/main", commitFrom: "a", commitTo: "b", ...told };
  const ends = (action: "created" | "removed" | "pushed") => {
    const { commitFrom, commitTo } = pushData({ ...given, action });
    return [commitFrom, commitTo];
  };
  assert.deepEqual(
    [ends("created"), ends("removed"), ends("pushed")],
    [
      [null, "b"],
      ["a", null],
      ["a", "b"],
    ],
  );
});

test("more than three refs of one kind are one event, which counts the refs and no commits (reference events A8; contract-events §1, pushes)", () => {
  const some = (kind: string, before: string, after: string, n: number) =>
    Array.from({ length: n }, (_, i) => push(`refs/${kind}/${after}${before}${i}`, before, after));
  const pushes = pushesOf([
    ...some("heads", "a", "b", 3),
    ...some("heads", zeros, "c", 4),
    ...some("tags", zeros, "d", 4),
    ...some("tags", "e", zeros, 4),
  ]);
  assert.deepEqual(
    pushes
      .slice(3)
      .map(({ push: { action, refType, refCount, commitCount } }) => [
        ...[action, refType],
        ...[refCount, commitCount],
      ]),
    [
      ["created", "branch", 4, 0],
      ["created", "tag", 4, 0],
      ["removed", "tag", 4, 0],
    ],
  );
});

test("the title of a commit is the first line of its message, trimmed, with at most 70 characters (contract-events §1, push_data)", () => {
  for (const [message, title] of [
    ["Fix it \t \n\nWhy", "Fix it"],
    ["\n  Fix it\r\nWhy", "Fix it"],
    ["Fix it\rWhy", "Fix it"],
    ["😀".repeat(70), "😀".repeat(70)],
    ["😀".repeat(71), `${"😀".repeat(67)}...`],
    [" \n ", null],
  ] as const) {
    assert.equal(commitTitle(message), title);
  }
});
