/** The schema of a person's short record, for the OpenAPI document (spec: Event author). */
import { record } from "../platform/answer-shapes.ts";
import Type from "../platform/schema.ts";
import { USER_STATES } from "./user.ts";

export const AUTHOR = record("Author", {
  id: Type.Integer(),
  username: Type.String(),
  name: Type.String(),
  state: Type.Enum([...USER_STATES]),
  locked: Type.Boolean(),
  avatar_url: Type.String(),
  web_url: Type.String(),
});
