/** Cells of a CSV export: quoted where necessary, and never a formula. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { csvCell } from "../../src/alerts/export.ts";

test("a cell that a spreadsheet would read as a formula starts with an apostrophe (OWASP, CSV injection; reference reliability S111)", () => {
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\ufeff=1", "\uff1d1", "\r=1", "\n1"]) {
    assert.match(csvCell(text), /^"?'/, JSON.stringify(text));
  }
});

test("text with a quote, comma, line break or outer blank is quoted, all else is unchanged (RFC 4180 §2)", () => {
  assert.equal(csvCell("Disk is full"), "Disk is full");
  assert.equal(csvCell('a "b", c'), '"a ""b"", c"');
  assert.equal(csvCell("a\nb"), '"a\nb"');
  assert.equal(csvCell(" a"), '" a"');
  assert.equal(csvCell(-3), "-3");
  assert.equal(csvCell(null), "");
});
