/** Reads the source tree as files, and each file's imports as arrows between files. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** One import of one file. */
export interface Arrow {
  /** Path of the importing file, from the root, with `/`. */
  readonly from: string;
  /** Path of the imported file, from the root; of a package its specifier. */
  readonly to: string;
  readonly isPackage: boolean;
  /** Whether only types come over it. */
  readonly isTypeOnly: boolean;
  /** Line of the importing file, from 1. */
  readonly line: number;
}

/** A source file and where its imports lead. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly arrows: readonly Arrow[];
}

/** Every `.ts` file below `folder` of `root`, sorted by path; none if the folder is missing. */
export function sourceFiles(root: string, folder: string): SourceFile[] {
  return paths(join(root, folder))
    .map((path) => `${folder}/${path}`)
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, lines: text.split("\n").length - 1, arrows: arrowsOf(path, text) };
    });
}

/** Names of all files below a folder, relative to it, with `/`. */
export function paths(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .map((path) => path.replaceAll("\\", "/"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

// The formatter puts every import and re-export at the start of a line; that is what makes a pattern enough.
const DECLARATION = /^(?:import|export)\b(?<what>[^;"'`]*?)\bfrom\s*["'](?<to>[^"']+)["']/gm;
const SIDE_EFFECT = /^import\s*["'](?<to>[^"']+)["']/gm;
const CALL = /\bimport\(\s*["'](?<to>[^"']+)["']/g;
// A worker or child process is started from such an address: the file is tied to this one all the same.
const ADDRESS = /\bnew URL\(\s*["'](?<to>\.[^"']+\.ts)["']\s*,\s*import\.meta\.url/g;

/** The imports of one file, type imports, dynamic imports and started workers included. */
export function arrowsOf(path: string, text: string): Arrow[] {
  return [DECLARATION, SIDE_EFFECT, CALL, ADDRESS].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => {
      const to = match.groups?.to ?? "";
      const isPackage = !to.startsWith(".");
      return {
        from: path,
        to: isPackage ? to : normalize(join(dirname(path), to)).replaceAll("\\", "/"),
        isPackage,
        isTypeOnly: bringsTypesOnly(match.groups?.what ?? ""),
        line: text.slice(0, match.index).split("\n").length,
      };
    }),
  );
}

/** `type { A }` and `{ type A, type B }` do; `{ type A, b }`, `* as c` and a side effect do not. */
function bringsTypesOnly(what: string): boolean {
  if (/^\s+type\s+[{*\w]/.test(what)) return true;
  const names = /^\s*\{(?<names>[^}]*)\}\s*$/.exec(what)?.groups?.names;
  return names?.split(",").every((name) => /^(?:$|type\s)/.test(name.trim())) ?? false;
}
