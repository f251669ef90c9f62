/** Lists the packages of an installation without development dependencies, from the lockfile. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Locked {
  version?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
}

/**
 * Returns a row of a Markdown table for each: name, version, licence, and what needs it; a package listed twice has two versions.
 */
export function packageTable(root: string): string {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
  const { dependencies } = read("package.json") as { dependencies: Record<string, string> };
  const { packages } = read("package-lock.json") as { packages: Record<string, Locked> };
  const rows = Object.entries(packages).flatMap(([path, { version, license, dev, optional }]) => {
    if (path === "" || dev) return [];
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const why = optional ? "some platforms" : name in dependencies ? "the service" : "a package";
    return [`| ${name} | ${version} | ${license ?? "none told"} | ${why} |`];
  });
  return ["| package | version | licence | for |", "|---|---|---|---|", ...[...new Set(rows)].sort()].join(
    "\n",
  );
}
