/** Writes one event of another program, or the events of one push (contract-events §1). */
import type { Db, Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import type { Asker } from "../projects/asker.ts";
import type { Project } from "../projects/project.ts";
import { isAtLeast } from "../projects/role.ts";
import { checkMoment, type EventDraft, eventOf, KEY_REUSED, type NamedAuthor, replayKeyOf } from "./draft.ts";
import type { NewEvent } from "./event.ts";
import { namedAuthor } from "./named-author.ts";
import { type PushedRefs, pushesOf } from "./push.ts";
import { type Outcome, recordOnce } from "./record-once.ts";
import { findWindow } from "./store.ts";
import { WRITE_API } from "./target.ts";

/** The user of the token that writes. */
export type Writer = Asker & { username: string };

/**
 * Writes an event, or finds the one that its key stands for.
 * @throws Problem forbidden: another author, without the role Maintainer; unprocessable: a broken rule, or an unknown author;
 *   conflict: the key stands for another body
 */
export async function writeEvent(
  db: Db,
  writer: Writer,
  project: Project,
  draft: EventDraft,
): Promise<Outcome> {
  const authorId = await authorOf(db, writer, project.access, draft);
  return write(db, project, draft, (createdAt) => [
    eventOf(draft, { projectId: project.id, authorId, createdAt }),
  ]);
}

/** Writes the events of one push; see `writeEvent`. @throws Problem unprocessable too if no branch and no tag changes */
export async function writePushes(
  db: Db,
  writer: Writer,
  project: Project,
  push: PushedRefs,
): Promise<Outcome> {
  const authorId = await authorOf(db, writer, project.access, push);
  const pushes = pushesOf(push.changes);
  if (pushes.length === 0) {
    throw new Problem("unprocessable", "changes has no ref below refs/heads/ or refs/tags/ with a commit");
  }
  const { id: projectId } = project;
  return write(db, project, push, (createdAt) =>
    pushes.map((told) => ({ projectId, authorId, action: "pushed", ...told, createdAt })),
  );
}

interface Written {
  createdAt?: Date | undefined;
  externalId?: string | undefined;
}

function write(
  db: Db,
  { id: projectId }: Project,
  draft: Written,
  eventsAt: (createdAt: Date) => NewEvent[],
): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const window = await findWindow(tx, [projectId]);
    if (draft.createdAt) checkMoment(draft.createdAt, window, projectId);
    const createdAt = draft.createdAt ?? window.now;
    const events = eventsAt(createdAt);
    const key = replayKeyOf(draft);
    const [outcome] = await recordOnce(tx, [{ projectId, createdAt, events, key }], WRITE_API);
    if (!outcome || outcome.status === "conflict") throw new Problem("conflict", KEY_REUSED);
    return outcome;
  });
}

/**
 * The author that a writer names: themselves, or anybody if they are Maintainer.
 * @throws Problem forbidden, or unprocessable for an unknown person
 */
export async function authorOf(
  db: Queries,
  writer: Writer,
  access: number,
  named: NamedAuthor,
): Promise<number> {
  const { authorId, authorUsername } = named;
  const isNamed = authorId !== undefined || authorUsername !== undefined;
  const isSelf =
    authorId === undefined
      ? authorUsername?.toLowerCase() === writer.username.toLowerCase()
      : authorId === writer.id;
  if (!isNamed || isSelf) return writer.id;
  if (!isAtLeast(access, "maintainer")) throw new Problem("forbidden", "403 Forbidden");
  return namedAuthor(db, named);
}
