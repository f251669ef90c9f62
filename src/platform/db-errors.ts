/** Tells which failures of the database are temporary, and which mean that a value cannot be stored. */
import { errorCode } from "./error-code.ts";
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
/** SQLSTATE of a write that a standby, or a server set to read only, refuses. */
export const TAKES_NO_WRITES = "25006";
/** SQLSTATE of a write for which the disk of the server has no room. */
const FULL = "53100";
/** SQLSTATE of a prepared statement that does not exist on its connection. */
const NOT_PREPARED = "26000";
/** SQLSTATE of a statement that was cancelled, as at its time limit. */
const CANCELLED = "57014";
/** SQLSTATE of a statement that waited too long for a lock. */
const LOCKED = "55P03";
/** SQLSTATEs of a transaction that concurrent ones made impossible. */
const NOT_SERIALIZABLE = "40001";
const DEADLOCK = "40P01";
/** SQLSTATE of a value that is too long for an index. */
const TOO_LONG = "54000";
/** SQLSTATEs of violated constraints. */
const NOT_UNIQUE = "23505";
const NO_SUCH_ROW = "23503";
/** The same for a row that others refer to and that must stay (`on delete restrict`): since PostgreSQL 18, before it 23503. */
const STILL_NEEDED = "23001";
const CHECK_FAILED = "23514";
const VIOLATIONS = new Set([NOT_UNIQUE, NO_SUCH_ROW, STILL_NEEDED, CHECK_FAILED]);

// Shutdown, start, too many connections, full disk, read-only, timeout of a statement, lock or idle transaction; a database that
// is being restored, or whose password changed; and conflicts with other transactions that remained after all retries.
const OUT_OF_SERVICE = new Set([
  "3D000",
  "28P01",
  "28000",
  "57P01",
  "57P02",
  "57P03",
  "53300",
  FULL,
  "53200",
  TAKES_NO_WRITES,
  CANCELLED,
  LOCKED,
  "25P03",
  NOT_SERIALIZABLE,
  DEADLOCK,
  NOT_PREPARED,
]);
// NUL or broken UTF-8 in a text, numbers and dates out of range, an index key that is too long.
const NOT_STORABLE = new Set(["22021", "22P05", "22003", "22008", "22007", TOO_LONG, "22001", "22P02"]);

const AWAY = "The database is not available. Try again shortly.";
const READ_ONLY =
  "The database accepts no writes: its address leads to a standby, or it is read-only. Try again shortly.";
const NO_ROOM = "The disk of the database is full. Try again later.";
const UNCONFIRMED =
  "The database did not confirm in time, so this may or may not have been stored. Try again shortly with the same Idempotency-Key, or check first.";

/** Messages of the driver about a connection that was lost, or not made in time. */
const LOST =
  /Connection terminated|timeout exceeded|timeout expired|Query read timeout|not queryable|connection timeout|calling end on the pool/i;

/** Those of them about statements that were given to a connection that had ended. */
const NEVER_SENT = /not queryable|calling end on the pool/i;

/** Whether a connection was not made in time, by the driver's message. */
export function isConnectTimeout(error: unknown): boolean {
  return /timeout exceeded|timeout expired|connection timeout/i.test((error as Error).message ?? "");
}

/**
 * Rethrows an error of the driver: as `unavailable` (503) if the database cannot serve, as `invalid` (400) if a value is beyond
 * what it can store, else unchanged.
 */
export function rethrowAsUnavailable(error: unknown): never {
  throw problemOf(error, refusalWords);
}

/** The same for a commit: without a response to it, the outcome is unknown. */
export function rethrowAsUnconfirmed(error: unknown): never {
  throw problemOf(error, (code) => (isRefusal(code) ? refusalWords(code) : UNCONFIRMED));
}

/** The same for a statement that commits by itself: without a response to a write that was sent, its outcome is unknown. */
export function rethrowAsPerhapsStored(error: unknown, statement: string): never {
  const mayBeStored = isWrite(statement) && wasSent(error);
  throw problemOf(error, (code) =>
    mayBeStored && !isRefusal(code) && code !== CANCELLED ? UNCONFIRMED : refusalWords(code),
  );
}

/** A statement that begins with `select` may call a function that writes; those are called by jobs, for which nobody waits. */
function isWrite(statement: string): boolean {
  return !/^\s*select\b/.test(statement) && /\b(?:insert into|update|delete from)\b/.test(statement);
}

function wasSent(error: unknown): boolean {
  const { message = "", isOfDatabase = false } = error as { message?: string; isOfDatabase?: boolean };
  return !isOfDatabase && !isConnectTimeout(error) && !NEVER_SENT.test(message);
}

function refusalWords(code: string | undefined): string {
  if (code === FULL) return NO_ROOM;
  return code === TAKES_NO_WRITES ? READ_ONLY : AWAY;
}

/**
 * Whether the server rolled the transaction back and said so; one that stops or is lost leaves it open. No SQLSTATE begins with E, as
 * EPIPE does.
 */
function isRefusal(code: string | undefined): boolean {
  return code !== undefined && /^(?!08|57|E)[0-9A-Z]{5}$/.test(code);
}

function problemOf(error: unknown, words: (code: string | undefined) => string): unknown {
  const { code, message, isOfDatabase } = error as {
    code?: string;
    message?: string;
    isOfDatabase?: boolean;
  };
  if (code && NOT_STORABLE.has(code)) {
    return new Problem("invalid", "A value is out of the range that can be stored", { cause: error });
  }
  const lost =
    isOfDatabase ||
    (code !== undefined && (UNREACHABLE.has(code) || OUT_OF_SERVICE.has(code) || code.startsWith("08"))) ||
    LOST.test(message ?? "");
  if (!lost) {
    // The stack trace then leads to the caller; that of the driver leads to the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    return error;
  }
  return new Problem("unavailable", words(code), {
    cause: error,
    log: message ?? "database unavailable",
    retryAfterSeconds: code === FULL ? 30 : 2,
  });
}

/** Whether the server was gone or unreachable, as opposed to refusing the statement; also checks the cause. */
export function isGone(error: unknown): boolean {
  const {
    code = "",
    message = "",
    cause,
  } = (error ?? {}) as { code?: string; message?: string; cause?: unknown };
  const said = UNREACHABLE.has(code) || /^(08|57P0[123])/.test(code) || LOST.test(message);
  return said || (cause !== undefined && isGone(cause));
}

/** Returns the SQLSTATE of an error of the driver, also through the Problem that `rethrowAsUnavailable` made of it. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof Problem ? sqlStateOf(error.cause) : errorCode(error);
}

/** Whether the disk of the server has no room for a write. */
export function isDiskFull(error: unknown): boolean {
  return sqlStateOf(error) === FULL;
}

/**
 * Whether the failure may be due to this statement alone, so that others may succeed: deadlocks, timeouts (also that of a lock,
 * 55P03), values out of range, and violated constraints.
 */
export function isOfThisStatement(error: unknown): boolean {
  return /^(?:40P01|40001|57014|55P03|22|23)/.test(sqlStateOf(error) ?? "");
}

/** Whether the database is down for everybody, so that the next item of a batch would fail too. */
export function isAwayForAll(error: unknown): boolean {
  return error instanceof Problem && error.kind === "unavailable" && !isOfThisStatement(error);
}

/** Whether a statement did not get the lock of a table or row within its timeout. */
export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === LOCKED;
}

/**
 * Whether the statement or transaction failed because of concurrent ones, and may succeed when it is retried. This includes a
 * named statement whose preparation was cancelled: pipelined statements of the same name rely on the first one to prepare it.
 */
export function isConflict(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === NOT_SERIALIZABLE || state === DEADLOCK || state === NOT_PREPARED;
}

/** Whether a row that the statement refers to, and that existed when it was looked up, was removed meanwhile (decision 0151). */
export function isMissingReference(error: unknown): boolean {
  return sqlStateOf(error) === NO_SUCH_ROW;
}

/** Whether a value is too long for an index. */
export function isIndexKeyTooLong(error: unknown): boolean {
  return sqlStateOf(error) === TOO_LONG;
}

/** The name of the violated unique, check or foreign key constraint, if the error is such a violation. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code !== undefined && VIOLATIONS.has(code) ? constraint : undefined;
}
