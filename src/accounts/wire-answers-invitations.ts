/** Responses about invitations of the whole installation, for the OpenAPI document (decision 0111). */
import { FAULTS, moment, nullable, record } from "../platform/answer-shapes.ts";
import { doneAnswers, pageAnswers, REFUSED, refusal, writeAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";

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

export const INVITATIONS_ANSWERS = pageAnswers(
  "Invitations that nobody has accepted yet",
  INVITATION,
  REFUSED.caller,
);

export const NEW_INVITATION_ANSWERS = writeAnswers(201, "The invitation, which is on its way", INVITATION, {
  ...REFUSED.caller,
  409: refusal("The address is invited already", FAULTS),
  429: refusal("Too many invitations in a day"),
});

/** Responses of sending one again. */
export const INVITATION_AGAIN_ANSWERS = writeAnswers(
  201,
  "The invitation with a new link; the one before has ended",
  INVITATION,
  { ...REFUSED.write, 429: refusal("It was sent a moment ago, or too many in a day") },
);

export const WITHDRAWN_INVITATION_ANSWERS = doneAnswers();
