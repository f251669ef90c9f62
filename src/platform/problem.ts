/** Refusals in the service's own words, independent of HTTP: `error-replies.ts` turns them into responses. */

/** Why something is refused. Each kind has one status on all routes: `STATUS` in `error-replies.ts`. */
export type ProblemKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "not_allowed"
  | "conflict"
  | "too_large"
  | "unsupported"
  | "unprocessable"
  | "too_many"
  | "unavailable";

/** Optional parts of a refusal. */
export interface ProblemOptions {
  /** Details for the operator's log; never sent. */
  log?: string;
  /** Seconds until a retry makes sense; sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** The underlying error, for the log. */
  cause?: unknown;
}

/** Thrown by all code that refuses something; any other error is a bug. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly log: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ProblemKind, publicMessage: string, options: ProblemOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.kind = kind;
    this.log = options.log;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Forbidden for a reason that may be told, in a sentence: the API sends it after the status, pages show it alone. */
export class Forbidden extends Problem {
  readonly why: string;

  constructor(why: string) {
    super("forbidden", `403 Forbidden - ${why}`);
    this.why = why;
  }
}

/**
 * One or more parameters are missing or wrong, in the words of the GitLab v4 API: `action does not have a valid value`. Sent as
 * 400 `{"error": "a, b"}`.
 */
export class ParameterProblem extends Problem {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super("invalid", faults.join(", "));
    this.faults = faults;
  }
}

/** Faults of named fields of a form or record; pages show each at its field, the API joins them. */
export class FieldProblem extends Problem {
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor(
    fields: Readonly<Record<string, readonly string[]>>,
    kind: "invalid" | "unprocessable" | "conflict" = "invalid",
  ) {
    const text = Object.entries(fields)
      .map(([field, faults]) => `${field} ${faults.join(", ")}`)
      .join("; ");
    super(kind, text);
    this.fields = fields;
  }
}

/** Refuses if any field has a fault. @throws FieldProblem with all fields that have one */
export function checkFaults(faults: Readonly<Record<string, string | readonly string[] | undefined>>): void {
  const found = Object.entries(faults).flatMap(([field, fault]) =>
    fault === undefined ? [] : [[field, typeof fault === "string" ? [fault] : fault]],
  );
  if (found.length > 0) throw new FieldProblem(Object.fromEntries(found));
}

/** A refusal with a machine-readable code, sent as `{"error": code, "error_description": …}`. */
export class CodedProblem extends Problem {
  readonly code: string;

  constructor(kind: ProblemKind, code: string, description: string, options: ProblemOptions = {}) {
    super(kind, description, options);
    this.code = code;
  }
}

/** A token that was sent but is not valid: 401 `invalid_token` (RFC 6750 §3.1). */
export class TokenProblem extends CodedProblem {
  constructor(description: string) {
    super("unauthenticated", "invalid_token", description);
  }
}

/** A token sent with the wrong scheme: a bound one as Bearer, or an unbound one as DPoP (RFC 9449 §7.2). */
export class BoundTokenProblem extends TokenProblem {}

/** A proof of possession is missing or invalid: `invalid_dpop_proof` (RFC 9449 §5, §7.1). */
export class ProofProblem extends CodedProblem {
  constructor(kind: "invalid" | "unauthenticated", description: string) {
    super(kind, "invalid_dpop_proof", description);
  }
}

/** A token that does not exist. The body is GitLab's and has no code; the challenge has it (RFC 6750 §3.1). */
export class UnknownToken extends Problem {
  constructor() {
    super("unauthenticated", "401 Unauthorized");
  }
}

/** A missing or wrong key, on routes that accept it as Bearer or as the password of Basic: the challenge names both. */
export class KeyNeeded extends Problem {
  constructor() {
    super("unauthenticated", "401 Unauthorized");
  }
}

/** A valid token without a scope that the route accepts: 403 `insufficient_scope` (RFC 6750 §3.1). */
export class ScopeProblem extends CodedProblem {
  readonly accepted: readonly string[];

  constructor(accepted: readonly string[]) {
    super(
      "forbidden",
      "insufficient_scope",
      "The request requires higher privileges than provided by the access token.",
    );
    this.accepted = accepted;
  }
}
