/** Turns the lines of a file into requests to record, or says what is wrong with each (decision 0103). */
import { cutText } from "../platform/cut-text.ts";
import type { Db } from "../platform/db.ts";
import { parseInstant } from "../platform/instant.ts";
import type { JsonObject } from "../platform/json-object.ts";
import { Problem } from "../platform/problem.ts";
import { visibleProject } from "../projects/access.ts";
import {
  bodyHash,
  checkMoment,
  eventOf,
  type NamedAuthor,
  replayKeyOf,
  unknownAuthor,
  type Window,
} from "./draft.ts";
import type { WithOutsiders } from "./give-to-claimants.ts";
import { CONSOLE, type ImportLine, type ImportOptions } from "./import.ts";
import { type OutsideAuthor, outsideAuthor } from "./outside-author.ts";
import type { RecordRequest } from "./record-once.ts";
import type { ForgeEvent, Outsider } from "./source.ts";
import { readArchive } from "./sources/archive.ts";
import { type ArchiveSource, findArchiveSource } from "./store-imports.ts";
import { listPeople } from "./store-people.ts";
import { listIdentities } from "./store-sources.ts";
import { WRITE_API } from "./target.ts";

/** A line to be written, with the numbers of `sourceId`; or one that is not, and why. */
export type Judged = LineRequest | { error: string } | { ignored: string };
export type LineRequest = RecordRequest & { sourceId: number } & WithOutsiders;

/** Judges the lines of one file batch by batch, and caches what it looked up for earlier lines. */
export class LineJudge {
  private readonly db: Db;
  private readonly options: ImportOptions;
  private readonly isDryRun: boolean;
  private readonly projects = new Map<string, Promise<number | Problem>>();
  private readonly sources = new Map<number, Promise<ArchiveSource>>();
  /** By id, and by `@` and the username in lower case; undefined: there is no such person. */
  private readonly people = new Map<string, number | undefined>();
  private readonly outsiders = new Map<string, Promise<OutsideAuthor>>();
  private identities: Promise<Map<string, number>> | undefined;

  constructor(db: Db, options: ImportOptions, isDryRun: boolean) {
    this.db = db;
    this.options = options;
    this.isDryRun = isDryRun;
  }

  /** One verdict for each line, in their order; undefined: the line is blank. */
  async judge(lines: readonly (ImportLine | undefined)[], window: Window): Promise<(Judged | undefined)[]> {
    await this.lookUpPeople(lines);
    const judged: (Judged | undefined)[] = [];
    for (const line of lines) {
      if (!line || "error" in line) judged.push(line);
      else {
        const judging =
          "archive" in line ? this.judgeArchive(line.archive, window) : this.judgeRow(line, window);
        judged.push(await judging.catch(refusal));
      }
    }
    return judged;
  }

  /** Looks up the people that rows name, except those who were looked up before. */
  private async lookUpPeople(lines: readonly (ImportLine | undefined)[]): Promise<void> {
    const { db, people } = this;
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
    // Started only where it is awaited: an unhandled rejection would end the process.
    this.identities ??= identitiesOf(db, this.options.sourceId);
    for (const [login, id] of await this.identities) if (names.has(login)) people.set(`@${login}`, id);
  }

  /** A line in the form of the write API. @throws Problem unprocessable */
  private async judgeRow(row: Extract<ImportLine, { project: string }>, window: Window): Promise<Judged> {
    const { draft } = row;
    const projectId = await this.projectOf(row.project);
    if (projectId instanceof Problem) return { error: projectId.message };
    if (draft.createdAt) checkMoment(draft.createdAt, window, projectId);
    const createdAt = draft.createdAt ?? window.now;
    const authorId = authorOf(draft, this.people, this.options.authorId);
    const events = [eventOf(draft, { projectId, authorId, createdAt })];
    const sourceId = this.options.sourceId ?? WRITE_API;
    return { projectId, createdAt, events, key: replayKeyOf(draft), sourceId };
  }

  /** A line of an archive of GitHub's events. @throws Problem unprocessable */
  private async judgeArchive(line: JsonObject, window: Window): Promise<Judged> {
    const { repository, repositoryId, number, createdAt: told, reading } = readArchive(line);
    if (reading.result !== "events") {
      return { ignored: reading.result === "ignored" ? reading.reason : "A ping" };
    }
    const createdAt = told === undefined ? undefined : parseInstant(told);
    if (!createdAt) return { error: "created_at is invalid" };
    const reference = this.options.project ?? repository;
    if (!reference) return { error: "repo[name] is missing" };
    const projectId = await this.projectOf(reference);
    if (projectId instanceof Problem) return { error: projectId.message };
    checkMoment(createdAt, window, projectId);
    const { id: sourceId, repository: own } = await this.sourceOf(projectId);
    const otherRepository = own === null || own === repositoryId ? undefined : repositoryId;
    const events = [];
    const outsiderIds: (number | undefined)[] = [];
    for (const { draft, author } of reading.events as readonly ForgeEvent[]) {
      const { authorId, outsiderId, toldAs }: OutsideAuthor =
        "login" in author ? await this.outsiderOf({ sourceId, projectId }, author) : { authorId: 0 };
      outsiderIds.push(outsiderId);
      events.push({
        ...eventOf({ ...draft, importedFrom: "github" }, { projectId, authorId, createdAt }),
        toldAs,
        otherRepository,
      });
    }
    const { actor: _, ...body } = line;
    const key = number && { externalId: `github:${cutText(number, 200)}`, bodyHash: bodyHash(body) };
    return { projectId, createdAt, events, outsiderIds, key: key || undefined, sourceId };
  }

  private projectOf(reference: string): Promise<number | Problem> {
    return remembered(this.projects, reference, async () => {
      try {
        return (await visibleProject(this.db, CONSOLE, reference)).id;
      } catch (error) {
        if (error instanceof Problem && error.kind !== "unavailable") return error;
        throw error;
      }
    });
  }

  private sourceOf(projectId: number): Promise<ArchiveSource> {
    return remembered(
      this.sources,
      projectId,
      async () =>
        (await findArchiveSource(this.db, projectId, this.options.sourceId)) ?? {
          id: WRITE_API,
          repository: null,
        },
    );
  }

  /** The user or placeholder for a login of the archive; a dry run creates none. */
  private outsiderOf(
    place: { sourceId: number; projectId: number },
    outsider: Outsider,
  ): Promise<OutsideAuthor> {
    const name = `${place.sourceId} ${place.projectId} ${outsider.host} ${outsider.login.toLowerCase()}`;
    return remembered(this.outsiders, name, () =>
      this.isDryRun
        ? Promise.resolve({ authorId: 0 })
        : this.db.transaction((tx) => outsideAuthor(tx, place, outsider)),
    );
  }
}

function refusal(error: unknown): Judged {
  if (error instanceof Problem && error.kind !== "unavailable") return { error: error.message };
  throw error;
}

/** @throws Problem unprocessable */
function authorOf(
  named: NamedAuthor,
  people: ReadonlyMap<string, number | undefined>,
  fallback: number | undefined,
): number {
  const { authorId, authorUsername } = named;
  if (authorId === undefined && !authorUsername) {
    if (fallback !== undefined) return fallback;
    throw new Problem("unprocessable", "author_username is missing, and no --author was given");
  }
  const found = people.get(authorId === undefined ? `@${authorUsername?.toLowerCase()}` : String(authorId));
  if (found !== undefined) return found;
  throw unknownAuthor(named);
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
