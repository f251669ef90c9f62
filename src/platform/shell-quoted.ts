/** Quotes text for the shell commands that pages show. */

/** Returns the text as one word of a POSIX shell, in which nothing is expanded. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
