/** Judges what a new account would be, and hashes its password: no transaction has to wait for that. */
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
  /** False: nobody knows whether the mail address is theirs (decision 0149). */
  isConfirmed?: boolean;
  /** What they tell of themselves. */
  about?: About;
  /** For administrators alone; empty: none. */
  note?: string;
}

/** Fields that were judged, with the hash in the password's place. */
export type PreparedUser = Omit<UserFields, "password"> & { passwordHash: string };

/** @throws FieldProblem: what a field may not be; Problem too_many: too many hashes wait already */
export async function prepareUser({ password, ...fields }: UserFields): Promise<PreparedUser> {
  checkFaults({
    username: topLevelPathFault(fields.username),
    name: nameFault(fields.name),
    email: emailFault(fields.email),
    password: passwordFault(password),
    note: noteFault(fields.note ?? ""),
    ...aboutFaults(fields.about ?? {}),
  });
  return { ...fields, passwordHash: await hashPassword(password) };
}
