/** Checks the fields of a new account and hashes its password before a transaction begins. */
import { checkFaults } from "../platform/problem.ts";
import { type About, aboutFaults, noteFault } from "./about.ts";
import { nameFault } from "./name.ts";
import { hashPassword, passwordFault } from "./password.ts";
import { emailFault, topLevelPathFault } from "./user.ts";

export interface UserFields {
  username: string;
  name: string;
  email: string;
  password: string;
  isAdmin?: boolean;
  privateProfile?: boolean;
  /** False: nobody has confirmed that the mail address is theirs (decision 0149). */
  isConfirmed?: boolean;
  /** The optional profile fields. */
  about?: About;
  /** Visible to administrators only; empty: none. */
  note?: string;
}

/** Checked fields, with the hash instead of the password. */
export type PreparedUser = Omit<UserFields, "password"> & { passwordHash: string };

/** @throws FieldProblem: an invalid field; Problem too_many: too many hashes wait already */
export async function prepareUser({ password, ...fields }: UserFields): Promise<PreparedUser> {
  checkFaults({
    ...credentialFaults({ password, ...fields }),
    name: nameFault(fields.name),
    note: noteFault(fields.note ?? ""),
    ...aboutFaults(fields.about ?? {}),
  });
  return { ...fields, passwordHash: await hashPassword(password) };
}

/** Returns what is wrong with those of the fields that every account needs; undefined where nothing is. */
export function credentialFaults({
  username,
  email,
  password,
}: Record<"username" | "email" | "password", string | undefined>) {
  return {
    username: username === undefined ? undefined : topLevelPathFault(username),
    email: email === undefined ? undefined : emailFault(email),
    password: password === undefined ? undefined : passwordFault(password),
  };
}
