/** How addresses name projects and groups, and the people and things in them. */
import Type, { type TString } from "../platform/schema.ts";

/** A project, in the addresses of whatever is in it too. */
export const ProjectParameters = Type.Object({
  id: Type.String({ description: "number of the project, or its full path with each slash as %2F" }),
});

export const GroupParameters = Type.Object({
  id: Type.String({ description: "number of the group, or its full path with each slash as %2F" }),
});

/** Of addresses that are the same below both, with what else stands in them. */
const inPlaces = (others: Record<string, TString>) => ({
  project: Type.Object({ ...ProjectParameters.properties, ...others }),
  group: Type.Object({ ...GroupParameters.properties, ...others }),
});
export const PLACE_PARAMETERS = inPlaces({});
export const MEMBER_PARAMETERS = inPlaces({
  user_id: Type.String({ description: "number of the user" }),
});
/** An invitation is known by whom it is for. */
export const INVITATION_PARAMETERS = inPlaces({
  email: Type.String({ description: "mail address that is invited, in any case" }),
});

/** Groups and users alike. */
export const NamespaceParameters = Type.Object({
  id: Type.String({
    description: "number of the namespace of a group or user, or its full path with each slash as %2F",
  }),
});

export const EnvironmentParameters = Type.Object({
  ...ProjectParameters.properties,
  environment_id: Type.String({ description: "number of the environment" }),
});
