/** Previews reading rules on the sample and on past receipts. */
import { severityBadge } from "../ui/badge.ts";
import { card, stack } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { message } from "../ui/message.ts";
import { table } from "../ui/table.ts";
import { originsOf } from "./origins.ts";
import { receiptsHref } from "./pages-receipts-view.ts";
import type { ReadingRules } from "./reading-rules.ts";
import type { Reading } from "./report.ts";
import type { Trial, TrialGroup } from "./try-rules.ts";

/** The reading of the sample, or why there is none. */
export interface SamplePreview {
  reading?: Reading;
  /** It is not JSON. */
  fault?: string;
  /** It would be refused. */
  refusal?: string;
}

const SHOWN_GROUPS = 15;

export interface Preview {
  home: string;
  sample: SamplePreview;
  trial: Trial;
  rules: ReadingRules;
  /** Whether a sample can be typed in. */
  offersForm: boolean;
}

/** Returns the cards beside the form. */
export function previewCards(preview: Preview): Html {
  return stack([preview.offersForm && sampleCard(preview), trialCard(preview)]);
}

function sampleCard({ sample, rules }: Preview): Html {
  const report = sample.reading?.reports[0];
  const head = { id: "sample", heading: "The sample" };
  if (sample.reading && report) {
    const { shape, warnings } = sample.reading;
    const rows = originsOf(report, shape, rules).filter((one) => one.value !== null);
    return card({
      ...head,
      lead:
        report.action === "recovery" ? "It would resolve an alert." : "It would open an alert or be counted.",
      body: html`<dl class="props reads">${rows.map((one) => html`<div><dt>${one.field.replace("platform_", "").replace("_name", "").replaceAll("_", " ")}</dt><dd class="wrap-any">${one.value?.slice(0, 200)}<br><span class="sub">${one.from === undefined ? "not in the payload" : html`from <code>${one.from}</code>`}</span></dd></div>`)}</dl>${warnings.length > 0 && html`<ul class="sub mt">${warnings.slice(0, 10).map((text) => html`<li>${text}</li>`)}</ul>`}`,
    });
  }
  if (sample.fault !== undefined) {
    return card({ ...head, body: message({ kind: "warn", text: sample.fault }) });
  }
  const text =
    sample.refusal === undefined
      ? "Put a payload of your tool into the form to see how it is read."
      : `It would be refused: ${sample.refusal}`;
  return card({ ...head, body: html`<p class="text-2">${text}</p>` });
}

function trialCard({ home, trial }: Preview): Html {
  const { receipts, groups, today, refused } = trial;
  const head = { id: "trial", heading: "Recent requests" };
  if (receipts === 0) {
    const text = "This integration has not received anything yet, so there is nothing to try the rules on.";
    return card({ ...head, body: html`<p class="text-2">${text}</p>` });
  }
  const merged = groups.filter((group) => group.today > 1).length;
  const alerts = (n: number) => `${n} ${n === 1 ? "alert" : "alerts"}`;
  const words = `${receipts === 1 ? "The newest request" : `The newest ${receipts} requests`}: ${alerts(today)} as they are read today, ${alerts(groups.length)} by these rules.`;
  return card({
    ...head,
    lead:
      merged === 0
        ? words
        : `${words} ${merged === 1 ? "One of them merges" : `${merged} of them merge`} what is apart today.`,
    flush: table({
      caption: "Alerts by these rules",
      columns: [
        {
          head: "Alert",
          rowHeader: true,
          cell: (group: TrialGroup) =>
            html`<a class="title wrap-any" href="${receiptsHref(home)}/${group.receiptId}">${group.title}</a><br>${severityBadge(group.severity)}${group.fingerprint && html` <code class="sub wrap-any">${group.fingerprint.slice(0, 80)}</code>`}`,
        },
        { head: "Requests", kind: "num", cell: (group) => group.reports },
        {
          head: "Alerts today",
          kind: "num",
          cell: (group) => (group.today > 1 ? html`<strong>${group.today}</strong>` : group.today),
        },
      ],
      rows: groups.slice(0, SHOWN_GROUPS),
    }),
    footer:
      groups.length > SHOWN_GROUPS || refused.length > 0
        ? html`<span>${groups.length > SHOWN_GROUPS && `And ${groups.length - SHOWN_GROUPS} more. `}${refused.length > 0 && `${refused.length} would be refused: ${refused[0]?.error}`}</span>`
        : undefined,
  });
}
