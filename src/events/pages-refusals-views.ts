/** Views of deliveries that a source refused (decision 0120). */
import { badge } from "../ui/badge.ts";
import { card, pageHead, properties, stack } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { jsonBlock } from "../ui/secret.ts";
import { table } from "../ui/table.ts";
import { timeAgo, timeExact } from "../ui/time.ts";
import { bodyBlock } from "./pages-sources-views.ts";
import { type KeptRefusal, MAX_KEPT_BYTES, type Refusal } from "./refusal.ts";
import type { Source } from "./source.ts";

/** The newest deliveries that a source refused, and how many there were; undefined: none. */
export function refusedCard(shown: {
  own: string;
  refusals: readonly Refusal[];
  count: number;
  now: Date;
}): Html | undefined {
  const { own, refusals, count, now } = shown;
  if (count === 0) return undefined;
  return card({
    id: "refused",
    heading: "Refused",
    lead: `${count} ${count === 1 ? "delivery" : "deliveries"} so far. The newest are kept for 30 days, ten a minute at most.`,
    flush: table<Refusal>({
      caption: "Refused",
      rows: refusals,
      columns: [
        {
          head: "Kind",
          rowHeader: true,
          cell: ({ id, kind }) =>
            html`<a class="title wrap-any" href="${own}/refusals/${id}">${kind || "Unnamed"}</a>`,
        },
        { head: "Answer", cell: ({ status }) => badge(String(status), "brass") },
        { head: "Why", cell: ({ reason }) => html`<span class="wrap-any">${reason}</span>` },
        { head: "Came", kind: "nowrap", cell: ({ receivedAt }) => timeAgo(receivedAt, now) },
      ],
    }),
  });
}

/** One refused delivery: the reason, and what was received. */
export function refusalMain(source: Source, refusal: KeptRefusal): Html {
  const { kind, status, reason, receivedAt, bodyBytes, headers, raw } = refusal;
  const head = pageHead({ heading: kind || "Refused delivery", lead: `Came to ${source.name}` });
  const facts = card({
    id: "outcome",
    heading: "Refused",
    aside: badge(String(status), "brass"),
    body: properties([
      ["Why", reason],
      ["Size", `${bodyBytes} bytes`],
      ["Came", timeExact(receivedAt)],
    ]),
  });
  const isCut = bodyBytes > MAX_KEPT_BYTES;
  return html`${head}${stack([
    facts,
    card({
      id: "headers",
      heading: "Headers that say what it is",
      body: jsonBlock("header-lines", "Headers", headers),
    }),
    card({
      id: "raw",
      heading: "What came",
      lead: isCut ? `The first 64 KiB of ${bodyBytes} bytes, from whoever knows the address.` : undefined,
      body:
        raw.length === 0
          ? html`<p class="text-2">Nothing of the body is kept.</p>`
          : bodyBlock(raw.toString("utf8")),
    }),
  ])}`;
}
