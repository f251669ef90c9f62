/** A refusal that is sent to the application, because client and redirect URI are verified (RFC 6749 §4.1.2.1, §4.2.2.1). */
import { CodedProblem, Problem } from "../platform/problem.ts";
import type { Application } from "./application.ts";
import { isOutOfBand, OUT_OF_BAND_PAGE, type ResponseMode, withAnswer } from "./redirect-uri.ts";

/** A verified redirect URI, made only by `checkAuthorization` and from the request it kept. */
export interface TrustedRedirect {
  uri: string;
  mode: ResponseMode;
  state: string | undefined;
  /** The value of `iss` (RFC 9207); undefined if the response has none. */
  issuer: string | undefined;
}

export type AuthorizationErrorCode =
  | "invalid_request"
  | "unauthorized_client"
  | "access_denied"
  | "unsupported_response_type"
  | "invalid_scope"
  | "invalid_target"
  | "login_required"
  | "consent_required"
  | "interaction_required"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "registration_not_supported";

/** Can only be constructed with a verified redirect URI, so that no other refusal is ever redirected. */
export class AuthorizationError extends CodedProblem {
  readonly location: string;
  readonly mode: ResponseMode;
  /** The redirect URI is out-of-band: the refusal is shown to the person, on a page of ours. */
  readonly outOfBand: boolean;
  /** The application that made the request. */
  readonly application: Application;

  constructor(
    redirect: TrustedRedirect,
    code: AuthorizationErrorCode,
    description: string,
    application: Application,
  ) {
    super("invalid", code, description);
    this.outOfBand = isOutOfBand(redirect.uri);
    this.application = application;
    this.mode = redirect.mode;
    this.location = answerLocation(redirect, { error: code, error_description: description });
  }
}

/** A refusal that cannot be sent to a known application, since the address would be too long; shown as a page (reliability S9). */
export class StateTooLong extends Problem {
  readonly application: Application;

  constructor(application: Application) {
    super("invalid", "The state is longer than 4 KiB.");
    this.application = application;
  }
}

/** Returns the redirect address with the response for the application, including state and issuer. */
export function answerLocation(
  { uri, mode, state, issuer }: TrustedRedirect,
  answer: Readonly<Record<string, string | number | undefined>>,
): string {
  // Our page that shows the code needs neither state nor issuer.
  if (isOutOfBand(uri)) return withAnswer(OUT_OF_BAND_PAGE, answer, "query");
  return withAnswer(uri, { ...answer, state, iss: issuer }, mode);
}
