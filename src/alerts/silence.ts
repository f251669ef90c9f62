/** A silence: which alerts are muted, and when (decision 0096). */
import { boolean, instant, integer, jsonb, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import { fits, type Matcher, matchersFault, type Subject } from "./matcher.ts";
import type { Budget } from "./pattern.ts";

/** The windows of a recurring silence: weekdays (1 is Monday) on which a window begins, and its times of day in a zone. */
export interface Recurrence {
  days: readonly number[];
  /** `22:00`; a window that ends at or before its start ends on the next day. */
  from: string;
  to: string;
  zone: string;
}

/** The fields of a silence that can be set. */
export interface SilenceFields {
  comment: string;
  matchers: readonly Matcher[];
  /** Null: now. */
  startsAt: Date | null;
  /** Null: never, which is allowed only for a recurring silence. */
  endsAt: Date | null;
  recurrence: Recurrence | null;
}

export const SilenceRow = row({
  id: integer,
  comment: text,
  matchers: jsonb<Matcher[]>(),
  startsAt: instant,
  endsAt: nullable(instant),
  days: list(integer),
  fromTime: nullable(text),
  toTime: nullable(text),
  zone: nullable(text),
  authorId: nullable(integer),
  authorUsername: nullable(text),
  authorName: nullable(text),
  authorState: nullable(text),
  /** Whether it is in force right now. */
  inForce: boolean,
  isOver: boolean,
  /** How many open alerts it covers. */
  alertCount: integer,
  createdAt: instant,
  updatedAt: instant,
});
export type Silence = RowOf<typeof SilenceRow>;

/** `active` now, `pending` before its start or between its windows, `expired` once it is over. */
export const SILENCE_STATES = ["active", "pending", "expired"] as const;

export function silenceState({
  inForce,
  isOver,
}: Pick<Silence, "inForce" | "isOver">): (typeof SILENCE_STATES)[number] {
  return isOver ? "expired" : inForce ? "active" : "pending";
}

/** Returns its recurrence as it was set; null if it does not recur. */
export function recurrenceOf({ days, fromTime, toTime, zone }: Silence): Recurrence | null {
  if (fromTime === null || toTime === null || zone === null) return null;
  return { days, from: fromTime, to: toTime, zone };
}

/** The part of a silence that is matched against alerts. */
export interface InForce {
  id: number;
  comment: string;
  matchers: readonly Matcher[];
}

/** Returns the first silence in force that covers the subject. */
export function silenceFor(
  silences: readonly InForce[],
  subject: Subject,
  budget: Budget,
): InForce | undefined {
  return silences.find(({ matchers }) => fits(matchers, subject, budget));
}

/** Returns the budget for all patterns of one transaction, or for one of so many projects in it. */
export function newBudget(projects = 1): Budget {
  return { left: Math.floor(5_000_000 / projects) };
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Returns the errors in a silence's fields; empty if there are none. Whether the zone is known is checked by the database. */
export function silenceFaults(fields: SilenceFields): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  const { comment, matchers, startsAt, endsAt, recurrence } = fields;
  if (comment === "") faults.comment = ["can't be blank"];
  if (comment.length > 1000) faults.comment = ["is too long (maximum is 1000 characters)"];
  const matchersWrong = matchersFault(matchers);
  if (matchersWrong) faults.matchers = [matchersWrong];
  if (!endsAt && !recurrence) faults.ends_at = ["can't be blank unless the silence recurs"];
  if (endsAt && startsAt && endsAt <= startsAt) faults.ends_at = ["must be after the start"];
  if (recurrence) {
    const { days, from, to, zone } = recurrence;
    if (
      days.length === 0 ||
      days.length > 7 ||
      days.some((day) => !Number.isInteger(day) || day < 1 || day > 7)
    )
      faults.days = ["must be weekdays from 1 (Monday) to 7"];
    if (!TIME.test(from)) faults.from = ["must be a time such as 22:00"];
    if (!TIME.test(to)) faults.to = ["must be a time such as 06:00"];
    if (zone === "" || zone.length > 64) faults.zone = ["is not known"];
  }
  return faults;
}
