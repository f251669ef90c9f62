/** The rule for every name that people give: themselves, groups, projects, applications, tokens, and what watches and tells (decision 0184). */
import { isLongerThan } from "../platform/character-count.ts";
import { FieldProblem } from "../platform/problem.ts";
import { withoutSeenJoiners } from "./joiner.ts";

/**
 * Characters that cannot be seen or that turn the direction: by them one name passes for another. Variation selectors are none of
 * them, for emoji and some scripts are written with them.
 */
export const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]]/v;

/**
 * What is wrong with a name, in the words that follow the field's name; undefined when it is fine.
 * @param most how many characters it may have
 * @param before how it was called until now: older than the rule, it may stay
 */
export function nameFault(name: string, most = 255, before?: string): string | undefined {
  if (name.trim() === "") return "can't be blank";
  if (isLongerThan(name, most)) return `is too long (maximum is ${most} characters)`;
  if (name === before || !UNSEEN.test(name)) return undefined;
  const hides = UNSEEN.test(withoutSeenJoiners(name));
  return hides ? "cannot contain control or invisible characters" : undefined;
}

/** The same where nothing else can be wrong. @throws FieldProblem name */
export function checkName(name: string, most?: number, before?: string): void {
  const fault = nameFault(name, most, before);
  if (fault) throw new FieldProblem({ name: [fault] });
}
