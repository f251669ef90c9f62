/** Filters of lists by what the listed things do not have here: they match nothing, instead of everything (decision 0304). */
import type { TSchema } from "./schema.ts";

interface Wording {
  /** Why nothing has it: `incidents have none`. */
  reason: string;
  /** What is listed: `incidents`. */
  things: string;
}

/** By name, as it came; a list if the filter takes several values. */
type Given<Name extends string> = { readonly [N in Name | `not[${Name}]`]?: string | readonly string[] };

/**
 * Returns a filter for each name, and one that leaves out what has it. `member` makes their schemas of descriptions, which begin
 * with that of `what`.
 */
export function absentFilters<Name extends string, Member extends TSchema>(
  what: Readonly<Record<Name, string>>,
  member: (description: string) => Member,
  { reason, things }: Wording,
) {
  const names = Object.keys(what) as Name[];
  const described = (name: Name, effect: string) =>
    member(`${what[name]}; ${reason}, so \`None\` ${effect} all ${things} and any other value none`);
  const members = Object.fromEntries([
    ...names.map((name) => [name, described(name, "matches")] as const),
    ...names.map((name) => [`not[${name}]`, described(name, "leaves out")] as const),
  ]) as Record<Name | `not[${Name}]`, Member>;
  return {
    members,
    /** Whether a query requires what nothing has, or leaves out what lacks it, which is everything. */
    matchNothing: (query: Given<Name>): boolean =>
      names.some((name) =>
        valuesOf(query[name]).some((value) => value !== "" && !meansWithout(name, value)),
      ) || names.some((name) => valuesOf(query[`not[${name}]`]).some((value) => meansWithout(name, value))),
  };
}

function valuesOf(given: string | readonly string[] | undefined): readonly string[] {
  return [given ?? []].flat();
}

/** Whether a value of the filter means what does not have it: `None`, in any case, or 0, which is a weight, though. */
function meansWithout(name: string, value: string): boolean {
  return value.toLowerCase() === "none" || (value === "0" && name !== "weight");
}
