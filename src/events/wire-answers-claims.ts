/** The answers about outside identities, as the OpenAPI document describes them (decision 0118). */
import Type from "typebox";
import {
  DONE,
  paged,
  REFUSED_CALLER,
  REFUSED_PLACE,
  REMOVED_MEANWHILE,
  record,
  unnamed,
} from "../platform/answer-shapes.ts";
import { type Answers, MESSAGE, moment, nullable } from "../platform/answers.ts";

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

/** Of one's own. */
export const CLAIMS_ANSWERS: Answers = {
  200: paged("Who the caller says to be elsewhere", CLAIM),
  ...REFUSED_CALLER,
};

/** Of a new one. */
export const NEW_CLAIM_ANSWERS: Answers = {
  200: { description: "The claim, which was there already", schema: CLAIM },
  201: { description: "The claim, which waits for answers", schema: CLAIM },
  ...REFUSED_CALLER,
  ...REMOVED_MEANWHILE,
  422: { description: "Too many identities are claimed", schema: MESSAGE },
};

/** Of a withdrawal. */
export const WITHDRAWN_CLAIM_ANSWERS: Answers = {
  ...DONE,
  ...REFUSED_PLACE,
  409: { description: "It was granted somewhere and must be taken back there first", schema: MESSAGE },
};

/** Of those that a project is asked about. */
export const PROJECT_CLAIMS_ANSWERS: Answers = {
  200: paged("Claims that the project can answer", ASKED_OF_PROJECT),
  ...REFUSED_PLACE,
};

/** Of all. */
export const ALL_CLAIMS_ANSWERS: Answers = {
  200: paged("All claims", ASKED_OF_ALL),
  ...REFUSED_CALLER,
};

/** Of an answer to one. */
export const CLAIM_ANSWER_ANSWERS: Answers = {
  ...DONE,
  ...REFUSED_PLACE,
  409: {
    description: "Nobody has told of the person yet, it is being taken back, or it is somebody else's",
    schema: MESSAGE,
  },
};
