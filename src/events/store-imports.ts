/** Statements about imports of files of events, and the fast way of writing these events. */
import type { CopyQueries } from "../platform/copy.ts";
import type { Queries } from "../platform/db.ts";
import { integer, nullable, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type ImportCounts, type ImportState, ImportStateRow } from "./import.ts";
import type { RecordedEvent } from "./record.ts";
import type { PlacedEvent } from "./store.ts";

const columns = sql`id, lines, digest, created, duplicate, ignored, invalid`;

/** The import stored under the first of these keys that has one; undefined: the file is new. */
export function findImport(db: Queries, keys: readonly Buffer[]): Promise<ImportState | undefined> {
  return db.find(
    ImportStateRow,
    sql`select ${columns} from event_imports where key = any (${keys}::bytea[])
      order by array_position(${keys}::bytea[], key) limit 1`,
  );
}

/** Inserts an import at the beginning of its file; undefined: another process has inserted it meanwhile. */
export function insertImport(db: Queries, key: Buffer, name: string): Promise<ImportState | undefined> {
  return db.find(
    ImportStateRow,
    sql`insert into event_imports (key, name, digest) values (${key}, ${name.slice(0, 1000)}, '')
      on conflict do nothing returning ${columns}`,
  );
}

/** Deletes the import of a file, under any of its keys. */
export function deleteImport(db: Queries, keys: readonly Buffer[]): Promise<number> {
  return db.run(sql`delete from event_imports where key = any (${keys}::bytea[])`);
}

/** Locks the import for this transaction, if it is still at this line. */
export async function lockImport(db: Queries, id: number, lines: number): Promise<boolean> {
  const found = await db.find(
    row({ id: integer }),
    sql`select id from event_imports where id = ${id} and lines = ${lines} for update`,
  );
  return found !== undefined;
}

/** Moves the import on to this line, and adds the outcomes of the lines in between. */
export function updateImport(db: Queries, id: number, to: { lines: number; digest: Buffer } & ImportCounts) {
  return db.run(
    sql`update event_imports set lines = ${to.lines}, digest = ${to.digest}, created = created + ${to.created},
      duplicate = duplicate + ${to.duplicate}, ignored = ignored + ${to.ignored}, invalid = invalid + ${to.invalid},
      updated_at = now() where id = ${id}`,
  );
}

/** Whose numbers the lines of GitHub's archives have, and its own repository; null: it has named none (decision 0294). */
const ArchiveSourceRow = row({ id: integer, repository: nullable(text) });
export type ArchiveSource = RowOf<typeof ArchiveSourceRow>;

/** The event source that an import names, else the first of the project that takes GitHub's deliveries. */
export function findArchiveSource(db: Queries, projectId: number, named: number | undefined) {
  const which =
    named === undefined ? sql`project_id = ${projectId} and type in ('github', 'auto')` : sql`id = ${named}`;
  return db.find(
    ArchiveSourceRow,
    sql`select id, repository from event_sources where ${which} order by id limit 1`,
  );
}

/** The project of an event source. */
export function findPlaceOfSource(db: Queries, sourceId: number) {
  return db.find(
    row({ projectId: integer }),
    sql`select project_id as "projectId" from event_sources where id = ${sourceId}`,
  );
}

/** Characters of text that are sent at once. */
const PIECE_LENGTH = 128 * 1024;

const Numbers = row({ n: integer });

/** Writes events by COPY; their ids are allotted before. All events must have a time. */
export async function copyEvents(tx: CopyQueries, events: readonly PlacedEvent[]): Promise<RecordedEvent[]> {
  const ids = await allot(tx, "event_ids", events.filter(({ event }) => event.id === undefined).length);
  const isUnnumbered = ({ event, targetId }: PlacedEvent) => event.targetType && targetId === undefined;
  const numbers = await allot(tx, "event_target_numbers", events.filter(isUnnumbered).length);
  const recorded = events.map(({ event }) => ({
    id: event.id ?? (ids.pop() as number),
    createdAt: event.createdAt as Date,
  }));
  // Built while they are sent, so that the database begins with the first ones.
  function* lines(): Generator<string> {
    for (const [index, placed] of events.entries()) {
      const { event, targetId } = placed;
      const number = isUnnumbered(placed) ? numbers.pop() : event.targetType ? targetId : undefined;
      yield lineOf(placed, (recorded[index] as RecordedEvent).id, number);
    }
  }
  await tx.copyIn(
    sql`copy events (id, created_at, project_id, author_id, action, cap, target_type, target_id, target_iid, target_ref,
      push_data, note, wiki_page, imported_from, external_id, told_as) from stdin`,
    pieces(lines()),
  );
  return recorded;
}

/** Allots numbers of a sequence; returns the greatest first. */
async function allot(db: Queries, sequence: string, count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await db.many(
    Numbers,
    sql`select nextval(${sequence}::text::regclass) as n from generate_series(1, ${count}::integer)`,
  );
  return rows.map(({ n }) => n).reverse();
}

function lineOf({ event, cap, targetIid, targetRef }: PlacedEvent, id: number, number: number | undefined) {
  return `${[
    id,
    (event.createdAt as Date).toISOString(),
    event.projectId,
    event.authorId,
    event.action,
    cap,
    event.targetType ?? "\\N",
    number ?? "\\N",
    event.targetType ? (targetIid ?? number ?? "\\N") : "\\N",
    targetRef ?? "\\N",
    jsonField(event.push),
    jsonField(event.note),
    jsonField(event.wikiPage),
    escaped(event.importedFrom ?? "none"),
    event.externalId === undefined ? "\\N" : escaped(event.externalId),
    event.toldAs ?? "\\N",
  ].join("\t")}\n`;
}

/** JSON text has no control characters, so only its backslashes have a meaning in COPY. */
function jsonField(value: unknown): string {
  return value === undefined || value === null ? "\\N" : JSON.stringify(value).replaceAll("\\", "\\\\");
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function escaped(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}

function* pieces(lines: Iterable<string>): Generator<Buffer> {
  let piece = "";
  for (const line of lines) {
    piece += line;
    if (piece.length < PIECE_LENGTH) continue;
    yield Buffer.from(piece);
    piece = "";
  }
  if (piece !== "") yield Buffer.from(piece);
}
