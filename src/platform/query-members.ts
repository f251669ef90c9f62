/** Members that the queries of many lists have, as clients of the GitLab v4 API write them, and how they are read. */
import { parseInstant } from "./instant.ts";
import Type from "./schema.ts";

/** A filter that is on or off; false and absent ask for all. */
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Where a span of time begins or ends; `momentOf` reads it. */
export const timeBound = (description: string) =>
  Type.Optional(Type.String({ format: "date-time", description }));

/** Up to a hundred numbers of things, as a comma list too; `which` begins the description. */
export const numbers = (which: string) =>
  Type.Optional(
    Type.Array(Type.Integer({ minimum: 1 }), {
      maxItems: 100,
      description: `${which}, separated by commas, at most 100`,
    }),
  );

/** The moment of a member that was checked as one; undefined: it was not given. */
export function momentOf(given: string | undefined): Date | undefined {
  return given === undefined ? undefined : parseInstant(given);
}
