/** A storm: so many alerts open within a short time that the messages about them are summarised in a few (decision 0099). */
import { cutText } from "../platform/cut-text.ts";
import { SEVERITIES, type Severity } from "./severity.ts";

/** An alert that a storm's message names. */
export interface Worst {
  iid: number;
  title: string;
  severity: Severity;
}

/** The state of one channel: how many alerts that concern it opened, and its last notification of the storm. */
export interface StormState {
  /** How many alerts opened in each slot of the window, the oldest first; a slot is named by its first Unix second. */
  slots: readonly (readonly [second: number, opened: number])[];
  /** When its storm began, in ISO 8601; null: there is none. */
  since: string | null;
  /** How many alerts opened since then, plus those that were in the window when it began. */
  opened: number;
  /** When the channel was last notified of the storm, in ISO 8601; null: not yet. */
  toldAt: string | null;
  /** How many messages were held back in the whole storm, and since `toldAt`. */
  held: number;
  heldSince: number;
  /** The most severe alerts among these, the worst first. */
  worst: readonly Worst[];
}

/** The storms of a project: one for each of its channels. */
export interface Storm {
  projectId: number;
  projectPath: string;
  now: Date;
  /** More than this many alerts within `windowSeconds` are a storm; 0: nothing ever is. */
  threshold: number;
  windowSeconds: number;
  channels: Readonly<Record<string, StormState>>;
}

/** How many alerts a message about a storm names. */
const NAMED = 3;
/** While a storm lasts, its channel gets a summary at most this often. */
const SUMMARY_SECONDS = 300;
/** Into how many slots the window is divided: it moves on by one slot at a time. */
const SLOTS = 12;

/** The state of a channel for which nothing was counted. */
export const NO_STORM: StormState = {
  slots: [],
  since: null,
  opened: 0,
  toldAt: null,
  held: 0,
  heldSince: 0,
  worst: [],
};

type Clock = Pick<Storm, "now" | "threshold" | "windowSeconds">;

/** Returns how many alerts opened within the window. */
export function openedInWindow({ slots }: Pick<StormState, "slots">): number {
  return slots.reduce((sum, [, opened]) => sum + opened, 0);
}

/** Returns the state after `opened` more alerts; beyond the threshold a storm begins. */
export function withOpened(state: StormState, clock: Clock, opened: number): StormState {
  const slots = slotsNow(state, clock, opened);
  const total = openedInWindow({ slots });
  if (state.since !== null) return { ...state, slots, opened: state.opened + opened };
  const begins = clock.threshold > 0 && total > clock.threshold;
  return begins ? { ...NO_STORM, slots, since: clock.now.toISOString(), opened: total } : { ...state, slots };
}

/** Whether its storm is over: fewer alerts than half of the threshold are in the window, or the threshold is 0. */
export function isOver(state: StormState, clock: Clock): boolean {
  return clock.threshold === 0 || openedInWindow({ slots: slotsNow(state, clock, 0) }) < clock.threshold / 2;
}

/** Whether the state holds nothing that must be stored. */
export function isEmpty({ since, slots }: StormState): boolean {
  return since === null && slots.length === 0;
}

/** Returns the slots that are still within the window, with `opened` more alerts in the newest. */
function slotsNow({ slots }: StormState, { now, windowSeconds }: Clock, opened: number): StormState["slots"] {
  const width = Math.max(1, Math.floor(windowSeconds / SLOTS));
  const second = Math.floor(now.getTime() / 1000);
  const slot = second - (second % width);
  // One of a much later time was counted before the clock went back, and would prolong a storm until then. Transactions that wait
  // for each other may be a little earlier than what they find.
  const within = slots.filter(([begun]) => Math.abs(second - begun) < windowSeconds);
  if (opened === 0) return within;
  const last = within.at(-1);
  return last?.[0] === slot
    ? [...within.slice(0, -1), [slot, last[1] + opened]]
    : [...within, [slot, opened]];
}

/** Returns the state after messages about these alerts were held back. */
export function withHeldBack(state: StormState, alerts: readonly Worst[]): StormState {
  return {
    ...state,
    held: state.held + alerts.length,
    heldSince: state.heldSince + alerts.length,
    worst: worstOf([...state.worst, ...alerts]),
  };
}

/** Returns the most severe of these alerts, each once, as a message about many names them. */
export function worstOf(alerts: readonly Worst[]): Worst[] {
  const named = new Map(alerts.map((one) => [one.iid, one]));
  const rank = ({ severity }: Worst) => SEVERITIES.indexOf(severity);
  return [...named.values()]
    .sort((a, b) => rank(a) - rank(b) || a.iid - b.iid)
    .slice(0, NAMED)
    .map(({ iid, title, severity }) => ({ iid, title: cutText(title, 200), severity }));
}

/** Returns the state after the channel was notified of its storm at `now`. */
export function withNotice(state: StormState, now: Date): StormState {
  return { ...state, toldAt: now.toISOString(), heldSince: 0 };
}

/**
 * Whether messages were held back since the last summary, and that is long enough ago, or ahead: a clock may have been wrong
 * (decision 0292).
 */
export function isSummaryDue({ toldAt, heldSince }: StormState, now: Date): boolean {
  if (toldAt === null || heldSince === 0) return false;
  return Math.abs(now.getTime() - Date.parse(toldAt)) >= SUMMARY_SECONDS * 1000;
}
