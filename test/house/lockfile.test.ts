/** The lockfile is whole and pinned: what `npm ci` installs is what was looked at, on every platform. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Locked {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
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
};

test("every locked package is pinned by integrity and comes from the registry (reference reliability S133)", () => {
  for (const [path, entry] of Object.entries(packages)) {
    if (path === "" || entry.inBundle) continue;
    assert.match(entry.integrity ?? "", /^sha512-/, path);
    assert.doesNotMatch(entry.resolved ?? "", /^(git|file|http:)/, path);
  }
});

test("every package for another platform is locked too, or npm ci would refuse (reference stack, pitfall 1)", () => {
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

test("direct dependencies name exact versions (house habit)", () => {
  const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  for (const [name, version] of Object.entries(all)) assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
});
