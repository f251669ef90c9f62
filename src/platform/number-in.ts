/** Reads the ids of rows in addresses and forms. */

/** Returns the number that the text writes in at most 15 digits, which JavaScript represents exactly; else undefined. */
export function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Returns the id that the text writes; else 0, which no row has. */
export function idIn(text: string | undefined): number {
  return numberIn(text) ?? 0;
}
