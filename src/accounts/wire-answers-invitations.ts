/** The answers about invitations of the whole installation, as the OpenAPI document describes them (decision 0111). */
import Type from "typebox";
import {
  DONE,
  paged,
  REFUSED_CALLER,
  REFUSED_PLACE,
  REMOVED_MEANWHILE,
  record,
} from "../platform/answer-shapes.ts";
import { type Answers, FAULTS, MESSAGE, moment, nullable } from "../platform/answers.ts";

const INVITATION = record("Invitation", {
  id: Type.Integer(),
  invite_email: Type.String(),
  created_by_name: nullable(Type.String({ description: "null: who is invited asked for an account" })),
  created_at: moment(),
  sent_at: moment(),
  link_expires_at: moment(),
  project_id: nullable(Type.Integer()),
  group_id: nullable(Type.Integer()),
  access_level: nullable(Type.Integer({ description: "null: an account alone" })),
  expires_at: nullable(moment()),
  link: Type.Optional(
    Type.String({ description: "where no mail is sent, and only in the answer to who made it" }),
  ),
});

/** Of the list. */
export const INVITATIONS_ANSWERS: Answers = {
  200: paged("Invitations that nobody has accepted yet", INVITATION),
  ...REFUSED_CALLER,
};

/** Of a new one. */
export const NEW_INVITATION_ANSWERS: Answers = {
  201: { description: "The invitation, which is on its way", schema: INVITATION },
  ...REFUSED_CALLER,
  409: { description: "The address is invited already", schema: FAULTS },
  429: { description: "Too many invitations in a day", schema: MESSAGE },
};

/** Of sending one again. */
export const INVITATION_AGAIN_ANSWERS: Answers = {
  201: { description: "The invitation with a new link; the one before has ended", schema: INVITATION },
  ...REFUSED_PLACE,
  ...REMOVED_MEANWHILE,
  429: { description: "It was sent a moment ago, or too many in a day", schema: MESSAGE },
};

/** Of its withdrawal. */
export const WITHDRAWN_INVITATION_ANSWERS: Answers = { ...DONE, ...REFUSED_PLACE };
