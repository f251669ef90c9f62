/** Which failures of the database mean "try again soon", and which mean that a value cannot be stored. */
import { Problem } from "./problem.ts";

const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENOTFOUND",
]);
// Shutting down, starting, too many connections, disk full, read-only, statement or lock timeout.
const OUT_OF_SERVICE = new Set([
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "53100",
  "53200",
  "25006",
  "57014",
  "55P03",
]);
// Text with NUL or broken UTF-8, numbers and dates out of range, too long an index key.
const NOT_STORABLE = new Set(["22021", "22P05", "22003", "22008", "22007", "54000", "22001", "22P02"]);

/**
 * Rethrows a driver error: as `unavailable` (503) when the database cannot serve, as `invalid` (400) when a value
 * is beyond what it can hold, else unchanged.
 */
export function unavailableOr(error: unknown): never {
  const { code, message } = error as { code?: string; message?: string };
  if (code && NOT_STORABLE.has(code)) {
    throw new Problem("invalid", "A value is out of the range that can be stored", { cause: error });
  }
  const lost =
    (code !== undefined && (UNREACHABLE.has(code) || OUT_OF_SERVICE.has(code) || code.startsWith("08"))) ||
    /Connection terminated|timeout exceeded|Query read timeout|not queryable|connection timeout/i.test(
      message ?? "",
    );
  if (!lost) throw error;
  throw new Problem("unavailable", "The database is not available. Try again shortly.", {
    cause: error,
    log: message ?? "database unavailable",
    retryAfterSeconds: 2,
  });
}

/** The name of the violated unique or check constraint, if the error is such a violation. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === "23505" || code === "23514" || code === "23503" ? constraint : undefined;
}
