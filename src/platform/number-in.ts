/** Reads the numbers by which addresses and forms name rows. */

/** The number that the text writes in at most 15 digits, which are exact in JavaScript; undefined: it writes none. */
export function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
