/** A storm: so many alerts open at a time that the messages about them collapse into a few (decision 0099). */
import { SEVERITIES, type Severity } from "./severity.ts";

/** An alert that a storm's message names. */
export interface Worst {
  iid: number;
  title: string;
  severity: Severity;
}

/** What a channel has heard of a storm, and what was held back from it. */
export interface Heard {
  /** Null: nothing yet; its first message is due. */
  toldAt: string | null;
  /** Messages that were not written, in the whole storm and since it was told last. */
  held: number;
  heldSince: number;
  /** The most severe alerts of these, the worst first. */
  worst: readonly Worst[];
}

/** How a project stands. */
export interface Storm {
  projectId: number;
  projectPath: string;
  now: Date;
  /** More than so many in so many seconds are a storm; 0: never. */
  threshold: number;
  windowSeconds: number;
  slots: readonly (readonly [second: number, opened: number])[];
  since: Date | null;
  opened: number;
  channels: Readonly<Record<string, Heard>>;
}

/** Beyond these a message names none. */
const NAMED = 3;
/** While a storm lasts a channel is told of it this often. */
const SUMMARY_SECONDS = 300;
/** How finely the window moves: by a twelfth of itself. */
const SLOTS = 12;

/** How many opened within the window that ends now. */
export function openedInWindow({ slots }: Pick<Storm, "slots">): number {
  return slots.reduce((sum, [, opened]) => sum + opened, 0);
}

/** The project after so many more opened; beyond the threshold its storm begins. */
export function withOpened(storm: Storm, opened: number): Storm {
  const slots = slotsNow(storm, opened);
  const total = openedInWindow({ slots });
  if (storm.since) return { ...storm, slots, opened: storm.opened + opened };
  const begins = storm.threshold > 0 && total > storm.threshold;
  return begins ? { ...storm, slots, since: storm.now, opened: total, channels: {} } : { ...storm, slots };
}

/** Whether a storm has calmed down: fewer than half of what began it, or nothing is to collapse any more. */
export function isOver(storm: Storm): boolean {
  return storm.threshold === 0 || openedInWindow({ slots: slotsNow(storm, 0) }) < storm.threshold / 2;
}

/** What has left the window is dropped. */
function slotsNow({ slots, now, windowSeconds }: Storm, opened: number): Storm["slots"] {
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

const UNHEARD: Heard = { toldAt: null, held: 0, heldSince: 0, worst: [] };

/** What a channel has heard after these messages were held back from it. */
export function withHeld(before: Heard | undefined, alerts: readonly Worst[]): Heard {
  const { held, heldSince, worst, toldAt } = before ?? UNHEARD;
  const named = new Map([...worst, ...alerts].map((one) => [one.iid, one]));
  const rank = ({ severity }: Worst) => SEVERITIES.indexOf(severity);
  return {
    toldAt,
    held: held + alerts.length,
    heldSince: heldSince + alerts.length,
    worst: [...named.values()]
      .sort((a, b) => rank(a) - rank(b) || a.iid - b.iid)
      .slice(0, NAMED)
      .map(({ iid, title, severity }) => ({ iid, title: title.slice(0, 200), severity })),
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
