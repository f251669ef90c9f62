/** The kinds of settings: how each value is parsed, and the message for an invalid one. */
import { accessSync, constants } from "node:fs";
import { isIP } from "node:net";
import { makeVariable } from "./environment.ts";
import { errorCode } from "./error-code.ts";
import { masterKeysIn } from "./secret.ts";

export const anyText = makeVariable<string>((input) => input);

export const oneOf = <const Word extends string>(words: readonly Word[]) =>
  makeVariable<Word>((input) => {
    const chosen = words.find((word) => word === input);
    if (chosen === undefined) throw new Error(`must be one of ${words.join(", ")}`);
    return chosen;
  });

export const integerBetween = (low: number, high: number) =>
  makeVariable<number>((input) => {
    // Number() alone reads a blank as 0, and with 0 days deleted data would be gone at once.
    const value = /^\s*\d+\s*$/.test(input) ? Number(input) : Number.NaN;
    if (!(value >= low && value <= high)) throw new Error(`must be a whole number from ${low} to ${high}`);
    return value;
  });

export const upToAYear = integerBetween(0, 365);

export const yesNo = makeVariable<boolean>((input) => {
  if (/^(true|on|yes|1)$/i.test(input)) return true;
  if (/^(false|off|no|0)$/i.test(input)) return false;
  throw new Error("must be on or off");
});

export const httpUrl = makeVariable<string>((input) => {
  const url = URL.parse(input);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error("must be an http or https address");
  if (url.pathname !== "/" || url.search || url.hash || url.username) {
    throw new Error("must be an origin alone, such as https://gatehouse.example.org");
  }
  return url.origin;
});

export const postgresUrl = makeVariable<string>((input) => {
  if (!/^postgres(ql)?:\/\//.test(input)) throw new Error("must begin with postgres:// or postgresql://");
  // The driver allows a missing host (a Unix socket).
  const url = URL.parse(input) ?? URL.parse(input.replace("@/", "@host/"));
  if (!url) {
    throw new Error(
      "cannot be read: write / # ? @ : in the password as %2F %23 %3F %40 %3A, and look at the port",
    );
  }
  // If there is a space or a bare %, the driver encodes the address again and takes escapes with letters, as %3A, literally.
  if (/ |%(?![\da-f]{2})/i.test(input) && /%(?:[\da-f][a-f]|[a-f]\d)/i.test(input)) {
    throw new Error("cannot be read: write a space as %20 and % as %25, as other characters are");
  }
  for (const name of ["sslrootcert", "sslcert", "sslkey"]) {
    const path = url.searchParams.get(name);
    if (path) checkReadable(path, name);
  }
  return input;
});

function checkReadable(path: string, name: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new Error(`names a file in ${name} that cannot be read: ${path} (${errorCode(error)})`);
  }
}

export const hexKeys = makeVariable<string>((input) => {
  if (masterKeysIn(input)) return input;
  throw new Error("must be 64 hexadecimal characters (32 bytes), or more such keys behind commas");
});

export const smtpUrl = makeVariable<string>((input) => {
  const url = URL.parse(input);
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname) {
    throw new Error("must be an address such as smtp://user:password@mail.example.org:587 or smtps://…:465");
  }
  return input;
});

export const sender = makeVariable<{ name: string; address: string }>((input) => {
  const found = /^\s*(?:"?([^"<>\r\n]*?)"?\s*<([^<>\s@]+@[^<>\s@]+)>|([^<>\s@]+@[^<>\s@]+))\s*$/.exec(input);
  const address = found?.[2] ?? found?.[3];
  if (!address) throw new Error("must be a mail address, alone or as Name <name@example.org>");
  return { name: found?.[1] ?? "", address };
});

export const targets = makeVariable<string[]>((input) => {
  const entries = listOf(input);
  const wrong = entries.filter((entry) => !isTarget(entry));
  if (wrong.length > 0) {
    throw new Error(`must list host:port, addresses or CIDR ranges, and ${wrong[0]} is none of them`);
  }
  return entries;
});

export const proxies = makeVariable<string[]>((input) => {
  const entries = listOf(input);
  const wrong = entries.find((entry) => !PROXY_NAMES.has(entry) && !isRange(entry, 1));
  if (wrong !== undefined) throw new Error(`must list addresses or CIDR ranges, and ${wrong} is none`);
  return entries;
});

/** Named ranges: 127.0.0.0/8 and ::1, link-local addresses, and private ones. */
const PROXY_NAMES = new Set(["loopback", "linklocal", "uniquelocal"]);

export const domains = makeVariable<string[]>((input) => {
  const entries = listOf(input.toLowerCase()).map((entry) => entry.replace(/^@/, ""));
  const wrong = entries.find((entry) => !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(entry));
  if (wrong !== undefined) throw new Error(`must list domains such as example.org, and ${wrong} is none`);
  return entries;
});

function listOf(input: string): string[] {
  return input
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
}

function isTarget(entry: string): boolean {
  return isRange(entry, 0) || /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}$/i.test(entry);
}

/** An IP address, optionally with a prefix length. */
function isRange(entry: string, leastBits: number): boolean {
  const [address = "", bits, more] = entry.split("/");
  const version = isIP(address);
  if (version === 0 || more !== undefined) return false;
  if (bits === undefined) return true;
  return /^\d+$/.test(bits) && Number(bits) >= leastBits && Number(bits) <= (version === 4 ? 32 : 128);
}
