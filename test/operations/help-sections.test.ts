/** The search of the help: which sections a document has, and which are found. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lexer } from "marked";
import { decisionSections, searchSections, sectionsOf, wordsIn } from "../../src/operations/help-sections.ts";
import { helpText } from "../../src/operations/pages-help-text.ts";

const tokens = lexer(
  "# Alerts\n\nSend them.\n\n## Silences\n\nA *silence* of [one](x.md) `alert`.\n\n| a | b |\n|---|---|\n| c | d |\n\n### Silences\n\n```sh\ncurl silence\n```\n\n## Rules\n\nAn alert is read, and not in silence.\n",
);
const sections = sectionsOf(
  "alerts",
  tokens,
  helpText(tokens, () => undefined),
);

test("a document has a section for each heading, with its anchor and its words without markup (decision 0191)", () => {
  assert.deepEqual(
    sections.map(({ href, heading, text }) => [href, heading, text]),
    [
      ["/-/help/alerts", "Alerts", "Send them."],
      ["/-/help/alerts#silences", "Silences", "A silence of one alert. a b c d"],
      ["/-/help/alerts#silences-1", "Silences", "curl silence"],
      ["/-/help/alerts#rules", "Rules", "An alert is read, and not in silence."],
    ],
  );
});

test("the sections with all words are found, in any case, those with the words in the heading first (ux §7, help)", () => {
  const found = (query: string) => searchSections(sections, wordsIn(query)).map(({ href }) => href.slice(8));
  assert.deepEqual(found("silence ALERT"), ["alerts#silences", "alerts#silences-1", "alerts#rules"]);
  assert.deepEqual(found("silences rules"), []);
  assert.deepEqual(found("rules"), ["alerts#rules"]);
  assert.deepEqual(found("  "), []);
  assert.deepEqual(wordsIn(`x X ${"y ".repeat(50)}`), ["x", "y"]);
});

test("what stands around the first word is shown, cut at words (ux §7, help)", () => {
  const text = `${"before ".repeat(40)}needle ${"after ".repeat(60)}`;
  const [found] = searchSections([{ href: "/x", page: "P", heading: "H", text }], ["needle"]);
  assert.match(found?.excerpt ?? "", /^… before (?:before )+needle (?:after ?)+.* …$/);
  assert.ok((found?.excerpt.length ?? 0) < 240);
});

test("decisions are found by their titles (ux §7, help)", () => {
  const all = decisionSections("x\n- [0003](0003-embedded-postgresql.md) The `embedded` PostgreSQL\n");
  assert.deepEqual(searchSections(all, ["embedded"]), [
    {
      href: "/-/help/decisions/0003-embedded-postgresql",
      page: "Decisions",
      heading: "The embedded PostgreSQL",
      text: "",
      excerpt: "",
    },
  ]);
});
