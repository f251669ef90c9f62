/** How long to wait before a process that ended is started again. */

const FIRST_SECONDS = 0.5;
const MOST_SECONDS = 10;
/** A process that lived so long had begun to work, so its end says nothing about the next start. */
const WORKED_SECONDS = 30;

/**
 * Seconds to wait: twice as long as before the process that has just ended, up to ten, so that one that cannot start does not keep
 * the machine busy (reference reliability E, process); half a second if it had worked.
 * @param before the seconds that were waited before its start; 0: it was the first
 */
export function restartPauseSeconds({
  before,
  livedSeconds,
}: {
  before: number;
  livedSeconds: number;
}): number {
  if (before === 0 || livedSeconds >= WORKED_SECONDS) return FIRST_SECONDS;
  return Math.min(2 * before, MOST_SECONDS);
}
