/** Users on the wire: what may be asked of them. */
import Type, { type Static } from "typebox";
import { pageParameters } from "../platform/pagination.ts";

const told = (description?: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], description === undefined ? {} : { description }));

/** What a user record says beside names and addresses; empty or null: nothing (decision 0157). */
const aboutMembers = {
  bio: told("at most 255 characters, as each of these"),
  location: told(),
  website_url: told("http or https"),
  organization: told(),
  job_title: told("with `organization` it is the `work_information` of the record"),
  pronouns: told(),
  github: told(),
  linkedin: told(),
  twitter: told(),
  discord: told(),
  skype: told(),
  note: told("for administrators alone, at most 4000 characters"),
};

export const NewUserBody = Type.Object({
  username: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  email: Type.String({ minLength: 1 }),
  password: Type.String(),
  admin: Type.Optional(Type.Boolean({ default: false })),
  private_profile: Type.Optional(Type.Boolean({ default: false })),
  ...aboutMembers,
});
export type NewUserBody = Static<typeof NewUserBody>;

/** What administrators change; members of GitLab's own that stand for nothing here are left unread (contract §3). */
export const UserBody = Type.Object({
  username: Type.Optional(Type.String({ minLength: 1 })),
  name: Type.Optional(Type.String({ minLength: 1 })),
  email: Type.Optional(Type.String({ minLength: 1, description: "counts at once; the old address is told" })),
  password: Type.Optional(Type.String({ description: "not one's own; ends the sessions of the user" })),
  admin: Type.Optional(Type.Boolean({ description: "not one's own; ends the sessions of the user" })),
  private_profile: Type.Optional(Type.Boolean()),
  public_email: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: "the address of the account, which everybody sees then; empty or null: nobody does",
    }),
  ),
  ...aboutMembers,
});
export type UserBody = Static<typeof UserBody>;

export const UsersQuery = Type.Object({
  username: Type.Optional(Type.String({ maxLength: 255 })),
  search: Type.Optional(Type.String({ maxLength: 255 })),
  active: Type.Optional(Type.Boolean()),
  blocked: Type.Optional(Type.Boolean()),
  admins: Type.Optional(Type.Boolean({ description: "administrators alone; for administrators" })),
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

export const PasswordBody = Type.Object({ password: Type.String() });
export type PasswordBody = Static<typeof PasswordBody>;

export const CodeBody = Type.Object({ code: Type.String({ maxLength: 100 }) });
export type CodeBody = Static<typeof CodeBody>;
