/** The confirmation of requests that delete a project or group (decision 0153). */
import Type, { type Static } from "../platform/schema.ts";

/** The parameters of `DELETE /projects/:id` and `DELETE /groups/:id`, in the query or the body, as clients send them. */
export const Removal = Type.Optional(
  Type.Object({
    permanently_remove: Type.Optional(
      Type.Union([Type.Boolean(), Type.Enum(["true", "false"])], {
        description: "true: delete at once an item that is already marked for deletion; requires `full_path`",
      }),
    ),
    full_path: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: "full path of the item, as confirmation; required with `permanently_remove`",
      }),
    ),
  }),
);
export type Removal = Static<typeof Removal>;
