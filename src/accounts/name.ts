/** The rule for every name that people choose, for themselves or for what they create (decision 0184). */
import { isLongerThan } from "../platform/character-count.ts";
import { FieldProblem } from "../platform/problem.ts";
import { withoutSeenJoiners } from "./joiner.ts";

/**
 * Characters that are invisible or change the direction of text, by which one name could pass for another. Variation selectors
 * are allowed, since emoji and some scripts need them.
 */
export const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]]/v;

/**
 * Returns what is wrong with a name, in words that follow the field's name; undefined if nothing is.
 * @param most the most characters that it may have
 * @param before the current name, which may stay even if it is older than the rule
 */
export function nameFault(name: string, most = 255, before?: string): string | undefined {
  if (name.trim() === "") return "can't be blank";
  if (isLongerThan(name, most)) return `is too long (maximum is ${most} characters)`;
  if (name === before || !UNSEEN.test(name)) return undefined;
  const hides = UNSEEN.test(withoutSeenJoiners(name));
  return hides ? "cannot contain control or invisible characters" : undefined;
}

/** Checks a name that is the only field. @throws FieldProblem name */
export function checkName(name: string, most?: number, before?: string): void {
  const fault = nameFault(name, most, before);
  if (fault) throw new FieldProblem({ name: [fault] });
}
