/** Which calls share a lookup, and what each gets if it fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedAnswers } from "../../src/platform/shared-answer.ts";

const owner = {};

/** Lookups that the test completes; `begun` lists the question of each. */
function held() {
  const begun: string[] = [];
  const ends: PromiseWithResolvers<string>[] = [];
  const share = sharedAnswers<string>();
  const ask = (question: string, of: object = owner) =>
    share(of, question, () => {
      begun.push(question);
      const end = Promise.withResolvers<string>();
      ends.push(end);
      return end.promise;
    });
  return { begun, ends, ask };
}

const turn = () => new Promise((done) => setImmediate(done));

test("calls during a lookup of the same question share the next lookup, which begins after they were made (decision 0214)", async () => {
  const { begun, ends, ask } = held();
  const first = ask("a");
  const others = [ask("a"), ask("a"), ask("a")];
  assert.deepEqual(begun, ["a"]);
  ends[0]?.resolve("before");
  assert.equal(await first, "before");
  assert.deepEqual(begun, ["a", "a"]);
  const late = ask("a");
  ends[1]?.resolve("behind");
  assert.deepEqual(await Promise.all(others), ["behind", "behind", "behind"]);
  assert.deepEqual(begun, ["a", "a", "a"]);
  ends[2]?.resolve("last");
  assert.equal(await late, "last");
});

test("no answer is cached: a call after an answer starts a new lookup (decision 0214)", async () => {
  const { begun, ends, ask } = held();
  for (const answer of ["one", "two"]) {
    const asked = ask("a");
    ends.at(-1)?.resolve(answer);
    assert.equal(await asked, answer);
  }
  assert.deepEqual(begun, ["a", "a"]);
});

test("lookups of other questions or other owners do not wait (decision 0214)", async () => {
  const { begun, ends, ask } = held();
  const all = [ask("a"), ask("b"), ask("a", {})];
  assert.deepEqual(begun, ["a", "b", "a"]);
  for (const [n, end] of ends.entries()) end.resolve(String(n));
  assert.deepEqual(await Promise.all(all), ["0", "1", "2"]);
});

test("a failed lookup fails for all that share it, and the next one begins nevertheless (decision 0214)", async () => {
  const { ends, ask } = held();
  const first = ask("a");
  const second = [ask("a"), ask("a")];
  ends[0]?.reject(new Error("timed out"));
  await assert.rejects(first, /timed out/);
  ends[1]?.reject(new Error("timed out again"));
  for (const each of second) await assert.rejects(each, /timed out again/);
  const third = ask("a");
  await turn();
  ends[2]?.resolve("well");
  assert.equal(await third, "well");
});
