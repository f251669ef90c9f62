/** Checks that the rooms of `src/` import only the rooms that they may, and prints them (`--picture`). */
import { join } from "node:path";
import { type Arrow, type SourceFile, sourceFiles } from "./imports.ts";

/** A folder of `src/`, or a file at its top, and what it may import. */
interface Room {
  readonly floor: number;
  readonly standsOn: readonly string[];
  readonly about: string;
}

const SLICES = ["outbox", "accounts", "oauth", "projects", "events", "alerts", "operations"];
const ROOMS_BELOW_THE_ROOF = ["platform", "ui", ...SLICES];
/** Rooms in which file names determine layers. */
const LAYERED = [...SLICES, "demo"];

/** The architecture: every room-to-room rule below is derived from this table. */
const ROOMS: Readonly<Record<string, Room>> = {
  platform: { floor: 1, standsOn: [], about: "the ground: knows nothing of this service" },
  ui: { floor: 1, standsOn: ["platform"], about: "the parts that pages are made of" },
  outbox: { floor: 1, standsOn: ["platform"], about: "what is sent out, and that it arrives" },
  accounts: { floor: 2, standsOn: ["platform", "ui", "outbox"], about: "people and the keys they hold" },
  oauth: { floor: 3, standsOn: ["platform", "ui", "outbox", "accounts"], about: "handing out keys" },
  projects: { floor: 3, standsOn: ["platform", "ui", "outbox", "accounts"], about: "where, and who may" },
  events: {
    floor: 4,
    standsOn: ["platform", "ui", "outbox", "accounts", "projects"],
    about: "what happened",
  },
  alerts: {
    floor: 5,
    standsOn: ["platform", "ui", "outbox", "accounts", "projects", "events"],
    about: "what is wrong, and who told us",
  },
  operations: {
    floor: 4,
    standsOn: ["platform", "ui", "outbox", "accounts", "oauth"],
    about: "how the service is watched, limited, saved and explained",
  },
  "error-replies.ts": {
    floor: 4,
    standsOn: ["platform", "ui", "accounts", "oauth"],
    about: "how a refusal is spoken",
  },
  "app.ts": {
    floor: 6,
    standsOn: [...ROOMS_BELOW_THE_ROOF, "error-replies.ts", "openapi.ts", "api-doors.ts", "page-doors.ts"],
    about: "the wiring: groups of doors, prefixes, error replies",
  },
  "api-doors.ts": {
    floor: 6,
    standsOn: [...ROOMS_BELOW_THE_ROOF, "error-replies.ts"],
    about: "the wiring of the API",
  },
  "page-doors.ts": {
    floor: 6,
    standsOn: [...ROOMS_BELOW_THE_ROOF, "error-replies.ts"],
    about: "the wiring of the pages",
  },
  "openapi.ts": { floor: 5, standsOn: ["platform"], about: "the description of the doors" },
  "start-platform.ts": {
    floor: 6,
    standsOn: ["platform", "operations"],
    about: "the ground, connected and migrated",
  },
  "sweeps.ts": { floor: 6, standsOn: ["platform", ...SLICES], about: "the periodic work, as one list" },
  demo: { floor: 6, standsOn: ROOMS_BELOW_THE_ROOF, about: "an installation as if it had been lived in" },
  commands: {
    floor: 7,
    standsOn: [...ROOMS_BELOW_THE_ROOF, "demo", "app.ts", "start-platform.ts", "sweeps.ts"],
    about: "the command line, one command a file",
  },
  "main.ts": { floor: 7, standsOn: ["platform", "commands"], about: "the process" },
};

/** Only the wiring may import the routes and pages of slices. */
const WIRING = ["src/app.ts", "src/api-doors.ts", "src/page-doors.ts"];
/** Guards authenticate callers, so they may know of pages and headers. */
const GUARDS = ["src/accounts/browser.ts", "src/accounts/caller.ts"];
/** Besides stores and the platform, these may open the database. */
const OPENERS = ["src/main.ts", "src/start-platform.ts"];

const MAX_LINES = 300;
const REASON = "Longer than 300 lines because";

/** A broken rule, and where. */
export interface Finding {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Returns all broken rules of the tree below `root`, in the order of the rules. */
export function inspect(root: string): Finding[] {
  const files = sourceFiles(root, "src");
  const arrows = files.flatMap((file) => file.arrows);
  return [
    ...unknownRooms(files),
    ...arrows.flatMap(standsOn),
    ...circles(files),
    ...orphans(files),
    ...arrows.flatMap(privateRooms),
    ...arrows.flatMap(verbsKnowNoDoor),
    ...arrows.flatMap(sqlOnlyInStore),
    ...[...files, ...sourceFiles(root, "scripts")].flatMap(size),
  ];
}

/** A folder or top-level file without a floor would escape every other rule. */
function unknownRooms(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => ROOMS[roomOf(file.path)] === undefined)
    .map((file) => finding("unknown-room", file.path, 1, `${roomOf(file.path)} has no floor in the table`));
}

function standsOn(arrow: Arrow): Finding[] {
  if (arrow.isPackage || !arrow.to.endsWith(".ts")) return [];
  const from = roomOf(arrow.from);
  const to = arrow.to.startsWith("src/") ? roomOf(arrow.to) : arrow.to;
  const allowed = ROOMS[from]?.standsOn;
  if (from === to || allowed === undefined || allowed.includes(to)) return [];
  return [against(`${from}-stands-on`, arrow, `${from} may not import from ${to}`)];
}

/** Finds import cycles among files, including type imports; each is reported once, with its members in order. */
function circles(files: readonly SourceFile[]): Finding[] {
  const found: Finding[] = [];
  const next = new Map(files.map((file) => [file.path, file.arrows.filter((arrow) => !arrow.isPackage)]));
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (path: string) => {
    way.push(path);
    for (const arrow of next.get(path) ?? []) {
      const start = way.indexOf(arrow.to);
      if (start >= 0) found.push(against("no-circle", arrow, [...way.slice(start), arrow.to].join(" → ")));
      else if (next.has(arrow.to) && !done.has(arrow.to)) visit(arrow.to);
    }
    way.pop();
    done.add(path);
  };
  for (const path of next.keys()) if (!done.has(path)) visit(path);
  return found;
}

/** Finds files that import no other file and are imported by none; `main.ts` and declarations are exempt. */
function orphans(files: readonly SourceFile[]): Finding[] {
  const inner = files.flatMap((file) => file.arrows).filter((arrow) => !arrow.isPackage);
  const tied = new Set(inner.flatMap((arrow) => [arrow.from, arrow.to]));
  return files
    .filter(({ path }) => !tied.has(path) && path !== "src/main.ts" && !path.endsWith(".d.ts"))
    .map(({ path }) => finding("no-orphan", path, 1, "imports no file and is imported by none"));
}

function privateRooms(arrow: Arrow): Finding[] {
  const [from, to] = [roomOf(arrow.from), roomOf(arrow.to)];
  if (arrow.isPackage || from === to || !LAYERED.includes(to)) return [];
  const layer = layerOf(arrow.to);
  if (layer !== "store" && layer !== "routes" && layer !== "pages") return [];
  if (WIRING.includes(arrow.from) && layer !== "store") return [];
  return [against("private-rooms", arrow, `${arrow.to} is private to ${to}`)];
}

function verbsKnowNoDoor(arrow: Arrow): Finding[] {
  const from = roomOf(arrow.from);
  const layer = layerOf(arrow.from);
  if (arrow.isPackage || !LAYERED.includes(from) || (layer !== undefined && layer !== "store")) return [];
  if (GUARDS.includes(arrow.from)) return [];
  const to = layerOf(arrow.to);
  const isDoor =
    to === "wire" ||
    to === "routes" ||
    to === "pages" ||
    roomOf(arrow.to) === "ui" ||
    arrow.to === "src/platform/http.ts";
  return isDoor ? [against("verbs-know-no-door", arrow, `${arrow.to} belongs to the doors`)] : [];
}

/** Types of `platform/db` are allowed, since verbs own transactions; the rest of it, `sql` and `pg` are not. */
function sqlOnlyInStore(arrow: Arrow): Finding[] {
  const isDb = arrow.to === "src/platform/db.ts" && !arrow.isTypeOnly;
  const isSql = arrow.to === "src/platform/sql.ts";
  const isDriver =
    arrow.isPackage && arrow.to === "pg" && !(arrow.isTypeOnly && OPENERS.includes(arrow.from));
  const from = roomOf(arrow.from);
  if ((!isDb && !isSql && !isDriver) || from === "platform") return [];
  if (!isDriver && (OPENERS.includes(arrow.from) || layerOf(arrow.from) === "store")) return [];
  return [against("sql-only-in-store", arrow, `${arrow.to} is for store files`)];
}

function size(file: SourceFile): Finding[] {
  const firstComment = /^\s*\/\*\*[\s\S]*?\*\//.exec(file.text)?.[0] ?? "";
  if (file.lines <= MAX_LINES || firstComment.replaceAll(/\s*\n\s*\*?\s*/g, " ").includes(REASON)) return [];
  return [finding("size", file.path, file.lines, `${file.lines} lines; the most is ${MAX_LINES}`)];
}

/** Returns the room of a path: the folder below `src/`, or the file's own name at the top. */
function roomOf(path: string): string {
  return path.split("/")[1] ?? path;
}

/** Returns the layer of a reserved file name, in slices; nouns and verbs have none. */
function layerOf(path: string): string | undefined {
  if (!LAYERED.includes(roomOf(path))) return undefined;
  const name = path.slice(path.lastIndexOf("/") + 1);
  return /^(wire|store|routes|pages)(?:-[a-z0-9-]+)?\.ts$/.exec(name)?.[1];
}

function against(rule: string, arrow: Arrow, message: string): Finding {
  return finding(rule, arrow.from, arrow.line, message);
}

function finding(rule: string, file: string, line: number, message: string): Finding {
  return { rule, file, line, message };
}

/** Returns the rooms by floor, the highest first, with the number of their files and the rooms that they import. */
export function picture(root: string): string {
  const files = sourceFiles(root, "src");
  const arrows = files.flatMap((file) => file.arrows).filter((arrow) => !arrow.isPackage);
  const lines = Object.entries(ROOMS)
    .map(([room, { floor, about }]) => {
      const inside = files.filter((file) => roomOf(file.path) === room);
      const leaving = arrows.filter((arrow) => roomOf(arrow.from) === room && roomOf(arrow.to) !== room);
      const targets = [...new Set(leaving.map((arrow) => roomOf(arrow.to)))].sort();
      return { room, floor, about, count: inside.length, targets };
    })
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.floor - a.floor)
    .map(
      ({ room, floor, about, count, targets }) =>
        `${floor}  ${room.padEnd(18)} ${String(count).padStart(3)} files  ${about}` +
        (targets.length > 0 ? `\n${" ".repeat(33)}→ ${targets.join(", ")}` : ""),
    );
  return [...lines, summary(files)].join("\n");
}

function summary(files: readonly SourceFile[]): string {
  const sizes = files.map((file) => file.lines).sort((a, b) => a - b);
  const arrows = files.flatMap((file) => file.arrows).filter((arrow) => !arrow.isPackage);
  const rooms = new Set(files.map((file) => roomOf(file.path)));
  const median = sizes[Math.floor(sizes.length / 2)] ?? 0;
  return `${rooms.size} rooms, ${files.length} files, ${arrows.length} imports; lines: median ${median}, most ${sizes.at(-1) ?? 0}`;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  if (process.argv.includes("--picture")) console.log(picture(root));
  const findings = inspect(root);
  for (const { rule, file, line, message } of findings) console.error(`${rule}: ${file}:${line}: ${message}`);
  if (findings.length > 0) process.exitCode = 1;
  else console.log(`floors: nothing found (${summary(sourceFiles(root, "src"))})`);
}
