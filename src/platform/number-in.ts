/** Reads the numbers by which addresses and forms name rows. */

/** The number that the text writes in at most 15 digits, which are exact in JavaScript; undefined: it writes none. */
export function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The number by which the text names a row; 0, by which none is known, where it writes no number. */
export function idIn(text: string | undefined): number {
  return numberIn(text) ?? 0;
}
