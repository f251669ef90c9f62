/**
 * The last cards of the settings of a project or group, with which owners archive, delete or restore it (decisions 0152, 0153).
 */
import { badge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { postButton } from "../ui/dialog.ts";
import { csrfField, errorSummary, hiddenField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { timeDay, timeExact } from "../ui/time.ts";
import { type Lifecycle, lifecycleAddress, type PlaceKind } from "./lifecycle.ts";

/** A project or group as these cards need it. */
export type PlaceWithLifecycle = Lifecycle & { fullPath: string };

/** The path that was typed to confirm a deletion, and its fault. */
export interface TypedPath {
  typed: string;
  error: string;
}

/** The cards below the form of the settings, for owners. `days`: the delay before a marked place is removed. */
export function lifecycleCards(
  kind: PlaceKind,
  place: PlaceWithLifecycle,
  { csrfToken, days, wrong }: { csrfToken: string; days: number; wrong?: TypedPath | undefined },
): Html[] {
  const ending = { kind, place, csrfToken, days, wrong };
  return place.removalDueAt === null
    ? [archiveCard(kind, place, csrfToken), deleteCard(ending)]
    : markedCards(ending);
}

interface Ending {
  kind: PlaceKind;
  place: PlaceWithLifecycle;
  csrfToken: string;
  days: number;
  wrong: TypedPath | undefined;
}

const partsOf = (kind: PlaceKind): string =>
  kind === "group" ? "Its groups, projects, applications and members" : "Its alerts, incidents and events";

function deleteCard(ending: Ending): Html {
  const { kind, days } = ending;
  const after = days === 1 ? "a day" : `${days} days`;
  const lead =
    days === 0
      ? `${partsOf(kind)} go for good, at once. Nothing brings them back.`
      : `${partsOf(kind)} go for good after ${after}. Until then it can be read and restored.`;
  const body = pathForm(ending, `Delete ${kind}`);
  return card({ id: "delete", heading: "Delete", lead, body });
}

/** The cards of a marked place: when it is removed, its restoration, and its removal at once. */
function markedCards(ending: Ending): Html[] {
  const { kind, place, csrfToken } = ending;
  const { fullPath, markedForDeletionAt, removalDueAt, isMarkedItself, markedWith } = place;
  if (markedForDeletionAt === null || removalDueAt === null) return [];
  const lead = html`Marked on ${timeDay(markedForDeletionAt)}. ${partsOf(kind)} go for good on ${timeExact(removalDueAt)}.`;
  if (!isMarkedItself) {
    const around = html`<a class="wrap-any" href="/${markedWith}">${markedWith}</a>`;
    const body = html`<p>The group ${around} is marked for deletion, and this ${kind} with it. Its owners restore both.</p>`;
    return [card({ id: "delete", heading: "Marked for deletion", lead, body })];
  }
  const button = submitButton(`Restore ${kind}`, { tone: "primary" });
  const back = card({
    id: "delete",
    heading: "Marked for deletion",
    lead,
    body: postButton(`${lifecycleAddress(kind, place)}/restore`, csrfToken, button),
  });
  // Top-level groups always wait, as in the GitLab v4 API.
  if (kind === "group" && !fullPath.includes("/")) return [back];
  const now = card({
    id: "now",
    heading: "Delete now",
    lead: "At once. This can’t be undone.",
    body: pathForm(ending, "Delete now", { now: "true" }),
  });
  return [back, now];
}

/** The form that asks for the path of the place before it is marked or removed; `more`: hidden fields. */
function pathForm(
  { kind, place, csrfToken, wrong }: Ending,
  words: string,
  more: Readonly<Record<string, string>> = {},
): Html {
  const field = textField({
    name: "confirm",
    label: "Path, to confirm",
    value: wrong?.typed ?? "",
    error: wrong?.error,
    hint: html`Type <code class="wrap-any">${place.fullPath}</code>.`,
    required: true,
    spellcheck: false,
    autocomplete: "off",
  });
  const hidden = Object.entries(more).map(([name, value]) => hiddenField(name, value));
  const summary = errorSummary([{ id: "confirm", label: "Path, to confirm", error: wrong?.error }]);
  return html`<form class="form" action="${lifecycleAddress(kind, place)}/delete" method="post">${csrfField(csrfToken)}${hidden}${summary}
${field}
<div class="btn-row">${submitButton(words, { tone: "danger solid" })}</div></form>`;
}

function archiveCard(kind: PlaceKind, place: PlaceWithLifecycle, csrfToken: string): Html {
  const { archivedAt, archivedWith } = place;
  const action = `${lifecycleAddress(kind, place)}/archive`;
  const holds = kind === "group" ? "Its groups and projects rest with it. " : "";
  const lead = `${holds}Everything can still be read. New alerts and events are refused, and timers stop.`;
  if (archivedAt !== null && archivedWith !== null) {
    const around = html`<a class="wrap-any" href="/${archivedWith}">${archivedWith}</a>`;
    const body = html`<p>The group ${around} around it is archived. Its owners bring both back.</p>`;
    return card({ id: "archive", heading: "Archive", lead, body });
  }
  if (archivedAt !== null) {
    const back = submitButton(`Unarchive ${kind}`, { tone: "primary" });
    const body = postButton(action, csrfToken, back, { archived: "false" });
    return card({
      id: "archive",
      heading: "Archived",
      lead: html`Since ${timeDay(archivedAt)}. ${lead}`,
      body,
    });
  }
  const body = postButton(action, csrfToken, submitButton(`Archive ${kind}`), { archived: "true" });
  return card({ id: "archive", heading: "Archive", lead, body });
}

/** A badge if a project or group is archived or marked for deletion. */
export function lifecycleBadge({ archivedAt, removalDueAt }: Lifecycle): Html | false {
  if (removalDueAt !== null) return badge("Marked for deletion", "brass");
  return archivedAt !== null && badge("Archived", "plain");
}
