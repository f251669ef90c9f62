/** The error codes of RFC 6749, RFC 6750 and related standards, and the kinds of problem that decide their status. */
import { CodedProblem, type ProblemKind } from "../platform/problem.ts";
import { type RefusalReason, reasonWords } from "./refusal-reason.ts";

const KINDS = {
  invalid_request: "invalid",
  invalid_client: "unauthenticated",
  invalid_grant: "invalid",
  unauthorized_client: "invalid",
  unsupported_grant_type: "invalid",
  unsupported_token_type: "invalid",
  invalid_scope: "invalid",
  // RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6, at the endpoint for pushed requests (RFC 9126 §2.3)
  unsupported_response_type: "invalid",
  request_not_supported: "invalid",
  registration_not_supported: "invalid",
  // RFC 8707 §2
  invalid_target: "invalid",
  // RFC 7591 §3.2.2
  invalid_redirect_uri: "invalid",
  invalid_client_metadata: "invalid",
  // RFC 8628 §3.5
  authorization_pending: "invalid",
  slow_down: "invalid",
  access_denied: "invalid",
  expired_token: "invalid",
} as const satisfies Record<string, ProblemKind>;

export type OAuthErrorCode = keyof typeof KINDS;

/** A refusal of the token endpoint and related endpoints (RFC 6749 §5.2). */
export class OAuthError extends CodedProblem {
  declare readonly code: OAuthErrorCode;

  /** @param log the true reason, for the operator only */
  constructor(code: OAuthErrorCode, description: string, log?: string, kind: ProblemKind = KINDS[code]) {
    // RFC 6749 §5.2 allows these characters only.
    if (!/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/.test(description))
      throw new Error(`not sendable: ${description}`);
    super(kind, code, description, log === undefined ? {} : { log });
  }
}

/** A refused grant: the exact reason is only logged, not sent. */
export class GrantError extends OAuthError {
  readonly reason: RefusalReason;

  /** @param what the parameter with the grant */
  constructor(
    code: "invalid_grant" | "invalid_scope",
    description: string,
    what: string,
    reason: RefusalReason,
  ) {
    super(code, description, reasonWords(what, reason));
    this.reason = reason;
  }
}
