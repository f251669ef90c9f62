/** The refusal of a move to another place, with its reason. */
import { violatedConstraint } from "../platform/db-errors.ts";
import { Problem } from "../platform/problem.ts";

/** The move is refused; `why` is a clause without its full stop. */
export class TransferRefused extends Problem {
  readonly why: string;

  constructor(why: string) {
    super("invalid", `Transfer failed: ${why}.`);
    this.why = why;
  }
}

/** The refusal that `refusals` has for the violated constraint of the database; else the error itself. */
export function transferError(error: unknown, refusals: Readonly<Record<string, string>>): unknown {
  const why = refusals[violatedConstraint(error) ?? ""];
  return why === undefined ? error : new TransferRefused(why);
}
