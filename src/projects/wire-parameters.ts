/** Path parameters that identify projects and groups, and the members and resources in them. */
import Type, { type TString } from "../platform/schema.ts";

/** For routes of a project and of everything in it. */
export const ProjectParameters = Type.Object({
  id: Type.String({ description: "number of the project, or its full path with each slash as %2F" }),
});

export const GroupParameters = Type.Object({
  id: Type.String({ description: "number of the group, or its full path with each slash as %2F" }),
});

/** A project that moves into the group. */
export const IncomingParameters = Type.Object({
  ...GroupParameters.properties,
  project_id: ProjectParameters.properties.id,
});

/** Returns the parameters of routes that exist below both projects and groups. */
const inPlaces = (others: Record<string, TString>) => ({
  project: Type.Object({ ...ProjectParameters.properties, ...others }),
  group: Type.Object({ ...GroupParameters.properties, ...others }),
});
export const PLACE_PARAMETERS = inPlaces({});
export const MEMBER_PARAMETERS = inPlaces({
  user_id: Type.String({ description: "number of the user" }),
});
/** Invitations are identified by their mail address. */
export const INVITATION_PARAMETERS = inPlaces({
  email: Type.String({ description: "mail address of the invitation, case-insensitive" }),
});

/** For groups and users alike. */
export const NamespaceParameters = Type.Object({
  id: Type.String({
    description: "number of the namespace of a group or user, or its full path with each slash as %2F",
  }),
});

/** A path that may belong to nobody yet. */
export const NewNamespaceParameters = Type.Object({
  id: Type.String({ description: "path of a group or user, without those of its parent groups" }),
});

export const EnvironmentParameters = Type.Object({
  ...ProjectParameters.properties,
  environment_id: Type.String({ description: "number of the environment" }),
});
