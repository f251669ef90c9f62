/** The content of the seeded database: the secrets and numbers of which requests are made. */
export const USERS = 20_000;
/** The last users have a hash of the real cost, all others of the lowest. */
export const REAL_HASH_USERS = 100;
export const PROJECTS = 200;
export const AUTHORS = 1000;
export const TARGETS_PER_PROJECT = 100;
/** The id of a person who is a direct member of many private projects, with few events in each. */
export const WIDE_READER = AUTHORS + 1;
export const MANY_PROJECTS = 3000;
export const MANY_EVENTS = 60_000;
export const APPLICATIONS = 50;

export const PASSWORD = "bench: a long enough password";

/** Secrets without a known prefix, as if an operator chose them; `{n}` is the number of the row. */
export const SECRETS = {
  token: "bench-token-",
  /** Of author 1 … AUTHORS, members of every project, and of the wide reader. */
  reader: "bench-reader-",
  code: "bench-code-",
  refreshToken: "bench-refresh-",
  /** Of application 1 … APPLICATIONS. */
  application: "bench-application-",
  /** Of integration 1 … INTEGRATIONS. */
  integration: "bench-integration-",
} as const;

/** Projects that receive alerts: 1 distinct ones, 2 repeated ones, 3 distinct ones without incidents. */
export const INTEGRATIONS = 3;
/** The project whose seeded alerts are read. */
export const LISTED_PROJECT = 4;
export const REDIRECT_URI = "http://127.0.0.1:9/callback";

/** The public identifier of an application. */
export function applicationUid(id: number): string {
  return id.toString(16).padStart(64, "0");
}

/** The identifier of an integration in its address. */
export function integrationIdentifier(id: number): string {
  return id.toString(16).padStart(16, "0");
}

/** The full path of a project. */
export function projectPath(id: number): string {
  return `bench/project-${id}`;
}

/** The client credentials at the peers. */
export const PEER_CLIENT = { id: "bench-peer", secret: "bench-peer-secret" } as const;
