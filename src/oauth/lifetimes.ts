/** How long what is handed out lives, in seconds (contract §4, token type and lifetimes; decision 0194). */

/** An identity token says who signed in a moment ago; it opens nothing. */
export const IDENTITY_TOKEN_SECONDS = 3600;
/** How long a device waits for its person. */
export const DEVICE_SECONDS = 600;
/** How often it may ask at first, and what a hasty poll adds (RFC 8628 §3.5). */
export const DEVICE_INTERVAL_SECONDS = 5;
/** Within this time the same refresh request gets the same successor. */
export const REFRESH_GRACE_SECONDS = 30;
/** How long a pushed request waits for its browser, which is sent here at once (RFC 9126 §2.2; decision 0205). */
export const PUSHED_SECONDS = 90;
/** How long a consent page waits for its answer, and a pushed request from when its browser came. */
export const REQUEST_SECONDS = 30 * 60;
/** The longest overlap of an old client secret with its successor. */
export const MOST_GRACE_SECONDS = 86_400;

const DAY = 24 * 3600;

/** What an application may have of its own: how long where it has not, and within which bounds. */
export const LIVES = {
  accessTokenSeconds: { usual: 7200, least: 300, most: DAY },
  /** A refresh token that is not used for so long is dead. */
  refreshIdleSeconds: { usual: 30 * DAY, least: 3600, most: 365 * DAY },
  /** No refresh reaches beyond this, counted from the approval. */
  refreshAbsoluteSeconds: { usual: 180 * DAY, least: 3600, most: 365 * DAY },
} as const;
export type Life = keyof typeof LIVES;
export const LIFE_NAMES = Object.keys(LIVES) as readonly Life[];

/** As they count. */
export type Lives = Readonly<Record<Life, number>>;
/** As they are set; null: as everywhere. */
export type SetLives = Readonly<Record<Life, number | null>>;

/** Whether an application has asked for a longer life than there is everywhere: only then a switch has a say. */
export function hasLongLife(set: SetLives): boolean {
  return LIFE_NAMES.some((name) => (set[name] ?? 0) > LIVES[name].usual);
}

/** What counts; where the instance allows no longer lives, those are as everywhere. */
export function livesOf(set: SetLives, allowLongLives: boolean): Lives {
  const counts = LIFE_NAMES.map((name) => {
    const { usual } = LIVES[name];
    const wanted = set[name] ?? usual;
    return [name, allowLongLives ? wanted : Math.min(wanted, usual)];
  });
  return Object.fromEntries(counts) as Lives;
}

/** What is wrong with lives that are set, by their wire names. */
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

/** Their names on the wire. */
export const LIFE_WORDS = {
  accessTokenSeconds: "access_token_seconds",
  refreshIdleSeconds: "refresh_idle_seconds",
  refreshAbsoluteSeconds: "refresh_absolute_seconds",
} as const satisfies Record<Life, string>;
