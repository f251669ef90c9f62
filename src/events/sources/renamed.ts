/** Reads what GitHub, Gitea and Forgejo report of a renamed target, which becomes no event (decision 0164). */
import { entryOf } from "../../platform/entry-of.ts";
import { parseInstant } from "../../platform/instant.ts";
import type { JsonObject } from "../../platform/json-object.ts";
import type { TargetType } from "../event.ts";
import type { TurnedTarget } from "../source.ts";
import { numberOf, part, textOf, titleOf } from "./payload.ts";

/** The kinds of deliveries, and the members of their payloads that contain what was edited. */
const TITLED: Readonly<Record<string, readonly [TargetType, string]>> = {
  issues: ["Issue", "issue"],
  pull_request: ["MergeRequest", "pull_request"],
  milestone: ["Milestone", "milestone"],
};

/** The target with its new title; undefined: the delivery is about something else. */
export function renamedOf(kind: string, payload: JsonObject): TurnedTarget | undefined {
  const [targetType, member] = entryOf(TITLED, kind) ?? [];
  const isRenamed = payload.action === "edited" && Object.hasOwn(part(payload, "changes"), "title");
  if (!targetType || !member || !isRenamed) return undefined;
  const thing = part(payload, member);
  const title = titleOf(thing);
  if (title === undefined) return undefined;
  const [targetId, targetIid] = [numberOf(thing, "id"), numberOf(thing, "number")];
  const moments = [parseInstant(textOf(thing, "updated_at") ?? "")];
  return { targetType, targetId, targetIid, title, moments };
}
