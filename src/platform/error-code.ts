/** The codes of errors of Node.js and of the database driver. */

/** Returns the code of an error, such as `ENOENT`; undefined: it has none. */
export function errorCode(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}
