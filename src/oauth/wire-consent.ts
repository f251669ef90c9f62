/** The check boxes of the consent page, by which a person leaves out scopes (decisions 0011, 0194). */
import type { FastifyRequest } from "fastify";
import { formList } from "../platform/form-text.ts";
import { grantedScopes } from "./consent.ts";

/** Says that the form had check boxes. It is hidden by the attribute, not by its type, so that only browsers send it. */
export const CHOSEN = "chosen";

/** The name of the box of a scope. */
export function boxOf(scope: string): string {
  return `allow_${scope}`;
}

/** The requested scopes that stayed ticked; all if a program that saw no boxes posts an approval (decisions 0011, 0194). */
export function scopesAllowed(
  request: FastifyRequest,
  application: { trusted: boolean },
  asked: readonly string[],
): string[] {
  // Whatever its value: in doubt, what is not ticked is not allowed.
  const sawBoxes = formList(request, CHOSEN).length > 0;
  const isTicked = (scope: string) => !sawBoxes || formList(request, boxOf(scope)).length > 0;
  return grantedScopes(application, asked, isTicked);
}
