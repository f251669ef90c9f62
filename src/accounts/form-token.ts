/** The CSRF token of forms: a keyed hash of the session's secret, which no other site knows. */
import type { FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import type { Keys } from "../platform/secret.ts";

export interface FormToken {
  readonly csrfToken: string;
  /** Whether a form contains it, or the one that was made with a former master key. */
  readonly isOwnForm: (request: FastifyRequest) => boolean;
}

/** @param secret the secret of the browser's session */
export function formTokenOf(keys: Keys, secret: string): FormToken {
  return {
    csrfToken: keys.sign("csrf", secret),
    isOwnForm: (request) => keys.isSigned("csrf", secret, formText(request, "csrf_token")),
  };
}
