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
export const MOST_GRACE_SECONDS = 86_400;

const DAY = 24 * 3600;

/** The lifetimes in seconds: the default, and the bounds within which an application may have its own. */
export const LIVES = {
  accessTokenSeconds: { usual: 7200, least: 300, most: DAY },
  /** After this time without use a refresh token expires. */
  refreshIdleSeconds: { usual: 30 * DAY, least: 3600, most: 365 * DAY },
  /** Counted from the approval; no refresh extends it. */
  refreshAbsoluteSeconds: { usual: 180 * DAY, least: 3600, most: 365 * DAY },
} as const;
export type Life = keyof typeof LIVES;
export const LIFE_NAMES = Object.keys(LIVES) as readonly Life[];

/** The lifetimes in effect, in seconds. */
export type Lives = Readonly<Record<Life, number>>;
/** The lifetimes that are set for an application, in seconds; null: the default. */
export type SetLives = Readonly<Record<Life, number | null>>;

/** Whether an application has a longer lifetime than the default, which the instance must allow. */
export function hasLongLife(set: SetLives): boolean {
  return LIFE_NAMES.some((name) => (set[name] ?? 0) > LIVES[name].usual);
}

/** The lifetimes in effect: those that are set, limited to the default unless the instance allows longer ones. */
export function livesOf(set: SetLives, allowLongLives: boolean): Lives {
  const counts = LIFE_NAMES.map((name) => {
    const { usual } = LIVES[name];
    const wanted = set[name] ?? usual;
    return [name, allowLongLives ? wanted : Math.min(wanted, usual)];
  });
  return Object.fromEntries(counts) as Lives;
}

/** Returns what is wrong with an application's own lifetimes, by their wire names. */
export function lifeFaults(set: SetLives): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  for (const name of LIFE_NAMES) {
    const seconds = set[name];
    const { least, most } = LIVES[name];
    if (seconds === null) continue;
    if (!(Number.isInteger(seconds) && seconds >= least && seconds <= most)) {
      faults[LIFE_WORDS[name]] = [`must be from ${least} to ${most} seconds`];
    } else if (seconds < livesOf(set, true).accessTokenSeconds) {
      faults[LIFE_WORDS[name]] = ["must not be shorter than access tokens live"];
    }
  }
  return faults;
}

/** The names of the lifetimes on the wire. */
export const LIFE_WORDS = {
  accessTokenSeconds: "access_token_seconds",
  refreshIdleSeconds: "refresh_idle_seconds",
  refreshAbsoluteSeconds: "refresh_absolute_seconds",
} as const satisfies Record<Life, string>;
