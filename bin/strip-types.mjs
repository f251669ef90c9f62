/** `strip-types.mjs ROOT DIRECTORY`: takes the types out of all modules below a root whose kept text is missing or outdated. */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { whyNotClosed } from "../src/platform/data-directory.ts";
import { keepStripped, readStripped } from "./stripped.mjs";

const [href, directory] = process.argv.slice(2);
const root = new URL(href);
const around = join(directory, "..");
const there = statSync(around, { throwIfNoEntry: false });
// The start is about to refuse it as somebody else's (decision 0241): nothing of ours is put there.
if (there && (await whyNotClosed(around, there.mode)) !== undefined) process.exit();
for (const name of readdirSync(root, { recursive: true })) {
  if (!name.endsWith(".ts")) continue;
  const { href: url } = new URL(name.split(/[\\/]/).map(encodeURIComponent).join("/"), root);
  if (readStripped(url, root, directory) !== undefined) continue;
  const source = readFileSync(new URL(url), "utf8");
  keepStripped(url, root, directory, source, stripTypeScriptTypes(source));
}
// Of versions that let Node.js keep compiled code; nobody reads it any more.
rmSync(join(directory, "../compile-cache"), { recursive: true, force: true });
