/** The documents shown as help, and where their links lead. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CHAPTERS, linkFrom, readDocument } from "../../src/operations/manual.ts";

const root = join(import.meta.dirname, "../..");

test("every chapter and every decision is a readable document, and no other file is (decision 0191; CWE-22)", async () => {
  for (const { slug } of CHAPTERS) assert.match((await readDocument(slug)) ?? "", /^# \S/, slug);
  assert.match((await readDocument("decisions")) ?? "", /^# Decisions/);
  assert.match((await readDocument("decisions/0191-documents-are-the-help")) ?? "", /^# 0191 /);
  for (const slug of [
    "architecture",
    "security-tests",
    "alerts.md",
    "decisions/README",
    "decisions/",
    "spec/clauses",
    "../README",
    "../package.json",
    "decisions/../alerts",
    "decisions/../../.env",
    "%2e%2e/README",
    "__proto__",
    "",
  ]) {
    assert.equal(await readDocument(slug), undefined, slug);
  }
});

test("links lead to a help page, an address of this service, an external site, or nowhere (decision 0191)", () => {
  const cases: readonly [slug: string, href: string, target: string | undefined][] = [
    ["alerts", "#send-with-curl", "#send-with-curl"],
    ["alerts", "oauth.md", "/-/help/oauth"],
    ["alerts", "operations.md#sign-in", "/-/help/operations#sign-in"],
    ["alerts", "decisions/0191-documents-are-the-help.md", "/-/help/decisions/0191-documents-are-the-help"],
    ["decisions", "0001-house.md", "/-/help/decisions/0001-house"],
    ["decisions/0001-house", "../scale.md", "/-/help/scale"],
    ["decisions/0001-house", "README.md", "/-/help/decisions"],
    ["events", "../openapi.json", "/openapi.json"],
    ["events", "https://www.standardwebhooks.com", "https://www.standardwebhooks.com/"],
    ["alerts", "architecture.md", undefined],
    ["alerts", "../README.md#configure", undefined],
    ["alerts", "../src/app.ts", undefined],
    ["alerts", "../../../../etc/passwd", undefined],
    ["alerts", "javascript:alert(1)", undefined],
    ["alerts", "data:text/html,x", undefined],
    ["alerts", "http://[", undefined],
  ];
  for (const [slug, href, target] of cases) assert.equal(linkFrom(slug, href), target, `${href} in ${slug}`);
});

test("a link between documents names an existing file (house habit)", async () => {
  const dead: string[] = [];
  for (const { slug } of CHAPTERS) {
    const text = (await readDocument(slug)) ?? "";
    for (const [, href = ""] of text.matchAll(/\]\(((?!https?:|#)[^)\s]+)\)/g)) {
      if (!existsSync(join(root, "docs", href.replace(/#.*/, "")))) dead.push(`${slug}: ${href}`);
    }
  }
  assert.deepEqual(dead, []);
});
