/** The parts of a receipt's page: the decision, the reading with its origins, the raw body, and the replay. */
import { badge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, columns, pageHead, properties } from "../ui/card.ts";
import { csrfField, type FormToken } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { message } from "../ui/message.ts";
import { codeBlock, copyButton } from "../ui/secret.ts";
import { table } from "../ui/table.ts";
import { secondWords, timeExact, timeTag } from "../ui/time.ts";
import type { Integration } from "./integration.ts";
import { type Origin, originsOf } from "./origins.ts";
import { alertLinks, decisionBadge, receiptsHref, sizeWords } from "./pages-receipts-view.ts";
import { DECISION_WORDS, type Receipt } from "./receipt.ts";
import type { Replay } from "./replay-receipt.ts";
import type { Reading } from "./report.ts";

/** How many reports of a long batch are shown, and how many bytes of a body. */
const SHOWN_REPORTS = 10;
const SHOWN_BYTES = 64 * 1024;

export interface ReceiptView {
  home: string;
  receipt: Receipt;
  /** Undefined if the body cannot be read. */
  reading: Reading | undefined;
  integration: Integration | undefined;
  /** The body, inflated if it was compressed. */
  body: Buffer;
  csrfToken: FormToken;
  /** A dry run that was requested. */
  replay: Replay | undefined;
  /** Why a replay was refused. */
  refusal: string | undefined;
}

/** Returns the content of the page. */
export function receiptView(view: ReceiptView): Html {
  const { receipt } = view;
  const [, why] = DECISION_WORDS[receipt.decision];
  return html`${pageHead({
    heading: html`Receipt of ${timeTag(receipt.receivedAt, `${secondWords(receipt.receivedAt)} UTC`)}`,
    above: html`${decisionBadge(receipt.decision)}<span class="sub">Answered ${receipt.status}</span>`,
    lead: why,
  })}${view.refusal && message({ kind: "bad", text: view.refusal })}${dryRunResult(view)}${columns(
    [warnings(receipt), readingCard(view), rawCard(view)],
    [details(view), replayCard(view), headersCard(receipt)],
  )}`;
}

/** Returns the result of a dry run. */
function dryRunResult({ replay }: ReceiptView): Html | undefined {
  if (!replay?.decisions) return undefined;
  const words = new Map<string, number>();
  for (const decision of replay.decisions) {
    const [word] = DECISION_WORDS[decision];
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  const told = [...words].map(([word, n]) => (n === 1 ? word.toLowerCase() : `${word.toLowerCase()} × ${n}`));
  const text =
    told.length === 0
      ? "Read by the rules of today it holds no alert."
      : `Replayed now it would be: ${told.join(", ")}. Nothing was changed.`;
  return html`<div id="dry-run">${message({ kind: "ok", text })}</div>`;
}

function warnings({ warnings: all }: Receipt): Html | false {
  if (all.length === 0) return false;
  return card({
    id: "warnings",
    heading: all.length === 1 ? "One warning" : `${all.length} warnings`,
    body: html`<ul class="plain-list wrap-any">${all.map((text) => html`<li>${text}</li>`)}</ul>`,
  });
}

function readingCard({ reading, receipt, replay }: ReceiptView): Html {
  const read = replay?.reading ?? reading;
  if (!read) {
    const text = "This request can’t be read as an alert. The response told the sender why.";
    return card({ id: "reading", heading: "Reading", body: html`<p class="text-2">${text}</p>` });
  }
  const shown = read.reports.slice(0, SHOWN_REPORTS);
  const more = read.reports.length - shown.length;
  return card({
    id: "reading",
    heading: "Reading",
    lead: `Read as ${shapeWords(read)} by the current rules, field by field.`,
    flush: html`${shown.map((report, index) => {
      const several = shown.length > 1 ? `Alert ${index + 1} of ${read.reports.length}, ` : "";
      const caption = `${several}${several ? "a" : "A"} ${report.action}`;
      return originTable(originsOf(report, read.shape, receipt), caption);
    })}${read.reports.length === 0 && html`<div class="body"><p class="text-2">It holds no alert.</p></div>`}`,
    footer:
      more > 0
        ? html`<span>And ${more} more ${more === 1 ? "alert" : "alerts"} in this request.</span>`
        : undefined,
  });
}

/** Returns the recognised kind of message, or the name of the known tool. */
function shapeWords({ shape, reports }: Reading): string {
  const tools = new Set(reports.map((report) => report.readAs));
  const [tool] = tools;
  return tool !== undefined && tools.size === 1 ? `a webhook of ${tool}` : SHAPE_WORDS[shape];
}

const SHAPE_WORDS: Readonly<Record<Reading["shape"], string>> = {
  generic: "a generic payload",
  alertmanager: "a group of Alertmanager",
  grafana: "a group of Grafana",
  prometheus: "alerts of Prometheus",
  pagerduty: "an event for PagerDuty",
  opsgenie: "an alert for Opsgenie",
  cloudevents: "a CloudEvent",
  sns: "a notification of Amazon SNS",
  sentry: "a webhook of Sentry",
  datadog: "a webhook of Datadog",
};

/** Returns a table of one report's fields with their values and paths; empty fields share a line. */
export function originTable(origins: readonly Origin[], caption: string): Html {
  const filled = origins.filter((one) => one.value !== null);
  const empty = origins.filter((one) => one.value === null);
  const rows = table({
    caption,
    columns: [
      { head: "Field", rowHeader: true, cell: (one: Origin) => html`<code>${one.field}</code>` },
      { head: "Value", cell: (one) => html`<span class="wrap-any">${one.value?.slice(0, 500)}</span>` },
      {
        head: "From",
        cell: (one) =>
          one.from === undefined
            ? html`<span class="text-2">${one.field === "title" || one.field === "severity" ? "Ours, by default or by its words" : "Derived"}</span>`
            : html`<code class="path">${pathWords(one.from)}</code>`,
      },
    ],
    rows: filled,
  });
  const rest = html`${empty.map((one, index) => html`${index > 0 && ", "}<code>${one.field}</code>`)}`;
  return html`<div class="body tight"><h3>${caption}</h3></div>${rows}${empty.length > 0 && html`<div class="body tight"><p class="sub">Empty: ${rest}</p></div>`}`;
}

/** Renders a path that may wrap after its dots. */
function pathWords(path: string): Html {
  return html`${path.split(".").map((word, index) => html`${index > 0 && html`.<wbr>`}${word}`)}`;
}

function rawCard({ home, receipt, body }: ReceiptView): Html {
  const isCut = body.length > SHOWN_BYTES;
  const text = readable(body.subarray(0, SHOWN_BYTES));
  const packed = receipt.headers["content-encoding"] ? ", sent compressed" : "";
  return card({
    id: "raw",
    heading: "What came",
    lead: `${sizeWords(body.length)}${packed}. ${isCut ? `The first ${sizeWords(SHOWN_BYTES)} are shown.` : "Shown as it was sent."}`,
    aside: html`<span class="btn-row">${linkButton("Download", `${receiptsHref(home)}/${receipt.id}/raw`)}${copyButton("bytes", "body")}</span>`,
    body:
      body.length === 0 ? html`<p class="text-2">The body was empty.</p>` : codeBlock("bytes", "Body", text),
  });
}

/** Decodes bytes as text without invisible characters: control and format characters are shown as escapes. */
function readable(bytes: Uint8Array): string {
  return new TextDecoder()
    .decode(bytes)
    .replace(
      /(?!\t|\n|\r\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu,
      (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`,
    );
}

function details({ home, receipt, integration }: ReceiptView): Html {
  return card({
    id: "details",
    heading: "Details",
    body: properties([
      ["Decision", decisionBadge(receipt.decision)],
      ["Alerts", alertLinks(home, receipt.alertIids)],
      [
        "Integration",
        integration
          ? html`<a class="wrap-any" href="${`${home}/-/settings/operations/integrations/${integration.id}`}">${integration.name}</a>`
          : "Removed since",
      ],
      ["Received", timeExact(receipt.receivedAt)],
      ["Key", receipt.keyHint === "" ? "None" : html`<code>${receipt.keyHint}</code>`],
      ["Size", sizeWords(receipt.raw.length)],
      ["Receipt", html`<code class="wrap-any">${receipt.id}</code>`],
    ]),
  });
}

function replayCard({ home, receipt, csrfToken, integration }: ReceiptView): Html | false {
  if (csrfToken === undefined || !integration || receipt.decision === "test") return false;
  return card({
    id: "replay",
    heading: "Replay",
    lead: "Reads this request again by the current rules.",
    body: html`<form class="form" method="post" action="${receiptsHref(home)}/${receipt.id}">${csrfField(csrfToken)}<div class="btn-row">${submitButton("Try without effect", { name: "action", value: "dry" })}${submitButton("Replay for real", { icon: "refresh", name: "action", value: "replay" })}</div><p class="hint">A replay is a request of its own: it counts, opens or resolves alerts, and leaves a receipt.</p></form>`,
  });
}

function headersCard({ headers }: Receipt): Html {
  const shown = Object.entries(headers).map(
    ([name, value]) => [name, html`<code class="wrap-any">${value}</code>`] as const,
  );
  return card({
    id: "headers",
    heading: "Headers",
    lead: "Only those that help to understand the request. Keys and signatures are never kept.",
    body: shown.length > 0 ? properties(shown) : html`<p>${badge("None kept", "line")}</p>`,
  });
}
