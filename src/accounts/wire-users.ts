/** Requests about users. */
import { pageParameters } from "../platform/pagination.ts";
import { flag, timeBound } from "../platform/query-members.ts";
import Type, { type Static } from "../platform/schema.ts";
import { USER_ORDERS } from "./user.ts";

/** A user in an address, also of what belongs to them. */
export const UserParameters = Type.Object({
  id: Type.String({ description: "number of the user, or their username" }),
});

const told = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description }));
const onSite = (site: string) => told(`who they are on ${site}`);

/** The optional profile fields; empty or null: none (decision 0157). */
const aboutMembers = {
  bio: told("at most 255 characters, as each of these"),
  location: told("where they are"),
  website_url: told("http or https"),
  organization: told("where they work"),
  job_title: told("with `organization` it is the `work_information` of the record"),
  pronouns: told("how one speaks of them, such as they/them"),
  github: onSite("GitHub"),
  linkedin: onSite("LinkedIn"),
  twitter: onSite("X (Twitter)"),
  discord: onSite("Discord"),
  skype: onSite("Skype"),
  note: told("for administrators alone, at most 4000 characters"),
};

const username = Type.String({
  minLength: 1,
  description: "letters, digits, '_', '-' and '.'; the path of their own namespace too",
});
const name = Type.String({ minLength: 1, description: "what they are called on pages and in records" });
const PRIVACY = "others are shown nothing that they tell of themselves, and an empty list of their events";

export const NewUserBody = Type.Object({
  username,
  name,
  email: Type.String({ minLength: 1, description: "mail address; counts as confirmed" }),
  password: Type.Optional(
    Type.String({
      unlessTrue: ["reset_password", "force_random_password"],
      description:
        "12 to 1,024 bytes; common ones are refused; needed, and read, unless one of the next two is true",
    }),
  ),
  reset_password: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "a password that nobody knows, and a mail with a link, good for a day, to set one; needs mail; default: false",
    }),
  ),
  force_random_password: Type.Optional(
    Type.Boolean({ default: false, description: "a password that nobody knows; default: false" }),
  ),
  admin: Type.Optional(
    Type.Boolean({ default: false, description: "administers the installation; default: false" }),
  ),
  private_profile: Type.Optional(Type.Boolean({ default: false, description: `${PRIVACY}; default: false` })),
  ...aboutMembers,
});
export type NewUserBody = Static<typeof NewUserBody>;

/** What administrators may change; members of GitLab's that have no meaning here are ignored (contract §3). */
export const UserBody = Type.Object({
  username: Type.Optional(username),
  name: Type.Optional(name),
  email: Type.Optional(Type.String({ minLength: 1, description: "counts at once; the old address is told" })),
  password: Type.Optional(Type.String({ description: "not one's own; ends the sessions of the user" })),
  admin: Type.Optional(Type.Boolean({ description: "not one's own; ends the sessions of the user" })),
  private_profile: Type.Optional(Type.Boolean({ description: PRIVACY })),
  public_email: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: "the address of the account, which everybody sees then; empty or null: nobody does",
    }),
  ),
  ...aboutMembers,
});
export type UserBody = Static<typeof UserBody>;

/** Filters that the caller may not use are ignored, as in GitLab. */
export const UsersQuery = Type.Object({
  username: Type.Optional(Type.String({ maxLength: 255, description: "the whole of it, in any case" })),
  search: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        "part of a username or name, in any case, or a whole mail address that is shown; for administrators any",
    }),
  ),
  public_email: Type.Optional(
    Type.String({ maxLength: 255, description: "the whole mail address that they show" }),
  ),
  active: flag("only those who are not blocked; false: all"),
  blocked: flag("only those who are blocked; false: all"),
  exclude_active: flag("only those who are blocked; false: all"),
  humans: flag("without those who stand for outside people, applications and the service itself; false: all"),
  exclude_humans: flag("only those who stand for others; false: all"),
  exclude_internal: flag("without those who stand for the service itself; false: all"),
  external: flag("only those whose account is kept elsewhere, which is nobody's here; false: all"),
  auditors: flag("only auditors, whom there are none of; false: all"),
  extern_uid: Type.Optional(
    Type.String({
      description:
        "only who signs in by this name of `provider`, which nobody does: people sign in here alone",
    }),
  ),
  provider: Type.Optional(Type.String({ description: "only who signs in by this one: nobody" })),
  saml_provider_id: Type.Optional(Type.String({ description: "only whom this one made: nobody" })),
  created_after: timeBound("only those who were made after this moment"),
  created_before: timeBound("only those who were made before this moment"),
  admins: flag("administrators alone; for administrators"),
  two_factor: Type.Optional(
    Type.Enum(["enabled", "disabled"], {
      description: "only those with a second factor or a passkey, or without; for administrators",
    }),
  ),
  without_projects: flag("only those who have a role in no project; for administrators; false: all"),
  order_by: Type.Optional(
    Type.Enum([...USER_ORDERS], { description: "what they go by; default: id; for administrators" }),
  ),
  sort: Type.Optional(
    Type.Enum(["asc", "desc"], { description: "default: desc, the greatest first; for administrators" }),
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
      description: "a pseudonym of its own bears what the user did; else all who are deleted share one",
    }),
  ),
});
export type RemovalQuery = Static<typeof RemovalQuery>;

export const PasswordBody = Type.Object({ password: Type.String({ description: "that of the caller" }) });
export type PasswordBody = Static<typeof PasswordBody>;

export const CodeBody = Type.Object({
  code: Type.String({ maxLength: 100, description: "what the authenticator app shows now, six digits" }),
});
export type CodeBody = Static<typeof CodeBody>;
