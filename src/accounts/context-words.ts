/** Recognizes passwords made of the words of an account and its installation alone, which are the first guesses (ASVS 6.2.11). */
import { FieldProblem } from "../platform/problem.ts";

/** The account that the password is for, and the address of the installation. */
export interface PasswordContext {
  username: string;
  name: string;
  email: string;
  publicUrl: string;
}

const SHORTEST = 3;

/**
 * For passwords that people choose for themselves; those that programs and administrators set are theirs to judge (contract §4,
 * new users). Words are the name of this program, the username, the parts of the name, of the mail address and of the host.
 * @throws FieldProblem if nothing but such words, digits and signs is in the password
 */
export function checkContext(password: string, context: PasswordContext): void {
  if (!isMadeOf(password.toLowerCase(), wordsOf(context))) return;
  throw new FieldProblem({ password: ["is made of your name, your address or the name of this service"] });
}

function isMadeOf(password: string, words: readonly string[]): boolean {
  let rest = password;
  for (const word of words) rest = rest.replaceAll(word, " ");
  return rest !== password && !/\p{L}/u.test(rest);
}

/** The longest first, so that no part of one is left. */
function wordsOf({ username, name, email, publicUrl }: PasswordContext): string[] {
  const { hostname } = new URL(publicUrl);
  const words = ["gatehouse", username, name, email, hostname].flatMap((text) => [
    text.toLowerCase(),
    ...text.toLowerCase().split(/[^\p{L}\p{M}\d]+/u),
  ]);
  return [...new Set(words)].filter((word) => word.length >= SHORTEST).sort((a, b) => b.length - a.length);
}
