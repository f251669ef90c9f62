/** Responses about users, for the OpenAPI document (contract §3). */
import { day, FAULTS, MESSAGE, moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import {
  type Answers,
  doneAnswers,
  pageAnswers,
  REFUSED,
  readAnswers,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";
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

/** Responses of `GET /user`. */
export const OWN_USER_ANSWERS = readAnswers(
  "Who calls; administrators learn that they are one",
  Type.Union([OWN_USER, USER]),
  REFUSED.caller,
);

/** Responses of `GET /user/emails`. */
export const EMAILS_ANSWERS = pageAnswers(
  "The one address of the account",
  record("Email", { id: Type.Integer(), email: Type.String(), confirmed_at: nullable(moment()) }),
  REFUSED.caller,
);

/** A user as the caller sees them. */
export const SEEN_USER = Type.Union([PUBLIC_USER, USER]);

/** Responses of `GET /users`. */
export const USERS_ANSWERS = pageAnswers("Users; administrators see all of them", SEEN_USER, REFUSED.caller);

/** Responses of `GET /users/:id`. */
export const USER_ANSWERS = readAnswers("The user; administrators see all of it", SEEN_USER);

/** Responses of `POST /users`. */
export const NEW_USER_ANSWERS = writeAnswers(201, "The user, who can sign in", USER, {
  ...REFUSED.caller,
  409: refusal("The name or the address belongs to somebody else", FAULTS),
});

/** Responses of `PUT /users/:id`. */
export const CHANGED_USER_ANSWERS = writeAnswers(200, "The user as it is now", USER, {
  ...REFUSED.place,
  409: refusal(
    "The name or the address belongs to somebody else, or nobody would be left to administer",
    Type.Union([FAULTS, MESSAGE]),
  ),
  422: refusal("The user stands for somebody else, or for an application or the service"),
});

/** Responses of `DELETE /users/:id`. */
export const REMOVED_USER_ANSWERS = doneAnswers("Done", {
  ...REFUSED.place,
  409: refusal("Something depends on the user; the message names it"),
});

/** Responses of `POST /users/:id/block` and `/unblock`. */
export const USER_STATE_ANSWERS = writeAnswers(201, "Done", Type.Literal(true), {
  ...REFUSED.place,
  409: refusal("Nobody would be left to administer"),
});

const ON: Answers = { ...REFUSED.caller, 409: refusal("Two-factor sign-in is on already") };
const PASSWORDS = refusal("Too many wrong passwords");

/** Responses of `POST /user/two_factor`. */
export const TWO_FACTOR_SECRET_ANSWERS = writeAnswers(
  201,
  "A secret, which counts once a code of it was confirmed",
  unnamed({
    secret: Type.String({ description: "Base32, as people type it" }),
    otpauth_url: Type.String(),
  }),
  { ...ON, 429: PASSWORDS },
);

/** Responses of `POST /user/two_factor/confirm`. */
export const TWO_FACTOR_ON_ANSWERS = writeAnswers(
  201,
  "Two-factor sign-in is on",
  unnamed({
    recovery_codes: Type.Array(Type.String(), {
      description: "shown this once; none beside passkeys, whose codes stay",
    }),
  }),
  {
    ...ON,
    422: refusal("A wrong code, or no secret waits"),
    429: refusal("Too many wrong codes"),
  },
);

/** Responses of `DELETE /user/two_factor`. */
export const TWO_FACTOR_OFF_ANSWERS = doneAnswers("Done", {
  ...REFUSED.caller,
  404: refusal("It is off"),
  429: PASSWORDS,
});
