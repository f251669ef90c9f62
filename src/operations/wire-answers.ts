/** Responses about the version, for the OpenAPI document (decision 0131). */
import { record, unnamed } from "../platform/answer-shapes.ts";
import { REFUSED, readAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";

/** Responses of `GET /version` and `GET /metadata`. */
export const METADATA_ANSWERS = readAnswers(
  "The release of the GitLab v4 API that the records match, and the version of this service",
  record("Metadata", {
    version: Type.String({ description: "GitLab release whose API records have the same members" }),
    revision: Type.String({ description: "version of this service" }),
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
