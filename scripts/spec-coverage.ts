/** Finds the clauses of the specification that no test cites; `--shrink` rewrites `docs/spec/later.md`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paths } from "./imports.ts";

const CLAUSES = "docs/spec/clauses.md";
const LATER = "docs/spec/later.md";

/** A clause id cited in the title of a test. */
interface Citation {
  readonly file: string;
  readonly id: string;
}

/** The clauses that tests cite, compared with the list of later clauses. */
export interface Coverage {
  /** Clauses that need a test and have none, in the order of the specification. */
  readonly uncovered: readonly string[];
  /** Citations of ids that do not exist. */
  readonly unknown: readonly Citation[];
  /** Ids that may lack a test for now, and their maximum number. */
  readonly later: readonly string[];
  readonly maximum: number;
  /** Entries of the later list that have a test, need none, or do not exist. */
  readonly stale: readonly string[];
}

/** Compares the clauses, the titles of all tests, and the later list below `root`. */
export function coverage(root: string): Coverage {
  const clauses = clausesIn(readFileSync(join(root, CLAUSES), "utf8"));
  const cited = citations(root);
  const named = new Set(cited.map(({ id }) => id));
  const uncovered = [...clauses].filter(([id, shown]) => shown && !named.has(id)).map(([id]) => id);
  const { later, maximum } = laterIn(readFileSync(join(root, LATER), "utf8"));
  return {
    uncovered,
    unknown: cited.filter(({ id }) => !clauses.has(id)),
    later,
    maximum,
    stale: later.filter((id) => !uncovered.includes(id)),
  };
}

/** Returns the ids of a clause list in order; false for those that the specification does not show. */
export function clausesIn(text: string): Map<string, boolean> {
  const lines = [...text.matchAll(/^- `(?<id>[^`]+)`(?<open> \(not shown\))?:/gm)];
  const clauses = new Map<string, boolean>();
  for (const { groups } of lines) {
    const id = groups?.id ?? "";
    if (clauses.has(id)) throw new Error(`${CLAUSES} has ${id} twice`);
    clauses.set(id, groups?.open === undefined);
  }
  return clauses;
}

function citations(root: string): Citation[] {
  return paths(join(root, "test"))
    .filter((path) => path.endsWith(".test.ts"))
    .flatMap((path) => {
      const text = readFileSync(join(root, "test", path), "utf8");
      return titlesIn(text).flatMap((title) => citedBy(title).map((id) => ({ file: `test/${path}`, id })));
    });
}

/** Returns the titles of tests and suites, and `title:` members of case tables, without their quotes. */
export function titlesIn(text: string): string[] {
  const pattern =
    /(?:\b(?:test|it|describe|suite)\(|\btitle:)\s*(?<quote>["'`])(?<title>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>/g;
  return [...text.matchAll(pattern)].map(({ groups }) => groups?.title ?? "");
}

/** `(RFC 6749 §5; spec: Events 3, 4; spec: Limits 1)` cites Events 3, Events 4 and Limits 1. */
export function citedBy(title: string): string[] {
  return [...title.matchAll(/\bspec: (?<ids>[^;)]+)/g)].flatMap(({ groups }) => {
    const [first = "", ...more] = (groups?.ids ?? "").split(",").map((part) => part.trim());
    const chapter = first.replace(/ \d+$/, "");
    return [first, ...more.map((part) => (/^\d+$/.test(part) ? `${chapter} ${part}` : part))];
  });
}

function laterIn(text: string): { later: string[]; maximum: number } {
  const maximum = Number(/^Maximum: (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
  return { later: [...text.matchAll(/^- `([^`]+)`$/gm)].map((match) => match[1] ?? ""), maximum };
}

/** Returns the later list with the clauses that are uncovered now; its maximum never rises. */
function shrunk({ uncovered, maximum }: Coverage): string {
  return `# Clauses whose test comes later

These clauses of \`clauses.md\` may lack a test for now. The list only shrinks: \`test/house/spec-coverage.test.ts\`
fails when it names a clause that has a test, or more clauses than the maximum. After adding tests, run
\`sh bin/node scripts/spec-coverage.ts --shrink\`.

Maximum: ${Math.min(maximum, uncovered.length)}

${uncovered.map((id) => `- \`${id}\``).join("\n")}
`.trimEnd();
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  const found = coverage(root);
  if (process.argv.includes("--shrink")) writeFileSync(join(root, LATER), `${shrunk(found)}\n`);
  for (const { file, id } of found.unknown) console.error(`${file}: no clause is called "${id}"`);
  const needed = [...clausesIn(readFileSync(join(root, CLAUSES), "utf8")).values()].filter(Boolean).length;
  console.log(`${needed - found.uncovered.length} of ${needed} clauses have a test that names them`);
  if (found.uncovered.length > found.maximum) {
    console.error(`${found.uncovered.length} clauses have no test; at most ${found.maximum} may be missing`);
    process.exitCode = 1;
  }
}
