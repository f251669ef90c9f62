/** Computes what makes two payloads the same alert: a versioned hash of a given fingerprint or of the payload itself. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../platform/json-object.ts";

/** Part of every hash; a new way of hashing gets a new number, so that old alerts keep theirs. */
export const FINGERPRINT_VERSION = 1;

/** Given by the sender (`given`), by a tool's own labels (`labels`), or the payload as a whole (`payload`). */
export const FINGERPRINT_KINDS = ["given", "labels", "payload"] as const;

export interface Fingerprint {
  /** SHA-256, 32 bytes. */
  hash: Buffer;
  kind: (typeof FINGERPRINT_KINDS)[number];
  /** The fingerprint as the sender wrote it, at most 255 characters, for display; null for `payload`. */
  shown: string | null;
}

/** Members that may differ between payloads of one alert (spec: States 3; contract §4, identical payload). */
const TIMES_AND_PLACES: ReadonlySet<string> = new Set(["start_time", "end_time", "hosts"]);

/** Returns a fingerprint as the API shows it: `v1:` and the hash in hexadecimal. */
export function fingerprintText(version: number, hash: Buffer): string {
  return `v${version}:${hash.toString("hex")}`;
}

/**
 * Returns the identity from a payload's own `fingerprint`; undefined if it is absent, null or empty. The items of a list are
 * hashed with their lengths, so that `["a","b1"]` is not `["ab","1"]`.
 */
export function givenFingerprint(value: unknown): Fingerprint | undefined {
  const parts = partsOf(value);
  if (parts.length === 0) return undefined;
  const text = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join("");
  return { hash: hashOf("given", text), kind: "given", shown: shorten(parts.join(" / ")) };
}

/** Returns the identity that a tool computed from an alert's labels, or our hash of those labels if it sends none. */
export function labelFingerprint(toolsOwn: unknown, labels: unknown): Fingerprint {
  if (typeof toolsOwn === "string" && toolsOwn !== "") {
    return { hash: hashOf("labels", toolsOwn), kind: "labels", shown: shorten(toolsOwn) };
  }
  return { hash: hashOf("labels of", canonicalJson(labels)), kind: "labels", shown: null };
}

/** Returns the identity from the values at some paths of a payload together, or undefined if it has none of them. */
export function pickedFingerprint(
  picked: readonly [path: string, value: unknown][],
): Fingerprint | undefined {
  if (picked.every(([, value]) => partsOf(value).length === 0)) return undefined;
  const shown = picked.flatMap(([, value]) => partsOf(value)).join(" / ");
  return { hash: hashOf("picked", canonicalJson(picked)), kind: "given", shown: shorten(shown) };
}

/** Returns the identity of a payload without a fingerprint: all of it but start_time, end_time and hosts. */
export function payloadFingerprint(payload: JsonObject): Fingerprint {
  const rest = Object.entries(payload).filter(([name]) => !TIMES_AND_PLACES.has(name));
  return { hash: hashOf("payload", canonicalMembers(rest)), kind: "payload", shown: null };
}

/** Returns JSON with members in the order of RFC 8785, so that the order in which they were sent does not matter. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") return canonicalMembers(Object.entries(value));
  return JSON.stringify(value) ?? "null";
}

function canonicalMembers(members: [string, unknown][]): string {
  // Comparing by `<` compares UTF-16 code units, as RFC 8785 §3.2.3 asks.
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${canonicalJson(value)}`).join(",")}}`;
}

function partsOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "string" && value.trim() === "") return [];
  if (Array.isArray(value)) return value.flatMap(partsOf);
  return [typeof value === "string" ? value : canonicalJson(value)];
}

function hashOf(kind: string, text: string): Buffer {
  return createHash("sha256").update(`v${FINGERPRINT_VERSION} ${kind}\0${text}`).digest();
}

function shorten(text: string): string {
  const points = [...text.slice(0, 600)];
  return points.length <= 255 ? points.join("") : `${points.slice(0, 252).join("")}...`;
}
