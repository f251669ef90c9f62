/** Who may have accounts made: what was started with, what the administrators say, and what counts. */
import { list, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";

export const REGISTRATIONS = ["off", "invited", "open"] as const;
export type RegistrationMode = (typeof REGISTRATIONS)[number];

/** As the administrators set it; null: never. */
export const StoredRegistrationRow = row({
  registration: nullable(oneOf(REGISTRATIONS)),
  registrationDomains: list(text),
});
export type StoredRegistration = RowOf<typeof StoredRegistrationRow>;

/** What counts, and what of it the environment holds fast. */
export interface Registration {
  mode: RegistrationMode;
  /** Domains of mail addresses that may sign up by themselves, in lower case; none: all. */
  domains: readonly string[];
  isModeLocked: boolean;
  areDomainsLocked: boolean;
}

interface Started {
  registration: RegistrationMode | undefined;
  registrationDomains: readonly string[];
  mail: object | undefined;
}

/** The environment before the administrators, by invitation where neither speaks; open counts only with mail (decision 0121). */
export function registrationNow(stored: StoredRegistration, started: Started): Registration {
  const said = started.registration ?? stored.registration ?? "invited";
  const areDomainsLocked = started.registration !== undefined || started.registrationDomains.length > 0;
  return {
    mode: said === "open" && !started.mail ? "invited" : said,
    domains: areDomainsLocked ? started.registrationDomains : stored.registrationDomains,
    isModeLocked: started.registration !== undefined,
    areDomainsLocked,
  };
}

/** `Example.org, @inner.example` → `["example.org", "inner.example"]`, or the entry that is no domain. */
export function readDomains(typed: string): { domains: string[] } | { wrong: string } {
  const entries = typed
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map((entry) => entry.replace(/^@/, ""));
  const wrong = entries.find((entry) => entry.length > 253 || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(entry));
  return wrong === undefined ? { domains: [...new Set(entries)] } : { wrong };
}
