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
  public_email: Type.String({ description: "public mail address; empty if it is not shown" }),
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
  "A user as everybody sees them; the optional profile fields of a private profile are empty.",
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
  namespace_id: Type.Integer({ description: "id of the user's personal namespace" }),
};

const forAdministrators = {
  is_admin: Type.Boolean(),
  note: nullable(Type.String({ description: "note by administrators" })),
  created_by: Type.Null(),
};

const OWN_USER = record("OwnUser", own, "A user as seen by themselves.");
const USER = record("User", { ...own, ...forAdministrators }, "A user as administrators see them.");

/** Responses of `GET /user`. */
export const OWN_USER_ANSWERS = readAnswers(
  "The caller; administrators get the additional fields for administrators",
  Type.Union([OWN_USER, USER]),
  REFUSED.caller,
);

const EMAIL = record("Email", { id: Type.Integer(), email: Type.String(), confirmed_at: nullable(moment()) });

/** Responses of `GET /user/emails`. */
export const EMAILS_ANSWERS = pageAnswers("The only mail address of the account", EMAIL, REFUSED.caller);

/** Responses of `GET /users/:id/emails`. */
export const USER_EMAILS_ANSWERS = pageAnswers("The only mail address of the account", EMAIL);

/** Responses of `GET /user/activities`. */
export const ACTIVITIES_ANSWERS = pageAnswers(
  "A page of users and the days on which they were last active, the least recent first",
  record("Activity", {
    username: Type.String(),
    last_activity_on: day("day (UTC)"),
    last_activity_at: day("the same day, for older clients"),
  }),
  REFUSED.caller,
);

/** A user as the caller sees them. */
export const SEEN_USER = Type.Union([PUBLIC_USER, USER]);

/** Responses of `GET /users`. */
export const USERS_ANSWERS = pageAnswers(
  "The matching users; administrators get full records",
  SEEN_USER,
  REFUSED.caller,
);

/** Responses of `GET /users/:id`. */
export const USER_ANSWERS = readAnswers("The user; administrators get the full record", SEEN_USER);

/** Responses of `POST /users`. */
export const NEW_USER_ANSWERS = writeAnswers(201, "The new user", USER, {
  ...REFUSED.caller,
  409: refusal("The username or mail address is taken", FAULTS),
});

/** Responses of `PUT /users/:id`. */
export const CHANGED_USER_ANSWERS = writeAnswers(200, "The updated user", USER, {
  ...REFUSED.place,
  409: refusal(
    "The username or mail address is taken, or no administrator would be left",
    Type.Union([FAULTS, MESSAGE]),
  ),
  422: refusal(
    "The user is a placeholder of an outside person, or a bot of an application or of the service",
  ),
});

/** Responses of `DELETE /users/:id`. */
export const REMOVED_USER_ANSWERS = doneAnswers("Done", {
  ...REFUSED.place,
  409: refusal("The user cannot be removed yet; the message says what depends on them"),
});

/** Responses of `POST /users/:id/block` and `/unblock`. */
export const USER_STATE_ANSWERS = writeAnswers(201, "Done", Type.Literal(true), {
  ...REFUSED.place,
  409: refusal("No administrator would be left"),
});

const ON: Answers = { ...REFUSED.caller, 409: refusal("Two-factor sign-in is already on") };
const PASSWORDS = refusal("Too many wrong passwords");

/** Responses of `POST /user/two_factor`. */
export const TWO_FACTOR_SECRET_ANSWERS = writeAnswers(
  201,
  "A secret; it takes effect once a code made from it is confirmed",
  unnamed({
    secret: Type.String({ description: "Base32, for typing into an authenticator app" }),
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
      description:
        "returned only in this response; empty if the user has passkeys, since the recovery codes that came with them remain valid",
    }),
  }),
  {
    ...ON,
    422: refusal("The code is wrong, or no secret awaits confirmation"),
    429: refusal("Too many wrong codes"),
  },
);

/** Responses of `DELETE /user/two_factor`. */
export const TWO_FACTOR_OFF_ANSWERS = doneAnswers("Done", {
  ...REFUSED.caller,
  404: refusal("Two-factor sign-in is off"),
  429: PASSWORDS,
});
