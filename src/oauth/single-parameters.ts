/** The parameters of a request to a page of OAuth, once each is known to be a single string. */

/** By name; a name that was not sent has no value. */
export type SingleParameters = Readonly<Record<string, string>>;

/** Returns the parameters without lists: the caller has refused what was repeated or a structure, or uses none of these. */
export function singleParameters(
  given: Readonly<Partial<Record<string, string | readonly string[]>>>,
): SingleParameters {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) if (typeof value === "string") single[name] = value;
  return single;
}
