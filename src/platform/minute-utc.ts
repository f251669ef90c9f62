/** Writes an instant as plain text to the minute, for mails. */

/** Returns `2027-03-01 09:05 UTC`. */
export function minuteUtc(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
