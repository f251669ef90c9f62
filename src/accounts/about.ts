/** What a person tells of themselves beside name and address, as GitLab's user record has it, and the rules for it. */
import { isWebAddress } from "../platform/web-address.ts";

/** By our names and those of the record, with what each is called on pages. */
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

/** What was told; what is absent was not. */
export type About = Partial<Record<AboutField, string>>;

const MOST_CHARACTERS = 255;
const NOTE_CHARACTERS = 4000;

/** What is wrong with what administrators note about somebody, or undefined. */
export function noteFault(note: string): string | undefined {
  return note.length > NOTE_CHARACTERS ? `is too long (maximum is ${NOTE_CHARACTERS} characters)` : undefined;
}

/** What is wrong, by the record's names; empty: nothing. */
export function aboutFaults(about: About): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  for (const field of ABOUT_NAMES) {
    const fault = faultOf(field, about[field] ?? "");
    if (fault) faults[ABOUT_FIELDS[field].wire] = [fault];
  }
  return faults;
}

function faultOf(field: AboutField, said: string): string | undefined {
  if (said.length > MOST_CHARACTERS) return `is too long (maximum is ${MOST_CHARACTERS} characters)`;
  // Direction-changing characters would turn what stands beside them on pages. Joiners may stand anywhere, unlike in names:
  // nobody passes for another by them here.
  const shown = field === "bio" ? said.replaceAll("\n", "") : said;
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(shown)) return "cannot contain control characters";
  if (field === "websiteUrl" && said !== "" && !isWebAddress(said)) return "is not a valid URL";
  return undefined;
}

/** What is told anew; said empty where it is told no more. */
export function aboutChange(said: About, now: About | null): About {
  const change: About = {};
  for (const field of ABOUT_NAMES) {
    const words = said[field];
    if (words !== undefined && words !== (now?.[field] ?? "")) change[field] = words;
  }
  return change;
}

/** "Baker at Bread and Co.", from what was told of it; undefined: nothing. */
export function workWords({ jobTitle, organization }: About): string | undefined {
  if (jobTitle && organization) return `${jobTitle} at ${organization}`;
  return jobTitle || organization || undefined;
}
