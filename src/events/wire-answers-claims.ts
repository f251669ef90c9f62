/** Responses about claims of outside identities, for the OpenAPI document (decision 0118). */
import { moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import {
  doneAnswers,
  pageAnswers,
  REFUSED,
  REMOVED_MEANWHILE,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";

const state = Type.Enum(["asked", "granted", "refused"]);

const answers = Type.Array(
  unnamed({
    project: nullable(
      unnamed(
        { id: Type.Integer(), path_with_namespace: Type.String() },
        "the project that the decision is for; null: all projects",
      ),
    ),
    state,
    answered_at: Type.String({ format: "date-time" }),
  }),
);

const CLAIM = record("OutsideIdentity", {
  id: Type.Integer(),
  host: Type.String({ description: "host of the forge, such as github.com" }),
  username: Type.String({ description: "username of the claimant at that host" }),
  created_at: moment(),
  answers,
});

const asked = {
  id: Type.Integer(),
  host: Type.String(),
  username: Type.String(),
  user: unnamed(
    { id: Type.Integer(), username: Type.String(), name: Type.String() },
    "the user who claims the identity",
  ),
  state,
  created_at: moment(),
};
const ASKED_OF_PROJECT = record("ProjectOutsideIdentity", {
  ...asked,
  state: Type.Enum(["asked", "granted", "refused"], {
    description: "granted also if the claim is granted for all projects, until this one decides otherwise",
  }),
});
const ASKED_OF_ALL = record("AskedOutsideIdentity", {
  ...asked,
  known: Type.Boolean({ description: "whether an event source has reported this identity" }),
  answers,
});

export const CLAIMS_ANSWERS = pageAnswers(
  "The outside identities that the caller claims",
  CLAIM,
  REFUSED.caller,
);

export const NEW_CLAIM_ANSWERS = writeAnswers(201, "The new claim, which awaits decisions", CLAIM, {
  ...REFUSED.caller,
  200: { description: "The existing claim of the same identity", schema: CLAIM },
  409: REMOVED_MEANWHILE,
  422: refusal("The caller has the maximum number of claims"),
});

export const WITHDRAWN_CLAIM_ANSWERS = doneAnswers("Done", {
  ...REFUSED.place,
  409: refusal("The claim is granted for some project, where the grant must be revoked first"),
});

/** Responses of the list of claims that a project's Maintainers decide on. */
export const PROJECT_CLAIMS_ANSWERS = pageAnswers(
  "Claims that the project's Maintainers can grant or refuse",
  ASKED_OF_PROJECT,
);

export const ALL_CLAIMS_ANSWERS = pageAnswers("All claims", ASKED_OF_ALL, REFUSED.caller);

/** Responses of granting or refusing a claim. */
export const CLAIM_ANSWER_ANSWERS = doneAnswers("Done", {
  ...REFUSED.place,
  409: refusal(
    "No event source has reported the identity yet, an earlier grant is still being revoked, or the identity is granted to another user",
  ),
});
