/** The optional fields of a profile, as in GitLab's user record, and their rules. */
import { isWebAddress } from "../platform/web-address.ts";

/** Profile fields by our names, with those of the record and the labels on pages. */
export const ABOUT_FIELDS = {
  bio: { wire: "bio", label: "Bio" },
  pronouns: { wire: "pronouns", label: "Pronouns" },
  jobTitle: { wire: "job_title", label: "Job title" },
  organization: { wire: "organization", label: "Organization" },
  location: { wire: "location", label: "Location" },
  websiteUrl: { wire: "website_url", label: "Website" },
  github: { wire: "github", label: "GitHub" },
  linkedin: { wire: "linkedin", label: "LinkedIn" },
  twitter: { wire: "twitter", label: "X (Twitter)" },
  discord: { wire: "discord", label: "Discord" },
  skype: { wire: "skype", label: "Skype" },
} as const;
export type AboutField = keyof typeof ABOUT_FIELDS;
export const ABOUT_NAMES = Object.keys(ABOUT_FIELDS) as readonly AboutField[];

/** The fields that a person filled in. */
export type About = Partial<Record<AboutField, string>>;

const MAX_CHARACTERS = 255;
const NOTE_CHARACTERS = 4000;

/** Returns what is wrong with the administrators' note about a person, or undefined. */
export function noteFault(note: string): string | undefined {
  return note.length > NOTE_CHARACTERS ? `is too long (maximum is ${NOTE_CHARACTERS} characters)` : undefined;
}

/** Returns the faults by the record's names; empty if there are none. */
export function aboutFaults(about: About): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  for (const field of ABOUT_NAMES) {
    const fault = faultOf(field, about[field] ?? "");
    if (fault) faults[ABOUT_FIELDS[field].wire] = [fault];
  }
  return faults;
}

function faultOf(field: AboutField, value: string): string | undefined {
  if (value.length > MAX_CHARACTERS) return `is too long (maximum is ${MAX_CHARACTERS} characters)`;
  // Bidirectional controls would reorder the text beside them on pages. Joiners are allowed anywhere, unlike in names, since
  // nobody can impersonate another person by them here.
  const shown = field === "bio" ? value.replaceAll("\n", "") : value;
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(shown)) return "cannot contain control characters";
  if (field === "websiteUrl" && value !== "" && !isWebAddress(value)) return "is not a valid URL";
  return undefined;
}

/** Returns the fields that change; a cleared field is empty. */
export function aboutChange(about: About, now: About | null): About {
  const change: About = {};
  for (const field of ABOUT_NAMES) {
    const value = about[field];
    if (value !== undefined && value !== (now?.[field] ?? "")) change[field] = value;
  }
  return change;
}

/** "Baker at Bread and Co.", from the fields that are filled in; undefined if none is. */
export function workWords({ jobTitle, organization }: About): string | undefined {
  if (jobTitle && organization) return `${jobTitle} at ${organization}`;
  return jobTitle || organization || undefined;
}
