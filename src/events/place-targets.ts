/** Finds or creates the targets of events, whichever of their numbers an event names (decisions 0022, 0188). */
import type { Queries } from "../platform/db.ts";
import { CAPS_OF_KIND } from "./cap.ts";
import { insertTargets, updateCaps, upsertTargets } from "./store-targets.ts";
import { joinTargets, type ToldNumber, upsertWideNumbers } from "./store-wide-numbers.ts";
import { foldedChanges, identityOf, OWN, type Target, type TargetChange, wideAlone } from "./target.ts";

type KnownTarget = Target & Pick<TargetChange, "projectId" | "kind">;

/** Inserts or changes the targets of the changes; undefined for an event without a target. */
export async function placeTargets(
  tx: Queries,
  sourceId: number,
  given: readonly (TargetChange | undefined)[],
): Promise<(Target | undefined)[]> {
  const changes = sourceId === OWN ? given : await withKnownKeys(tx, sourceId, given);
  let unnumbered: { index: number; change: TargetChange }[] = [];
  const numbered: TargetChange[] = [];
  changes.forEach((change, index) => {
    if (!change) return;
    if (change.key === undefined) unnumbered.push({ index, change });
    else numbered.push(change);
  });
  const known = await changeKnown(tx, sourceId, numbered);
  const targets = changes.map((change) => change && known.get(identityOf(change) ?? ""));
  // A number of ours that a sender has already used as a key is skipped, and the next one is tried.
  while (unnumbered.length > 0) {
    const list = unnumbered;
    const made = await insertTargets(
      tx,
      sourceId,
      list.map(({ change }) => change),
    );
    const places = new Map(made.map((target) => [list[target.index]?.index, target]));
    for (const [index, target] of places) if (index !== undefined) targets[index] = target;
    unnumbered = list.filter(({ index }) => !places.has(index));
  }
  return targets;
}

/** Changes that name a target by its wide number alone get the key that came with this number, in this batch or before. */
async function withKnownKeys(
  tx: Queries,
  sourceId: number,
  changes: readonly (TargetChange | undefined)[],
): Promise<readonly (TargetChange | undefined)[]> {
  const alone = new Map<string, ToldNumber>();
  for (const change of changes) {
    if (!change) continue;
    const { projectId, kind } = change;
    const number = wideAlone(change);
    if (number !== undefined) alone.set(`${projectId} ${kind} ${number}`, { projectId, kind, number });
  }
  if (alone.size === 0) return changes;
  const keys = new Map<string, string>();
  for (const { projectId, kind, key, number } of toldOf(changes)) {
    keys.set(`${projectId} ${kind} ${number}`, key);
  }
  for (const { projectId, kind, number, sameAs } of await upsertWideNumbers(tx, sourceId, [
    ...alone.values(),
  ])) {
    if (sameAs !== String(number)) keys.set(`${projectId} ${kind} ${number}`, sameAs);
  }
  return changes.map((change) => {
    if (!change || wideAlone(change) === undefined) return change;
    return { ...change, key: keys.get(identityOf(change) ?? "") ?? change.key };
  });
}

/** Key and wide number of the targets that come with both; of two with the same wide number the first. */
function toldOf(changes: readonly (TargetChange | undefined)[]): (ToldNumber & { key: string })[] {
  const told = new Map<string, ToldNumber & { key: string }>();
  for (const change of changes) {
    if (change?.key === undefined || change.number === undefined || wideAlone(change) !== undefined) continue;
    const { projectId, kind, key, number } = change;
    const name = `${projectId} ${kind} ${number}`;
    if (!told.has(name)) told.set(name, { projectId, kind, key, number });
  }
  return [...told.values()];
}

/** Changes targets that have a key. If one became confidential or open, its past events get a new cap. */
async function changeKnown(
  tx: Queries,
  sourceId: number,
  given: readonly TargetChange[],
): Promise<Map<string, Target>> {
  if (given.length === 0) return new Map();
  const changes = foldedChanges(given);
  const told = sourceId === OWN ? [] : toldOf(given);
  const rows = await upsertTargets(tx, sourceId, changes, told);
  const targets = new Map<string, KnownTarget>();
  for (const row of rows)
    if (row.sameAs === null) targets.set(`${row.projectId} ${row.kind} ${row.key}`, row);
  const turned = new Set(
    changes.flatMap((change) => (change.confidential ? (targets.get(identityOf(change) ?? "") ?? []) : [])),
  );
  for (const { projectId, kind, number, sameAs, joins } of rows) {
    const target = sameAs === null ? undefined : targets.get(`${projectId} ${kind} ${sameAs}`);
    if (sameAs === null || !target || !joins) continue;
    const joined = await joinTargets(tx, sourceId, { projectId, kind, number, sameAs });
    if (!joined) continue;
    target.confidential = joined.confidential;
    turned.add(target);
  }
  if (turned.size > 0) {
    const caps = [...turned].map(({ id, kind, confidential }) => {
      const { confidential: closed, open } = CAPS_OF_KIND[kind];
      return { targetRef: id, cap: confidential ? closed : open };
    });
    await updateCaps(tx, caps);
  }
  return targets;
}
