/** A receipt: one request as it came, and what was made of it. */
import { randomBytes } from "node:crypto";
import {
  bytes,
  instant,
  integer,
  jsonb,
  list,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";
import type { Mapping } from "./reading-rules.ts";

/** What became of a request; `mixed` when its alerts fared differently. */
export const DECISIONS = [
  "created",
  "counted",
  "resolved",
  "acknowledged",
  "noted",
  "late",
  "orphan",
  "mixed",
  "nothing",
  "test",
  "refused",
] as const;
export type Decision = (typeof DECISIONS)[number];

export const ReceiptRow = row({
  id: text,
  projectId: integer,
  integrationId: nullable(integer),
  keyHint: text,
  receivedAt: instant,
  headers: jsonb<Readonly<Record<string, string>>>(),
  raw: bytes,
  status: integer,
  decision: oneOf(DECISIONS),
  warnings: list(text),
  alertIids: list(integer),
  /** How its integration reads payloads now. */
  mapping: jsonb<Mapping | null>(),
  groupBy: list(text),
  ignore: list(text),
});
export type Receipt = RowOf<typeof ReceiptRow>;

/** The word for all of a request's decisions together. */
export function decisionOf(all: readonly Decision[]): Decision {
  const [first] = all;
  if (first === undefined) return "nothing";
  return all.every((decision) => decision === first) ? first : "mixed";
}

/** The end of a key, enough to tell an old key from a new one. */
export function keyHint(key: string): string {
  return key.length < 12 ? "" : `…${key.slice(-4)}`;
}

/** A new id that sorts by time (UUID version 7, RFC 9562 §5.7), so that receipts lie together on disk. */
export function newReceiptId(nowMilliseconds: number): string {
  const bytes16 = randomBytes(16);
  bytes16.writeUIntBE(nowMilliseconds, 0, 6);
  bytes16[6] = 0x70 | ((bytes16[6] ?? 0) & 0x0f);
  bytes16[8] = 0x80 | ((bytes16[8] ?? 0) & 0x3f);
  const hex = bytes16.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
