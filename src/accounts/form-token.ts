/** The token that a form of ours carries: a keyed hash of the session's secret, which no other site knows. */
import type { FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import { type Keys, sameSecret } from "../platform/secret.ts";

export interface FormTokens {
  readonly csrfToken: string;
  /** In forms that were shown before the master key was renewed. */
  readonly earlierCsrfTokens: readonly string[];
}

/** @param secret of the session */
export function formTokensOf(keys: Keys, secret: string): FormTokens {
  const [csrfToken = "", ...earlierCsrfTokens] = keys.signers().map((sign) => sign("csrf", secret));
  return { csrfToken, earlierCsrfTokens };
}

/** Whether the posted form carries a token of this session. */
export function isOwnForm(request: FastifyRequest, tokens: FormTokens | undefined): boolean {
  if (!tokens) return false;
  const given = formText(request, "csrf_token");
  return [tokens.csrfToken, ...tokens.earlierCsrfTokens].some((token) => sameSecret(given, token));
}
