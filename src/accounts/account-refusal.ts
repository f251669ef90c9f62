/** Turns the refusal of the database that a username, path or mail address is taken into the fault of its form field. */
import { violatedConstraint } from "../platform/db-errors.ts";
import { FieldProblem } from "../platform/problem.ts";

const FIELDS: Readonly<Record<string, string>> = {
  users_username_key: "username",
  users_email_key: "email",
  namespaces_full_path_key: "username",
};

/** Returns the conflict of a username, path or mail address that is taken; undefined for other errors. */
export function accountRefusal(error: unknown): FieldProblem | undefined {
  const field = FIELDS[violatedConstraint(error) ?? ""];
  return field === undefined
    ? undefined
    : new FieldProblem({ [field]: ["has already been taken"] }, "conflict");
}
