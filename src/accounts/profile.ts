/** A person's profile settings, and their rules. */
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
  /** Whether the person gets mails when something of theirs is marked for deletion. */
  deletionMails: boolean,
  about: jsonb<About | null>(),
  /** The new address that waits for confirmation. */
  newEmail: nullable(text),
});
export type Profile = RowOf<typeof ProfileRow>;

/** What its owner can change directly; changing the mail address needs a confirmation. */
export type ProfileFields = Pick<Profile, "name" | "showsEmail" | "privateProfile" | "timeZone">;

/** Every time zone that can be chosen, by its IANA name. */
export const TIME_ZONES: readonly string[] = ["Etc/UTC", ...Intl.supportedValuesOf("timeZone")];

/** Returns what is wrong with a change, by field; empty if nothing is. The current name may stay. */
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
