/** A refusal in the service's own words, knowing nothing of HTTP: `error-replies.ts` gives each door its form. */

/** Why something is refused. Each kind has one status at every door: `STATUS` in `error-replies.ts`. */
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

/** What goes with a refusal besides its words. */
export interface ProblemOptions {
  /** What the operator may read in the log; never sent. */
  log?: string;
  /** Seconds until another try makes sense; sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** The error behind it, for the log. */
  cause?: unknown;
}

/** Everything that nouns, verbs and guards throw; anything else that is thrown is a bug. */
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

/**
 * One or more parameters are missing or wrong, in the words of the GitLab v4 API:
 * `action does not have a valid value`. Spoken as 400 `{"error": "a, b"}`.
 */
export class ParameterProblem extends Problem {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super("invalid", faults.join(", "));
    this.faults = faults;
  }
}

/** A form or record with a fault at named fields; pages show each beside its field, the API joins them. */
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

/** @throws FieldProblem naming every field that has a fault, if any has one */
export function checkFaults(faults: Readonly<Record<string, string | readonly string[] | undefined>>): void {
  const found = Object.entries(faults).flatMap(([field, fault]) =>
    fault === undefined ? [] : [[field, typeof fault === "string" ? [fault] : fault]],
  );
  if (found.length > 0) throw new FieldProblem(Object.fromEntries(found));
}

/** A refusal with a machine-readable code of its own, spoken as `{"error": code, "error_description": …}`. */
export class CodedProblem extends Problem {
  readonly code: string;

  constructor(kind: ProblemKind, code: string, description: string, options: ProblemOptions = {}) {
    super(kind, description, options);
    this.code = code;
  }
}

/** A token that is present but worthless: 401 `invalid_token` (RFC 6750 §3.1). */
export class TokenProblem extends CodedProblem {
  constructor(description: string) {
    super("unauthenticated", "invalid_token", description);
  }
}

/** A token that is shown by a scheme that is not its own, bound to a key as it is or not (RFC 9449 §7.2). */
export class BoundTokenProblem extends TokenProblem {}

/** A proof of possession is missing or does not hold: `invalid_dpop_proof` (RFC 9449 §5, §7.1). */
export class ProofProblem extends CodedProblem {
  constructor(kind: "invalid" | "unauthenticated", description: string) {
    super(kind, "invalid_dpop_proof", description);
  }
}

/** A token that nobody has. The body is GitLab's, which names no code; the challenge names it (RFC 6750 §3.1). */
export class UnknownToken extends Problem {
  constructor() {
    super("unauthenticated", "401 Unauthorized");
  }
}

/** No key or a wrong one, where it may be shown as Bearer or as the password of Basic: the challenge names both. */
export class KeyNeeded extends Problem {
  constructor() {
    super("unauthenticated", "401 Unauthorized");
  }
}

/** A good token without a scope that the route accepts: 403 `insufficient_scope` (RFC 6750 §3.1). */
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
