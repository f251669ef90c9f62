/** Instants as they are in tokens and responses (RFC 7519 §2, NumericDate). */

/** Returns the whole seconds since 1970 in UTC. */
export function epochSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
