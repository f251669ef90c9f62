/** Which failures of the database mean "try again soon", and which mean that a value cannot be stored. */
import { Problem } from "./problem.ts";

const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  // The name server does not answer.
  "EAI_AGAIN",
]);
/** The state of a statement that a standby, or a server set to read only, does not take. */
export const TAKES_NO_WRITES = "25006";
/** The state of a statement that is named and not known on its connection. */
const NOT_PREPARED = "26000";
/** That of one that waited too long for somebody else's lock. */
const LOCKED = "55P03";

// Shutting down, starting, too many connections, disk full, read-only, statement, lock or idle timeout; a database that is
// being put back or whose password was changed, so that it has not what was named or does not know us; and conflicts with
// others, once they have been tried again in vain.
const OUT_OF_SERVICE = new Set([
  "3D000",
  "28P01",
  "28000",
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "53100",
  "53200",
  TAKES_NO_WRITES,
  "57014",
  LOCKED,
  "25P03",
  "40001",
  "40P01",
  NOT_PREPARED,
]);
// Text with NUL or broken UTF-8, numbers and dates out of range, too long an index key.
const NOT_STORABLE = new Set(["22021", "22P05", "22003", "22008", "22007", "54000", "22001", "22P02"]);

const AWAY = "The database is not available. Try again shortly.";
const READ_ONLY =
  "The database takes no writes: its address leads to a standby, or it was set to read only. Try again shortly.";
const UNCONFIRMED =
  "The database did not confirm in time, so this may have been stored or not. Try again shortly with the same Idempotency-Key, or look first.";

/** What the driver says of a connection that is lost, or was not made in time. */
const LOST =
  /Connection terminated|timeout exceeded|timeout expired|Query read timeout|not queryable|connection timeout|calling end on the pool/i;

/**
 * Rethrows a driver error: as `unavailable` (503) when the database cannot serve, as `invalid` (400) when a value
 * is beyond what it can hold, else unchanged.
 */
export function unavailableOr(error: unknown): never {
  throw problemOf(error, (code) => (code === TAKES_NO_WRITES ? READ_ONLY : AWAY));
}

/**
 * The same for a commit: without an answer to it nobody knows whether it came to pass.
 */
export function unconfirmedOr(error: unknown): never {
  throw problemOf(error, (code) => (isRefusal(code) ? AWAY : UNCONFIRMED));
}

/** The server ended the transaction and said so; a server that is stopped or lost says nothing of it. */
function isRefusal(code: string | undefined): boolean {
  return code !== undefined && /^(?!08|57)[0-9A-Z]{5}$/.test(code);
}

function problemOf(error: unknown, words: (code: string | undefined) => string): unknown {
  const { code, message } = error as { code?: string; message?: string };
  if (code && NOT_STORABLE.has(code)) {
    return new Problem("invalid", "A value is out of the range that can be stored", { cause: error });
  }
  const lost =
    (code !== undefined && (UNREACHABLE.has(code) || OUT_OF_SERVICE.has(code) || code.startsWith("08"))) ||
    LOST.test(message ?? "");
  if (!lost) {
    // From here it leads to who asked; the driver's own leads to the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    return error;
  }
  return new Problem("unavailable", words(code), {
    cause: error,
    log: message ?? "database unavailable",
    retryAfterSeconds: 2,
  });
}

/** Whether the server went away, or was not there, rather than refuse what it was asked; also as the cause. */
export function isGone(error: unknown): boolean {
  const {
    code = "",
    message = "",
    cause,
  } = (error ?? {}) as { code?: string; message?: string; cause?: unknown };
  const said = UNREACHABLE.has(code) || /^(08|57P0[123])/.test(code) || LOST.test(message);
  return said || (cause !== undefined && isGone(cause));
}

/** The SQLSTATE of a driver error, also when it stands behind what `unavailableOr` made of it. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (error instanceof Problem) return sqlStateOf(cause);
  return typeof code === "string" ? code : undefined;
}

/**
 * Whether the failure may lie with what was asked alone, so that others may fare better: deadlocks, time that ran out, also for
 * a row that somebody holds (55P03), and violations of what the database forbids.
 */
export function isOfOneAlone(error: unknown): boolean {
  return /^(?:40P01|40001|57014|55P03|22|23)/.test(sqlStateOf(error) ?? "");
}

/** Whether the database is away for everybody, so that whoever is next in a round of many would fare no better. */
export function isAwayForAll(error: unknown): boolean {
  return error instanceof Problem && error.kind === "unavailable" && !isOfOneAlone(error);
}

/** Whether a statement did not get the lock of a table or row in the time that it was given. */
export function waitedTooLong(error: unknown): boolean {
  return sqlStateOf(error) === LOCKED;
}

/**
 * Whether the statement or transaction met others in a way that ended it, and may do better when it is tried again. Of
 * statements that are one in name, the first on a connection brings it: when that is ended, those behind it have none.
 */
export function isConflict(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === "40001" || state === "40P01" || state === NOT_PREPARED;
}

/** The name of the violated unique or check constraint, if the error is such a violation. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === "23505" || code === "23514" || code === "23503" ? constraint : undefined;
}
