/** Numbers of what is counted to a thousand, since nobody needs to know more and counting on would take long. */

/** Above it a count says no more than that there are many. */
const MOST_SHOWN = 999;

/** `0` to `999`, then `999+`. */
export function shownCount(count: number): string {
  return count > MOST_SHOWN ? `${MOST_SHOWN}+` : String(count);
}
