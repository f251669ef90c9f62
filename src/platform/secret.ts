/** Random secrets with a prefix and a checksum, their digests, and encryption of the few that must be shown again. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from "node:crypto";
import { crc32 } from "node:zlib";
import { cutText } from "./cut-text.ts";
import { Problem } from "./problem.ts";

/** What a secret is for; its prefix lets scanners recognise a leaked one. */
export const SECRET_PREFIXES = {
  personalAccessToken: "gpat_",
  accessToken: "goa_",
  refreshToken: "gor_",
  authorizationCode: "goc_",
  deviceCode: "god_",
  clientSecret: "gos_",
  authorizationKey: "gak_",
  eventSourceSecret: "ges_",
  feedToken: "gft_",
  session: "gss_",
  setup: "gst_",
  passwordLink: "gpl_",
  invitation: "giv_",
  emailLink: "gel_",
} as const;
export type SecretKind = keyof typeof SECRET_PREFIXES;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const KINDS = Object.keys(SECRET_PREFIXES) as SecretKind[];

/** Creates a secret: prefix, 30 base62 characters (178 bits), 6 of CRC-32. */
export function newSecret(kind: SecretKind): string {
  let body = SECRET_PREFIXES[kind] as string;
  for (let i = 0; i < RANDOM_LENGTH; i++) body += BASE62[randomInt(62)];
  return body + checksum(body);
}

/** Derives a secret from a seed of at least 32 unguessable bytes: the same seed gives the same secret. */
export function secretFrom(kind: SecretKind, seed: Buffer): string {
  let number = BigInt(`0x${seed.toString("hex")}`);
  let body = SECRET_PREFIXES[kind] as string;
  for (let i = 0; i < RANDOM_LENGTH; i++) {
    body += BASE62[Number(number % 62n)];
    number /= 62n;
  }
  return body + checksum(body);
}

/** Returns a random lower-case hexadecimal identifier of `length` characters; public, not secret. */
export function newIdentifier(length: number): string {
  return randomBytes(Math.ceil(length / 2))
    .toString("hex")
    .slice(0, length);
}

/** The form of all our secrets; a text of this form with a wrong checksum is not one (decision 0208). */
const SECRET_FORM = new RegExp(
  `(?:${Object.values(SECRET_PREFIXES).join("|")})[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}`,
  "g",
);

/** A character, possibly percent-encoded once or more (RFC 3986 §2.1). */
const CHARACTER = /%(?:25)*([0-9a-f]{2})|[\s\S]/gi;

/**
 * Replaces everything that has the form of a secret, whatever its checksum, by a word; also if it is percent-encoded, once or
 * repeatedly.
 */
export function withoutSecrets(text: string): string {
  if (!text.includes("%")) return text.replaceAll(SECRET_FORM, "SECRET");
  const written = [...text.matchAll(CHARACTER)];
  const read = written.map(([one, digits]) =>
    digits === undefined ? one : String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const between = (from: number, to?: number) =>
    written
      .slice(from, to)
      .map(([one]) => one)
      .join("");
  let shown = "";
  let from = 0;
  for (const { 0: secret, index } of read.join("").matchAll(SECRET_FORM)) {
    shown += `${between(from, index)}SECRET`;
    from = index + secret.length;
  }
  return shown + between(from);
}

/** Truncates text after removing secrets: a secret that is cut in two would not be recognised. */
export function cutWithoutSecrets(text: string, most: number): string {
  return cutText(withoutSecrets(cutText(text, AHEAD * most)), most);
}

/** Text full of secrets shrinks to a seventh of its length without them. */
const AHEAD = 8;

/**
 * Returns false for a string that has one of our prefixes but is not a secret of this kind, so that it needs no lookup. A string
 * without such a prefix may be a token that an operator chose.
 */
export function maySecretBe(kind: SecretKind, given: string): boolean {
  if (!Object.values(SECRET_PREFIXES).some((known) => given.startsWith(known))) return true;
  return secretKindOf(given) === kind;
}

/** Returns the kind of a string with one of our prefixes and a valid checksum; else undefined. */
export function secretKindOf(given: string): SecretKind | undefined {
  const kind = KINDS.find((known) => given.startsWith(SECRET_PREFIXES[known]));
  if (kind === undefined) return undefined;
  if (given.length !== SECRET_PREFIXES[kind].length + RANDOM_LENGTH + CHECKSUM_LENGTH) return undefined;
  return checksum(given.slice(0, -CHECKSUM_LENGTH)) === given.slice(-CHECKSUM_LENGTH) ? kind : undefined;
}

/** SHA-256 of a secret, which is stored and looked up instead of it. */
export function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Compares two strings in a time that does not depend on where they differ. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** 32 bytes each. The first encrypts and signs; the others decrypt what was encrypted with them before (decision 0197). */
export type MasterKeys = readonly [Buffer, ...Buffer[]];

/** Parses keys of 64 hexadecimal characters, separated by white space or commas; undefined if it is anything else. */
export function masterKeysIn(text: string): MasterKeys | undefined {
  const words = text.trim().split(/[\s,]+/);
  if (!words.every((word) => /^[0-9a-f]{64}$/i.test(word))) return undefined;
  return words.map((word) => Buffer.from(word, "hex")) as [Buffer, ...Buffer[]];
}

/** Returns a keyed hash in base64url, for CSRF tokens and the like. */
type Sign = (purpose: string, value: string) => string;

/** Operations with keys derived from the master keys, one per purpose. */
export interface Keys {
  /** Encrypts with AES-256-GCM; `context` (for instance `alert_integrations:7`) must be the same at `open`. */
  seal(plain: string, context: string): Buffer;
  /** @throws Problem unavailable when the ciphertext, the context or the key is not the one of `seal` */
  open(sealed: Buffer, context: string): string;
  /** The same, but returns undefined instead: after a change of the master key the caller can create a new value. */
  openIfOurs(sealed: Buffer, context: string): string | undefined;
  /** Index of the master key that decrypts it: 0 is the current one, -1 none. */
  keyOf(sealed: Buffer, context: string): number;
  sign: Sign;
  /** Whether `sign` made this with the current or a former master key; compares in constant time. */
  isSigned(purpose: string, value: string, given: string): boolean;
  /** A sign function for each master key, the current one first: former signatures are valid until their key is dropped. */
  signers(): readonly [Sign, ...Sign[]];
}

const VERSION = 1;

/** @param master 32 bytes; or a function that is called at each use for the current keys, of which the first encrypts */
export function keysFrom(master: Buffer | (() => MasterKeys)): Keys {
  const only: MasterKeys = [master as Buffer];
  const read = typeof master === "function" ? master : () => only;
  let known: { of: MasterKeys; derived: Derived[] } | undefined;
  const derived = (): Derived[] => {
    const of = read();
    if (known?.of !== of) known = { of, derived: of.map(derive) };
    return known.derived;
  };
  const first = () => derived()[0] as Derived;
  const openIfOurs: Keys["openIfOurs"] = (sealed, context) => {
    for (const { sealing } of derived()) {
      const plain = opened(sealing, sealed, context);
      if (plain !== undefined) return plain;
    }
    return undefined;
  };
  return {
    seal(plain, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", first().sealing, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION]), iv, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      const plain = openIfOurs(sealed, context);
      if (plain !== undefined) return plain;
      throw new Problem("unavailable", "A stored secret cannot be decrypted with this master key.", {
        log: `sealed with another master key: ${context}`,
      });
    },
    openIfOurs,
    keyOf: (sealed, context) =>
      derived().findIndex(({ sealing }) => opened(sealing, sealed, context) !== undefined),
    sign: (purpose, value) => first().sign(purpose, value),
    isSigned: (purpose, value, given) =>
      derived().some(({ sign }) => sameSecret(given, sign(purpose, value))),
    signers: () => derived().map(({ sign }) => sign) as [Sign, ...Sign[]],
  };
}

interface Derived {
  sealing: Buffer;
  sign: Sign;
}

function derive(masterKey: Buffer): Derived {
  const of = (purpose: string) => Buffer.from(hkdfSync("sha256", masterKey, "", `gatehouse ${purpose}`, 32));
  const signing = of("sign v1");
  return {
    sealing: of("seal v1"),
    sign: (purpose, value) =>
      createHmac("sha256", signing).update(`${purpose}\0${value}`).digest("base64url"),
  };
}

function opened(key: Buffer, sealed: Buffer, context: string): string | undefined {
  if (sealed[0] !== VERSION || sealed.length < 29) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(1, 13)).setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(13, 29));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function checksum(body: string): string {
  let value = crc32(body);
  let out = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    out = BASE62[value % 62] + out;
    value = Math.floor(value / 62);
  }
  return out;
}
