/** The body of a report of leaked secrets, and its responses (decision 0208). */
import { unnamed, WRONG } from "../platform/answer-shapes.ts";
import { type Answers, refusal } from "../platform/answers.ts";
import type { JsonObject } from "../platform/json-object.ts";
import { ParameterProblem } from "../platform/problem.ts";
import Type from "../platform/schema.ts";
import type { LeakReport } from "./leak.ts";

const words = (description: string) => Type.Optional(Type.String({ description }));

const MOST_REPORTS = 100;

/** The list that GitHub's secret scanning program sends to a partner. */
export const LeakReports = Type.Array(
  Type.Object({
    token: Type.String({ description: "the secret as it was found" }),
    type: words("what the reporter calls it; not looked at"),
    url: words("where it was found: an http or https address, told to the owner"),
    source: words("in what it was found, in the words of the program, such as commit; told to the owner"),
  }),
  { minItems: 1, maxItems: MOST_REPORTS },
);

/**
 * Returns the reports of a body. Members other than the token are ignored if they are not text: a malformed one must not keep a
 * leaked secret valid.
 * @throws ParameterProblem: not a list of 1 to 100 objects with a token
 */
export function leakReports(body: unknown): LeakReport[] {
  if (!Array.isArray(body) || body.length === 0 || body.length > MOST_REPORTS) {
    throw new ParameterProblem([`body is not a list of 1 to ${MOST_REPORTS} objects`]);
  }
  return body.map((each: unknown, at) => {
    const { token, url, source } = (each ?? {}) as JsonObject;
    if (typeof token !== "string") throw new ParameterProblem([`body[${at}][token] is missing`]);
    return { token, url: textOf(url), source: textOf(source) };
  });
}

const textOf = (given: unknown) => (typeof given === "string" ? given : "");

/** Responses of `POST /leak_reports`. */
export const LEAK_REPORTS_ANSWERS: Answers = {
  200: {
    description: "What counted of it does not any more, or its owners are told; the same whatever is known",
    schema: unnamed({}),
  },
  400: refusal("Not a list of one to a hundred secrets", WRONG),
  413: refusal("Larger than 256 KiB"),
  429: refusal("Too many of your network: Retry-After says when to try again"),
};
