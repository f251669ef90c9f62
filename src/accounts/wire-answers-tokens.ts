/** The answers about personal access tokens, as the OpenAPI document describes them (contract §3). */
import Type from "typebox";
import {
  DONE,
  day,
  paged,
  REFUSED_CALLER,
  REFUSED_PLACE,
  REMOVED_MEANWHILE,
  record,
} from "../platform/answer-shapes.ts";
import { type Answers, MESSAGE, moment, nullable } from "../platform/answers.ts";
import { SCOPES } from "./scope.ts";

const members = {
  id: Type.Integer(),
  name: Type.String(),
  revoked: Type.Boolean(),
  created_at: moment(),
  description: Type.String(),
  scopes: Type.Array(Type.Enum([...SCOPES])),
  user_id: Type.Integer(),
  last_used_at: nullable(moment()),
  active: Type.Boolean({ description: "neither revoked nor expired" }),
  expires_at: nullable(day("at whose beginning it ends (UTC)")),
};

const ACCESS_TOKEN = record("AccessToken", members);
const NEW_ACCESS_TOKEN = record("NewAccessToken", {
  ...members,
  token: Type.String({ description: "the secret, shown this once" }),
});

/** Of `POST /users/:user_id/personal_access_tokens`. */
export const NEW_TOKEN_ANSWERS: Answers = {
  201: { description: "The token with its secret", schema: NEW_ACCESS_TOKEN },
  ...REFUSED_PLACE,
  ...REMOVED_MEANWHILE,
  422: { description: "Nobody signs in as this user, and it gets no token", schema: MESSAGE },
};

/** Of the list. */
export const TOKENS_ANSWERS: Answers = {
  200: paged("One's own tokens; of administrators, those of all", ACCESS_TOKEN),
  ...REFUSED_CALLER,
};

/** Of one token. */
export const TOKEN_ANSWERS: Answers = {
  200: { description: "The token without its secret", schema: ACCESS_TOKEN },
  ...REFUSED_PLACE,
};

/** Of a token's end. */
export const REVOKED_TOKEN_ANSWERS: Answers = { ...DONE, ...REFUSED_PLACE };

/** Of a token's renewal. */
export const ROTATED_TOKEN_ANSWERS: Answers = {
  200: { description: "The token that takes its place, with its secret", schema: NEW_ACCESS_TOKEN },
  ...REFUSED_PLACE,
};
