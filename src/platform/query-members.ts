/** Query parameters that many lists share, in the form of the GitLab v4 API. */
import { parseInstant } from "./instant.ts";
import Type from "./schema.ts";

/** A filter that is on or off; false and absent mean no filter. */
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** A name or other short text. */
export const words = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));

/** The start or end of a period; parsed by `momentOf`. */
export const timeBound = (description: string) =>
  Type.Optional(Type.String({ format: "date-time", description }));

/** A list of at most a hundred ids, also accepted as comma-separated text; `which` begins the description. */
export const numbers = (which: string) =>
  Type.Optional(
    Type.Array(Type.Integer({ minimum: 1 }), {
      maxItems: 100,
      description: `${which}; comma-separated, at most 100`,
    }),
  );

/** Parses a validated timestamp; undefined if it is absent. */
export function momentOf(given: string | undefined): Date | undefined {
  return given === undefined ? undefined : parseInstant(given);
}
