/** Responses about members and invitations of projects and groups, for the OpenAPI document (contract §3; decision 0111). */
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
import { SOURCE_TYPES } from "./member.ts";
import { ACCESS_LEVELS, LEVEL_WORDS } from "./role.ts";

const level = Type.Enum([...ACCESS_LEVELS], {
  description: `access level: ${LEVEL_WORDS}`,
});

const MEMBER = record("Member", {
  ...AUTHOR.properties,
  access_level: level,
  created_at: moment(),
  created_by: nullable(AUTHOR),
  expires_at: nullable(
    Type.String({
      description: "end of the membership: a day, at whose start (UTC) it ends, or a timestamp; null: none",
    }),
  ),
  membership_state: Type.String(),
});

export const MEMBERS_ANSWERS = pageAnswers("A page of members; with /all including inherited ones", MEMBER);

export const PROJECT_USERS_ANSWERS = pageAnswers(
  "A page of the users with a role in the project, inherited ones included",
  AUTHOR,
);

export const MEMBERSHIPS_ANSWERS = pageAnswers(
  "A page of the user's memberships, without those inherited from groups above",
  record("Membership", {
    source_id: Type.Integer({ description: "number of the project or group" }),
    source_name: Type.String(),
    source_type: Type.Enum([...SOURCE_TYPES], { description: "`Namespace` is a group" }),
    access_level: level,
  }),
);

/** Responses of reading and of changing a member. */
export const MEMBER_ANSWERS = readAnswers("The member", MEMBER);

export const NEW_MEMBER_ANSWERS = writeAnswers(
  201,
  "The new member; a status only, if several users were given",
  Type.Union([MEMBER, unnamed({ status: Type.Literal("success") })]),
  {
    ...REFUSED.place,
    409: refusal("The user is already a member, or was removed while the request was processed"),
  },
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
  Type.Record(Type.String(), Type.String(), {
    description: "links to accept the invitations, by mail address; only if the service sends no mail",
  }),
);
const SENT = unnamed({ status: Type.Literal("success"), links });
const SENT_IN_PART = unnamed({
  status: Type.Literal("error"),
  message: Type.Record(Type.String(), Type.String(), {
    description: "errors by mail address or username; all others were invited or added",
  }),
  links,
});

export const PLACE_INVITATIONS_ANSWERS = pageAnswers("A page of pending invitations", INVITATION);

export const NEW_PLACE_INVITATION_ANSWERS = writeAnswers(
  201,
  "The outcome for the given addresses and users",
  Type.Union([SENT, SENT_IN_PART]),
  { ...REFUSED.write, 429: refusal("Too many invitations within a day") },
);

export const CHANGED_PLACE_INVITATION_ANSWERS = writeAnswers(
  200,
  "The updated invitation",
  INVITATION,
  REFUSED.place,
);

/** Responses of sending an invitation again. */
export const PLACE_INVITATION_AGAIN_ANSWERS = writeAnswers(
  201,
  "The invitation was sent with a new link; the previous link no longer works",
  SENT,
  {
    ...REFUSED.place,
    429: refusal("The invitation was sent moments ago, or there were too many within a day"),
  },
);

export const WITHDRAWN_PLACE_INVITATION_ANSWERS = doneAnswers();
