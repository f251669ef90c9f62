/** Reads the typed configuration from the environment; reports all faults at once, and reads secrets from files too. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readVariables, type ValuesOf } from "./environment.ts";
import { errorCode } from "./error-code.ts";
import {
  anyText,
  domains,
  hexKeys,
  httpUrl,
  integerBetween,
  oneOf,
  postgresUrl,
  proxies,
  sender,
  smtpUrl,
  targets,
  upToAYear,
  yesNo,
} from "./setting-kinds.ts";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
const SECURITY_PROFILES = ["standard", "hardened"] as const;
const REGISTRATIONS = ["off", "invited", "open"] as const;

export interface Config {
  host: string;
  port: number;
  /** Origin of every link, cookie and redirect; no trailing slash. */
  publicUrl: string;
  dataDir: string;
  /** Undefined: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined;
  /** Address for the role that owns the tables, if the role of `databaseUrl` does not (decision 0210). */
  databaseOwnerUrl: string | undefined;
  /** Read only while no administrator exists. */
  admin: { username: string; email: string; password: string; token: string | undefined } | undefined;
  /** 32 bytes in hexadecimal, followed by former keys; undefined: kept in `dataDir`, created at the first start. */
  masterKey: string | undefined;
  workers: number;
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-* headers are trusted. */
  trustedProxies: string[];
  rateLimits: boolean;
  /** What applications may do unless the administrators decided otherwise (decision 0082). */
  securityProfile: (typeof SECURITY_PROFILES)[number];
  /** Undefined: nothing is sent by mail. */
  mail: { smtpUrl: string; from: { name: string; address: string } } | undefined;
  /** Who may register; undefined: as the administrators set it on their page (decision 0121). */
  registration: (typeof REGISTRATIONS)[number] | undefined;
  /** Domains of mail addresses that may register, in lower case; empty: all. */
  registrationDomains: string[];
  /** Number of days in which groups and projects marked for deletion can be restored (decision 0152). */
  deletionDelayDays: number;
  /** Private targets that outgoing requests may reach: `host:port`, addresses, CIDR ranges (decision 0049). */
  allowPrivateTargets: string[];
  logLevel: LogLevel;
  /** The public URL is https: secure cookies with the `__Host-` prefix, and HSTS. */
  secure: boolean;
}

/** Those of the values for the first administrator that are set. */
export interface GivenAdministrator {
  username: string | undefined;
  email: string | undefined;
  password: string | undefined;
}

/** Judges them by the rules for users: one sentence for each fault. */
export type AdministratorFaults = (given: GivenAdministrator) => readonly string[];

/** The faults of the environment, one sentence each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/** All settings, in the order of the README. */
export const variables = {
  HOST: anyText({ default: "127.0.0.1", desc: "address to listen on" }),
  PORT: integerBetween(0, 65535)({ default: 3000, desc: "port to listen on" }),
  GATEHOUSE_PUBLIC_URL: httpUrl({ default: undefined, desc: "origin that browsers and clients use" }),
  GATEHOUSE_DATA_DIR: anyText({
    default: "./data",
    desc: "directory of the embedded database and generated keys",
  }),
  DATABASE_URL: postgresUrl({
    default: undefined,
    desc: "URL of your own PostgreSQL; unset: the embedded one",
  }),
  DATABASE_OWNER_URL: postgresUrl({
    default: undefined,
    desc: "the same database, as the role that owns the tables; unset: the role of DATABASE_URL owns them",
  }),
  GATEHOUSE_ADMIN_USERNAME: anyText({ default: undefined, desc: "first administrator" }),
  GATEHOUSE_ADMIN_EMAIL: anyText({ default: undefined, desc: "first administrator" }),
  GATEHOUSE_ADMIN_PASSWORD: anyText({ default: undefined, desc: "first administrator" }),
  GATEHOUSE_ADMIN_TOKEN: anyText({
    default: undefined,
    desc: "personal access token of the first administrator",
  }),
  GATEHOUSE_MASTER_KEY: hexKeys({ default: undefined, desc: "key that encrypts stored secrets" }),
  GATEHOUSE_WORKERS: integerBetween(1, 64)({ default: 1, desc: "number of processes that answer requests" }),
  GATEHOUSE_TRUSTED_PROXIES: proxies({
    default: [],
    desc: "comma-separated addresses or CIDR ranges of reverse proxies",
  }),
  GATEHOUSE_RATE_LIMITS: yesNo({ default: true, desc: "rate limits; off for load tests" }),
  GATEHOUSE_SECURITY_PROFILE: oneOf(SECURITY_PROFILES)({
    default: "standard",
    desc: "which OAuth flows are allowed, unless administrators changed that",
  }),
  GATEHOUSE_SMTP_URL: smtpUrl({ default: undefined, desc: "mail server; unset: nothing is sent by mail" }),
  GATEHOUSE_MAIL_FROM: sender({ default: undefined, desc: "sender of all mail" }),
  GATEHOUSE_REGISTRATION: oneOf(REGISTRATIONS)({
    default: undefined,
    desc: "who may create accounts; unset: as set on /admin/settings",
  }),
  GATEHOUSE_REGISTRATION_DOMAINS: domains({ default: [], desc: "mail domains that may sign up" }),
  GATEHOUSE_DELETION_DELAY_DAYS: upToAYear({
    default: 7,
    desc: "days for which deleted projects and groups can be restored",
  }),
  GATEHOUSE_ALLOW_PRIVATE_TARGETS: targets({
    default: [],
    desc: "private addresses that outgoing requests may reach",
  }),
  GATEHOUSE_ALLOW_HTTP: yesNo({ default: false, desc: "allow a plain http public URL" }),
  GATEHOUSE_LOG_LEVEL: oneOf(LOG_LEVELS)({
    default: "info",
    desc: "lowest level that is logged",
  }),
} as const;

/** Settings that may be read from the file named by `NAME_FILE`, and are never shown. */
export const SECRETS = [
  "GATEHOUSE_ADMIN_PASSWORD",
  "GATEHOUSE_ADMIN_TOKEN",
  "GATEHOUSE_MASTER_KEY",
  "GATEHOUSE_SMTP_URL",
  "DATABASE_URL",
  "DATABASE_OWNER_URL",
];

/**
 * Reads the configuration (contract §1).
 * @param adminFaults its faults are named beside others; alone they are none, since the values are not read while there is an
 *   administrator, which only the database knows
 * @throws ConfigError naming every variable that is missing or wrong
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  adminFaults: AdministratorFaults = () => [],
): Config {
  const faults: string[] = [];
  const given = withFiles(environment, faults);
  const env = readVariables(variables, given, faults);
  const port = env.PORT;
  const publicUrl = env.GATEHOUSE_PUBLIC_URL ?? `http://localhost:${port}`;
  const isRemote = env.GATEHOUSE_PUBLIC_URL !== undefined && !isLoopback(publicUrl);
  if (isRemote && publicUrl.startsWith("http:") && !env.GATEHOUSE_ALLOW_HTTP) {
    faults.push(
      "GATEHOUSE_PUBLIC_URL is plain http on a host that is not this machine; use https, or set GATEHOUSE_ALLOW_HTTP=on",
    );
  }
  const admin = readAdmin(env, faults);
  // Also those whose values were refused, which is reported already.
  const [isServerGiven, isSenderGiven] = [given.GATEHOUSE_SMTP_URL, given.GATEHOUSE_MAIL_FROM].map(Boolean);
  if (isServerGiven !== isSenderGiven) {
    // Half of the pair would accept mails and lose them.
    faults.push("GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM go together: set both or none");
  }
  if (env.GATEHOUSE_REGISTRATION === "open" && !(isServerGiven && isSenderGiven)) {
    faults.push("GATEHOUSE_REGISTRATION=open needs mail: set GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM");
  }
  if (env.DATABASE_OWNER_URL && !given.DATABASE_URL) {
    faults.push(
      "DATABASE_OWNER_URL also needs DATABASE_URL, with the role of the service: set both or neither",
    );
  }
  if (faults.length > 0) throw new ConfigError([...faults, ...adminFaults(givenAdministrator(env))]);
  const { GATEHOUSE_SMTP_URL: smtpUrl, GATEHOUSE_MAIL_FROM: from } = env;
  return {
    host: addressToListenOn(env.HOST),
    port,
    publicUrl,
    dataDir: resolve(env.GATEHOUSE_DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    databaseOwnerUrl: env.DATABASE_OWNER_URL,
    admin,
    masterKey: env.GATEHOUSE_MASTER_KEY,
    workers: env.GATEHOUSE_WORKERS,
    trustedProxies: env.GATEHOUSE_TRUSTED_PROXIES,
    rateLimits: env.GATEHOUSE_RATE_LIMITS,
    securityProfile: env.GATEHOUSE_SECURITY_PROFILE,
    mail: smtpUrl && from ? { smtpUrl, from } : undefined,
    registration: env.GATEHOUSE_REGISTRATION,
    registrationDomains: env.GATEHOUSE_REGISTRATION_DOMAINS,
    deletionDelayDays: env.GATEHOUSE_DELETION_DELAY_DAYS,
    allowPrivateTargets: env.GATEHOUSE_ALLOW_PRIVATE_TARGETS,
    logLevel: env.GATEHOUSE_LOG_LEVEL,
    secure: publicUrl.startsWith("https:"),
  };
}

/** For `localhost` the framework opens a second server, which has no limits and is not drained at a stop. */
function addressToListenOn(host: string): string {
  return host.toLowerCase() === "localhost" ? "127.0.0.1" : host;
}

function withFiles(environment: Readonly<Record<string, string | undefined>>, faults: string[]) {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value) given[name] = value;
  for (const name of SECRETS) {
    const path = environment[`${name}_FILE`];
    if (!path) continue;
    try {
      given[name] = readFileSync(path, "utf8").trimEnd();
    } catch (error) {
      faults.push(`${name}_FILE cannot be read: ${errorCode(error)}`);
    }
  }
  return given;
}

function readAdmin(env: ValuesOf<typeof variables>, faults: string[]): Config["admin"] {
  const { username, email, password } = givenAdministrator(env);
  const token = env.GATEHOUSE_ADMIN_TOKEN;
  if (!username && !email && !password && !token) return undefined;
  if (!username || !email || !password) {
    faults.push(
      "GATEHOUSE_ADMIN_USERNAME, GATEHOUSE_ADMIN_EMAIL and GATEHOUSE_ADMIN_PASSWORD go together: set all three or none",
    );
    return undefined;
  }
  if (token && !/^[!-~]+$/.test(token))
    faults.push("GATEHOUSE_ADMIN_TOKEN may only contain visible ASCII characters");
  return { username, email, password, token };
}

function givenAdministrator(env: ValuesOf<typeof variables>): GivenAdministrator {
  return {
    username: env.GATEHOUSE_ADMIN_USERNAME,
    email: env.GATEHOUSE_ADMIN_EMAIL,
    password: env.GATEHOUSE_ADMIN_PASSWORD,
  };
}

function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
