/** Responses about the version, for the OpenAPI document (decision 0131). */
import { record, unnamed } from "../platform/answer-shapes.ts";
import { REFUSED, readAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";

/** Responses of `GET /version` and `GET /metadata`. */
export const METADATA_ANSWERS = readAnswers(
  "Which release of the GitLab v4 API this is like, and what runs",
  record("Metadata", {
    version: Type.String({ description: "the release whose records these have the members of" }),
    revision: Type.String({ description: "what runs" }),
    kas: unnamed({
      enabled: Type.Boolean(),
      externalUrl: Type.Null(),
      externalK8sProxyUrl: Type.Null(),
      version: Type.Null(),
    }),
    enterprise: Type.Boolean(),
  }),
  REFUSED.caller,
);
