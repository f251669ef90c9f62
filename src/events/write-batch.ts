/** Writes many events at once: valid rows are written even if others are refused (contract-events §2). */
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { projectFor } from "../projects/access.ts";
import type { Project } from "../projects/project.ts";
import { isAtLeast } from "../projects/role.ts";
import type { BatchRow, RowResult } from "./batch.ts";
import {
  checkMoment,
  type EventDraft,
  eventOf,
  KEY_REUSED,
  replayKeyOf,
  unknownAuthor,
  type Window,
} from "./draft.ts";
import { type Outcome, predictOutcomes, type RecordRequest, recordOnce } from "./record-once.ts";
import { findWindow } from "./store.ts";
import { listPeople } from "./store-people.ts";
import { WRITE_API } from "./target.ts";
import type { Writer } from "./write-event.ts";

type Found<T> = Map<string, T | Problem>;

/**
 * Writes the rows in their order and returns the result of each; with `isDryRun` judges them alike and writes nothing. Rights are
 * checked for each row.
 */
export async function writeBatch(
  db: Db,
  writer: Writer,
  rows: readonly BatchRow[],
  isDryRun: boolean,
): Promise<RowResult[]> {
  const projects = await findProjects(db, writer, rows);
  const people = await findAuthors(db, rows);
  return db.transaction(async (tx) => {
    const window = await findWindow(tx, idsOf(projects));
    const judged = rows.map((row) => judge(row, { writer, projects, people, window }));
    const requests = judged.filter((request): request is RecordRequest => !("error" in request));
    const outcomes = isDryRun
      ? await predictOutcomes(tx, requests)
      : await recordOnce(tx, requests, WRITE_API);
    let next = 0;
    return judged.map((request) => {
      if ("error" in request) return { status: "invalid", id: null, error: request.error };
      return resultOf(outcomes[next++] as Outcome);
    });
  });
}

function idsOf(projects: Found<Project>): number[] {
  return [...projects.values()].flatMap((project) => (project instanceof Problem ? [] : project.id));
}

function resultOf({ status, eventIds }: Outcome): RowResult {
  if (status === "conflict") return { status: "invalid", id: null, error: KEY_REUSED };
  return { status, id: eventIds[0] ?? null, error: null };
}

interface Knowledge {
  writer: Writer;
  projects: Found<Project>;
  people: ReadonlyMap<string, number>;
  window: Window;
}

/** The request of a row, or what is wrong with it. */
function judge(row: BatchRow, known: Knowledge): RecordRequest | { error: string } {
  if ("error" in row) return row;
  const { draft } = row;
  try {
    const project = known.projects.get(row.project);
    if (!project || project instanceof Problem) throw project;
    if (draft.createdAt) checkMoment(draft.createdAt, known.window, project.id);
    const createdAt = draft.createdAt ?? known.window.now;
    const authorId = authorOf(draft, project, known);
    const event = eventOf(draft, { projectId: project.id, authorId, createdAt });
    return { projectId: project.id, createdAt, events: [event], key: replayKeyOf(draft) };
  } catch (error) {
    if (error instanceof Problem) return { error: error.message };
    throw error;
  }
}

/** The same rules as for the author of a single event. @throws Problem */
function authorOf(draft: EventDraft, project: Project, { writer, people }: Knowledge): number {
  const name = authorName(draft);
  if (name === undefined || name === authorName({ authorId: writer.id })) return writer.id;
  if (name === authorName({ authorUsername: writer.username })) return writer.id;
  if (!isAtLeast(project.access, "maintainer")) throw new Problem("forbidden", "403 Forbidden");
  const id = people.get(name);
  if (id !== undefined) return id;
  throw unknownAuthor(draft);
}

function authorName({ authorId, authorUsername }: Partial<EventDraft>): string | undefined {
  return authorId !== undefined ? String(authorId) : authorUsername && `@${authorUsername.toLowerCase()}`;
}

async function findProjects(db: Db, writer: Writer, rows: readonly BatchRow[]): Promise<Found<Project>> {
  const found: Found<Project> = new Map();
  for (const row of rows) {
    if ("error" in row || found.has(row.project)) continue;
    const project = await projectFor(db, writer, row.project, "developer").catch((error) => {
      if (error instanceof Problem && error.kind !== "unavailable") return error;
      throw error;
    });
    found.set(row.project, project);
  }
  return found;
}

/** The users that rows name, by id and by `@name`. */
async function findAuthors(db: Db, rows: readonly BatchRow[]): Promise<Map<string, number>> {
  const ids = new Set<number>();
  const names = new Set<string>();
  for (const row of rows) {
    if ("error" in row) continue;
    if (row.draft.authorId !== undefined) ids.add(row.draft.authorId);
    else if (row.draft.authorUsername) names.add(row.draft.authorUsername.toLowerCase());
  }
  if (ids.size + names.size === 0) return new Map();
  const people = await listPeople(db, [...ids], [...names]);
  return new Map(
    people.flatMap(({ id, name }) => [
      [String(id), id],
      [`@${name}`, id],
    ]),
  );
}
