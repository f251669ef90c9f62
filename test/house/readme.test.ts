/** The README is correct: configuration table, links and example calls. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { seedDemo } from "../../src/demo/seed-demo.ts";
import { callVariables } from "../../src/demo/variables.ts";
import { readConfig, variables } from "../../src/platform/config.ts";
import { startWorld } from "../support/world.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const readme = read("README.md");

/** The rows of the configuration table: name, and default as written. */
const rows = [...readme.matchAll(/^\| `([A-Z_]+)`( \*)? \| (.+?) \| .+ \|$/gm)].map(
  ([, name = "", star, byDefault = ""]) => ({ name, fromFile: star !== undefined, byDefault }),
);
const example = [...read(".env.example").matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(
  ([, name = "", value = ""]) => ({
    name,
    value,
  }),
);

test("the README's table names every variable, in the order of the program (house §2.7)", () => {
  assert.deepEqual(
    rows.map(({ name }) => name),
    Object.keys(variables),
  );
});

test(".env.example names every variable, with the README's defaults (house §2.7)", () => {
  assert.deepEqual(
    example.map(({ name }) => name),
    Object.keys(variables),
  );
  for (const [index, { name, value }] of example.entries()) {
    const written = rows[index]?.byDefault ?? "";
    const expected = /^`(.+)`$/.exec(written)?.[1]?.replace("PORT", "3000") ?? "";
    assert.equal(value, expected, name);
  }
});

test("the values in .env.example are the program's defaults (house §2.7)", () => {
  const given = Object.fromEntries(example.map(({ name, value }) => [name, value]));
  assert.deepEqual(readConfig(given), readConfig({}));
});

test("exactly the variables that the README marks can be read from a file (README: Configure; contract §1)", () => {
  for (const { name, fromFile } of rows) {
    const environment = { [`${name}_FILE`]: join(root, "no-such-file") };
    if (fromFile) assert.throws(() => readConfig(environment), /cannot be read/, name);
    else assert.deepEqual(readConfig(environment), readConfig({}), name);
  }
});

for (const document of ["README.md", "docs/operations.md"]) {
  test(`every link of ${document} leads to an existing file (house habit)`, () => {
    const links = [...read(document).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = ""]) => link);
    for (const link of links) assert.ok(existsSync(join(root, dirname(document), link)), link);
  });
}

test("every document calls the service's address $GATEHOUSE, like the lines printed by the demo (house §2.5)", () => {
  for (const document of ["README.md", "docs/alerts.md", "docs/events.md", "docs/oauth.md"]) {
    // A variable after a slash is part of the path.
    const origins = read(document).matchAll(/(?<!\/)\$\{?([A-Z_]+)\}?(?=\/)/g);
    assert.deepEqual([...new Set([...origins].map(([, name]) => name))], ["GATEHOUSE"], document);
  }
});

test("the screenshot of the pages is at most 300 KB (house habit)", () => {
  assert.ok(statSync(join(root, "docs/images/pages.png")).size <= 300_000);
});

test("the README's calls, run verbatim with the demo data, get the responses that it shows (house §4)", async () => {
  const world = await startWorld();
  const demo = await seedDemo(world.platform);
  const environment: Record<string, string> = callVariables(demo, world.url);
  const calls = [...readme.matchAll(/<!-- call: (\w+) -->\n```sh\n([\s\S]+?)```\n```json\n([\s\S]+?)```/g)];
  assert.deepEqual(
    calls.map(([, name]) => name),
    ["token", "info", "alert", "events"],
  );
  for (const [, name = "", command = "", answer = ""] of calls) {
    const { stdout } = await run("sh", ["-ec", command], { env: { ...environment, PATH: process.env.PATH } });
    const given = JSON.parse(stdout);
    assert.deepEqual(shapeOf(given), shapeOf(JSON.parse(answer)), `${name}: ${stdout}`);
    if (name === "token") environment.TOKEN = given.access_token;
  }
});

const run = promisify(execFile);

/** A JSON value with types in place of its leaves; the order of members counts. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value === null || typeof value !== "object") return value === null ? null : typeof value;
  return Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]);
}
