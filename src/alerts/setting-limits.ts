/** The limits of a project's alert settings, for the API and the form; the columns have the same. */

export const SETTING_LIMITS = {
  stormThreshold: { minimum: 0, maximum: 100_000 },
  stormSeconds: { minimum: 10, maximum: 3600 },
  resolveAfterHours: { minimum: 0, maximum: 365 * 24 },
} as const;
