/** The hash of labels that Prometheus and Alertmanager use, so that an alert received from either has one fingerprint. */
import type { JsonObject } from "../../platform/json-object.ts";

const OFFSET_HIGH = 0xcbf29ce4;
const OFFSET_LOW = 0x84222325;
/** The prime of 64-bit FNV-1a is 2^40 + 435. */
const PRIME_LOW = 435;
/** Follows each name and each value, and occurs in no UTF-8 text. */
const SEPARATOR = 0xff;

/** Returns the FNV-1a hash of the labels, sorted by name, as 16 hexadecimal digits; undefined if a value is not text. */
export function labelHash(labels: JsonObject): string | undefined {
  let high = OFFSET_HIGH;
  let low = OFFSET_LOW;
  const add = (byte: number): void => {
    low = (low ^ byte) >>> 0;
    const product = low * PRIME_LOW;
    // Halves of 32 bits: 2^40 moves the lower one by 8 bits into the upper one.
    high = (high * PRIME_LOW + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  };
  for (const name of inOrder(Object.keys(labels))) {
    const value = labels[name];
    if (typeof value !== "string") return undefined;
    for (const byte of Buffer.from(name)) add(byte);
    add(SEPARATOR);
    for (const byte of Buffer.from(value)) add(byte);
    add(SEPARATOR);
  }
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}

/** Sorts as Go does, by UTF-8 bytes; the order of code units differs only if there are surrogates. */
function inOrder(names: string[]): string[] {
  if (!names.some((name) => /[\ud800-\udfff]/.test(name))) return names.sort();
  return names.sort(byCodePoints);
}

function byCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one !== other) return rank(one) - rank(other);
  }
  return a.length - b.length;
}

/** Ranks surrogates after all other code units, as the code points that they encode are. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
