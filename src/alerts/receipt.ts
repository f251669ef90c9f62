/** A receipt: one request as received, and the decision about it. */
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
import type { ValueTables } from "./value-tables.ts";

/** The decision about a request; `mixed` if it differs between its alerts. */
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

/** The name of each decision, and its reason. */
export const DECISION_WORDS: Readonly<Record<Decision, readonly [word: string, why: string]>> = {
  created: ["Opened", "No open alert had this identity, so a new one was opened."],
  counted: ["Counted", "An open alert had the same identity, so this is one more occurrence of it."],
  resolved: ["Resolved", "It was a recovery of an open alert with the same identity."],
  acknowledged: ["Acknowledged", "The sender’s client acknowledged an open alert."],
  noted: ["Noted", "The sender’s client noted, gave away or took back from work an open alert."],
  late: ["Late", "It was older than what had been received before, so nothing was opened or resolved."],
  orphan: ["No match", "It refers to an alert that is not open, so nothing changed."],
  mixed: ["Several", "Its alerts had different results; see the activity of each."],
  nothing: [
    "Nothing",
    "It contained no alert, or only alerts that had been received before. The payload is kept here.",
  ],
  test: ["Test", "A test alert: it is left out of counts and removed after 24 hours."],
  refused: ["Refused", "It was refused; the status says why."],
};

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
  /** The current reading rules of its integration. */
  mapping: jsonb<Mapping | null>(),
  valueTables: jsonb<ValueTables | null>(),
  groupBy: list(text),
  ignore: list(text),
});
export type Receipt = RowOf<typeof ReceiptRow>;

/** Whether text can be the id of a receipt. */
export function isReceiptId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** Returns the decision that summarises those about a request's reports. */
export function decisionOf(all: readonly Decision[]): Decision {
  const [first] = all;
  if (first === undefined) return "nothing";
  return all.every((decision) => decision === first) ? first : "mixed";
}

/** Returns the end of a key, enough to distinguish an old key from a new one. */
export function keyHint(key: string): string {
  return key.length < 12 ? "" : `…${key.slice(-4)}`;
}

/** Returns an id that sorts by time (UUID version 7, RFC 9562 §5.7), so that receipts are stored in order. */
export function newReceiptId(nowMilliseconds: number): string {
  const bytes16 = randomBytes(16);
  bytes16.writeUIntBE(nowMilliseconds, 0, 6);
  bytes16[6] = 0x70 | ((bytes16[6] ?? 0) & 0x0f);
  bytes16[8] = 0x80 | ((bytes16[8] ?? 0) & 0x3f);
  const hex = bytes16.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
