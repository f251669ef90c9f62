/** Responses about personal access tokens, for the OpenAPI document (contract §3). */
import { day, moment, nullable, record } from "../platform/answer-shapes.ts";
import {
  doneAnswers,
  pageAnswers,
  REFUSED,
  readAnswers,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";
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
  expires_at: nullable(day("day at whose start (UTC) the token expires; null: never")),
};

const ACCESS_TOKEN = record("AccessToken", members);
const NEW_ACCESS_TOKEN = record("NewAccessToken", {
  ...members,
  token: Type.String({ description: "the token itself; returned only in this response" }),
});

/** Responses of `POST /users/:user_id/personal_access_tokens`. */
export const NEW_TOKEN_ANSWERS = writeAnswers(201, "The new token, with its secret", NEW_ACCESS_TOKEN, {
  ...REFUSED.write,
  422: refusal("The user is a placeholder or a bot, which cannot have tokens"),
});

export const TOKENS_ANSWERS = pageAnswers(
  "The tokens of the caller; for administrators, those of all users",
  ACCESS_TOKEN,
  REFUSED.caller,
);

export const TOKEN_ANSWERS = readAnswers("The token without its secret", ACCESS_TOKEN);

export const REVOKED_TOKEN_ANSWERS = doneAnswers();

export const ROTATED_TOKEN_ANSWERS = writeAnswers(
  200,
  "The replacement token, with its secret",
  NEW_ACCESS_TOKEN,
  REFUSED.place,
);
