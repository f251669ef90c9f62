/** Creates, changes and ends silences. */
import type { Act } from "../accounts/audit.ts";
import { cutText } from "../platform/cut-text.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { zoneOfDatabase } from "../platform/time-zone.ts";
import { holdDeveloper } from "../projects/hold-role.ts";
import type { Project } from "../projects/project.ts";
import { changedNames } from "./changed-names.ts";
import { recordChange } from "./record-change.ts";
import { type Silence, type SilenceFields, silenceFaults } from "./silence.ts";
import {
  countSilences,
  endSilence,
  findSilence,
  insertSilence,
  judgeTimes,
  markReaching,
  renameIntegration,
  updateSilence,
} from "./store-silences.ts";

const MAX_ALIVE = 100;
const SHOWN = ["comment", "matchers", "startsAt", "endsAt", "days", "fromTime", "toTime", "zone"] as const;

/** What was given for a silence, with the errors of what could not be read, so that all are told at once. */
export type GivenSilence = SilenceFields & { faults?: Readonly<Record<string, string[]>> };

/**
 * Creates a silence, or changes the one with this id.
 * @param given computes the new fields from the current row, while the project's settings are locked
 * @throws FieldProblem invalid, by field; Problem not_found, or unprocessable: it is over, or there are too many; as
 * `holdDeveloper`
 */
export function saveSilence(
  { db }: Platform,
  act: Act,
  { id: projectId, fullPath }: Pick<Project, "id" | "fullPath">,
  given: (before: Silence | undefined) => GivenSilence,
  id?: number,
): Promise<Silence> {
  return db.transaction(async (tx) => {
    await holdDeveloper(tx, act.actorId, projectId);
    // Also locks the settings, so that a project's silences change one after another.
    await markReaching(tx, projectId);
    if (id === undefined) {
      const fields = withZone(given(undefined));
      await checkFields(tx, fields);
      const { alive } = await countSilences(tx, projectId);
      if (alive >= MAX_ALIVE)
        throw new Problem("unprocessable", `A project has at most ${MAX_ALIVE} silences; end one first.`);
      const made = await silenceOf(tx, projectId, await insertSilence(tx, projectId, act.actorId, fields));
      const until = made.endsAt?.toISOString() ?? "it is ended";
      await recordChange(tx, act, "silence_created", fullPath, { ...named(made), until });
      return made;
    }
    const before = await silenceOf(tx, projectId, id);
    if (before.isOver) throw isOver();
    const fields = withZone(given(before));
    // An absent start is unchanged, and the end is checked against it.
    const changed = { ...fields, startsAt: fields.startsAt ?? before.startsAt };
    await checkFields(tx, changed);
    // It may have ended since it was read.
    if ((await updateSilence(tx, projectId, id, changed)) === 0) throw isOver();
    const after = await silenceOf(tx, projectId, id);
    const names = changedNames(before, after, SHOWN);
    if (names !== "")
      await recordChange(tx, act, "silence_changed", fullPath, { ...named(after), changed: names });
    return after;
  });
}

/** Replaces the name of the time zone by one that every database knows and that follows daylight saving time. */
function withZone(fields: GivenSilence): GivenSilence {
  const { recurrence } = fields;
  if (!recurrence) return fields;
  return { ...fields, recurrence: { ...recurrence, zone: zoneOfDatabase(recurrence.zone) } };
}

function isOver(): Problem {
  return new Problem("unprocessable", "This silence has ended; create a new one.");
}

/** @throws Problem not_found */
export async function silenceOf(db: Queries, projectId: number, id: number | undefined): Promise<Silence> {
  const found = id === undefined ? undefined : await findSilence(db, projectId, id);
  if (!found) throw new Problem("not_found", "404 Silence Not Found");
  return found;
}

/** Ends a silence at once; one that is over is left as it is. @throws Problem not_found */
export async function stopSilence(
  { db }: Platform,
  act: Act,
  { id: projectId, fullPath }: Pick<Project, "id" | "fullPath">,
  id: number | undefined,
): Promise<void> {
  await db.transaction(async (tx) => {
    await holdDeveloper(tx, act.actorId, projectId);
    const silence = await silenceOf(tx, projectId, id);
    if (silence.isOver) return;
    // It ended meanwhile: by itself, or by another request that recorded it.
    if ((await endSilence(tx, projectId, silence.id)) === 0) return;
    await recordChange(tx, act, "silence_ended", fullPath, named(silence));
  });
}

/** Updates the silences that name an integration after its name changed (decision 0234). */
export async function followRename(
  tx: Queries,
  act: Act,
  { id: projectId, fullPath }: Pick<Project, "id" | "fullPath">,
  rename: { id: number; from: string; to: string },
): Promise<void> {
  for (const silence of await renameIntegration(tx, projectId, rename))
    await recordChange(tx, act, "silence_changed", fullPath, { ...named(silence), changed: "matchers" });
}

/** Returns the id of a silence and the beginning of its comment, for the audit log. */
function named({ id, comment }: Pick<Silence, "id" | "comment">) {
  return { silence: id, comment: cutText(comment, 100) };
}

/** @throws FieldProblem with all that is wrong */
async function checkFields(tx: Queries, fields: GivenSilence): Promise<void> {
  const faults: Record<string, string[]> = { ...silenceFaults(fields), ...fields.faults };
  const { knowsZone, isPast } = await judgeTimes(tx, fields.recurrence?.zone ?? null, fields.endsAt);
  if (!knowsZone) faults.zone ??= ["is not known"];
  if (isPast) faults.ends_at ??= ["must be in the future"];
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
}
