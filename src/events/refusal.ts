/** A delivery that a source refused, as far as it is kept (decision 0120). */
import type { IncomingHttpHeaders } from "node:http";
import { bytes, instant, integer, jsonb, type RowOf, row, text } from "../platform/row.ts";
import { type Forge, isFresh, keptName, type ReceivedDelivery } from "./source.ts";

/** Of the body of a refused delivery. */
export const MAX_KEPT_BYTES = 64 * 1024;

/** What is stored of a refusal. */
export interface NewRefusal {
  sourceId: number;
  status: number;
  reason: string;
  kind: string;
  headers: Readonly<Record<string, string>>;
  raw: Buffer;
  bodyBytes: number;
}

export const RefusalRow = row({
  id: integer,
  status: integer,
  reason: text,
  kind: text,
  bodyBytes: integer,
  receivedAt: instant,
});
export type Refusal = RowOf<typeof RefusalRow>;

/** With the headers and the beginning of the body. */
export const KeptRefusalRow = row({
  ...RefusalRow.columns,
  headers: jsonb<Readonly<Record<string, string>>>(),
  raw: bytes,
});
export type KeptRefusal = RowOf<typeof KeptRefusalRow>;

/** How often a source refused something, ever. */
export const RefusalCountRow = row({ sourceId: integer, n: integer, lastAt: instant });
export type RefusalCount = RowOf<typeof RefusalCountRow>;

/** The headers by which a delivery can be proven; one of them is required. */
const PROOFS: Readonly<Record<Forge, readonly string[]>> = {
  github: ["X-Hub-Signature-256"],
  gitlab: ["X-Gitlab-Token", "webhook-signature"],
  gitea: ["X-Gitea-Signature"],
  forgejo: ["X-Forgejo-Signature"],
  gogs: ["X-Gogs-Signature"],
  bitbucket: ["X-Hub-Signature"],
  cloudevents: ["Authorization"],
};

/** Why a delivery of this forge is not proven, for whoever set the webhook up. */
export function whyUnproven(
  forge: Forge,
  { headers, nowSeconds }: Pick<ReceivedDelivery, "headers" | "nowSeconds">,
): string {
  const proofs = PROOFS[forge];
  // Gitea sends an empty one if its webhook has no secret.
  const given = proofs.find((name) => headers[name.toLowerCase()]);
  if (given === "webhook-signature" && !isFresh(headers["webhook-timestamp"], nowSeconds)) {
    return "webhook-timestamp is more than five minutes away from the clock here: one of the two clocks is wrong, or an old request was sent again.";
  }
  return given === undefined
    ? `It bears no ${proofs.join(" or ")}: the webhook has no secret. Give it the one of this source.`
    : `${given} does not fit: the webhook has another secret than this source.`;
}

/** The kind that a delivery names; empty: none. */
export function kindOf(headers: IncomingHttpHeaders): string {
  const found = ["forgejo", "gitea", "gogs", "gitlab", "github"].map((word) => headers[`x-${word}-event`]);
  return keptName(String(found.find(Boolean) ?? headers["ce-type"] ?? headers["x-event-key"] ?? ""));
}
