/** A refusal that the application may be told, because client and redirect URI are proven (RFC 6749 §4.1.2.1, §4.2.2.1). */
import { CodedProblem } from "../platform/problem.ts";
import type { Application } from "./application.ts";
import { isOutOfBand, OUT_OF_BAND_PAGE, type ResponseMode, withAnswer } from "./redirect-uri.ts";

/** Where an answer may be sent; only `checkAuthorization` and the request it kept make one. */
export interface TrustedRedirect {
  uri: string;
  mode: ResponseMode;
  state: string | undefined;
  /** The issuer for `iss` (RFC 9207); undefined where the application wants none. */
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

/** Cannot be made without a proven redirect, so that what may not be redirected cannot be expressed. */
export class AuthorizationError extends CodedProblem {
  readonly location: string;
  readonly mode: ResponseMode;
  /** The address is no address: the person is told, on a page of ours. */
  readonly outOfBand: boolean;
  /** The application whose request it was. */
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

/** The address that carries an answer to the application, with state and issuer. */
export function answerLocation(
  { uri, mode, state, issuer }: TrustedRedirect,
  answer: Readonly<Record<string, string | number | undefined>>,
): string {
  // The page of ours that shows the code needs neither state nor issuer.
  if (isOutOfBand(uri)) return withAnswer(OUT_OF_BAND_PAGE, answer, "query");
  return withAnswer(uri, { ...answer, state, iss: issuer }, mode);
}
