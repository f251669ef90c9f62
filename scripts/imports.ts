/** Reads the source files, and the imports of each as arrows between files. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** One import of a file. */
export interface Arrow {
  /** Path of the importing file from the root, with `/`. */
  readonly from: string;
  /** Path of the imported file from the root; for a package its specifier. */
  readonly to: string;
  readonly isPackage: boolean;
  /** Whether only types are imported. */
  readonly isTypeOnly: boolean;
  /** Line in the importing file, from 1. */
  readonly line: number;
}

/** A source file with its imports. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly arrows: readonly Arrow[];
}

/** Returns all `.ts` files below `folder` of `root`, sorted by path; empty if the folder is missing. */
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

/** Returns the names of all files below a folder, relative to it, with `/`. */
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

// The formatter puts every import and re-export at the start of a line, so a pattern suffices.
const DECLARATION = /^(?:import|export)\b(?<what>[^;"'`]*?)\bfrom\s*["'](?<to>[^"']+)["']/gm;
const SIDE_EFFECT = /^import\s*["'](?<to>[^"']+)["']/gm;
const CALL = /\bimport\(\s*["'](?<to>[^"']+)["']/g;
// The address of a worker or child process is a dependency too.
const ADDRESS = /\bnew URL\(\s*["'](?<to>\.[^"']+\.ts)["']\s*,\s*import\.meta\.url/g;

/** Returns the imports of a file, including type imports, dynamic imports and started workers. */
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

/** Whether only types are imported: `type { A }` and `{ type A, type B }`, but not `{ type A, b }`, `* as c` or a side effect. */
function bringsTypesOnly(what: string): boolean {
  if (/^\s+type\s+[{*\w]/.test(what)) return true;
  const names = /^\s*\{(?<names>[^}]*)\}\s*$/.exec(what)?.groups?.names;
  return names?.split(",").every((name) => /^(?:$|type\s)/.test(name.trim())) ?? false;
}
