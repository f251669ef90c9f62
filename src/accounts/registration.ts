/** Who may register: the settings of the environment and of the administrators, and their combination. */
import { list, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";

export const REGISTRATIONS = ["off", "invited", "open"] as const;
export type RegistrationMode = (typeof REGISTRATIONS)[number];

/** As the administrators set it; null: not set. */
export const StoredRegistrationRow = row({
  registration: nullable(oneOf(REGISTRATIONS)),
  registrationDomains: list(text),
});
export type StoredRegistration = RowOf<typeof StoredRegistrationRow>;

/** The effective setting, and which parts of it the environment fixes. */
export interface Registration {
  mode: RegistrationMode;
  /** Domains of mail addresses that may register, in lower case; empty: all. */
  domains: readonly string[];
  isModeLocked: boolean;
  areDomainsLocked: boolean;
}

interface Started {
  registration: RegistrationMode | undefined;
  registrationDomains: readonly string[];
  mail: object | undefined;
}

/**
 * The environment takes precedence over the administrators, for the mode and for the domains apart (decision 0312); the default is
 * by invitation; open requires mail (decision 0121).
 */
export function registrationNow(stored: StoredRegistration, started: Started): Registration {
  const said = started.registration ?? stored.registration ?? "invited";
  const areDomainsLocked = started.registrationDomains.length > 0;
  return {
    mode: said === "open" && !started.mail ? "invited" : said,
    domains: areDomainsLocked ? started.registrationDomains : stored.registrationDomains,
    isModeLocked: started.registration !== undefined,
    areDomainsLocked,
  };
}

/** `Example.org, @inner.example` → `["example.org", "inner.example"]`, or the entry that is not a domain. */
export function readDomains(typed: string): { domains: string[] } | { wrong: string } {
  const entries = typed
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map((entry) => entry.replace(/^@/, ""));
  const wrong = entries.find((entry) => entry.length > 253 || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(entry));
  return wrong === undefined ? { domains: [...new Set(entries)] } : { wrong };
}
