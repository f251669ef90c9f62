/** What descriptions of answers are put together from. */
import Type, { type TObject, type TProperties, type TSchema } from "typebox";
import { type Answer, type Answers, MESSAGE, PAGE_HEADERS, REFUSED, WRONG } from "./answers.ts";

export const day = (description?: string) =>
  Type.String({ format: "date", ...(description && { description }) });

/** Of a record: it has no members but those that are named. */
const exact = { additionalProperties: false };

/** A record under a name of its own, with these members and no other. */
export function record<P extends TProperties>($id: string, members: P, description?: string): TObject<P> {
  return Type.Object(members, { $id, ...(description && { description }), ...exact });
}

/** A record that is written out where it stands. */
export function unnamed<P extends TProperties>(members: P, description?: string): TObject<P> {
  return Type.Object(members, { ...exact, ...(description && { description }) });
}

/** A page of a list, with the headers of `setPageHeaders`. */
export function paged(description: string, schema: TSchema): Answer {
  return { description, schema: Type.Array(schema), headers: PAGE_HEADERS };
}

/** Of what is done and needs no words. */
export const DONE: Answers = { 204: { description: "Done" } };

const { 404: _, ...caller } = REFUSED;

/** What every route that asks for a token can refuse. */
export const REFUSED_CALLER: Answers = {
  400: {
    description: "A parameter or a field is wrong, or two different tokens were sent",
    schema: WRONG,
  },
  ...caller,
};

/** The same of one that names something. */
export const REFUSED_PLACE: Answers = { ...REFUSED_CALLER, ...REFUSED };

/** Of routes that write beside something that another request can remove (decision 0151). */
export const REMOVED_MEANWHILE: Answers = {
  409: { description: "What it is about was removed at this moment", schema: MESSAGE },
};
