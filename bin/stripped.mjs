/** The stored JavaScript of modules without types: one file each, outdated by a change of the module or of Node.js. */
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

/**
 * Returns the stored text of a module; undefined if there is none, or it is outdated.
 * @throws Error when the module cannot be read
 */
export function readStripped(url, root, directory) {
  const origin = originOf(readFileSync(new URL(url), "utf8"));
  try {
    const kept = readOwn(fileOf(url, root, directory));
    return kept.startsWith(origin) ? kept.slice(origin.length) : undefined;
  } catch {
    return undefined;
  }
}

/** Written to another name and renamed, so that concurrent readers find the whole text or the previous one. */
export function keepStripped(url, root, directory, source, text) {
  const file = fileOf(url, root, directory);
  makeDirectory(directory);
  writeFileSync(`${file}.${process.pid}`, originOf(source) + text, { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
}

/** Not `recursive`, with which Node.js retries forever where an existing directory allows no entries in it, such as /proc. */
function makeDirectory(path) {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (error.code !== "EEXIST") throw error;
  }
}

/** Reads only files of this user: the directory may belong to somebody else. @throws Error if there is none */
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
