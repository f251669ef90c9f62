/** When a person is asked, and when the answer given before still holds. */
import { covers } from "../accounts/scope.ts";
import type { Application } from "./application.ts";

/**
 * Whether a request may go on unasked: the application is trusted, or the person allowed it the same or more, until
 * they take it back. Never for a public application, which anybody can pretend to be (RFC 8252 §8.6; contract §4, consent).
 */
export function mayGoOnUnasked(
  application: Application,
  asked: readonly string[],
  allowed: readonly string[] | undefined,
): boolean {
  if (!application.confidential) return false;
  return application.trusted || (allowed !== undefined && covers(allowed, asked));
}
