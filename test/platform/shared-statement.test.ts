/** Which calls share a statement, and what each gets if it fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Queries } from "../../src/platform/db.ts";
import { sharedStatement } from "../../src/platform/shared-statement.ts";

const db = {} as Queries;
type Row = { place: number; of: string };
const rowsOf = (keys: readonly string[]): Row[] => keys.map((of, index) => ({ of, place: index + 1 }));

/** A statement that the test answers; `asked` are the keys of each that is running. */
function held() {
  const asked: string[][] = [];
  const answers: ((rows: Row[]) => void)[] = [];
  const ask = (_db: Queries, keys: readonly string[]) => {
    asked.push([...keys]);
    return new Promise<Row[]>((answer) => answers.push(answer));
  };
  return { asked, ask, answer: (index: number) => answers[index]?.(rowsOf(asked[index] ?? [])) };
}

const turn = () => new Promise((done) => setImmediate(() => setImmediate(done)));

test("at most two statements run at once, and calls that arrive meanwhile share the next (decision 0051)", async () => {
  const { asked, ask, answer } = held();
  const find = sharedStatement(ask);
  const found: Promise<Row | undefined>[] = [];
  for (const key of ["a", "b", "c", "d"]) {
    found.push(find(db, key));
    await turn();
  }
  assert.deepEqual(asked, [["a"], ["b"]]);
  answer(0);
  await turn();
  assert.deepEqual(asked[2], ["c", "d"]);
  answer(1);
  answer(2);
  assert.deepEqual(
    (await Promise.all(found)).map((row) => row?.of),
    ["a", "b", "c", "d"],
  );
});

test("with oneByOne, calls that arrive meanwhile share the next statement, which does not wait for a slow one (decision 0217)", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { asked, ask, answer } = held();
  const find = sharedStatement(ask, { oneByOne: true });
  const found: Promise<Row | undefined>[] = [];
  const comes = async (...keys: string[]) => {
    for (const key of keys) found.push(find(db, key));
    await turn();
  };
  await comes("a");
  await comes("b", "c");
  assert.deepEqual(asked, [["a"]]);
  answer(0);
  await turn();
  assert.deepEqual(asked[1], ["b", "c"]);
  await comes("d");
  t.mock.timers.tick(19);
  await turn();
  assert.equal(asked.length, 2);
  t.mock.timers.tick(1);
  await turn();
  assert.deepEqual(asked[2], ["d"], "b and c are slow");
  await comes("e");
  t.mock.timers.tick(20);
  await turn();
  assert.equal(asked.length, 3, "two are running");
  answer(2);
  await turn();
  assert.deepEqual(asked[3], ["e"]);
  answer(1);
  await comes("f");
  assert.equal(asked.length, 4, "e has just begun");
  answer(3);
  await turn();
  answer(4);
  assert.deepEqual(
    (await Promise.all(found)).map((row) => row?.of),
    ["a", "b", "c", "d", "e", "f"],
  );
});

test("no answer is cached: a call after an answer sends a new statement (decision 0051)", async () => {
  let n = 0;
  const find = sharedStatement(async (_db, keys: readonly string[]) => {
    n++;
    return rowsOf(keys);
  });
  await find(db, "a");
  await find(db, "a");
  assert.equal(n, 2);
});

test("of concurrent calls that would spend the same thing, one is sent and the others get nothing (contract §4, code)", async () => {
  const seen: string[] = [];
  const spend = sharedStatement(
    async (_db, keys: readonly string[]) => {
      seen.push(...keys);
      return rowsOf(keys);
    },
    { spends: (key) => key },
  );
  const got = await Promise.all([spend(db, "a"), spend(db, "b"), spend(db, "a")]);
  assert.deepEqual(seen, ["a", "b"]);
  assert.deepEqual(
    got.map((row) => row?.of),
    ["a", "b", undefined],
  );
});

test("a statement has at most the maximum number of keys, and the others share the next ones (decision 0167)", async () => {
  const sizes: number[] = [];
  const find = sharedStatement(
    async (_db, keys: readonly string[]) => {
      sizes.push(keys.length);
      return rowsOf(keys);
    },
    { mostTogether: 3 },
  );
  const keys = ["a", "b", "c", "d", "e", "f", "g"];
  const found = await Promise.all(keys.map((key) => find(db, key)));
  assert.deepEqual(
    found.map((row) => row?.of),
    keys,
  );
  assert.deepEqual(sizes, [3, 3, 1]);
});

test("a call that waits for a locked row, retried alone, does not delay those that failed with it (decision 0217)", async () => {
  let letGo = () => {};
  const find = sharedStatement(async (_db, keys: readonly string[]) => {
    if (keys.length > 1) throw Object.assign(new Error("held"), { code: "55P03" });
    if (keys[0] === "held") await new Promise<void>((done) => (letGo = done));
    return rowsOf(keys);
  });
  const [held, ...others] = ["held", "b", "c", "d", "e", "f"].map((key) => find(db, key));
  const answers = await Promise.all(others);
  assert.deepEqual(
    answers.map((row) => row?.of),
    ["b", "c", "d", "e", "f"],
  );
  letGo();
  assert.equal((await held)?.of, "held");
});

test("a deadlock, timeout or constraint violation of one call does not fail the others; a lost connection fails all (decision 0051)", async () => {
  const failing = (code: string) =>
    sharedStatement(async (_db, keys: readonly string[]) => {
      if (keys.includes("bad")) throw Object.assign(new Error(code), { code });
      return rowsOf(keys);
    });
  const outcomes = async (code: string) => {
    const find = failing(code);
    const all = await Promise.allSettled(["a", "bad", "c"].map((key) => find(db, key)));
    return all.map(({ status }) => status);
  };
  assert.deepEqual(await outcomes("23503"), ["fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(await outcomes("40P01"), ["fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(await outcomes("57014"), ["fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(await outcomes("55P03"), ["fulfilled", "rejected", "fulfilled"], "a locked row");
  assert.deepEqual(await outcomes("08006"), ["rejected", "rejected", "rejected"]);
});
