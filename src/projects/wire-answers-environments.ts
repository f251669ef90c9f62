/** Responses about environments, for the OpenAPI document (GitLab v4 API shape). */
import { moment, nullable, record } from "../platform/answer-shapes.ts";
import { doneAnswers, pageAnswers, readAnswers, writeAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { ENVIRONMENT_STATES } from "./environment.ts";

const ENVIRONMENT = record("Environment", {
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String({ description: "form of the name that is usable in host names" }),
  external_url: nullable(Type.String()),
  state: Type.Enum([...ENVIRONMENT_STATES]),
  created_at: moment(),
  updated_at: moment(),
});

export const ENVIRONMENTS_ANSWERS = pageAnswers("A page of the project's environments", ENVIRONMENT);

/** Responses of reading and of changing an environment. */
export const ENVIRONMENT_ANSWERS = readAnswers("The environment", ENVIRONMENT);

export const NEW_ENVIRONMENT_ANSWERS = writeAnswers(201, "The new environment", ENVIRONMENT);

export const REMOVED_ENVIRONMENT_ANSWERS = doneAnswers();
