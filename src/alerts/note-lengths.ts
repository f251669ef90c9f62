/** How many characters a note may have. */

/** Of a note of an incident. */
export const LONGEST_NOTE = 1_000_000;

/** Of a comment on an alert. */
export const LONGEST_COMMENT = 10_000;
