/** Users on the wire: what may be asked of them. */
import Type, { type Static } from "typebox";
import { pageParameters } from "../platform/pagination.ts";

export const NewUserBody = Type.Object({
  username: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  email: Type.String({ minLength: 1 }),
  password: Type.String(),
  admin: Type.Optional(Type.Boolean({ default: false })),
  private_profile: Type.Optional(Type.Boolean({ default: false })),
});
export type NewUserBody = Static<typeof NewUserBody>;

export const UsersQuery = Type.Object({
  username: Type.Optional(Type.String({ maxLength: 255 })),
  search: Type.Optional(Type.String({ maxLength: 255 })),
  active: Type.Optional(Type.Boolean()),
  blocked: Type.Optional(Type.Boolean()),
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
