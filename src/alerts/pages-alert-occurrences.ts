/** The occurrences on an alert's page: their chart, their table, and the payload of one of them. */
import { card } from "../ui/card.ts";
import { barChart } from "../ui/chart.ts";
import { wholeNumber } from "../ui/count.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { copyButton, jsonBlock } from "../ui/secret.ts";
import { pager, table } from "../ui/table.ts";
import { clockWords, secondWords, shortDay, timeTag } from "../ui/time.ts";
import { type AlertView, OCCURRENCES_A_PAGE } from "./pages-alert-parts.ts";
import { queryString } from "./pages-frame.ts";
import type { PayloadChange } from "./payload-changes.ts";
import type { Occurrence } from "./store-occurrences.ts";

const SHOWN_CHANGES = 50;

/** Returns the card with chart and table. */
export function occurrenceCard(view: AlertView): Html {
  const { alert, spans, home, occurrencePage: page, occurrenceTotal: total } = view;
  const base = `${home}/-/alerts/${alert.iid}`;
  const [first] = spans;
  const chart = first
    ? occurrenceChart(view, first)
    : html`<p class="text-2">Occurrences are kept for 90 days. Those of this alert are over.</p>`;
  // An empty table is left out.
  const list = total > 0 && occurrenceTable(view);
  return card({
    id: "occurrences",
    heading: "Occurrences",
    lead: joiningWords(alert),
    flush: html`<div class="body">${chart}</div>${list}`,
    footer: html`<span>${wholeNumber(alert.deliveries)} ${alert.deliveries === 1 ? "delivery" : "deliveries"}, ${wholeNumber(alert.events)} ${alert.events === 1 ? "occurrence" : "occurrences"}</span>${pager(
      {
        page,
        totalPages: Math.ceil(total / OCCURRENCES_A_PAGE),
        hrefFor: (number) => `${base}${queryString({ occurrences: number })}#occurrences`,
        label: "Occurrence pages",
      },
    )}`,
  });
}

function occurrenceTable({ alert, home, occurrencePage: page, occurrences, seesReceipts }: AlertView): Html {
  const base = `${home}/-/alerts/${alert.iid}`;
  if (occurrences.length === 0) return pastTheEnd("occurrences", `${base}#occurrences`);
  return table({
    caption: "Occurrence table",
    columns: [
      {
        head: "Received",
        kind: "nowrap",
        rowHeader: true,
        cell: (one: Occurrence) => timeTag(one.receivedAt, `${secondWords(one.receivedAt)} UTC`),
      },
      { head: "What", cell: (one: Occurrence) => (one.kind === "firing" ? "Firing" : "Recovery") },
      {
        head: "Hosts",
        cell: (one: Occurrence) =>
          one.hosts.length === 0
            ? "None"
            : html`${one.hosts.slice(0, 8).map((host) => html`<code class="wrap-any">${host}</code> `)}${one.hosts.length > 8 ? `and ${one.hosts.length - 8} more` : ""}`,
      },
      {
        head: "Payload",
        hiddenHead: true,
        // On a line of its own in the narrow layout: beside the time there is no room for two links.
        kind: "nowrap",
        cell: (one: Occurrence) =>
          html`<a href="${`${base}${queryString({ occurrences: page === 1 ? undefined : page, occurrence: one.id })}#payload`}">Payload<span class="sr"> received ${clockWords(one.receivedAt)}</span></a>${seesReceipts && html` · <a href="${`${home}/-/settings/operations/receipts/${one.receiptId}`}">Receipt<span class="sr"> of ${clockWords(one.receivedAt)}</span></a>`}`,
      },
    ],
    rows: occurrences,
  });
}

/** Says what will be counted on this alert instead of opening another one. */
function joiningWords({ test, grouped, fingerprintGiven }: AlertView["alert"]): string {
  if (test) return "A test alert stands alone: nothing joins it.";
  if (!grouped) return "Grouping is off, so each occurrence is an alert of its own.";
  if (fingerprintGiven === null) return "Identical alerts join this one. Only times and hosts may differ.";
  return "Alerts with the same fingerprint are counted here.";
}

function occurrenceChart({ spans, spanCount, now }: AlertView, first: { firstAt: Date; lastAt: Date }): Html {
  const { firstAt, lastAt } = first;
  const width = Math.max(1000, lastAt.getTime() - firstAt.getTime()) / spanCount;
  const at = (index: number) => new Date(firstAt.getTime() + index * width);
  const isShort = now.getTime() - firstAt.getTime() < 20 * 3_600_000;
  const words = (when: Date) =>
    `${isShort ? "" : `${shortDay(when.toISOString().slice(0, 10))}, `}${clockWords(when)} UTC`;
  const bars = Array.from({ length: spanCount }, (_, index) => ({
    label: `${secondWords(at(index))} UTC`,
    values: [spans.find((span) => span.bucket === index)?.n ?? 0],
  }));
  const total = spans.reduce((sum, span) => sum + span.n, 0);
  return barChart({
    label: `${wholeNumber(total)} ${total === 1 ? "occurrence" : "occurrences"} ${words(firstAt) === words(lastAt) ? `at ${words(firstAt)}` : `from ${words(firstAt)} to ${words(lastAt)}`}.`,
    per: "Time",
    series: [{ label: "Occurrences", tone: "acc" }],
    bars,
    axis: words(firstAt) === words(lastAt) ? [words(firstAt)] : [words(firstAt), words(lastAt)],
  });
}

/** Shows the requested payload, or the newest one; for one occurrence also the differences from the one before. */
export function payloadCard({ alert, shown }: AlertView): Html {
  return card({
    id: "payload",
    heading: shown ? "Payload of one occurrence" : "Last payload",
    lead: shown && html`Received ${timeTag(shown.at, `${secondWords(shown.at)} UTC`)}`,
    aside: copyButton("json", "payload"),
    body: html`${shown?.changes && changes(shown.changes)}${jsonBlock("json", "Payload", shown?.payload ?? alert.payload)}`,
  });
}

function changes(all: readonly PayloadChange[]): Html {
  if (all.length === 0) return html`<p class="sub">The same as in the occurrence before.</p>`;
  const text = (value: string | undefined) =>
    value === undefined ? "Nothing" : html`<code class="wrap-any">${value.slice(0, 200)}</code>`;
  const rows = table({
    caption: "Changed since the occurrence before",
    columns: [
      {
        head: "Place",
        rowHeader: true,
        cell: (one: PayloadChange) => html`<code class="wrap-any">${one.path}</code>`,
      },
      { head: "Before", cell: (one) => text(one.before) },
      { head: "Now", cell: (one) => text(one.after) },
    ],
    rows: all.slice(0, SHOWN_CHANGES),
  });
  const more = all.length > SHOWN_CHANGES && html`<p class="sub">And ${all.length - SHOWN_CHANGES} more.</p>`;
  return html`<h3>Changed since the occurrence before</h3><div class="changes mt-s">${rows}</div>${more}<h3 class="mt">All of it</h3><div class="mt-s"></div>`;
}
