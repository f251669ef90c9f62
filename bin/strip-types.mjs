/** `strip-types.mjs ROOT DIRECTORY`: strips the types of all modules below a root whose stored text is missing or outdated. */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { whyNotClosed } from "../src/platform/data-directory.ts";
import { keepStripped, readStripped } from "./stripped.mjs";

const [href, directory] = process.argv.slice(2);
const root = new URL(href);
const around = join(directory, "..");
const there = statSync(around, { throwIfNoEntry: false });
// The start will refuse this directory as another program's (decision 0241), so nothing is written to it.
if (there && (await whyNotClosed(around, there.mode)) !== undefined) process.exit();
for (const name of readdirSync(root, { recursive: true })) {
  if (!name.endsWith(".ts")) continue;
  const { href: url } = new URL(name.split(/[\\/]/).map(encodeURIComponent).join("/"), root);
  if (readStripped(url, root, directory) !== undefined) continue;
  const source = readFileSync(new URL(url), "utf8");
  keepStripped(url, root, directory, source, stripTypeScriptTypes(source));
}
// Older versions let Node.js store compiled code there; nothing reads it any more.
rmSync(join(directory, "../compile-cache"), { recursive: true, force: true });
