/** Small words with a colour: severity, status, and what marks a thing as special. */
import { type Html, html } from "./html.ts";
import { type Severity, severityShape } from "./icon.ts";

/** Tones that are not severities; red, orange and amber belong to severity alone. */
export type BadgeTone = "ok" | "accent" | "brass" | "line" | "plain";

const severityWords: Record<Severity, string> = {
  critical: "Critical",
  high: "High",
  medium: "Medium",
  low: "Low",
  info: "Info",
  unknown: "Unknown",
};

/** A short word in a rounded field. */
export function badge(words: string, tone: BadgeTone = "plain"): Html {
  return html`<span class="badge${tone === "plain" ? "" : ` ${tone}`}">${words}</span>`;
}

/** A severity as shape, word and colour (WCAG 1.4.1). */
export function severityBadge(severity: Severity): Html {
  return html`<span class="badge ${severity}">${severityShape(severity)}${severityWords[severity]}</span>`;
}

/** A status as a dot and its word; red, orange and amber stay with severity. */
export function statusBadge(words: string, tone: BadgeTone | Severity): Html {
  return html`<span class="badge dot${tone === "plain" ? "" : ` ${tone}`}">${words}</span>`;
}

/** Marks a scope or setting that gives everything away. */
export function fullAccessBadge(): Html {
  return html`<span class="badge high">Full access</span>`;
}

/** A branch, scope or other exact word in code type on the accent colour. */
export function ref(words: string): Html {
  return html`<code class="ref">${words}</code>`;
}

/** Several refs in a row. */
export function refs(all: readonly string[]): Html {
  return html`<span class="row">${all.map(ref)}</span>`;
}
