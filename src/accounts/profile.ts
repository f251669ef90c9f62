/** What a person says of themselves, and the rules for it. */
import { boolean, jsonb, nullable, type RowOf, row, text } from "../platform/row.ts";
import type { About } from "./about.ts";
import { nameFault } from "./name.ts";

export const ProfileRow = row({
  username: text,
  name: text,
  email: text,
  showsEmail: boolean,
  privateProfile: boolean,
  timeZone: text,
  /** Written to when something of theirs is marked for deletion. */
  deletionMails: boolean,
  about: jsonb<About | null>(),
  /** The address that waits to be confirmed. */
  newEmail: nullable(text),
});
export type Profile = RowOf<typeof ProfileRow>;

/** What its owner may set at once; the mail address has its own way. */
export type ProfileFields = Pick<Profile, "name" | "showsEmail" | "privateProfile" | "timeZone">;

/** Every time zone that can be chosen, by its IANA name. */
export const TIME_ZONES: readonly string[] = ["Etc/UTC", ...Intl.supportedValuesOf("timeZone")];

/** What is wrong with a change, by field; empty: nothing. The name of before may stay. */
export function profileFaults(
  { name, timeZone }: Partial<ProfileFields>,
  before: string,
): Record<string, string[]> {
  const fault = name === undefined ? undefined : nameFault(name, undefined, before);
  const isKnown = timeZone === undefined || TIME_ZONES.includes(timeZone);
  return {
    ...(fault ? { name: [fault] } : {}),
    ...(isKnown ? {} : { time_zone: ["is not known"] }),
  };
}
