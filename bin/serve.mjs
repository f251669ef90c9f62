/**
 * Runs the command line from its TypeScript with types stripped ahead of time (decision 0173). Stripping needs a compiler of some
 * 10 MiB, which a process never frees; so a separate process does it when a source has changed. Plain JavaScript, since this runs
 * before TypeScript can be loaded.
 */
import { spawnSync } from "node:child_process";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readStripped } from "./stripped.mjs";

const root = new URL("../src/", import.meta.url);
const directory = join(process.env.GATEHOUSE_DATA_DIR || "./data", "stripped");
let isUpToDate = false;

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith(root.href) || !url.endsWith(".ts")) return nextLoad(url, context);
    const source = find(url);
    // If nothing can be stored, Node.js strips the types itself.
    return source === undefined ? nextLoad(url, context) : { format: "module", source, shortCircuit: true };
  },
});

function find(url) {
  const found = readStripped(url, root, directory);
  if (found !== undefined || isUpToDate) return found;
  isUpToDate = true;
  const program = fileURLToPath(new URL("./strip-types.mjs", import.meta.url));
  spawnSync(process.execPath, [
    "--single-threaded",
    "--disable-warning=ExperimentalWarning",
    program,
    root.href,
    directory,
  ]);
  return readStripped(url, root, directory);
}

await import("../src/main.ts");
