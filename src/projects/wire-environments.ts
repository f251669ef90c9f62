/** The query parameters and bodies of requests about environments. */
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { ENVIRONMENT_STATES } from "./environment.ts";

const search = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));
const externalUrl = () =>
  Type.Optional(
    Type.Union([Type.String({ maxLength: 255 }), Type.Null()], {
      description:
        "address of the deployed environment, http or https, at most 255 characters; empty or null: none",
    }),
  );
const environmentName = () =>
  Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      "name of the environment, which alerts refer to it by: letters, digits, spaces and - _ / $ { } . ( )",
  });

export const NewEnvironmentBody = Type.Object({ name: environmentName(), external_url: externalUrl() });
export type NewEnvironmentBody = Static<typeof NewEnvironmentBody>;

export const EnvironmentBody = Type.Object({
  name: Type.Optional(environmentName()),
  external_url: externalUrl(),
});
export type EnvironmentBody = Static<typeof EnvironmentBody>;

export const EnvironmentsQuery = Type.Object({
  name: search("only the environment with exactly this name"),
  search: search("part of the name, case-insensitive"),
  states: Type.Optional(
    Type.Enum([...ENVIRONMENT_STATES], { description: "only environments in this state" }),
  ),
  ...pageParameters,
});
export type EnvironmentsQuery = Static<typeof EnvironmentsQuery>;
