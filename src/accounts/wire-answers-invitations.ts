/** Responses about invitations of the whole installation, for the OpenAPI document (decision 0111). */
import { FAULTS, moment, nullable, record } from "../platform/answer-shapes.ts";
import { doneAnswers, pageAnswers, REFUSED, refusal, writeAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";

const INVITATION = record("Invitation", {
  id: Type.Integer(),
  invite_email: Type.String(),
  created_by_name: nullable(
    Type.String({ description: "name of the inviter; null if the invited person requested an account" }),
  ),
  created_at: moment(),
  sent_at: moment(),
  link_expires_at: moment(),
  project_id: nullable(Type.Integer()),
  group_id: nullable(Type.Integer()),
  access_level: nullable(
    Type.Integer({
      description: "access level in the project or group; null if the invitation is for an account only",
    }),
  ),
  expires_at: nullable(moment()),
  link: Type.Optional(
    Type.String({
      description:
        "link to accept the invitation; only if the service sends no mail, and only in the response to the inviter",
    }),
  ),
});

export const INVITATIONS_ANSWERS = pageAnswers("Pending invitations", INVITATION, REFUSED.caller);

export const NEW_INVITATION_ANSWERS = writeAnswers(201, "The new invitation", INVITATION, {
  ...REFUSED.caller,
  409: refusal("The address already has an invitation", FAULTS),
  429: refusal("Too many invitations within a day"),
});

/** Responses of sending an invitation again. */
export const INVITATION_AGAIN_ANSWERS = writeAnswers(
  201,
  "The invitation with a new link; the previous link no longer works",
  INVITATION,
  {
    ...REFUSED.write,
    429: refusal("The invitation was sent moments ago, or there were too many within a day"),
  },
);

export const WITHDRAWN_INVITATION_ANSWERS = doneAnswers();
