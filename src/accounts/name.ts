/** The rule for every name that people give: themselves, groups, projects, applications, tokens, and what watches and tells (decision 0184). */

/** Characters that cannot be seen or that turn the direction: by them one name passes for another. */
export const UNSEEN = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

/**
 * What is wrong with a name, in the words that follow the field's name; undefined when it is fine.
 * @param most how many characters it may have
 * @param before how it was called until now: older than the rule, it may stay
 */
export function nameFault(name: string, most = 255, before?: string): string | undefined {
  if (name.trim() === "") return "can't be blank";
  if (name.length > most) return `is too long (maximum is ${most} characters)`;
  return name !== before && UNSEEN.test(name) ? "cannot contain control or invisible characters" : undefined;
}
