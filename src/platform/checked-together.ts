/** Checks the fields of a form together, so that all its errors are told at once. */
import { FieldProblem } from "./problem.ts";

/**
 * Waits for all checks and returns their results.
 * @throws FieldProblem with the fields of all that failed; any other error of a check
 */
export async function checkedTogether<Checks extends readonly Promise<unknown>[] | []>(checks: Checks) {
  const fields: Record<string, readonly string[]> = {};
  for (const result of await Promise.allSettled(checks)) {
    if (result.status === "fulfilled") continue;
    if (!(result.reason instanceof FieldProblem)) throw result.reason;
    Object.assign(fields, result.reason.fields);
  }
  if (Object.keys(fields).length > 0) throw new FieldProblem(fields);
  return Promise.all(checks);
}
