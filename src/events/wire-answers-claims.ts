/** The answers about outside identities, as the OpenAPI document describes them (decision 0118). */
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
      unnamed({ id: Type.Integer(), path_with_namespace: Type.String() }, "null: everywhere"),
    ),
    state,
    answered_at: Type.String({ format: "date-time" }),
  }),
);

const CLAIM = record("OutsideIdentity", {
  id: Type.Integer(),
  host: Type.String({ description: "of the forge" }),
  username: Type.String({ description: "who the claimant is there" }),
  created_at: moment(),
  answers,
});

const asked = {
  id: Type.Integer(),
  host: Type.String(),
  username: Type.String(),
  user: unnamed({ id: Type.Integer(), username: Type.String(), name: Type.String() }, "who says so"),
  state,
  created_at: moment(),
};
const ASKED_OF_PROJECT = record("ProjectOutsideIdentity", asked);
const ASKED_OF_ALL = record("AskedOutsideIdentity", {
  ...asked,
  known: Type.Boolean({ description: "a source has told of this person" }),
  answers,
});

export const CLAIMS_ANSWERS = pageAnswers("Who the caller says to be elsewhere", CLAIM, REFUSED.caller);

export const NEW_CLAIM_ANSWERS = writeAnswers(201, "The claim, which waits for answers", CLAIM, {
  ...REFUSED.caller,
  200: { description: "The claim, which was there already", schema: CLAIM },
  409: REMOVED_MEANWHILE,
  422: refusal("Too many identities are claimed"),
});

export const WITHDRAWN_CLAIM_ANSWERS = doneAnswers("Done", {
  ...REFUSED.place,
  409: refusal("It was granted somewhere and must be taken back there first"),
});

/** For the claims that a project may answer. */
export const PROJECT_CLAIMS_ANSWERS = pageAnswers("Claims that the project can answer", ASKED_OF_PROJECT);

export const ALL_CLAIMS_ANSWERS = pageAnswers("All claims", ASKED_OF_ALL, REFUSED.caller);

/** For answering a claim. */
export const CLAIM_ANSWER_ANSWERS = doneAnswers("Done", {
  ...REFUSED.place,
  409: refusal("Nobody has told of the person yet, it is being taken back, or it is somebody else's"),
});
