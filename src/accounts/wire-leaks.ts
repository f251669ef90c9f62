/** The body of a report of leaked secrets, and its responses (decision 0208). */
import { unnamed, WRONG } from "../platform/answer-shapes.ts";
import { type Answers, refusal } from "../platform/answers.ts";
import type { JsonObject } from "../platform/json-object.ts";
import { ParameterProblem } from "../platform/problem.ts";
import Type from "../platform/schema.ts";
import type { LeakReport } from "./leak.ts";

const words = (description: string) => Type.Optional(Type.String({ description }));

const MAX_REPORTS = 100;

/** The list that GitHub's secret scanning program sends to a partner. */
export const LeakReports = Type.Array(
  Type.Object({
    token: Type.String({ description: "secret that was found, unchanged" }),
    type: words("name that the reporter gives to this kind of secret; ignored"),
    url: words("http or https address where the secret was found; passed on to its owner"),
    source: words(
      "kind of place where the secret was found, as named by the scanning program, such as commit; passed on to its owner",
    ),
  }),
  { minItems: 1, maxItems: MAX_REPORTS },
);

/**
 * Returns the reports of a body. Members other than the token are ignored if they are not text: a malformed one must not keep a
 * leaked secret valid.
 * @throws ParameterProblem: not a list of 1 to 100 objects with a token
 */
export function leakReports(body: unknown): LeakReport[] {
  if (!Array.isArray(body) || body.length === 0 || body.length > MAX_REPORTS) {
    throw new ParameterProblem([`body is not a list of 1 to ${MAX_REPORTS} objects`]);
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
    description:
      "Accepted: valid secrets among them are revoked or their owners notified; the response is the same whether or not a secret is known",
    schema: unnamed({}),
  },
  400: refusal("The body is not a list of 1 to 100 reports", WRONG),
  413: refusal("The body is larger than 256 KiB"),
  429: refusal("Too many requests from the same network; Retry-After says when to try again"),
};
