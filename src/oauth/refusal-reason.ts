/** The exact reason of a refused grant, as a code that is attached to the refusal where it is thrown (decision 0080). */

const WORDS = {
  unknown: "unknown",
  another_application: "shown by another application",
  redirect_uri: "redirect_uri differs",
  verifier: "code_verifier missing, wrong or unasked",
  key: "no proof of the key that it is bound to",
  used_again: "used again",
  revoked: "revoked",
  expired: "expired",
  user_blocked: "user blocked",
  scope_lost: "its scope is not allowed any more",
  redirect_uri_lost: "redirect_uri no longer registered",
  raced: "lost against a parallel use",
  another_scope: "repeated with another scope",
  another_key: "repeated with the proof of another key",
  too_old: "beyond the absolute limit",
  beyond_grant: "asks for more than was granted",
  administrator: "acts for an administrator, and is not trusted",
  throttled: "throttled",
} as const;

/** Never sent to a client; `explain-refusal.ts` explains it to the application's owner. */
export type RefusalReason = keyof typeof WORDS;

/** For the operator's log. @param what the parameter with the grant */
export function reasonWords(what: string, reason: RefusalReason): string {
  return `${what}: ${WORDS[reason]}`;
}
