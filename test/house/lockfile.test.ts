/** The lockfile is complete and pinned: `npm ci` installs exactly what was reviewed, on every platform. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { paths } from "../../scripts/imports.ts";
import { judgeNode } from "../../src/operations/finding.ts";

interface Locked {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  license?: string;
  inBundle?: boolean;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  packages: Record<string, Locked>;
};
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
};

test("every locked package is pinned by integrity and comes from the registry (reference reliability S133)", () => {
  for (const [path, entry] of Object.entries(packages)) {
    if (path === "" || entry.inBundle) continue;
    assert.match(entry.integrity ?? "", /^sha512-/, path);
    assert.doesNotMatch(entry.resolved ?? "", /^(git|file|http:)/, path);
  }
});

test("no package may run an install script (reference reliability S134)", () => {
  const { allowScripts } = manifest;
  assert.deepEqual(
    Object.values(allowScripts).filter((allowed) => allowed !== false),
    [],
  );
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ""));
  assert.deepEqual(names.sort(), Object.keys(allowScripts).sort());
});

test("npm is configured to use no version published within the last week, without exceptions (reference reliability S135)", () => {
  const told = readFileSync(".npmrc", "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  assert.deepEqual(told, ["min-release-age=7"]);
});

test("docs/packages.md lists every package of an installation with version and licence (reference reliability S136)", () => {
  const listed = readFileSync("docs/packages.md", "utf8").matchAll(/^\| (\S+) \| (\d\S+) \| ([^|]+) \|/gm);
  const found = [...listed].map(([, name, version, licence]) => `${name} ${version} ${licence}`);
  const inside = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev);
  const due = inside.map(
    ([path, { version, license }]) => `${path.replace(/^.*node_modules\//, "")} ${version} ${license}`,
  );
  assert.ok(due.length > 100);
  assert.deepEqual(found.sort(), [...new Set(due)].sort());
});

test("no package of an installation has a known advisory that is not explained (reference reliability S137)", () => {
  const page = readFileSync("docs/advisories.md", "utf8");
  assert.match(page, /as of 20\d\d-[01]\d-[0-3]\d:/);
  const rows = advisoriesOf(page);
  assert.ok(rows.length > 50, `${rows.length} rows`);
  assert.equal(rows.length, page.split("\n| ").length - 2, "every row of the table is read");
  const inside = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev);
  for (const [, name = "", advisories, safeFrom = "", here = ""] of rows) {
    const isMeant = (path: string) => {
      const found = path.replace(/^.*node_modules\//, "");
      return name.endsWith("*") ? found.startsWith(name.slice(0, -1)) : found === name;
    };
    const versions = inside.filter(([path]) => isMeant(path)).map(([, { version = "" }]) => version);
    assert.ok(versions.length > 0, `${name} is not part of an installation`);
    const isClosed = versions.every((version) => isSafe(version, safeFrom));
    assert.equal(isClosed, here === "closed", `${name} ${versions}: ${advisories}`);
    assert.match(here, /^closed$|^open, .{20}/);
  }
});

test("the doctor warns of each Node.js that a closed row does not call safe, and of no other (docs/advisories.md)", () => {
  const rows = advisoriesOf(readFileSync("docs/advisories.md", "utf8"));
  const needed = rows.flatMap(([, name, , safeFrom = "", here]) =>
    name === "node-*" && here === "closed" ? [safeFrom] : [],
  );
  assert.ok(needed.length >= 6);
  const fixed = needed.flatMap((versions) => versions.split(" "));
  const before = fixed.map((version) =>
    version.replace(/(\d+)\.(\d+)$/, (_, minor, patch) => `${minor - 1}.${patch}`),
  );
  const others = ["23.11.1", "25.9.0", "26.4.0", "26.5.0", "26.6.0", "27.0.0"];
  const versions = [...fixed, ...before, ...others].filter(
    (version) => Number(version.split(".")[0]) > 22 || isSafe(version, "22.18.0"),
  );
  for (const version of versions) {
    const expected = needed.every((safeFrom) => isSafe(version, safeFrom)) ? "ok" : "warn";
    assert.equal(judgeNode(version).state, expected, version);
  }
  assert.ok(versions.some((version) => judgeNode(version).state === "warn"));
});

test("an advisory is closed from the fixed version of each release line on (semver 2.0.0 §11)", () => {
  for (const [version, safeFrom, expected] of [
    ["5.3.2", "4.29.1 5.3.2", true],
    ["5.3.1", "4.29.1 5.3.2", false],
    ["4.30.0", "4.29.1 5.3.2", true],
    ["4.29.0", "4.29.1 5.3.2", false],
    ["3.9.9", "4.29.1 5.3.2", false],
    ["6.0.0", "4.29.1 5.3.2", true],
    ["5.10.0", "5.9.0", true],
    ["18.4.0-beta.17", "18.4.0", true],
    ["4.4.2", "not 4.4.2", false],
    ["4.4.3", "not 4.4.2", true],
  ] as const) {
    assert.equal(isSafe(version, safeFrom), expected, `${version}, ${safeFrom}`);
  }
});

test("there are at most fifteen direct dependencies, and no file of the repository contains a key (reference reliability S138)", () => {
  assert.ok(Object.keys(manifest.dependencies).length <= 15);
  const folders = ["bench", "bin", "docs", "examples", "migrations", "scripts", "src", "test"];
  const kept = folders.flatMap((folder) => paths(folder).map((path) => `${folder}/${path}`));
  assert.ok(kept.length > 1000, `${kept.length} files`);
  const keys =
    /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[\w+/]{40}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{36}|\bnpm_\w{36}|\bxox[abp]-\d{10}/;
  const held = kept.filter((path) => keys.test(readFileSync(path, "latin1")));
  assert.deepEqual(held, []);
});

test("only two source files generate code from text, and only from their own: the row reader and the heap compactor (reference reliability S139)", () => {
  const makers = paths("src").filter((path) =>
    /\bnew Function\b|\beval\s*\(|node:vm|\bsetTimeout\(["'`]/.test(readFileSync(`src/${path}`, "utf8")),
  );
  assert.deepEqual(makers, ["platform/compact-heap.ts", "platform/db-query.ts"]);
});

test("packages for other platforms are locked too, otherwise npm ci would fail (reference stack, pitfall 1)", () => {
  for (const [path, { optionalDependencies = {} }] of Object.entries(packages)) {
    for (const name of Object.keys(optionalDependencies)) {
      const places = [`${path}/node_modules/${name}`, `node_modules/${name}`, name];
      assert.ok(
        places.some((place) => place in packages || place.replace(/^\//, "") in packages),
        `${name} of ${path}`,
      );
    }
  }
});

test("direct dependencies have exact versions (house habit)", () => {
  const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  for (const [name, version] of Object.entries(all)) assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
});

/** The rows of the table: package, advisories, first safe versions, and whether it is closed here. */
function advisoriesOf(page: string): RegExpExecArray[] {
  return [...page.matchAll(/^\| ([^|]+) \| ((?:(?:CVE|GHSA)-\S+ )+)\| ([^|]+) \| ([^|]+) \|$/gm)];
}

/** Whether a version is at or after the fixed one of its line (`4.29.1 5.3.2`), or not the affected one (`not 4.4.2`). */
function isSafe(version: string, safeFrom: string): boolean {
  if (safeFrom.startsWith("not ")) return version !== safeFrom.slice(4);
  const numbers = (text: string) => text.replace(/-.*/, "").split(".").map(Number);
  const [major = 0, ...rest] = numbers(version);
  const lines = safeFrom.split(" ").map(numbers);
  const own = lines.find(([line]) => line === major);
  if (!own) return lines.every(([line = 0]) => line < major);
  const [minor = 0, patch = 0] = rest;
  const [, atMinor = 0, atPatch = 0] = own;
  return minor > atMinor || (minor === atMinor && patch >= atPatch);
}
