/** The import check finds nothing in the source tree, and finds every kind of violation. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { picture as draw, type Finding, inspect } from "../../scripts/floors.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** A small source tree that follows every rule; each case below adds one violation to it. */
const SOUND_HOUSE: Readonly<Record<string, string>> = {
  "src/platform/problem.ts": "export class Problem extends Error {}\n",
  "src/platform/db.ts":
    'import pg from "pg";\nimport "./problem.ts";\nexport interface Db { pool: pg.Pool }\n',
  "src/platform/sql.ts": 'import { Problem } from "./problem.ts";\nexport const sql = () => new Problem();\n',
  "src/platform/http.ts": 'import type { Problem } from "./problem.ts";\nexport type Refusal = Problem;\n',
  "src/ui/html.ts": 'import "../platform/problem.ts";\nexport const html = String;\n',
  "src/accounts/user.ts": 'import { Problem } from "../platform/problem.ts";\nexport const user = Problem;\n',
  "src/accounts/store.ts": 'import { sql } from "../platform/sql.ts";\nexport const findUser = sql;\n',
  "src/accounts/wire.ts": 'import { user } from "./user.ts";\nexport const userRecord = user;\n',
  "src/accounts/rename-user.ts":
    'import type { Db } from "../platform/db.ts";\nimport { findUser } from "./store.ts";\nexport const renameUser = (_db: Db) => findUser();\n',
  "src/accounts/routes.ts":
    'import "../platform/http.ts";\nimport { renameUser } from "./rename-user.ts";\nimport "./wire.ts";\nexport const accountRoutes = renameUser;\n',
  "src/oauth/code.ts": 'import { user } from "../accounts/user.ts";\nexport const code = user;\n',
  "src/app.ts":
    'import { accountRoutes } from "./accounts/routes.ts";\nimport "./ui/html.ts";\nimport "./oauth/code.ts";\nexport const app = accountRoutes;\n',
};

const VIOLATIONS: readonly {
  title: string;
  path: string;
  text: string;
  rule: string;
  line: number;
  beside?: Readonly<Record<string, string>>;
}[] = [
  {
    title: "an import from a folder on a higher floor",
    path: "src/accounts/user.ts",
    text: 'export const a = 1;\nimport { error } from "../oauth/error.ts";\n',
    rule: "accounts-stands-on",
    line: 2,
  },
  {
    title: "a type import from a folder on a higher floor",
    path: "src/platform/problem.ts",
    text: 'import type { Password } from "../accounts/password.ts";\n',
    rule: "platform-stands-on",
    line: 1,
  },
  {
    title: "an import from outside the source tree",
    path: "src/ui/html.ts",
    text: 'import "../platform/problem.ts";\nimport { world } from "../../test/support/world.ts";\n',
    rule: "ui-stands-on",
    line: 2,
  },
  {
    title: "a dynamic import from a folder on a higher floor",
    path: "src/accounts/user.ts",
    text: 'export const later = async () => await import("../oauth/error.ts");\n',
    rule: "accounts-stands-on",
    line: 1,
  },
  {
    title: "a folder without a floor",
    path: "src/helpers/text.ts",
    text: 'import "../platform/problem.ts";\n',
    rule: "unknown-room",
    line: 1,
  },
  {
    title: "a circular import through a type import",
    path: "src/accounts/user.ts",
    text: 'import "../platform/problem.ts";\nimport type { Name } from "./name.ts";\nexport type User = Name;\n',
    beside: { "src/accounts/name.ts": 'import { type User } from "./user.ts";\nexport type Name = User;\n' },
    rule: "no-circle",
    line: 2,
  },
  {
    title: "a file that imports no other and is imported by none",
    path: "src/platform/clock.ts",
    text: 'import { join } from "node:path";\nexport const clock = join;\n',
    rule: "no-orphan",
    line: 1,
  },
  {
    title: "an import of another slice's store",
    path: "src/oauth/code.ts",
    text: 'import { findUser } from "../accounts/store.ts";\n',
    rule: "private-rooms",
    line: 1,
  },
  {
    title: "an import of another slice's pages that were split by noun",
    path: "src/oauth/routes.ts",
    text: 'import { tokenPages } from "../accounts/pages-tokens.ts";\n',
    rule: "private-rooms",
    line: 1,
  },
  {
    title: "an import of a store in app.ts",
    path: "src/app.ts",
    text: 'import { accountRoutes } from "./accounts/routes.ts";\nimport "./accounts/store.ts";\nimport "./ui/html.ts";\nimport "./oauth/code.ts";\n',
    rule: "private-rooms",
    line: 2,
  },
  {
    title: "a verb that imports the wire format",
    path: "src/accounts/rename-user.ts",
    text: 'import { findUser } from "./store.ts";\nimport {\n  userRecord,\n} from "./wire.ts";\n',
    rule: "verbs-know-no-door",
    line: 2,
  },
  {
    title: "a noun that builds HTML",
    path: "src/oauth/code.ts",
    text: 'import { html } from "../ui/html.ts";\n',
    rule: "verbs-know-no-door",
    line: 1,
  },
  {
    title: "an SQL statement outside a store",
    path: "src/accounts/rename-user.ts",
    text: 'import { findUser } from "./store.ts";\nexport { sql } from "../platform/sql.ts";\n',
    rule: "sql-only-in-store",
    line: 2,
  },
  {
    title: "the database opened by a verb",
    path: "src/accounts/rename-user.ts",
    text: 'import { findUser } from "./store.ts";\nimport { type Db, openDb } from "../platform/db.ts";\n',
    rule: "sql-only-in-store",
    line: 2,
  },
  {
    title: "an import of the database driver outside the platform",
    path: "src/accounts/store.ts",
    text: 'import { sql } from "../platform/sql.ts";\nimport pg from "pg";\n',
    rule: "sql-only-in-store",
    line: 2,
  },
  {
    title: "a file of 301 lines",
    path: "src/oauth/code.ts",
    text: `import "../accounts/user.ts";\n${"export {};\n".repeat(300)}`,
    rule: "size",
    line: 301,
  },
];

test("finds nothing in the source tree (decision 0005)", () => {
  assert.deepEqual(inspect(root), []);
});

test("finds nothing in a small valid source tree (decision 0005)", () => {
  assert.deepEqual(findingsIn({}), []);
});

for (const { title, path, text, rule, line, beside } of VIOLATIONS) {
  test(`reports ${title}: ${rule} (decision 0005)`, () => {
    const found = findingsIn({ [path]: text, ...beside });
    assert.equal(found.length, 1, JSON.stringify(found));
    const [first] = found;
    assert.deepEqual([first?.rule, first?.file, first?.line], [rule, path, line]);
  });
}

test("accepts a long file whose first comment gives the reason (decision 0005)", () => {
  const caption =
    "/**\n * Every code there is. Longer than 300 lines\n * because the standard lists as many.\n */\n";
  const text = `${caption}import "../accounts/user.ts";\n${"export {};\n".repeat(300)}`;
  assert.deepEqual(findingsIn({ "src/oauth/code.ts": text }), []);
});

test("the picture shows every room with its floor and the rooms it imports (docs/architecture.md)", () => {
  const drawn = draw(root).split("\n");
  const row = drawn.findIndex((line) => /^2 {2}accounts +\d+ files/.test(line));
  assert.ok(row > 0, drawn.join("\n"));
  assert.match(drawn[row + 1] ?? "", /→ (\w+, )*platform/);
  const floors = drawn.filter((line) => /^\d /.test(line)).map((line) => Number(line[0]));
  assert.deepEqual(
    floors,
    floors.toSorted((a, b) => b - a),
  );
});

test("README.md, CONTRIBUTING.md and docs/architecture.md show every room on its floor (decision 0005)", () => {
  const [, picture = ""] = /```\n(7 [\s\S]*?)```/.exec(read("README.md")) ?? [];
  for (const document of ["CONTRIBUTING.md", "docs/architecture.md"])
    assert.ok(read(document).includes(picture), document);
  let floor = "";
  const told = picture.split("\n").flatMap((line) => {
    floor = /^\d/.exec(line)?.[0] ?? floor;
    const names = line.slice(4, 46).match(/[\w-]+(?:\.ts|(?=\/))/g) ?? [];
    return names.map((name) => `${floor} ${name}`);
  });
  const drawn = [...draw(root).matchAll(/^(\d) {2}(\S+)/gm)].map(([, at, name]) => `${at} ${name}`);
  assert.deepEqual(told.toSorted(), drawn.toSorted());
});

/** The findings for the valid tree with some files replaced or added. */
function findingsIn(planted: Readonly<Record<string, string>>): Finding[] {
  const house = mkdtempSync(join(tmpdir(), "floors-"));
  try {
    for (const [path, text] of Object.entries({ ...SOUND_HOUSE, ...planted })) {
      mkdirSync(dirname(join(house, path)), { recursive: true });
      writeFileSync(join(house, path), text);
    }
    return inspect(house);
  } finally {
    rmSync(house, { recursive: true });
  }
}
