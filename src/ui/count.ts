/** Numbers formatted for people. */

const grouped = new Intl.NumberFormat("en");

/** A whole number with thousands separators: `3,702,000`. For counts only; ids are not separated. */
export function wholeNumber(count: number): string {
  return grouped.format(count);
}

/** Counts above this are shown as `999+`. */
const MAX_SHOWN = 999;

/** `0` to `999`, then `999+`: for counts that stop there, since exact ones would take long and nobody needs them. */
export function shownCount(count: number): string {
  return count > MAX_SHOWN ? `${MAX_SHOWN}+` : String(count);
}
