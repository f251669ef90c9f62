/** The parameters with which addresses name projects and groups, and the people and things in them. */
import Type, { type TString } from "../platform/schema.ts";

/** The project in its own addresses and in those of everything in it. */
export const ProjectParameters = Type.Object({
  id: Type.String({ description: "number of the project, or its full path with each slash as %2F" }),
});

export const GroupParameters = Type.Object({
  id: Type.String({ description: "number of the group, or its full path with each slash as %2F" }),
});

/** For addresses that are the same below projects and groups, with their other parameters. */
const inPlaces = (others: Record<string, TString>) => ({
  project: Type.Object({ ...ProjectParameters.properties, ...others }),
  group: Type.Object({ ...GroupParameters.properties, ...others }),
});
export const PLACE_PARAMETERS = inPlaces({});
export const MEMBER_PARAMETERS = inPlaces({
  user_id: Type.String({ description: "number of the user" }),
});
/** An invitation is named by its mail address. */
export const INVITATION_PARAMETERS = inPlaces({
  email: Type.String({ description: "mail address that is invited, in any case" }),
});

/** For groups and users alike. */
export const NamespaceParameters = Type.Object({
  id: Type.String({
    description: "number of the namespace of a group or user, or its full path with each slash as %2F",
  }),
});

export const EnvironmentParameters = Type.Object({
  ...ProjectParameters.properties,
  environment_id: Type.String({ description: "number of the environment" }),
});
