/** Builders for event tests: rows of every kind, written directly to the store. */
import type { NewEvent, NoteableType, TargetType } from "../../src/events/event.ts";
import { recordEvents } from "../../src/events/record.ts";
import { findHorizon } from "../../src/events/store-arrivals.ts";
import type { Db } from "../../src/platform/db.ts";
import { jsonb, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { until } from "./until.ts";

/** A row without author and project. */
export type Kind = Omit<NewEvent, "projectId" | "authorId">;

/** A comment on something. */
export function comment(noteableType: NoteableType, noteableIid: number, more: object = {}): Kind {
  return {
    action: "commented",
    targetType: noteableType === "MergeRequest" ? "DiffNote" : "Note",
    note: {
      type: noteableType === "MergeRequest" ? "DiffNote" : null,
      body: "words",
      attachment: null,
      system: false,
      internal: false,
      noteableType,
      noteableIid,
      noteableId: null,
      commitId: null,
      ...more,
    },
  };
}

/** A push to a branch. */
export const push: Kind = {
  action: "pushed",
  push: {
    commitCount: 1,
    action: "pushed",
    refType: "branch",
    commitFrom: "1".repeat(40),
    commitTo: "2".repeat(40),
    ref: "main",
    commitTitle: "One",
    refCount: null,
  },
};

/** An event about something with an iid. */
export function about(action: NewEvent["action"], targetType: TargetType, targetIid: number): Kind {
  return { action, targetType, targetIid, title: `${targetType} ${targetIid}` };
}

/** Records events as the write API would, in one transaction; returns their ids once `since` includes them. */
export async function record(on: { platform: { db: Db } }, events: readonly NewEvent[]): Promise<number[]> {
  const ids = await recordOnly(on, events);
  await allArrived(on.platform.db);
  return ids;
}

/** The same for tests that do not use `since`: it does not wait for transactions of other files. */
export async function recordOnly(
  { platform: { db } }: { platform: { db: Db } },
  events: readonly NewEvent[],
): Promise<number[]> {
  const recorded = await db.transaction((tx) => recordEvents(tx, events, 0));
  return recorded.map(({ id }) => id);
}

/**
 * Waits until every transaction begun before has ended: a transaction of any other database of the server holds back
 * `since`, and test files share a server (decision 0026).
 */
export async function allArrived(db: Db): Promise<void> {
  const { upcoming } = await findHorizon(db);
  await until(async () => BigInt((await findHorizon(db)).horizon) >= BigInt(upcoming));
}

/** All stored counts of events, as one text. */
export async function eventCounts({ platform: { db } }: { platform: { db: Db } }): Promise<string> {
  const found = await db.one(
    row({ all: jsonb<unknown>() }),
    sql`select jsonb_build_array(
      (select jsonb_agg(d order by d::text) from (select day, project_id, author_id, action, target_type, cap, n
        from event_days where n <> 0) d),
      (select jsonb_agg(d order by d::text) from (select day, project_id, action, target_type, cap, n
        from event_project_days where n <> 0) d),
      (select jsonb_agg(d order by d::text) from (select author_id, project_id, action, target_type, cap, n
        from event_author_totals where n <> 0) d),
      (select jsonb_agg(d order by d::text) from (select author_id, namespace_id, visibility, n_open, n_code, n_planner,
        n_reporter from event_sums where n_open + n_code + n_planner + n_reporter <> 0) d)) as all`,
  );
  return JSON.stringify(found.all);
}

/** Some that are visible to everybody who can see the project, and some only to certain roles, authors or assignees. */
export const MANY_KINDS: Kind[] = [
  push,
  about("created", "Issue", 1),
  { ...about("created", "Issue", 2), confidential: true },
  comment("Issue", 2),
  comment("Issue", 1, { internal: true }),
  about("merged", "MergeRequest", 1),
  { ...about("updated", "MergeRequest", 2), confidential: true },
  { action: "joined", targetType: null },
];
