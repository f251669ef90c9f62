/** The lines of PostgreSQL's log that are shown to the operator. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { postgresLog } from "../../src/platform/embedded-postgres-log.ts";

function shown(...chunks: string[]): string[] {
  const lines: string[] = [];
  const log = postgresLog((line) => lines.push(line));
  for (const chunk of chunks) log.write(chunk);
  return lines;
}

test("warnings and failures of the machine are shown, with their continuation lines (decision 0003)", () => {
  assert.deepEqual(
    shown(
      "01000 checkpointer|WARNING:  something is odd\n53100 client backend|ERROR:  could not extend file\n",
      "58030 checkpointer|PANIC:  could not write\n\tto the log\nXX000 autovacuum worker|ERROR:  broken page\n",
    ),
    [
      "PostgreSQL: WARNING: something is odd",
      "PostgreSQL: ERROR: could not extend file",
      "PostgreSQL: PANIC: could not write",
      "PostgreSQL: to the log",
      "PostgreSQL: ERROR: broken page",
    ],
  );
});

test("errors that were sent to a client and messages of a normal start are not shown (decision 0003)", () => {
  assert.deepEqual(
    shown(
      "00000 postmaster|LOG:  starting PostgreSQL\n28P01 client backend|FATAL:  password authentication failed\n",
      '42704 client backend|ERROR:  role "x" does not exist\n\tmore of it\n57P01 client backend|FATAL:  ending\n',
      "23505 client backend|ERROR:  duplicate key\n",
    ),
    [],
  );
});

test("a line that arrives in pieces is read as one, and an unknown line is shown (its docstring in src/platform/embedded-postgres-log.ts)", () => {
  assert.deepEqual(shown("010", "00 postmaster|WARN", "ING:  odd\nfree(): invalid pointer\n"), [
    "PostgreSQL: WARNING: odd",
    "PostgreSQL: free(): invalid pointer",
  ]);
});

test("the last lines of a server that failed are kept, whether they were shown or not (its docstring in src/platform/embedded-postgres-log.ts)", () => {
  const log = postgresLog(() => undefined);
  log.write(
    "F0001 postmaster|FATAL:  lock file exists\n00000 not initialized|LOG:  database is shut down\nmore",
  );
  assert.equal(log.recent(), "FATAL: lock file exists / LOG: database is shut down / more");
});
