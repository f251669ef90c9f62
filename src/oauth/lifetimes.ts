/** The lifetimes of codes, tokens and waiting requests, in seconds (contract §4, token type and lifetimes; decision 0194). */

/** An identity token says who signed in just now; it grants no access. */
export const IDENTITY_TOKEN_SECONDS = 3600;
/** How long a device waits for an answer. */
export const DEVICE_SECONDS = 600;
/** The first polling interval, and what polling too soon adds to it (RFC 8628 §3.5). */
export const DEVICE_INTERVAL_SECONDS = 5;
/** Within this time a repeated refresh request gets the same successors. */
export const REFRESH_GRACE_SECONDS = 30;
/** How long a pushed request waits for its browser, which is redirected here at once (RFC 9126 §2.2; decision 0205). */
export const PUSHED_SECONDS = 90;
/** How long a consent page waits for its answer, and a pushed request once its browser came. */
export const REQUEST_SECONDS = 30 * 60;
/** The longest overlap of an old client secret with its successor. */
export const MAX_GRACE_SECONDS = 86_400;

const DAY = 24 * 3600;

/** The lifetimes in seconds: the default, and the bounds within which an application may have its own. */
export const LIFETIMES = {
  accessTokenSeconds: { usual: 7200, least: 300, most: DAY },
  /** After this time without use a refresh token expires. */
  refreshIdleSeconds: { usual: 30 * DAY, least: 3600, most: 365 * DAY },
  /** Counted from the approval; no refresh extends it. */
  refreshAbsoluteSeconds: { usual: 180 * DAY, least: 3600, most: 365 * DAY },
} as const;
export type Lifetime = keyof typeof LIFETIMES;
export const LIFETIME_NAMES = Object.keys(LIFETIMES) as readonly Lifetime[];

/** The lifetimes in effect, in seconds. */
export type Lifetimes = Readonly<Record<Lifetime, number>>;
/** The lifetimes that are set for an application, in seconds; null: the default. */
export type OwnLifetimes = Readonly<Record<Lifetime, number | null>>;

/** Whether an application has a longer lifetime than the default, which the instance must allow. */
export function hasLongLifetime(set: OwnLifetimes): boolean {
  return LIFETIME_NAMES.some((name) => (set[name] ?? 0) > LIFETIMES[name].usual);
}

/** The lifetimes in effect: those that are set, limited to the default unless the instance allows longer ones. */
export function lifetimesOf(set: OwnLifetimes, allowLongLives: boolean): Lifetimes {
  const counts = LIFETIME_NAMES.map((name) => {
    const { usual } = LIFETIMES[name];
    const wanted = set[name] ?? usual;
    return [name, allowLongLives ? wanted : Math.min(wanted, usual)];
  });
  return Object.fromEntries(counts) as Lifetimes;
}

/** Returns what is wrong with an application's own lifetimes, by their wire names. */
export function lifetimeFaults(set: OwnLifetimes): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  for (const name of LIFETIME_NAMES) {
    const seconds = set[name];
    const { least, most } = LIFETIMES[name];
    if (seconds === null) continue;
    if (!(Number.isInteger(seconds) && seconds >= least && seconds <= most)) {
      faults[LIFETIME_FIELDS[name]] = [`must be from ${least} to ${most} seconds`];
    } else if (seconds < lifetimesOf(set, true).accessTokenSeconds) {
      faults[LIFETIME_FIELDS[name]] = ["must not be shorter than access tokens live"];
    }
  }
  return faults;
}

/** The names of the lifetimes on the wire. */
export const LIFETIME_FIELDS = {
  accessTokenSeconds: "access_token_seconds",
  refreshIdleSeconds: "refresh_idle_seconds",
  refreshAbsoluteSeconds: "refresh_absolute_seconds",
} as const satisfies Record<Lifetime, string>;
