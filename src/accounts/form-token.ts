/** The token that a form of ours carries: a keyed hash of the session's secret, which no other site knows. */
import type { FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import type { Keys } from "../platform/secret.ts";

export interface FormToken {
  readonly csrfToken: string;
  /** Whether a form carries it, or the one that it carried before the master key was renewed. */
  readonly isOwnForm: (request: FastifyRequest) => boolean;
}

/** @param secret of the browser's session */
export function formTokenOf(keys: Keys, secret: string): FormToken {
  return {
    csrfToken: keys.sign("csrf", secret),
    isOwnForm: (request) => keys.isSigned("csrf", secret, formText(request, "csrf_token")),
  };
}
