/** Requests of administrators for a project in the namespace of a user. */
import Type, { type Static } from "../platform/schema.ts";
import { NewProjectBody } from "./wire-queries.ts";

export const OwnerParameters = Type.Object({
  user_id: Type.String({ description: "number of the user, or their username" }),
});

const { namespace_id: _inAddress, ...members } = NewProjectBody.properties;

export const ProjectOfUserBody = Type.Object(members);
export type ProjectOfUserBody = Static<typeof ProjectOfUserBody>;
