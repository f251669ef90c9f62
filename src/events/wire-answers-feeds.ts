/** Responses about the feed token, for the OpenAPI document (decision 0106). */
import { unnamed } from "../platform/answer-shapes.ts";
import { REFUSED, readAnswers, refusal } from "../platform/answers.ts";
import Type from "../platform/schema.ts";

/** Responses of reading the token and of replacing it. */
export const FEED_TOKEN_ANSWERS = readAnswers(
  "The token that gives access to the caller's feeds",
  unnamed({ feed_token: Type.String() }),
  { ...REFUSED.caller, 422: refusal("The caller is the account of an application, which has no feed token") },
);
