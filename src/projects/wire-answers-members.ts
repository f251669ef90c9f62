/** The answers about members of projects and groups, and about invitations to them (contract §3; decision 0111). */
import { AUTHOR } from "../accounts/wire-answers-author.ts";
import { moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import {
  doneAnswers,
  pageAnswers,
  REFUSED,
  readAnswers,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { ACCESS_LEVELS } from "./role.ts";

const level = Type.Enum([...ACCESS_LEVELS], {
  description: "10 Guest, 15 Planner, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner",
});

const MEMBER = record("Member", {
  ...AUTHOR.properties,
  access_level: level,
  created_at: moment(),
  created_by: nullable(AUTHOR),
  expires_at: nullable(
    Type.String({ description: "a day, at whose beginning (UTC) the role ends, or a timestamp" }),
  ),
  membership_state: Type.String(),
});

export const MEMBERS_ANSWERS = pageAnswers("Members; with /all inherited ones too", MEMBER);

/** For one member, read or changed. */
export const MEMBER_ANSWERS = readAnswers("The member", MEMBER);

export const NEW_MEMBER_ANSWERS = writeAnswers(
  201,
  "The member; of several people that they are",
  Type.Union([MEMBER, unnamed({ status: Type.Literal("success") })]),
  { ...REFUSED.place, 409: refusal("The user is a member already, or was removed at this moment") },
);

export const REMOVED_MEMBER_ANSWERS = doneAnswers();

const INVITATION = record("PlaceInvitation", {
  id: Type.Integer(),
  invite_email: Type.String(),
  created_at: moment(),
  access_level: nullable(level),
  expires_at: nullable(moment()),
  user_name: Type.Null(),
  created_by_name: nullable(Type.String()),
});

const links = Type.Optional(
  Type.Record(Type.String(), Type.String(), { description: "by mail address, where no mail is sent" }),
);
const SENT = unnamed({ status: Type.Literal("success"), links });
const SENT_IN_PART = unnamed({
  status: Type.Literal("error"),
  message: Type.Record(Type.String(), Type.String(), {
    description: "by mail address, why it is not invited; the others are",
  }),
  links,
});

export const PLACE_INVITATIONS_ANSWERS = pageAnswers("Invitations that nobody has accepted yet", INVITATION);

export const NEW_PLACE_INVITATION_ANSWERS = writeAnswers(
  201,
  "What became of each address",
  Type.Union([SENT, SENT_IN_PART]),
  { ...REFUSED.write, 429: refusal("Too many invitations in a day") },
);

export const CHANGED_PLACE_INVITATION_ANSWERS = writeAnswers(
  200,
  "The invitation as it is now",
  INVITATION,
  REFUSED.place,
);

/** For sending one again. */
export const PLACE_INVITATION_AGAIN_ANSWERS = writeAnswers(
  201,
  "It has a new link; the one before has ended",
  SENT,
  { ...REFUSED.place, 429: refusal("It was sent a moment ago, or too many in a day") },
);

export const WITHDRAWN_PLACE_INVITATION_ANSWERS = doneAnswers();
