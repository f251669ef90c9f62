/** The answers about users, as the OpenAPI document describes them (contract §3). */
import Type from "typebox";
import {
  DONE,
  day,
  paged,
  REFUSED_CALLER,
  REFUSED_PLACE,
  record,
  unnamed,
} from "../platform/answer-shapes.ts";
import { type Answers, FAULTS, MESSAGE, moment, nullable } from "../platform/answers.ts";
import { AUTHOR } from "./wire-answers-author.ts";

const open = {
  ...AUTHOR.properties,
  public_email: Type.String({ description: "empty: not shown" }),
  created_at: moment(),
  bio: Type.String(),
  location: Type.String(),
  skype: Type.String(),
  linkedin: Type.String(),
  twitter: Type.String(),
  discord: Type.String(),
  website_url: Type.String(),
  github: Type.String(),
  organization: Type.String(),
  job_title: Type.String(),
  pronouns: nullable(Type.String()),
  work_information: nullable(Type.String({ description: "from `job_title` and `organization`" })),
  bot: Type.Boolean(),
  local_time: Type.Null(),
  followers: Type.Integer(),
  following: Type.Integer(),
};

const PUBLIC_USER = record(
  "PublicUser",
  { ...open, is_followed: Type.Boolean() },
  "What everybody sees of a user; of a private profile nothing that its owner tells.",
);

const own = {
  ...open,
  last_sign_in_at: nullable(moment()),
  confirmed_at: nullable(moment()),
  last_activity_on: nullable(day()),
  email: Type.String(),
  theme_id: Type.Integer(),
  color_scheme_id: Type.Integer(),
  projects_limit: Type.Integer(),
  current_sign_in_at: nullable(moment()),
  identities: Type.Array(Type.Unknown()),
  can_create_group: Type.Boolean(),
  can_create_project: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  external: Type.Boolean(),
  private_profile: Type.Boolean(),
  commit_email: Type.String(),
  namespace_id: Type.Integer({ description: "of the user's own projects" }),
};

const told = {
  is_admin: Type.Boolean(),
  note: nullable(Type.String({ description: "what administrators noted" })),
  created_by: Type.Null(),
};

const OWN_USER = record("OwnUser", own, "A user as seen by themselves.");
const USER = record("User", { ...own, ...told }, "A user as administrators see them.");

const TAKEN: Answers = {
  409: { description: "The name or the address belongs to somebody else", schema: FAULTS },
};
const UNFIT = "The user stands for somebody else, or for an application or the service";

/** Of `GET /user`. */
export const OWN_USER_ANSWERS: Answers = {
  200: {
    description: "Who calls; administrators learn that they are one",
    schema: Type.Union([OWN_USER, USER]),
  },
  ...REFUSED_CALLER,
};

/** Of `GET /user/emails`. */
export const EMAILS_ANSWERS: Answers = {
  200: paged(
    "The one address of the account",
    record("Email", { id: Type.Integer(), email: Type.String(), confirmed_at: nullable(moment()) }),
  ),
  ...REFUSED_CALLER,
};

const SEEN = Type.Union([PUBLIC_USER, USER]);

/** Of `GET /users`. */
export const USERS_ANSWERS: Answers = {
  200: paged("Users; administrators see all of them", SEEN),
  ...REFUSED_CALLER,
};

/** Of `GET /users/:id`. */
export const USER_ANSWERS: Answers = {
  200: { description: "The user; administrators see all of it", schema: SEEN },
  ...REFUSED_PLACE,
};

/** Of `POST /users`. */
export const NEW_USER_ANSWERS: Answers = {
  201: { description: "The user, who can sign in", schema: USER },
  ...REFUSED_CALLER,
  ...TAKEN,
};

/** Of `PUT /users/:id`. */
export const CHANGED_USER_ANSWERS: Answers = {
  200: { description: "The user as it is now", schema: USER },
  ...REFUSED_PLACE,
  409: {
    description: "The name or the address belongs to somebody else, or nobody would be left to administer",
    schema: Type.Union([FAULTS, MESSAGE]),
  },
  422: { description: UNFIT, schema: MESSAGE },
};

/** Of `DELETE /users/:id`. */
export const REMOVED_USER_ANSWERS: Answers = {
  ...DONE,
  ...REFUSED_PLACE,
  409: { description: "Something depends on the user; the message names it", schema: MESSAGE },
};

/** Of `POST /users/:id/block` and `/unblock`. */
export const USER_STATE_ANSWERS: Answers = {
  201: { description: "Done", schema: Type.Literal(true) },
  ...REFUSED_PLACE,
  409: { description: "Nobody would be left to administer", schema: MESSAGE },
};

const ON = "Two-factor sign-in is on already";

/** Of `POST /user/two_factor`. */
export const TWO_FACTOR_SECRET_ANSWERS: Answers = {
  201: {
    description: "A secret, which counts once a code of it was confirmed",
    schema: unnamed({
      secret: Type.String({ description: "Base32, as people type it" }),
      otpauth_url: Type.String(),
    }),
  },
  ...REFUSED_CALLER,
  409: { description: ON, schema: MESSAGE },
  429: { description: "Too many wrong passwords", schema: MESSAGE },
};

/** Of `POST /user/two_factor/confirm`. */
export const TWO_FACTOR_ON_ANSWERS: Answers = {
  201: {
    description: "Two-factor sign-in is on",
    schema: unnamed({
      recovery_codes: Type.Array(Type.String(), {
        description: "shown this once; none beside passkeys, whose codes stay",
      }),
    }),
  },
  ...REFUSED_CALLER,
  409: { description: ON, schema: MESSAGE },
  422: { description: "A wrong code, or no secret waits", schema: MESSAGE },
  429: { description: "Too many wrong codes", schema: MESSAGE },
};

/** Of `DELETE /user/two_factor`. */
export const TWO_FACTOR_OFF_ANSWERS: Answers = {
  ...DONE,
  ...REFUSED_CALLER,
  404: { description: "It is off", schema: MESSAGE },
  429: { description: "Too many wrong passwords", schema: MESSAGE },
};
