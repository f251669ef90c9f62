/** The answers about the feed token, as the OpenAPI document describes them (decision 0106). */
import { unnamed } from "../platform/answer-shapes.ts";
import { REFUSED, readAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";

/** For reading the token, and for making a new one. */
export const FEED_TOKEN_ANSWERS = readAnswers(
  "The token that reads the caller's feeds",
  unnamed({ feed_token: Type.String() }),
  REFUSED.caller,
);
