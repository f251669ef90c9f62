/** The list of receipts with its filters. */
import { badge } from "../ui/badge.ts";
import { linkButton } from "../ui/button.ts";
import { bareCard, emptyState, pageHead } from "../ui/card.ts";
import { bareSelect } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { stepPager, table } from "../ui/table.ts";
import { secondWords, timeAgo, timeTag } from "../ui/time.ts";
import { filterBar } from "../ui/toolbar.ts";
import { queryString } from "./pages-frame.ts";
import { integrationFilter, type OfferedIntegrations } from "./pages-integration-filter.ts";
import { operationsTabs } from "./pages-operations-tabs.ts";
import { DECISION_WORDS, DECISIONS, type Decision } from "./receipt.ts";
import type { ReceiptLine } from "./store-receipts.ts";

export const RECEIPTS_A_PAGE = 25;

export interface ReceiptQuery {
  integration: string | undefined;
  decision: Decision | undefined;
  /** The iid of an alert. */
  alert: string | undefined;
  page: number;
}

/** Returns the address of the list of receipts, with these members in its query. */
export function receiptsHref(home: string, members: Partial<ReceiptQuery> = {}): string {
  const { page, ...rest } = members;
  return `${home}/-/settings/operations/receipts${queryString({ ...rest, page: page === 1 ? undefined : page })}`;
}

export interface ReceiptList extends OfferedIntegrations {
  home: string;
  query: ReceiptQuery;
  /** One more than a page shows if there is an older one. */
  receipts: readonly ReceiptLine[];
  now: Date;
  /** Whether the project takes alerts, so that a test alert can be sent and others may arrive. */
  isWritable: boolean;
}

/** Returns the content of the page. */
export function receiptList(list: ReceiptList): Html {
  const { home, query, receipts } = list;
  const shown = receipts.slice(0, RECEIPTS_A_PAGE);
  const footer = html`<span>Kept for 90 days. Times are in UTC unless they name another zone.</span>${stepPager(
    {
      newerHref:
        query.page > 1 && shown.length > 0
          ? receiptsHref(home, { ...query, page: query.page - 1 })
          : undefined,
      olderHref:
        receipts.length > shown.length ? receiptsHref(home, { ...query, page: query.page + 1 }) : undefined,
      label: "Receipt pages",
    },
  )}`;
  const rows = shown.length > 0 ? receiptTable(list, shown) : nothing(list);
  return html`${pageHead({
    heading: "Receipts",
    lead: "Every request that a tool sent: how it was read, and what came of it.",
  })}${operationsTabs(home, "receipts", true)}${bareCard("Receipts", html`${filters(list)}${rows}`, footer)}`;
}

function filters(list: ReceiptList): Html {
  const { home, query } = list;
  return filterBar({
    label: "Filter receipts",
    action: receiptsHref(home),
    isFiltered: (query.integration ?? query.decision ?? query.alert) !== undefined,
    filters: [
      integrationFilter(list, query.integration),
      bareSelect("decision", "Decision", query.decision ?? "", [
        { value: "", label: "Any decision" },
        ...DECISIONS.map((word) => ({ value: word, label: DECISION_WORDS[word][0] })),
      ]),
      html`<input class="input" name="alert" inputmode="numeric" size="8" aria-label="Number of an alert" placeholder="Alert #" value="${query.alert ?? ""}">`,
    ],
  });
}

function receiptTable({ home, now }: ReceiptList, receipts: readonly ReceiptLine[]): Html {
  return table({
    caption: "Receipts, the newest first",
    columns: [
      {
        head: "Received",
        rowHeader: true,
        cell: (one: ReceiptLine) =>
          html`<a class="title nowrap" href="${receiptsHref(home)}/${one.id}">${timeAgo(one.receivedAt, now)}</a><br><span class="sub nowrap">${timeTag(one.receivedAt, secondWords(one.receivedAt))}</span>`,
      },
      {
        head: "Integration",
        cell: (one) => html`<span class="wrap-any">${one.integrationName ?? "Removed since"}</span>`,
      },
      {
        head: "Decision",
        cell: (one) => html`${decisionBadge(one.decision)}<br><span class="sub">${one.status}</span>`,
      },
      { head: "Alerts", cell: (one) => alertLinks(home, one.alertIids) },
      {
        head: "Warnings",
        kind: "num",
        cell: (one) => (one.warnings.length === 0 ? "None" : one.warnings.length),
      },
      { head: "Size", kind: "num drop", cell: (one) => sizeWords(one.sizeBytes) },
      {
        head: "Key",
        kind: "drop",
        cell: (one) => (one.keyHint === "" ? "None" : html`<code class="nowrap">${one.keyHint}</code>`),
      },
    ],
    rows: receipts,
  });
}

/** Returns the decision about a request as a badge. */
export function decisionBadge(decision: Decision): Html {
  const tone =
    decision === "created" || decision === "counted" ? "accent" : decision === "resolved" ? "ok" : "line";
  return badge(DECISION_WORDS[decision][0], tone);
}

/** Returns links to the first alerts of a receipt. */
export function alertLinks(home: string, iids: readonly number[]): Html | string {
  if (iids.length === 0) return "None";
  const links = iids
    .slice(0, 3)
    .map((iid, index) => html`${index > 0 && ", "}<a href="${`${home}/-/alerts/${iid}`}">#${iid}</a>`);
  return html`${links}${iids.length > 3 && ", …"}`;
}

/** Formats a size: `812 B`, `12 KiB`, `3.4 MiB`. */
export function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

function nothing({ home, query, isWritable }: ReceiptList): Html {
  if (query.page > 1) return pastTheEnd("receipts", receiptsHref(home, { ...query, page: 1 }), 2);
  const isFiltered =
    query.integration !== undefined || query.decision !== undefined || query.alert !== undefined;
  if (isFiltered) {
    return emptyState({
      heading: "No receipt matches",
      level: 2,
      text: "No recent request matches these filters.",
      action: linkButton("Show all", receiptsHref(home)),
    });
  }
  if (!isWritable) {
    return emptyState({
      heading: "Nothing came here",
      level: 2,
      text: "Requests that tools send are listed here.",
    });
  }
  return emptyState({
    heading: "Nothing has come yet",
    level: 2,
    text: "Requests that tools send to the integrations of this project will appear here.",
    action: linkButton("Send a test alert", `${home}/-/settings/operations#test`),
  });
}
