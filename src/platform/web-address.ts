/** Whether somebody's words are an address that a page may link to. */

/** An absolute address of the web, and nothing that a browser would run or open elsewhere. */
export function isWebAddress(said: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(said) && URL.canParse(said);
}
