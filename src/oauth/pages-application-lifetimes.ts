/** The lifetimes of an application's tokens, in its form, on its page and on the consent page. */
import { selectField } from "../ui/form.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import { durationWords } from "../ui/time.ts";
import {
  LIFETIME_FIELDS,
  LIFETIME_NAMES,
  LIFETIMES,
  type Lifetime,
  type Lifetimes,
  type OwnLifetimes,
} from "./lifetimes.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

/** The lifetimes that the form offers; the API accepts everything within the bounds. */
const OFFERED: Readonly<Record<Lifetime, readonly number[]>> = {
  accessTokenSeconds: [300, 900, 1800, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR, DAY],
  refreshIdleSeconds: [1, 7, 14, 30, 90, 180, 365].map((days) => days * DAY),
  refreshAbsoluteSeconds: [1, 7, 30, 90, 180, 365].map((days) => days * DAY),
};

const WORDS: Readonly<Record<Lifetime, { label: string; hint: string }>> = {
  accessTokenSeconds: { label: "Access tokens expire after", hint: "In every flow." },
  refreshIdleSeconds: {
    label: "Unused refresh tokens expire after",
    hint: "Each use brings a new one.",
  },
  refreshAbsoluteSeconds: {
    label: "Refresh tokens expire at the latest after",
    hint: "Counted from the approval. After that, people have to authorize the application again.",
  },
};

/** The fields, collapsed while nothing is set or faulty. */
export function lifetimeFields(
  set: OwnLifetimes,
  allowsLong: boolean,
  fault: (name: string) => string | undefined,
): Html {
  const isOpen = LIFETIME_NAMES.some(
    (name) => set[name] !== null || fault(LIFETIME_FIELDS[name]) !== undefined,
  );
  const fields = LIFETIME_NAMES.map((name) =>
    selectField({
      name: LIFETIME_FIELDS[name],
      label: WORDS[name].label,
      value: set[name] === null ? "" : String(set[name]),
      options: optionsOf(name, set[name], allowsLong),
      error: fault(LIFETIME_FIELDS[name]),
      hint: WORDS[name].hint,
    }),
  );
  const closed =
    !allowsLong &&
    html`<p class="hint full">Longer lifetimes than the standard ones are switched off here.</p>`;
  return html`<details class="more full"${attrs({ open: isOpen })}><summary>Token lifetimes</summary><div class="form two mt-s">
${fields}<p class="hint full">Changes apply to tokens issued from now on.</p>${closed}</div></details>`;
}

/** The offered lifetimes, and the current one, whatever it is. */
function optionsOf(name: Lifetime, now: number | null, allowsLong: boolean) {
  const { usual } = LIFETIMES[name];
  const open = OFFERED[name].filter((seconds) => allowsLong || seconds <= usual);
  const all = now === null || !Number.isInteger(now) ? open : [...open, now];
  return [...new Set(all)]
    .sort((a, b) => a - b)
    .map((seconds) => {
      const words = durationWords(seconds);
      if (seconds === usual)
        return { value: now === usual ? String(usual) : "", label: `${words}, standard` };
      return {
        value: String(seconds),
        label: seconds > usual && !allowsLong ? `${words}: limited to the standard` : words,
      };
    });
}

/** How long access lasts unless it is revoked, as the words after "Access lasts". */
export function accessLifetime(lifetimes: Lifetimes, renewable: boolean): string {
  const { accessTokenSeconds, refreshIdleSeconds: idle, refreshAbsoluteSeconds: most } = lifetimes;
  if (!renewable) return hoursWords(accessTokenSeconds);
  if (idle >= most) return `up to ${durationWords(most)}`;
  return `up to ${durationWords(most)}, and ends after ${durationWords(idle)} without use`;
}

function hoursWords(seconds: number): string {
  if (seconds === HOUR) return "1 hour";
  return seconds % HOUR === 0 ? `${seconds / HOUR} hours` : durationWords(seconds);
}
