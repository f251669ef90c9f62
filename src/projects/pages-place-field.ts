/** The field that names a place: a choice of groups, or where they are too many to choose from, their path, typed and searched for. */
import type { Queries } from "../platform/db.ts";
import { type Option, selectField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import type { Asker } from "./asker.ts";
import type { Group } from "./group.ts";
import { listGroups } from "./store-groups.ts";

/** Where there are more, the place is typed. */
const MOST_OFFERED = 200;
/** Groups that are named for what was typed. */
const MOST_LIKE_IT = 10;

/** All groups that may be chosen, or of too many those whose path or name has what was typed. */
export type Places = { groups: readonly Group[] } | { groups?: never; like: readonly Group[] };

/** The groups in which the asker has at least this level; of them those that `fit`. */
export async function findPlaces(
  db: Queries,
  asker: Asker,
  leastAccess: number,
  typed: string,
  fit: (group: Group) => boolean = () => true,
): Promise<Places> {
  const page = { limit: MOST_OFFERED + 1, offset: 0 };
  const all = await listGroups(db, asker, { leastAccess }, page);
  if (all.length <= MOST_OFFERED) return { groups: all.filter(fit) };
  const search = typed.replaceAll("\0", "").trim();
  const like = search === "" ? [] : await listGroups(db, asker, { leastAccess, search }, page);
  return { like: like.filter(fit).slice(0, MOST_LIKE_IT) };
}

export interface PlaceField {
  name: string;
  label: string;
  value: string;
  error: string | undefined;
  /** Below the choice, and below the field to type into. */
  hints: { chosen: string; typed: string };
}

/** @param others what may be chosen besides groups */
export function placeField(
  { hints, ...field }: PlaceField,
  places: Places,
  others: readonly Option[] = [],
): Html {
  if (places.groups) {
    const options = [...others, ...places.groups.map(({ fullPath }) => optionOf(fullPath))];
    return selectField({ ...field, hint: hints.chosen, options });
  }
  const like = places.like.map(
    ({ fullPath }, index) => html`${index > 0 && ", "}<code class="wrap-any">${fullPath}</code>`,
  );
  const found = like.length > 0 && html` These have it in their path or name: ${like}.`;
  const hint = html`${hints.typed} A part of it finds the groups that have it.${found}`;
  return textField({ ...field, hint, spellcheck: false, autocomplete: "off" });
}

export const optionOf = (path: string): Option => ({ value: path, label: path });
