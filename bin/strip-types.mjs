/** `strip-types.mjs ROOT DIRECTORY`: takes the types out of all modules below a root whose kept text is missing or outdated. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { keepStripped, readStripped } from "./stripped.mjs";

const [href, directory] = process.argv.slice(2);
const root = new URL(href);
for (const name of readdirSync(root, { recursive: true })) {
  if (!name.endsWith(".ts")) continue;
  const { href: url } = new URL(name.split(/[\\/]/).map(encodeURIComponent).join("/"), root);
  if (readStripped(url, root, directory) !== undefined) continue;
  const source = readFileSync(new URL(url), "utf8");
  keepStripped(url, root, directory, source, stripTypeScriptTypes(source));
}
// Of versions that let Node.js keep compiled code; nobody reads it any more.
rmSync(join(directory, "../compile-cache"), { recursive: true, force: true });
