/** Requests about users. */
import { pageParameters } from "../platform/pagination.ts";
import { flag, timeBound } from "../platform/query-members.ts";
import Type, { type Static } from "../platform/schema.ts";
import { USER_ORDERS } from "./user.ts";

/** Path parameters of a user's routes. */
export const UserParameters = Type.Object({
  id: Type.String({ description: "number of the user, or their username" }),
});

const optionalText = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description }));
const onSite = (site: string) => optionalText(`username on ${site}`);

/** The optional profile fields; empty or null: none (decision 0157). */
const aboutMembers = {
  bio: optionalText(
    "short biography; at most 255 characters, like each profile field that names no other limit",
  ),
  location: optionalText("place where the user lives or works"),
  website_url: optionalText("address of a website, http or https"),
  organization: optionalText("employer or organization"),
  job_title: optionalText("job title; together with `organization` it makes up `work_information`"),
  pronouns: optionalText("pronouns, such as they/them"),
  github: onSite("GitHub"),
  linkedin: onSite("LinkedIn"),
  twitter: onSite("X (Twitter)"),
  discord: onSite("Discord"),
  skype: onSite("Skype"),
  note: optionalText("note that only administrators see; at most 4000 characters"),
};

const username = Type.String({
  minLength: 1,
  description: "username: letters, digits, '_', '-' and '.'; also the path of the user's personal namespace",
});
const name = Type.String({ minLength: 1, description: "display name" });
const PRIVACY =
  "private profile: other users, except administrators, see neither the optional profile fields nor the user's events";

export const NewUserBody = Type.Object({
  username,
  name,
  email: Type.String({ minLength: 1, description: "mail address; it is considered confirmed" }),
  password: Type.Optional(
    Type.String({
      unlessTrue: ["reset_password", "force_random_password"],
      description:
        "password, 12 to 1,024 bytes; common passwords are refused; required, unless `reset_password` or `force_random_password` is true, with which it is ignored",
    }),
  ),
  reset_password: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "true: set an unknown random password, and send the user a mail with a link to choose one, valid for a day; requires that mail is set up; default: false",
    }),
  ),
  force_random_password: Type.Optional(
    Type.Boolean({ default: false, description: "true: set an unknown random password; default: false" }),
  ),
  admin: Type.Optional(
    Type.Boolean({ default: false, description: "whether the user is an administrator; default: false" }),
  ),
  private_profile: Type.Optional(Type.Boolean({ default: false, description: `${PRIVACY}; default: false` })),
  ...aboutMembers,
});
export type NewUserBody = Static<typeof NewUserBody>;

/** The fields that administrators may change; GitLab's other fields are ignored (contract §3). */
export const UserBody = Type.Object({
  username: Type.Optional(username),
  name: Type.Optional(name),
  email: Type.Optional(
    Type.String({
      minLength: 1,
      description: "new mail address; takes effect at once, and the old address is notified by mail",
    }),
  ),
  password: Type.Optional(
    Type.String({ description: "new password; not for the caller's own account; ends the user's sessions" }),
  ),
  admin: Type.Optional(
    Type.Boolean({
      description:
        "whether the user is an administrator; not for the caller's own account; ends the user's sessions",
    }),
  ),
  private_profile: Type.Optional(Type.Boolean({ description: PRIVACY })),
  public_email: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: "the mail address of the account, to show it to everybody; empty or null: hide it",
    }),
  ),
  ...aboutMembers,
});
export type UserBody = Static<typeof UserBody>;

/** Filters that the caller may not use are ignored, as in GitLab. */
export const UsersQuery = Type.Object({
  username: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "only the user with exactly this username, case-insensitive",
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        "part of the username or name, or an entire mail address; case-insensitive; only administrators find users by addresses that are not public",
    }),
  ),
  public_email: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "only the user with exactly this public mail address, case-insensitive",
    }),
  ),
  active: flag("true: only users who are not blocked; default: false"),
  blocked: flag("true: only blocked users; default: false"),
  exclude_active: flag("true: only blocked users; default: false"),
  humans: flag(
    "true: only people, without placeholders of outside people and without bots of applications and of the service; default: false",
  ),
  exclude_humans: flag(
    "true: only placeholders of outside people, and bots of applications and of the service; default: false",
  ),
  exclude_internal: flag("true: leave out bots of the service itself; default: false"),
  external: flag("true: only external users, which do not exist here, so the list is empty; default: false"),
  auditors: flag("true: only auditors, which do not exist here, so the list is empty; default: false"),
  extern_uid: Type.Optional(
    Type.String({
      description:
        "only users with this identity at the external `provider`; external identities do not exist here, so the list is empty",
    }),
  ),
  provider: Type.Optional(
    Type.String({
      description:
        "only users who sign in with this external provider; none exists here, so the list is empty",
    }),
  ),
  saml_provider_id: Type.Optional(
    Type.String({
      description: "only users created by this SAML provider; none exists here, so the list is empty",
    }),
  ),
  created_after: timeBound("only users created after this time (ISO 8601)"),
  created_before: timeBound("only users created before this time (ISO 8601)"),
  admins: flag("true: only administrators; ignored unless the caller is an administrator; default: false"),
  two_factor: Type.Optional(
    Type.Enum(["enabled", "disabled"], {
      description:
        "enabled: only users with an authenticator app or a passkey; disabled: only users with neither; ignored unless the caller is an administrator",
    }),
  ),
  without_projects: flag(
    "true: only users without a role in any project; ignored unless the caller is an administrator; default: false",
  ),
  order_by: Type.Optional(
    Type.Enum([...USER_ORDERS], {
      description: "field to sort by; default: id; ignored unless the caller is an administrator",
    }),
  ),
  sort: Type.Optional(
    Type.Enum(["asc", "desc"], {
      description: "sort direction; default: desc; ignored unless the caller is an administrator",
    }),
  ),
  ...pageParameters,
});
export type UsersQuery = Static<typeof UsersQuery>;

export const EmailsQuery = Type.Object({ ...pageParameters });
export type EmailsQuery = Static<typeof EmailsQuery>;

export const RemovalQuery = Type.Object({
  erase: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "true: attribute the user's contributions to a pseudonym of their own; false: to the one placeholder that all deleted users share; default: false",
    }),
  ),
});
export type RemovalQuery = Static<typeof RemovalQuery>;

export const PasswordBody = Type.Object({
  password: Type.String({ description: "current password of the caller" }),
});
export type PasswordBody = Static<typeof PasswordBody>;

export const CodeBody = Type.Object({
  code: Type.String({ maxLength: 100, description: "current code of the authenticator app, six digits" }),
});
export type CodeBody = Static<typeof CodeBody>;
