/** The roles of the GitLab v4 API and their order. */

/** GitLab's access levels; the API uses the numbers. */
export const ROLES = {
  guest: 10,
  planner: 15,
  reporter: 20,
  developer: 30,
  maintainer: 40,
  owner: 50,
} as const;
export type Role = keyof typeof ROLES;
export type AccessLevel = (typeof ROLES)[Role];

export const ACCESS_LEVELS: readonly AccessLevel[] = Object.values(ROLES);

/** Whether a level is at least that of the role; 0 is no role. */
export function isAtLeast(level: number, role: Role): boolean {
  return level >= ROLES[role];
}

/** `30` → `Developer`; below Guest: `No access`. */
export function roleName(level: number): string {
  const found = (Object.keys(ROLES) as Role[]).find((name) => ROLES[name] === level);
  return found ? found[0]?.toUpperCase() + found.slice(1) : "No access";
}

/** `10 Guest, 15 Planner, …`, for descriptions of parameters. */
export const LEVEL_WORDS = ACCESS_LEVELS.map((level) => `${level} ${roleName(level)}`).join(", ");

/** The least level of a filter by `owned` and a level together; 0: none. */
export function leastOf(owned = false, level = 0): number {
  return Math.max(owned ? ROLES.owner : 0, level);
}
