/** A claim: somebody says that a person of a forge is them; answered for a project or for all (decision 0118). */
import { instant, integer, jsonb, nullable, type RowOf, row, text } from "../platform/row.ts";

/** Who somebody is elsewhere; both in lower case. */
export interface OutsideIdentity {
  host: string;
  login: string;
}

/** An answer as it is shown; `ending`: taken back, its events are on their way. */
export interface ClaimAnswer {
  /** Null: everywhere. */
  projectId: number | null;
  fullPath: string | null;
  state: "granted" | "ending" | "refused";
  answeredAt: string;
}

export const ClaimRow = row({
  id: integer,
  host: text,
  login: text,
  /** The login as it was claimed first, to be shown. */
  told: text,
  createdAt: instant,
  userId: integer,
  username: text,
  name: text,
  /** The placeholder that stands for the identity; null: nobody has been told of it yet. */
  outsiderId: nullable(integer),
  answers: jsonb<readonly ClaimAnswer[]>(),
});
export type Claim = RowOf<typeof ClaimRow>;

/** What the place that is asked has said; undefined: nothing yet. */
export function answerIn(claim: Claim, projectId: number | null): ClaimAnswer["state"] | undefined {
  return claim.answers.find((answer) => answer.projectId === projectId)?.state;
}

/**
 * The identity that somebody typed: a host or the address of a page there, and a login with or without `@`.
 * `told`: the login as it was typed. Undefined members are what is wrong with it.
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
