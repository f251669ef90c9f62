/** The answers about the token of feeds, as the OpenAPI document describes them (decision 0106). */
import { unnamed } from "../platform/answer-shapes.ts";
import { REFUSED, readAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";

/** Of the token, and of a new one. */
export const FEED_TOKEN_ANSWERS = readAnswers(
  "The token that reads the caller's feeds",
  unnamed({ feed_token: Type.String() }),
  REFUSED.caller,
);
