/** Badges: severity, status, and other marks. */
import { type Html, html } from "./html.ts";
import { type Severity, severityShape } from "./icon.ts";

/** Tones other than severities; red, orange and amber are reserved for severity. */
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

/** A status as a dot and its word; red, orange and amber are reserved for severity. */
export function statusBadge(words: string, tone: BadgeTone | Severity): Html {
  return html`<span class="badge dot${tone === "plain" ? "" : ` ${tone}`}">${words}</span>`;
}

/** Marks a scope or setting that grants full access. */
export function fullAccessBadge(): Html {
  return html`<span class="badge high">Full access</span>`;
}

/** A branch, scope or other literal in code type on the accent colour. */
export function ref(words: string): Html {
  return html`<code class="ref">${words}</code>`;
}

/** Several refs in a row. */
export function refs(all: readonly string[]): Html {
  return html`<span class="row">${all.map(ref)}</span>`;
}
