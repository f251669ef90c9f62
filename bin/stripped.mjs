/** The files in which JavaScript without types is kept: one for each module, which a change of it or of Node.js outdates. */
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** What is kept of a module; undefined if nothing is, or of another text. @throws Error when the module cannot be read */
export function readStripped(url, root, directory) {
  const origin = originOf(readFileSync(new URL(url), "utf8"));
  try {
    const kept = readOwn(fileOf(url, root, directory));
    return kept.startsWith(origin) ? kept.slice(origin.length) : undefined;
  } catch {
    return undefined;
  }
}

/** Written beside and renamed: a process that reads meanwhile finds all of it or what was there before. */
export function keepStripped(url, root, directory, source, text) {
  const file = fileOf(url, root, directory);
  makeDirectory(directory);
  writeFileSync(`${file}.${process.pid}`, originOf(source) + text, { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
}

/** Not `recursive`, with which Node.js tries for ever where a directory that is there takes none below it, such as /proc. */
function makeDirectory(path) {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another start may have been quicker.
    if (error.code !== "EEXIST") throw error;
  }
}

/** Only what this user wrote is run: the directory may be somebody else's. @throws Error when there is nothing such */
function readOwn(file) {
  const opened = openSync(file);
  try {
    if (fstatSync(opened).uid !== (process.getuid?.() ?? 0)) throw new Error(`${file} is somebody else's`);
    return readFileSync(opened, "utf8");
  } finally {
    closeSync(opened);
  }
}

function originOf(source) {
  return `${createHash("sha256").update(process.version).update(source).digest("hex")}\n`;
}

function fileOf(url, root, directory) {
  return join(directory, encodeURIComponent(url.slice(root.href.length)));
}
