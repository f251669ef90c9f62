/** The answers about members of projects and groups, and who is invited there (contract §3; decision 0111). */
import Type from "typebox";
import { AUTHOR } from "../accounts/wire-answers-author.ts";
import { DONE, paged, REFUSED_PLACE, REMOVED_MEANWHILE, record, unnamed } from "../platform/answer-shapes.ts";
import { type Answers, MESSAGE, moment, nullable } from "../platform/answers.ts";
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

/** Of the lists. */
export const MEMBERS_ANSWERS: Answers = {
  200: paged("Members; with /all inherited ones too", MEMBER),
  ...REFUSED_PLACE,
};

/** Of one member. */
export const MEMBER_ANSWERS: Answers = {
  200: { description: "The member", schema: MEMBER },
  ...REFUSED_PLACE,
};

/** Of those who are added. */
export const NEW_MEMBER_ANSWERS: Answers = {
  201: {
    description: "The member; of several people that they are",
    schema: Type.Union([MEMBER, unnamed({ status: Type.Literal("success") })]),
  },
  ...REFUSED_PLACE,
  409: { description: "The user is a member already, or was removed at this moment", schema: MESSAGE },
};

/** Of a member's end. */
export const REMOVED_MEMBER_ANSWERS: Answers = { ...DONE, ...REFUSED_PLACE };

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

/** Of the list of invitations. */
export const PLACE_INVITATIONS_ANSWERS: Answers = {
  200: paged("Invitations that nobody has accepted yet", INVITATION),
  ...REFUSED_PLACE,
};

/** Of those who are invited. */
export const NEW_PLACE_INVITATION_ANSWERS: Answers = {
  201: { description: "What became of each address", schema: Type.Union([SENT, SENT_IN_PART]) },
  ...REFUSED_PLACE,
  ...REMOVED_MEANWHILE,
  429: { description: "Too many invitations in a day", schema: MESSAGE },
};

/** Of a change. */
export const CHANGED_PLACE_INVITATION_ANSWERS: Answers = {
  200: { description: "The invitation as it is now", schema: INVITATION },
  ...REFUSED_PLACE,
};

/** Of sending one again. */
export const PLACE_INVITATION_AGAIN_ANSWERS: Answers = {
  201: { description: "It has a new link; the one before has ended", schema: SENT },
  ...REFUSED_PLACE,
  429: { description: "It was sent a moment ago, or too many in a day", schema: MESSAGE },
};

/** Of a withdrawal. */
export const WITHDRAWN_PLACE_INVITATION_ANSWERS: Answers = { ...DONE, ...REFUSED_PLACE };
