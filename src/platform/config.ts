/** Environment → typed configuration; every fault is reported at once, every secret may come from a file. */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { makeVariable, readVariables, textVariable } from "./environment.ts";
import { masterKeysIn } from "./secret.ts";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "silent";

export interface Config {
  host: string;
  port: number;
  /** Origin of every link, cookie and redirect; no trailing slash. */
  publicUrl: string;
  dataDir: string;
  /** Undefined: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined;
  /** Read only while no administrator exists. */
  admin: { username: string; email: string; password: string; token: string | undefined } | undefined;
  /** 32 bytes, hexadecimal, and those before it; undefined: kept in `dataDir`, made at first start. */
  masterKey: string | undefined;
  workers: number;
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-* are believed. */
  trustedProxies: string[];
  rateLimits: boolean;
  /** What applications are allowed where the administrators have said nothing (decision 0082). */
  securityProfile: "standard" | "hardened";
  /** Undefined: nothing is sent by mail. */
  mail: { smtpUrl: string; from: { name: string; address: string } } | undefined;
  /** Who may have accounts made; undefined: as the administrators say on their page (decision 0121). */
  registration: "off" | "invited" | "open" | undefined;
  /** Domains of mail addresses that may sign up by themselves, in lower case; none: all. */
  registrationDomains: string[];
  /** For how many days groups and projects that are marked for deletion can be restored (decision 0152). */
  deletionDelayDays: number;
  /** Targets of outgoing requests that may be private: `host:port`, addresses, CIDR ranges (decision 0049). */
  allowPrivateTargets: string[];
  logLevel: LogLevel;
  /** The public URL is https: secure cookies with the `__Host-` prefix, and HSTS. */
  secure: boolean;
}

/** What is wrong with the environment, one sentence a fault. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

const integerBetween = (low: number, high: number) =>
  makeVariable<number>((input) => {
    // Number() alone takes a blank for 0, and with 0 days what is deleted goes at once.
    const value = /^\s*\d+\s*$/.test(input) ? Number(input) : Number.NaN;
    if (!(value >= low && value <= high)) throw new Error(`must be a whole number from ${low} to ${high}`);
    return value;
  });

const upToAYear = integerBetween(0, 365);

const yesNo = makeVariable<boolean>((input) => {
  if (/^(true|on|yes|1)$/i.test(input)) return true;
  if (/^(false|off|no|0)$/i.test(input)) return false;
  throw new Error("must be on or off");
});

const httpUrl = makeVariable<string>((input) => {
  const url = URL.parse(input);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error("must be an http or https address");
  if (url.pathname !== "/" || url.search || url.hash || url.username) {
    throw new Error("must be an origin alone, such as https://gatehouse.example.org");
  }
  return url.origin;
});

const postgresUrl = makeVariable<string>((input) => {
  if (!/^postgres(ql)?:\/\//.test(input)) throw new Error("must begin with postgres:// or postgresql://");
  // As the driver reads it, the host may be missing (a Unix socket).
  if (URL.canParse(input) || URL.canParse(input.replace("@/", "@host/"))) return input;
  throw new Error(
    "cannot be read: write / # ? @ : in the password as %2F %23 %3F %40 %3A, and look at the port",
  );
});

const hexKeys = makeVariable<string>((input) => {
  if (masterKeysIn(input)) return input;
  throw new Error("must be 64 hexadecimal characters (32 bytes), or more such keys behind commas");
});

const smtpUrl = makeVariable<string>((input) => {
  const url = URL.parse(input);
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname) {
    throw new Error("must be an address such as smtp://user:password@mail.example.org:587 or smtps://…:465");
  }
  return input;
});

const sender = makeVariable<{ name: string; address: string }>((input) => {
  const found = /^\s*(?:"?([^"<>\r\n]*?)"?\s*<([^<>\s@]+@[^<>\s@]+)>|([^<>\s@]+@[^<>\s@]+))\s*$/.exec(input);
  const address = found?.[2] ?? found?.[3];
  if (!address) throw new Error("must be a mail address, alone or as Name <name@example.org>");
  return { name: found?.[1] ?? "", address };
});

const targets = makeVariable<string[]>((input) => {
  const entries = listOf(input);
  const wrong = entries.filter((entry) => !isTarget(entry));
  if (wrong.length > 0) {
    throw new Error(`must list host:port, addresses or CIDR ranges, and ${wrong[0]} is none of them`);
  }
  return entries;
});

const proxies = makeVariable<string[]>((input) => {
  const entries = listOf(input);
  const wrong = entries.find((entry) => !PROXY_NAMES.has(entry) && !isRange(entry, 1));
  if (wrong !== undefined) throw new Error(`must list addresses or CIDR ranges, and ${wrong} is none`);
  return entries;
});

/** Ranges that have a name: 127.0.0.0/8 and ::1; those of a link; private ones. */
const PROXY_NAMES = new Set(["loopback", "linklocal", "uniquelocal"]);

const domains = makeVariable<string[]>((input) => {
  const entries = listOf(input.toLowerCase()).map((entry) => entry.replace(/^@/, ""));
  const wrong = entries.find((entry) => !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(entry));
  if (wrong !== undefined) throw new Error(`must list domains such as example.org, and ${wrong} is none`);
  return entries;
});

const registrations = ["off", "invited", "open"] as const;
const levels = ["trace", "debug", "info", "warn", "error", "silent"] as const;

/** All settings, in the order in which the README has them. */
export const variables = {
  HOST: textVariable({ default: "127.0.0.1", desc: "address to listen on" }),
  PORT: integerBetween(0, 65535)({ default: 3000, desc: "port to listen on" }),
  GATEHOUSE_PUBLIC_URL: httpUrl({ default: undefined, desc: "origin that browsers and clients use" }),
  GATEHOUSE_DATA_DIR: textVariable({ default: "./data", desc: "embedded database and generated keys" }),
  DATABASE_URL: postgresUrl({ default: undefined, desc: "your own PostgreSQL; unset: the embedded one" }),
  GATEHOUSE_ADMIN_USERNAME: textVariable({ default: undefined, desc: "first administrator" }),
  GATEHOUSE_ADMIN_EMAIL: textVariable({ default: undefined, desc: "first administrator" }),
  GATEHOUSE_ADMIN_PASSWORD: textVariable({ default: undefined, desc: "first administrator" }),
  GATEHOUSE_ADMIN_TOKEN: textVariable({
    default: undefined,
    desc: "becomes the first administrator's token",
  }),
  GATEHOUSE_MASTER_KEY: hexKeys({ default: undefined, desc: "encrypts what must be shown again" }),
  GATEHOUSE_WORKERS: integerBetween(1, 64)({ default: 1, desc: "processes that serve" }),
  GATEHOUSE_TRUSTED_PROXIES: proxies({ default: [], desc: "comma list of addresses or CIDR ranges" }),
  GATEHOUSE_RATE_LIMITS: yesNo({ default: true, desc: "off for load tests" }),
  GATEHOUSE_SECURITY_PROFILE: textVariable({
    choices: ["standard", "hardened"],
    default: "standard",
    desc: "what applications are allowed, unless the administrators say otherwise",
  }),
  GATEHOUSE_SMTP_URL: smtpUrl({ default: undefined, desc: "mail server; unset: nothing is sent by mail" }),
  GATEHOUSE_MAIL_FROM: sender({ default: undefined, desc: "sender of all mail" }),
  GATEHOUSE_REGISTRATION: textVariable({
    choices: registrations,
    default: undefined,
    desc: "who may have accounts made; unset: as set on /admin/settings",
  }),
  GATEHOUSE_REGISTRATION_DOMAINS: domains({ default: [], desc: "whose mail addresses may sign up" }),
  GATEHOUSE_DELETION_DELAY_DAYS: upToAYear({
    default: 7,
    desc: "days in which what is deleted can be restored",
  }),
  GATEHOUSE_ALLOW_PRIVATE_TARGETS: targets({ default: [], desc: "inner targets of outgoing requests" }),
  GATEHOUSE_ALLOW_HTTP: yesNo({ default: false, desc: "accept a plain http public URL" }),
  GATEHOUSE_LOG_LEVEL: textVariable({
    choices: levels,
    default: "info",
    desc: "least severity that is logged",
  }),
} as const;

/** Settings that may come from the file that `NAME_FILE` names, and are not shown. */
export const SECRETS = [
  "GATEHOUSE_ADMIN_PASSWORD",
  "GATEHOUSE_ADMIN_TOKEN",
  "GATEHOUSE_MASTER_KEY",
  "GATEHOUSE_SMTP_URL",
  "DATABASE_URL",
];

/**
 * Reads the configuration (contract §1).
 * @throws ConfigError naming every variable that is missing or wrong
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const given = withFiles(environment, faults);
  const env = readVariables(variables, given, faults);
  const port = env.PORT as number;
  const publicUrl = (env.GATEHOUSE_PUBLIC_URL as string | undefined) ?? `http://localhost:${port}`;
  const isRemote = env.GATEHOUSE_PUBLIC_URL !== undefined && !isLoopback(publicUrl);
  if (isRemote && publicUrl.startsWith("http:") && !env.GATEHOUSE_ALLOW_HTTP) {
    faults.push(
      "GATEHOUSE_PUBLIC_URL is plain http on a host that is not this machine; use https, or set GATEHOUSE_ALLOW_HTTP=on",
    );
  }
  const admin = readAdmin(env, faults);
  const mail = readMail(faults.length > 0 ? given : env, faults);
  if (env.GATEHOUSE_REGISTRATION === "open" && !mail) {
    faults.push("GATEHOUSE_REGISTRATION=open needs mail: set GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM");
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    host: env.HOST as string,
    port,
    publicUrl,
    dataDir: resolve(env.GATEHOUSE_DATA_DIR as string),
    databaseUrl: env.DATABASE_URL as string | undefined,
    admin,
    masterKey: env.GATEHOUSE_MASTER_KEY as string | undefined,
    workers: env.GATEHOUSE_WORKERS as number,
    trustedProxies: env.GATEHOUSE_TRUSTED_PROXIES as string[],
    rateLimits: env.GATEHOUSE_RATE_LIMITS as boolean,
    securityProfile: env.GATEHOUSE_SECURITY_PROFILE as Config["securityProfile"],
    mail,
    registration: env.GATEHOUSE_REGISTRATION as Config["registration"],
    registrationDomains: env.GATEHOUSE_REGISTRATION_DOMAINS as string[],
    deletionDelayDays: env.GATEHOUSE_DELETION_DELAY_DAYS as number,
    allowPrivateTargets: env.GATEHOUSE_ALLOW_PRIVATE_TARGETS as string[],
    logLevel: env.GATEHOUSE_LOG_LEVEL as LogLevel,
    secure: publicUrl.startsWith("https:"),
  };
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
      faults.push(`${name}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    }
  }
  return given;
}

function readAdmin(env: Readonly<Record<string, unknown>>, faults: string[]): Config["admin"] {
  const username = env.GATEHOUSE_ADMIN_USERNAME as string | undefined;
  const email = env.GATEHOUSE_ADMIN_EMAIL as string | undefined;
  const password = env.GATEHOUSE_ADMIN_PASSWORD as string | undefined;
  const token = env.GATEHOUSE_ADMIN_TOKEN as string | undefined;
  if (!username && !email && !password && !token) return undefined;
  if (!username || !email || !password) {
    faults.push(
      "GATEHOUSE_ADMIN_USERNAME, GATEHOUSE_ADMIN_EMAIL and GATEHOUSE_ADMIN_PASSWORD go together: set all three or none",
    );
    return undefined;
  }
  if (token && !/^[!-~]+$/.test(token))
    faults.push("GATEHOUSE_ADMIN_TOKEN may be of visible ASCII characters only");
  return { username, email, password, token };
}

/** Half of the pair would accept mail and lose it; a half that was refused before is no missing one. */
function readMail(env: Readonly<Record<string, unknown>>, faults: string[]): Config["mail"] {
  const smtpUrl = env.GATEHOUSE_SMTP_URL as string | undefined;
  const from = env.GATEHOUSE_MAIL_FROM as { name: string; address: string } | undefined;
  if (!smtpUrl && !from) return undefined;
  if (!smtpUrl || !from) {
    faults.push("GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM go together: set both or none");
    return undefined;
  }
  return { smtpUrl, from };
}

function listOf(input: string): string[] {
  return input
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
}

function isTarget(entry: string): boolean {
  return isRange(entry, 0) || /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}$/i.test(entry);
}

/** An address, or one with the number of its bits that count. */
function isRange(entry: string, leastBits: number): boolean {
  const [address = "", bits, more] = entry.split("/");
  const version = isIP(address);
  if (version === 0 || more !== undefined) return false;
  if (bits === undefined) return true;
  return /^\d+$/.test(bits) && Number(bits) >= leastBits && Number(bits) <= (version === 4 ? 32 : 128);
}

function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
