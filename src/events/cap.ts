/** The cap of an event: the kind of content that one must be able to read in order to see it (reference events A9, F3). */
import type { NewEvent } from "./event.ts";
import { describedKind, type TargetKind } from "./target.ts";

/** In the order of the type in the database; `event_caps` (migration 0004) says who sees the events of each. */
export const CAPS = [
  "project",
  "code",
  "merge_request",
  "issue",
  "milestone",
  "wiki",
  "snippet",
  "confidential",
  "internal",
  "confidential_code",
  "internal_code",
] as const;
export type Cap = (typeof CAPS)[number];

/** The cap of events on an open target of this kind, and on a confidential one. */
export const CAPS_OF_KIND: Readonly<Record<TargetKind, { open: Cap; confidential: Cap }>> = {
  issue: { open: "issue", confidential: "confidential" },
  merge_request: { open: "merge_request", confidential: "confidential_code" },
  milestone: { open: "milestone", confidential: "confidential" },
  snippet: { open: "snippet", confidential: "confidential" },
  wiki: { open: "wiki", confidential: "confidential" },
  commit: { open: "code", confidential: "confidential_code" },
  project: { open: "project", confidential: "confidential" },
  user: { open: "project", confidential: "confidential" },
};

/** The cap of an event whose target is confidential or not. */
export function capOf(
  event: Pick<NewEvent, "action" | "targetType" | "note" | "isForReporters">,
  confidential: boolean,
): Cap {
  if (event.isForReporters) return "internal_code";
  if (event.action === "pushed") return "code";
  const kind = describedKind(event);
  if (kind === undefined) return "project";
  const isCode = kind === "merge_request" || kind === "commit";
  if (event.note?.internal) return isCode ? "internal_code" : "internal";
  return confidential ? CAPS_OF_KIND[kind].confidential : CAPS_OF_KIND[kind].open;
}
