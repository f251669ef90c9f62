/**
 * Every source file begins with one sentence that says what it is, and the generated lists of these sentences are current.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { captionOf, documents } from "../../scripts/captions.ts";
import { sourceFiles } from "../../scripts/imports.ts";

const root = join(import.meta.dirname, "../..");

for (const folder of ["src", "scripts"]) {
  test(`every file of ${folder}/ begins with a one-sentence comment (house rule: captions)`, () => {
    const faulty = sourceFiles(root, folder)
      .map(({ path, text }) => ({ path, caption: captionOf(text) }))
      .filter(({ caption }) => !isOneSentence(caption))
      .map(({ path, caption }) => `${path}: ${caption ?? "no caption"}`);
    assert.deepEqual(faulty, []);
  });
}

test("every generated part of the documents is current (house §2.11; CONTRIBUTING: Before you ask for a review)", () => {
  for (const { document, now, due } of documents(root))
    assert.equal(now, due, `${document} is out of date; run: sh bin/node scripts/captions.ts`);
});

test("the check of captions recognises one sentence, two, none, and a comment that is not at the beginning (house §2.11)", () => {
  const cases: [text: string, fine: boolean][] = [
    ["/** What a code is (RFC 6749 §4.1.2), and when it counts. */\n", true],
    ["/**\n * What a code is,\n * in two lines.\n */\n", true],
    ["/** Every code, e.g. of `db.ts`. Longer than 300 lines because the standard lists as many. */\n", true],
    ["/** What a code is. When it counts. */\n", false],
    ["/** What a code is */\n", false],
    ["/** */\n", false],
    ['import "x";\n/** What a code is. */\n', false],
    ["// What a code is.\n", false],
  ];
  for (const [text, fine] of cases) assert.equal(isOneSentence(captionOf(text)), fine, text);
});

/** One sentence; a long file may add why it is long. */
function isOneSentence(caption: string | undefined): boolean {
  const sentence = caption?.replace(/ Longer than 300 lines because .*$/, "") ?? "";
  return /^\S.*[.?]$/.test(sentence) && !/[.?!] +[A-Z]/.test(sentence);
}
