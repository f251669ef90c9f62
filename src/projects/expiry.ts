/** The end of a membership as it is written: a day, at whose beginning (UTC) it ends, or an instant. */
import { parseDay } from "../platform/parameters.ts";
import { FieldProblem, ParameterProblem } from "../platform/problem.ts";

/**
 * `2027-03-01`, `2027-03-01T12:00:00+01:00`, `2027-03-01T11:00` (UTC); cut to milliseconds. Undefined for anything that is not a
 * real time.
 */
export function parseExpiry(written: string): Date | undefined {
  const text = written.trim();
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/i.exec(
    text,
  );
  const [, day = "", time = "00:00:00", offset = "Z"] = match ?? [];
  if (parseDay(day) === undefined) return undefined;
  const zone = /^z$/i.test(offset) ? "Z" : offset.replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2");
  const instant = new Date(`${day}T${time.length === 5 ? `${time}:00` : time}${zone}`);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

/** The `expires_at` of a body. Undefined: absent, so nothing changes; null: without an end. @throws ParameterProblem */
export function expiryOfBody(given: string | null | undefined): Date | null | undefined {
  if (given === undefined || given === null) return given;
  if (given === "") return null;
  const at = parseExpiry(given);
  if (!at) throw new ParameterProblem(["expires_at is invalid"]);
  return at;
}

/** The `expires_at` that was typed into a form; null: without an end. @throws FieldProblem expires_at */
export function expiryOfForm(typed: string): Date | null {
  if (typed.trim() === "") return null;
  const at = parseExpiry(typed);
  if (!at) throw new FieldProblem({ expires_at: ["is not a day; write it like 2027-03-01"] });
  return at;
}
