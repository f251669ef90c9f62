/** The deliveries of a channel, as its page shows them. */
import type { Delivery } from "../outbox/delivery.ts";
import { statusBadge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { postButton } from "../ui/dialog.ts";
import type { FormToken } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager, table } from "../ui/table.ts";
import { timeAgo } from "../ui/time.ts";
import { queryString } from "./pages-frame.ts";

export const DELIVERIES_A_PAGE = 20;

export interface DeliveryList {
  base: string;
  deliveries: readonly Delivery[];
  page: number;
  total: number;
  now: Date;
  csrfToken: FormToken;
}

const STATES = { waiting: "Waiting", sent: "Sent", dead: "Given up" } as const;

/** Returns the card of a channel's deliveries, the newest first. */
export function deliveryCard({ base, deliveries, page, total, now, csrfToken }: DeliveryList): Html {
  if (deliveries.length === 0) {
    return card({
      id: "deliveries",
      heading: "Deliveries",
      ...(page > 1
        ? { flush: pastTheEnd("deliveries", base) }
        : { body: html`<p class="text-2">Nothing was sent yet.</p>` }),
    });
  }
  const rows = table({
    caption: "Deliveries",
    columns: [
      {
        head: "What",
        rowHeader: true,
        cell: (one: Delivery) => html`<span class="wrap-any">${one.title}</span>`,
      },
      { head: "To", cell: (one) => html`<span class="wrap-any sub">${one.target}</span>` },
      {
        head: "State",
        cell: (one) =>
          statusBadge(
            STATES[one.state],
            one.state === "sent" ? "ok" : one.state === "dead" ? "high" : "plain",
          ),
      },
      { head: "Tries", kind: "num", cell: (one) => one.attempts },
      {
        head: "Last answer",
        cell: (one) => html`<span class="sub">${one.lastError || (one.lastStatus ?? "")}</span>`,
      },
      { head: "Written", kind: "nowrap", cell: (one) => timeAgo(one.createdAt, now) },
      {
        head: "Actions",
        kind: "act",
        hiddenHead: true,
        cell: (one) =>
          one.channel === "mail"
            ? ""
            : postButton(
                `${base}/resend`,
                csrfToken,
                submitButton(html`Send again<span class="sr"> delivery ${one.id}</span>`, { size: "sm" }),
                {
                  delivery_id: `${one.id}`,
                },
              ),
      },
    ],
    rows: deliveries,
  });
  const totalPages = Math.ceil(total / DELIVERIES_A_PAGE);
  const hrefFor = (to: number) => `${base}${queryString({ page: to === 1 ? undefined : to })}`;
  return card({
    id: "deliveries",
    heading: "Deliveries",
    lead: "Kept for 30 days.",
    flush: rows,
    footer: html`<span>${total} in all</span>${pager({ page, totalPages, hrefFor })}`,
  });
}
