/** The field that names a place: a choice of groups or, if there are too many, a text field for the path, with suggestions. */
import type { Queries } from "../platform/db.ts";
import { type Option, selectField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import type { Message } from "../ui/message.ts";
import { groupAt } from "./access.ts";
import type { Asker } from "./asker.ts";
import type { Group } from "./group.ts";
import { isReadOnly, readOnlyState } from "./lifecycle.ts";
import { isAtLeast, ROLES, type Role } from "./role.ts";
import { listGroups } from "./store-groups.ts";

/** If there are more, the place is typed. */
const MAX_OFFERED = 200;
/** The most groups suggested for what was typed. */
const MAX_LIKE_IT = 10;

/** All groups to choose from or, if there are too many, those whose path or name contains what was typed. */
export type Places = { groups: readonly Group[] } | { groups?: never; like: readonly Group[] };

/** Which groups may be chosen, and what was typed to find one. */
export interface PlaceChoice {
  /** The least role that the asker needs in a group. */
  role: Role;
  typed: string;
  /**
   * The viewer, if the asker stands for them without the rights of administrators: whoever may create something in the group that
   * was typed finds it among the groups, too.
   */
  viewer?: Asker;
  /** By default every group. */
  fit?: (group: Group) => boolean;
}

/** The groups in which the asker has at least this role, for administrators all; only those that `fit`. */
export async function findPlaces(
  db: Queries,
  asker: Asker,
  { role, typed, viewer, fit = () => true }: PlaceChoice,
): Promise<Places> {
  const page = { limit: MAX_OFFERED + 1, offset: 0 };
  const leastAccess = asker.isAdmin ? 0 : ROLES[role];
  const all = await listGroups(db, asker, { leastAccess }, page);
  // What is archived or marked for deletion takes nothing new (decision 0153).
  const isOffered = (group: Group) => !isReadOnly(group) && fit(group);
  if (all.length <= MAX_OFFERED) {
    const groups = all.filter(isOffered);
    const isMissing = typed !== "" && !groups.some(({ fullPath }) => isSamePath(fullPath, typed));
    const asked = viewer && isMissing ? await groupAt(db, viewer, typed) : undefined;
    const mayUse = asked && isAtLeast(asked.access, role) && isOffered(asked);
    return { groups: mayUse ? [...groups, asked] : groups };
  }
  const search = typed.replaceAll("\0", "").trim();
  const like = search === "" ? [] : await listGroups(db, asker, { leastAccess, search }, page);
  return { like: like.filter(isOffered).slice(0, MAX_LIKE_IT) };
}

/** If the requested group is archived or marked for deletion: a message why nothing can be created in it, with a link to it. */
export async function restMessages(db: Queries, asker: Asker, path: string): Promise<Message[]> {
  const group = path === "" ? undefined : await groupAt(db, asker, path);
  if (!group || !isReadOnly(group)) return [];
  const name = html`<a class="wrap-any" href="/${group.fullPath}">${group.fullPath}</a>`;
  return [
    {
      kind: "warn",
      text: html`Nothing can be created in ${name}, which is ${readOnlyState(group)}. Choose another place.`,
    },
  ];
}

export interface PlaceField {
  name: string;
  label: string;
  value: string;
  error: string | undefined;
  /** The hint below the choice, and below the text field. */
  hints: { chosen: string; typed: string };
}

/** @param others choices besides groups */
export function placeField(
  { hints, ...field }: PlaceField,
  places: Places,
  others: readonly Option[] = [],
): Html {
  if (places.groups) {
    const options = [...others, ...places.groups.map(({ fullPath }) => optionOf(fullPath))];
    const chosen = places.groups.find(({ fullPath }) => isSamePath(fullPath, field.value))?.fullPath;
    return selectField({ ...field, value: chosen ?? field.value, hint: hints.chosen, options });
  }
  const like = places.like.map(
    ({ fullPath }, index) => html`${index > 0 && ", "}<code class="wrap-any">${fullPath}</code>`,
  );
  const found = like.length > 0 && html` These have it in their path or name: ${like}.`;
  const hint = html`${hints.typed} A part of it finds the groups that have it.${found}`;
  return textField({ ...field, hint, spellcheck: false, autocomplete: "off" });
}

/** Paths of groups are the same in any case. */
const isSamePath = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

export const optionOf = (path: string): Option => ({ value: path, label: path });
