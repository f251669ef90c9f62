/** The answers about environments, as the OpenAPI document describes them (GitLab v4 API shape). */
import Type from "typebox";
import { DONE, paged, REFUSED_PLACE, REMOVED_MEANWHILE, record } from "../platform/answer-shapes.ts";
import { type Answers, moment, nullable } from "../platform/answers.ts";
import { ENVIRONMENT_STATES } from "./environment.ts";

const ENVIRONMENT = record("Environment", {
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String({ description: "the name, fit for host names" }),
  external_url: nullable(Type.String()),
  state: Type.Enum([...ENVIRONMENT_STATES]),
  created_at: moment(),
  updated_at: moment(),
});

/** Of the list. */
export const ENVIRONMENTS_ANSWERS: Answers = {
  200: paged("The environments of the project", ENVIRONMENT),
  ...REFUSED_PLACE,
};

/** Of one, as it is or has become. */
export const ENVIRONMENT_ANSWERS: Answers = {
  200: { description: "The environment", schema: ENVIRONMENT },
  ...REFUSED_PLACE,
};

/** Of a new one. */
export const NEW_ENVIRONMENT_ANSWERS: Answers = {
  201: { description: "The environment", schema: ENVIRONMENT },
  ...REFUSED_PLACE,
  ...REMOVED_MEANWHILE,
};

/** Of its end. */
export const REMOVED_ENVIRONMENT_ANSWERS: Answers = { ...DONE, ...REFUSED_PLACE };
