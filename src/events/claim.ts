/** A claim: a user says that a person of a forge is them; answered for one project or for all (decision 0118). */
import { instant, integer, jsonb, nullable, type RowOf, row, text } from "../platform/row.ts";

/** An identity on a forge; both members in lower case. */
export interface OutsideIdentity {
  host: string;
  login: string;
}

/** An answer as it is shown; `ending`: it was taken back, and its events are still being moved. */
export interface ClaimAnswer {
  /** Null: all projects. */
  projectId: number | null;
  fullPath: string | null;
  state: "granted" | "ending" | "refused";
  answeredAt: string;
}

export const ClaimRow = row({
  id: integer,
  host: text,
  login: text,
  /** The login as it was first claimed, for display. */
  told: text,
  createdAt: instant,
  userId: integer,
  username: text,
  name: text,
  /** The placeholder that stands for the identity; null: no source has named it yet. */
  outsiderId: nullable(integer),
  answers: jsonb<readonly ClaimAnswer[]>(),
});
export type Claim = RowOf<typeof ClaimRow>;

/** The answer for this project, or for all if null; undefined: there is none yet. */
export function answerIn(claim: Claim, projectId: number | null): ClaimAnswer["state"] | undefined {
  return claim.answers.find((answer) => answer.projectId === projectId)?.state;
}

/** Whether the claim is approved for all projects, and this one has not decided: what it answers takes precedence. */
export function isApprovedByAll(claim: Claim, projectId: number): boolean {
  return answerIn(claim, projectId) === undefined && answerIn(claim, null) === "granted";
}

/**
 * The identity that somebody typed: a host or the address of a page there, and a login with or without `@`. `told`: the login as
 * typed. `host` or `login` is missing if it is invalid.
 */
export function identityOf(typed: {
  host: string;
  login: string;
}): Partial<OutsideIdentity> & { told: string } {
  const words = typed.host.trim().toLowerCase();
  const address = /^https?:\/\//.test(words) ? words : `https://${words}`;
  const host = URL.parse(address)?.host ?? "";
  const told = typed.login.trim().replace(/^@/, "");
  const login = told.toLowerCase();
  return {
    told,
    ...(host !== "" && host.length <= 255 && { host }),
    ...(/^[^\s\p{Cc}]{1,255}$/u.test(login) && { login }),
  };
}
