/** docs/asvs.md answers every requirement of ASVS 5.0 that it should, and what it names exists. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/asvs.md"), "utf8");

/** The levels of the requirements of each section, in their order: 1.2.10 is of level 3. */
const SECTIONS: Readonly<Record<string, string>> = {
  "1.1": "22",
  "1.2": "1111122223",
  "1.3": "112222222223",
  "1.4": "222",
  "1.5": "123",
  "2.1": "122",
  "2.2": "112",
  "2.3": "12223",
  "2.4": "23",
  "3.1": "3",
  "3.2": "113",
  "3.3": "12223",
  "3.4": "11222233",
  "3.5": "11122333",
  "3.6": "3",
  "3.7": "22333",
  "4.1": "12233",
  "4.2": "23333",
  "4.3": "22",
  "4.4": "1222",
  "5.1": "2",
  "5.2": "112333",
  "5.3": "113",
  "5.4": "222",
  "6.1": "122",
  "6.2": "111111112222",
  "6.3": "11223333",
  "6.4": "112233",
  "6.5": "22222333",
  "6.6": "2223",
  "6.7": "33",
  "6.8": "2222",
  "7.1": "222",
  "7.2": "1111",
  "7.3": "22",
  "7.4": "11222",
  "7.5": "223",
  "7.6": "22",
  "8.1": "1233",
  "8.2": "1123",
  "8.3": "133",
  "8.4": "23",
  "9.1": "111",
  "9.2": "1222",
  "10.1": "22",
  "10.2": "223",
  "10.3": "22223",
  "10.4": "1111122222233333",
  "10.5": "22222",
  "10.6": "22",
  "10.7": "222",
  "11.1": "2233",
  "11.2": "22233",
  "11.3": "11233",
  "11.4": "1222",
  "11.5": "23",
  "11.6": "23",
  "11.7": "33",
  "12.1": "12233",
  "12.2": "11",
  "12.3": "22223",
  "13.1": "2333",
  "13.2": "222223",
  "13.3": "2233",
  "13.4": "1222233",
  "14.1": "22",
  "14.2": "12223333",
  "14.3": "122",
  "15.1": "12233",
  "15.2": "12233",
  "15.3": "1222222",
  "15.4": "3333",
  "16.1": "2",
  "16.2": "22222",
  "16.3": "2222",
  "16.4": "222",
  "16.5": "2223",
  "17.1": "23",
  "17.2": "22223333",
  "17.3": "22",
};
/** Chapters of which level 3 is considered, too (reference reliability A16). */
const DEEPER = ["6", "7", "10"];
const ANSWERS = ["yes", "partly", "no", "not applicable"];

const all = Object.entries(SECTIONS).flatMap(([section, levels]) =>
  [...levels].map((level, at) => ({
    id: `${section}.${at + 1}`,
    chapter: section.split(".")[0] ?? "",
    level,
  })),
);

interface Row {
  id: string;
  level: string;
  answer: string;
  /** The reason, and what shows it. */
  why: string;
}
const rows: Row[] = [
  ...page.matchAll(/^\| (\d+\.\d+\.\d+) \| ([123]) \| [^|]+ \| ([^|]+) \| (.+) \|$/gm),
].map(([, id = "", level = "", answer = "", why = ""]) => ({ id, level, answer, why }));

/** The files that a cell links to, from the root, with their anchors. */
const linked = (text: string) =>
  [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, href = ""]) => {
    const [path = "", anchor] = href.split("#");
    return { file: path.startsWith("../") ? path.slice(3) : `docs/${path || "asvs.md"}`, anchor };
  });

test("the standard has 70 requirements of level 1, 183 of level 2 and 92 of level 3 (reference reliability A16)", () => {
  const counted = ["1", "2", "3"].map((level) => all.filter((each) => each.level === level).length);
  assert.deepEqual(counted, [70, 183, 92]);
});

test("all requirements of levels 1 and 2, and those of level 3 in V6, V7 and V10, are answered once, in their order, with their level (reference reliability A16; decision 0326)", () => {
  const due = all.filter(({ level, chapter }) => level !== "3" || DEEPER.includes(chapter));
  assert.deepEqual(
    rows.map(({ id, level }) => `${id} ${level}`),
    due.map(({ id, level }) => `${id} ${level}`),
  );
  assert.equal(rows.length, 273);
});

test("a yes names a test or a document, and every other answer a reason (reference reliability A16; decision 0326)", () => {
  for (const { id, answer, why } of rows) {
    assert.ok(ANSWERS.includes(answer), `${id}: ${answer}`);
    const shown = linked(why).filter(({ file }) => /\.test\.ts$|\.md$|^openapi\.json$/.test(file));
    if (answer === "yes") assert.ok(shown.length > 0, `${id} names nothing that shows it`);
    else assert.match(why, /^(?!\[)\S/, `${id} gives no reason`);
  }
});

test("every link of docs/asvs.md and docs/security.md leads to a file, and to a heading of it (house habit)", () => {
  for (const document of ["docs/asvs.md", "docs/security.md"]) {
    for (const { file, anchor } of linked(readFileSync(join(root, document), "utf8"))) {
      assert.ok(existsSync(join(root, file)), `${document}: ${file}`);
      if (anchor === undefined) continue;
      const headings = readFileSync(join(root, file), "utf8").matchAll(/^#+ (.+)$/gm);
      const ids = [...headings].map(([, words = ""]) =>
        words
          .toLowerCase()
          .replaceAll(/[^\p{L}\d\s-]/gu, "")
          .replaceAll(/\s/g, "-"),
      );
      assert.ok(ids.includes(anchor), `${document}: ${file}#${anchor}`);
    }
  }
});

test("the counts of each chapter are those of its rows (decision 0326)", () => {
  const counted = (of: readonly Row[]) =>
    ANSWERS.map((answer) => of.filter((each) => each.answer === answer).length);
  const told = [...page.matchAll(/^\| (?:V(\d+) [^|]+|all) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm)];
  assert.equal(told.length, 18);
  for (const [, chapter, ...numbers] of told) {
    const its = rows.filter(({ id }) => chapter === undefined || id.startsWith(`${chapter}.`));
    assert.deepEqual(numbers.map(Number), counted(its), chapter ?? "all");
  }
});
