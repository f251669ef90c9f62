/** The drawings of pages: icons from the sprite, the logo, the arches, and the shapes of severities. */
import { assetPath } from "./assets.ts";
import { type Html, html, raw } from "./html.ts";

/** The icons of the sprite. */
export type IconName =
  | ("activity" | "apps" | "auto" | "bad" | "ban" | "bell" | "book" | "check" | "comment" | "commit" | "copy")
  | (
      | "dots"
      | "eye"
      | "flag"
      | "home"
      | "issue"
      | "join"
      | "key"
      | "left"
      | "link"
      | "lock"
      | "menu"
      | "merge"
    )
  | (
      | "moon"
      | "out"
      | "passkey"
      | "pencil"
      | "phone"
      | "plus"
      | "refresh"
      | "right"
      | "search"
      | "send"
      | "server"
    )
  | ("shieldok" | "siren" | "sliders" | "sortdown" | "sun" | "trash" | "user" | "users" | "warn" | "x");

const sprite = assetPath("icons.svg");

/** An icon, hidden from assistive technology: the text beside it, or the control's label, must have its meaning. */
export function icon(name: IconName, pixels = 18): Html {
  return html`<svg width="${pixels}" height="${pixels}" aria-hidden="true"><use href="${sprite}#i-${name}"/></svg>`;
}

/** An icon with additional attributes, such as the three of the theme button. */
export function iconWith(name: IconName, pixels: number, extra: Html): Html {
  return html`<svg width="${pixels}" height="${pixels}" aria-hidden="true"${extra}><use href="${sprite}#i-${name}"/></svg>`;
}

/** The Gatehouse logo. */
export function mark(pixels: number): Html {
  return html`<svg width="${pixels}" height="${pixels}" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><path d="M3 21.5V7.2L2 6.3V3h3.6v1.8h2.6V3h3v1.8h1.6V3h3v1.8h2.6V3H22v3.3l-1 .9v14.3h-5V15a4 4 0 0 0-8 0v6.5z"/><path d="M9.6 21.5V15a2.4 2.4 0 0 1 4.8 0v6.5h-1.5V15.6h-1.8v5.9z" opacity=".55"/></svg>`;
}

/** The rings of arches behind sign-in, consent and errors. */
export const arches: Html = raw(
  '<svg class="arches" viewBox="0 0 2000 1000" preserveAspectRatio="xMidYMid slice" fill="none" stroke="currentColor" stroke-width="1.2" aria-hidden="true"><path d="M750 1400V520a250 250 0 0 1 500 0v880" opacity="0.300"/><path d="M660 1400V520a340 340 0 0 1 680 0v880" opacity="0.255"/><path d="M560 1400V520a440 440 0 0 1 880 0v880" opacity="0.210"/><path d="M450 1400V520a550 550 0 0 1 1100 0v880" opacity="0.165"/><path d="M330 1400V520a670 670 0 0 1 1340 0v880" opacity="0.120"/><path d="M200 1400V520a800 800 0 0 1 1600 0v880" opacity="0.075"/></svg>',
);

/** The small arches above an empty state. */
export const emptyArt: Html = raw(
  '<svg class="art" width="72" height="64" viewBox="0 0 72 64" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true"><path d="M8 64V32a28 28 0 0 1 56 0v32" opacity=".25"/><path d="M17 64V32a19 19 0 0 1 38 0v32" opacity=".5"/><path d="M26 64V32a10 10 0 0 1 20 0v32"/><path d="M2 63.25h68" opacity=".4"/></svg>',
);

/** The six severities that have a shape, most severe first. */
export type Severity = "critical" | "high" | "medium" | "low" | "info" | "unknown";

const shapes: Record<Severity, Html> = {
  critical: raw('<path d="M6 .7 11.3 6 6 11.3.7 6z"/>'),
  high: raw('<path d="M6 1.1 11.5 10.7H.5z"/>'),
  medium: raw('<rect x="1.6" y="1.6" width="8.8" height="8.8" rx="1.4"/>'),
  low: raw('<circle cx="6" cy="6" r="4.6"/>'),
  info: raw('<circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" stroke-width="1.8"/>'),
  unknown: raw(
    '<circle cx="6" cy="6" r="4.2" fill="none" stroke="currentColor" stroke-width="1.8" stroke-dasharray="2.2 2"/>',
  ),
};

/** The shape of a severity: diamond, triangle, square, disc, ring, dashed ring. */
export function severityShape(severity: Severity): Html {
  return html`<svg width="10" height="10" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true">${shapes[severity]}</svg>`;
}
