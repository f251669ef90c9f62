/** The answers about the token of feeds, as the OpenAPI document describes them (decision 0106). */
import Type from "typebox";
import { REFUSED_CALLER } from "../platform/answer-shapes.ts";
import { type Answers, exact } from "../platform/answers.ts";

/** Of the token, and of a new one. */
export const FEED_TOKEN_ANSWERS: Answers = {
  200: {
    description: "The token that reads the caller's feeds",
    schema: Type.Object({ feed_token: Type.String() }, exact),
  },
  ...REFUSED_CALLER,
};
