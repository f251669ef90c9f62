/** A storm: so many alerts open at a time that the messages about them collapse into a few (decision 0099). */
import { cutText } from "../platform/cut-text.ts";
import { SEVERITIES, type Severity } from "./severity.ts";

/** An alert that a storm's message names. */
export interface Worst {
  iid: number;
  title: string;
  severity: Severity;
}

/** How a channel stands: what opened that it is about, what it heard of its storm, and what was held back from it. */
export interface Heard {
  /** How many opened in the slots of the window, the oldest first. */
  slots: readonly (readonly [second: number, opened: number])[];
  /** Null: there is no storm. */
  since: string | null;
  /** Since it began, with what the window held then. */
  opened: number;
  /** Null: nothing yet; its first message is due. */
  toldAt: string | null;
  /** Messages that were not written, in the whole storm and since it was told last. */
  held: number;
  heldSince: number;
  /** The most severe alerts of these, the worst first. */
  worst: readonly Worst[];
}

/** How a project stands, channel by channel. */
export interface Storm {
  projectId: number;
  projectPath: string;
  now: Date;
  /** More than so many in so many seconds are a storm; 0: never. */
  threshold: number;
  windowSeconds: number;
  channels: Readonly<Record<string, Heard>>;
}

/** Beyond these a message names none. */
const NAMED = 3;
/** While a storm lasts a channel is told of it this often. */
const SUMMARY_SECONDS = 300;
/** How finely the window moves: by a twelfth of itself. */
const SLOTS = 12;

/** A channel of which nothing is known. */
export const UNHEARD: Heard = {
  slots: [],
  since: null,
  opened: 0,
  toldAt: null,
  held: 0,
  heldSince: 0,
  worst: [],
};

type Clock = Pick<Storm, "now" | "threshold" | "windowSeconds">;

/** How many opened within the window that ends now. */
export function openedInWindow({ slots }: Pick<Heard, "slots">): number {
  return slots.reduce((sum, [, opened]) => sum + opened, 0);
}

/** The channel after so many more opened; beyond the threshold its storm begins. */
export function withOpened(heard: Heard, clock: Clock, opened: number): Heard {
  const slots = slotsNow(heard, clock, opened);
  const total = openedInWindow({ slots });
  if (heard.since !== null) return { ...heard, slots, opened: heard.opened + opened };
  const begins = clock.threshold > 0 && total > clock.threshold;
  return begins ? { ...UNHEARD, slots, since: clock.now.toISOString(), opened: total } : { ...heard, slots };
}

/** Whether its storm has calmed down: fewer than half of what began it, or nothing is to collapse any more. */
export function isOver(heard: Heard, clock: Clock): boolean {
  return clock.threshold === 0 || openedInWindow({ slots: slotsNow(heard, clock, 0) }) < clock.threshold / 2;
}

/** Whether there is nothing to be kept of it. */
export function isCalm({ since, slots }: Heard): boolean {
  return since === null && slots.length === 0;
}

/** What has left the window is dropped. */
function slotsNow({ slots }: Heard, { now, windowSeconds }: Clock, opened: number): Heard["slots"] {
  const width = Math.max(1, Math.floor(windowSeconds / SLOTS));
  const second = Math.floor(now.getTime() / 1000);
  const slot = second - (second % width);
  const within = slots.filter(([begun]) => begun > second - windowSeconds);
  if (opened === 0) return within;
  const last = within.at(-1);
  return last?.[0] === slot
    ? [...within.slice(0, -1), [slot, last[1] + opened]]
    : [...within, [slot, opened]];
}

/** What a channel has heard after messages about these alerts were held back from it. */
export function withHeld(heard: Heard, alerts: readonly Worst[]): Heard {
  const named = new Map([...heard.worst, ...alerts].map((one) => [one.iid, one]));
  const rank = ({ severity }: Worst) => SEVERITIES.indexOf(severity);
  return {
    ...heard,
    held: heard.held + alerts.length,
    heldSince: heard.heldSince + alerts.length,
    worst: [...named.values()]
      .sort((a, b) => rank(a) - rank(b) || a.iid - b.iid)
      .slice(0, NAMED)
      .map(({ iid, title, severity }) => ({ iid, title: cutText(title, 200), severity })),
  };
}

/** The same once it was told now. */
export function asTold(heard: Heard, now: Date): Heard {
  return { ...heard, toldAt: now.toISOString(), heldSince: 0 };
}

/** Whether something was held back and the last message is long enough ago. */
export function isSummaryDue({ toldAt, heldSince }: Heard, now: Date): boolean {
  return toldAt !== null && heldSince > 0 && now.getTime() - Date.parse(toldAt) >= SUMMARY_SECONDS * 1000;
}
