/** Whether a text from outside is an address that a page may link to. */

/** An absolute address of the web, and nothing that a browser would run or open elsewhere, or a page not link to (`safeHref`). */
export function isWebAddress(said: string): boolean {
  return /^https?:\/\/[^\s/\\][^\p{Cc}\\]*$/iu.test(said) && URL.canParse(said);
}
