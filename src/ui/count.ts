/** Numbers as people read them. */

const grouped = new Intl.NumberFormat("en");

/** A whole number with its thousands apart: `3,702,000`. For what is counted; numbers that name something stay whole. */
export function wholeNumber(count: number): string {
  return grouped.format(count);
}

/** Above it a count says no more than that there are many. */
const MOST_SHOWN = 999;

/** `0` to `999`, then `999+`: of what is counted no further, since nobody needs to know more and it would take long. */
export function shownCount(count: number): string {
  return count > MOST_SHOWN ? `${MOST_SHOWN}+` : String(count);
}
