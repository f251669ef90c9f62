/** Checks whether a text from outside is an address that a page may link to. */

/** Whether it is an absolute http or https address, which a browser neither runs nor opens elsewhere (`safeHref`). */
export function isWebAddress(said: string): boolean {
  return /^https?:\/\/[^\s/\\][^\p{Cc}\\]*$/iu.test(said) && URL.canParse(said);
}
