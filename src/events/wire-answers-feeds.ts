/** The answers about the token of feeds, as the OpenAPI document describes them (decision 0106). */
import Type from "typebox";
import { REFUSED_CALLER, unnamed } from "../platform/answer-shapes.ts";
import type { Answers } from "../platform/answers.ts";

/** Of the token, and of a new one. */
export const FEED_TOKEN_ANSWERS: Answers = {
  200: {
    description: "The token that reads the caller's feeds",
    schema: unnamed({ feed_token: Type.String() }),
  },
  ...REFUSED_CALLER,
};
