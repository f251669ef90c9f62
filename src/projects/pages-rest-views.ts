/** The foot of the settings of a project or group: how its owners bring it to rest, and back (decision 0153). */
import { badge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { postButton } from "../ui/dialog.ts";
import { type Html, html } from "../ui/html.ts";
import { timeDay } from "../ui/time.ts";
import { type PlaceKind, type Rest, restHome } from "./rest.ts";

/** A project or group as these cards need it. */
export type RestingPlace = Rest & { name: string; fullPath: string };

/** The cards below the form of the settings; for owners. */
export function restCards(kind: PlaceKind, place: RestingPlace, csrfToken: string): Html[] {
  return [archiveCard(kind, place, csrfToken)];
}

function archiveCard(kind: PlaceKind, place: RestingPlace, csrfToken: string): Html {
  const { name, archivedAt, archivedWith, removalDueAt } = place;
  const home = `${restHome(kind, place)}/archive`;
  const holds = kind === "group" ? "Its groups and projects rest with it. " : "";
  const lead = `${holds}Everything stays and can be read; alerts and events are refused at the door, and no timer runs.`;
  const part = (body: Html) => card({ id: "archive", heading: "Archive", lead, body });
  if (archivedAt !== null && archivedWith !== null) {
    return part(
      html`<p>The group <a class="wrap-any" href="/${archivedWith}">${archivedWith}</a> around it is archived. Its owners bring both back.</p>`,
    );
  }
  if (removalDueAt !== null) return part(html`<p>What is marked for deletion is restored first.</p>`);
  if (archivedAt !== null) {
    const back = submitButton(`Unarchive ${name}`, { tone: "primary" });
    return part(
      html`<p class="mb">Archived since ${timeDay(archivedAt)}.</p>${postButton(home, csrfToken, back, { archived: "false" })}`,
    );
  }
  return part(postButton(home, csrfToken, submitButton(`Archive ${name}`), { archived: "true" }));
}

/** The word for how a project or group rests; nothing for one that does not. */
export function restBadge({ archivedAt, removalDueAt }: Rest): Html | false {
  if (removalDueAt !== null) return badge("Marked for deletion", "brass");
  return archivedAt !== null && badge("Archived", "plain");
}
