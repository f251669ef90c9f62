/** Makes requests of the lines of a file, or says what is wrong with each (decision 0103). */
import { cutText } from "../platform/cut-text.ts";
import type { Db } from "../platform/db.ts";
import { parseInstant } from "../platform/instant.ts";
import { Problem } from "../platform/problem.ts";
import { visibleProject } from "../projects/access.ts";
import { bodyHash, checkMoment, eventOf, type Window } from "./draft.ts";
import type { Told } from "./give-to-claimants.ts";
import { CONSOLE, type ImportLine, type ImportOptions } from "./import.ts";
import { type OutsideAuthor, outsideAuthor } from "./outside-author.ts";
import type { RecordRequest } from "./record-once.ts";
import type { ForgeEvent, Outsider } from "./source.ts";
import { readArchive } from "./sources/archive.ts";
import { findArchiveSource } from "./store-imports.ts";
import { listPeople } from "./store-people.ts";
import { listIdentities } from "./store-sources.ts";
import { WRITE_API } from "./target.ts";

/** A line that is to be written, into the numbers of `sourceId`; or one that is not, and why. */
export type Judged = ToldRequest | { error: string } | { ignored: string };
export type ToldRequest = RecordRequest & { sourceId: number } & Told;

/** Judges lines one batch after another, remembering whom and what it has met. */
export function lineJudge(db: Db, options: ImportOptions, isDryRun: boolean) {
  const projects = new Map<string, Promise<number | Problem>>();
  const sources = new Map<number, Promise<number>>();
  const people = new Map<string, number | undefined>();
  const outsiders = new Map<string, Promise<OutsideAuthor>>();
  let identities: Promise<Map<string, number>> | undefined;

  const projectOf = (reference: string): Promise<number | Problem> =>
    remembered(projects, reference, async () => {
      try {
        return (await visibleProject(db, CONSOLE, reference)).id;
      } catch (error) {
        if (error instanceof Problem && error.kind !== "unavailable") return error;
        throw error;
      }
    });
  const sourceOf = (projectId: number): Promise<number> =>
    remembered(
      sources,
      projectId,
      async () => options.sourceId ?? (await findArchiveSource(db, projectId))?.id ?? WRITE_API,
    );
  const outsiderOf = (
    place: { sourceId: number; projectId: number },
    outsider: Outsider,
  ): Promise<OutsideAuthor> => {
    const name = `${place.sourceId} ${place.projectId} ${outsider.host} ${outsider.login.toLowerCase()}`;
    return remembered(outsiders, name, () =>
      isDryRun
        ? Promise.resolve({ authorId: 0 })
        : db.transaction((tx) => outsideAuthor(tx, place, outsider)),
    );
  };

  /** Looks up the people that rows name and who have not been met before. */
  async function meet(lines: readonly (ImportLine | undefined)[]): Promise<void> {
    const ids = new Set<number>();
    const names = new Set<string>();
    for (const line of lines) {
      if (!line || !("draft" in line)) continue;
      const { authorId, authorUsername } = line.draft;
      if (authorId !== undefined && !people.has(String(authorId))) ids.add(authorId);
      const name = authorUsername?.toLowerCase();
      if (authorId === undefined && name && !people.has(`@${name}`)) names.add(name);
    }
    if (ids.size + names.size === 0) return;
    for (const id of ids) people.set(String(id), undefined);
    for (const name of names) people.set(`@${name}`, undefined);
    for (const { id, name } of await listPeople(db, [...ids], [...names])) {
      people.set(String(id), id);
      people.set(`@${name}`, id);
    }
    // Asked for where somebody waits for it: what fails unheard would end the process.
    identities ??= identitiesOf(db, options.sourceId);
    for (const [login, id] of await identities) if (names.has(login)) people.set(`@${login}`, id);
  }

  async function judgeRow(row: Extract<ImportLine, { project: string }>, window: Window): Promise<Judged> {
    const { draft } = row;
    const projectId = await projectOf(row.project);
    if (projectId instanceof Problem) return { error: projectId.message };
    if (draft.createdAt) checkMoment(draft.createdAt, window, projectId);
    const createdAt = draft.createdAt ?? window.now;
    const authorId = authorOf(draft, people, options.authorId);
    const { externalId, ...body } = draft;
    const key = externalId === undefined ? undefined : { externalId, bodyHash: bodyHash(body) };
    const events = [eventOf(draft, projectId, authorId, createdAt)];
    return { projectId, createdAt, events, key, sourceId: options.sourceId ?? WRITE_API };
  }

  async function judgeArchive(line: Readonly<Record<string, unknown>>, window: Window): Promise<Judged> {
    const { repository, number, createdAt: told, reading } = readArchive(line);
    if (reading.result !== "events") {
      return { ignored: reading.result === "ignored" ? reading.reason : "A ping" };
    }
    const createdAt = told === undefined ? undefined : parseInstant(told);
    if (!createdAt) return { error: "created_at is invalid" };
    const reference = options.project ?? repository;
    if (!reference) return { error: "repo[name] is missing" };
    const projectId = await projectOf(reference);
    if (projectId instanceof Problem) return { error: projectId.message };
    checkMoment(createdAt, window, projectId);
    const sourceId = await sourceOf(projectId);
    const events = [];
    const outsiderIds: (number | undefined)[] = [];
    for (const { draft, author } of reading.events as readonly ForgeEvent[]) {
      const { authorId, outsiderId, toldAs }: OutsideAuthor =
        "login" in author ? await outsiderOf({ sourceId, projectId }, author) : { authorId: 0 };
      outsiderIds.push(outsiderId);
      events.push({
        ...eventOf({ ...draft, importedFrom: "github" }, projectId, authorId, createdAt),
        toldAs,
      });
    }
    const { actor: _, ...body } = line;
    const key = number && { externalId: `github:${cutText(number, 200)}`, bodyHash: bodyHash(body) };
    return { projectId, createdAt, events, outsiderIds, key: key || undefined, sourceId };
  }

  return async (lines: readonly (ImportLine | undefined)[], window: Window) => {
    await meet(lines);
    const judged: (Judged | undefined)[] = [];
    for (const line of lines) {
      if (!line || "error" in line) judged.push(line);
      else {
        const judging = "archive" in line ? judgeArchive(line.archive, window) : judgeRow(line, window);
        judged.push(await judging.catch(refusal));
      }
    }
    return judged;
  };
}

function refusal(error: unknown): Judged {
  if (error instanceof Problem && error.kind !== "unavailable") return { error: error.message };
  throw error;
}

/** @throws Problem unprocessable */
function authorOf(
  { authorId, authorUsername }: { authorId?: number | undefined; authorUsername?: string | undefined },
  people: ReadonlyMap<string, number | undefined>,
  fallback: number | undefined,
): number {
  if (authorId === undefined && !authorUsername) {
    if (fallback !== undefined) return fallback;
    throw new Problem("unprocessable", "author_username is missing, and no --author was given");
  }
  const found = people.get(authorId === undefined ? `@${authorUsername?.toLowerCase()}` : String(authorId));
  if (found !== undefined) return found;
  const member = authorId === undefined ? "author_username" : "author_id";
  throw new Problem("unprocessable", `${member} names nobody`);
}

async function identitiesOf(db: Db, sourceId: number | undefined): Promise<Map<string, number>> {
  const found = sourceId === undefined ? [] : await listIdentities(db, [sourceId]);
  return new Map(found.map(({ login, userId }) => [login, userId]));
}

function remembered<K, V>(map: Map<K, Promise<V>>, key: K, find: () => Promise<V>): Promise<V> {
  const before = map.get(key);
  if (before) return before;
  const found = find();
  map.set(key, found);
  return found;
}
