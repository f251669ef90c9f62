/** The values of a form that was sent and not acted on yet, as a list that can be opened. */
import { entryOf } from "../platform/entry-of.ts";
import { SHOWN_FIELD } from "../platform/form-shown.ts";
import type { SentForm } from "../platform/sent-form.ts";
import { attrs, type Html, html } from "./html.ts";

/** Values with more characters in all are collapsed. */
const SHOWN = 3000;

/** Lists where a form goes and what was typed into it; `open`: it can be read at once, unless it is long. */
export function sentValues({ action, fields }: SentForm, open: boolean): Html {
  const typed = fields.filter(([name, value]) => value !== "" && name !== SHOWN_FIELD);
  const isOpen = open && typed.join("").length <= SHOWN;
  return html`<details class="more mt"${attrs({ open: isOpen })}><summary>What is sent</summary><dl class="props mt-s"><div><dt>To</dt><dd><code class="wrap-any">${action}</code></dd></div>
${typed.map(([name, value]) => html`<div><dt class="wrap-any">${labelOf(name)}</dt><dd class="wrap-any">${value}</dd></div>`)}</dl></details>`;
}

/** Labels of fields whose names are unclear. */
const LABELS: Readonly<Record<string, string>> = {
  access_level: "Role",
  backchannel_logout_session_required: "Always include the session (sid)",
  backchannel_logout_uri: "Back-channel logout URI",
  dpop_bound_access_tokens: "Require DPoP-bound tokens",
  ends_at: "Ends",
  expires_at: "Ends",
  external_url: "Address",
  grant_types: "Flows",
  id_token_signed_response_alg: "ID token signing algorithm",
  "iids[]": "Alerts",
  interval_seconds: "Pings every, in seconds",
  omit_iss: "Leave the issuer out of redirects",
  post_logout_redirect_uris: "Post-logout redirect URIs",
  redirect_uri: "Redirect URIs",
  require_pushed_authorization_requests: "Require pushed authorization requests",
  resolve_after_hours: "Resolve an alert after, in hours",
  starts_at: "Begins",
  storm_seconds: "Collapse messages within, in seconds",
  storm_threshold: "Collapse messages from",
  url: "Address",
  user_ids: "People",
  zone: "Time zone",
};

/** The label of a field, else its name in words: "Default branch", "API URL", "Grace, in seconds". */
function labelOf(name: string): string {
  const words = name
    .replace("[]", "")
    .replace(/_(seconds|hours|days)$/, ", in $1")
    .replaceAll("_", " ")
    .replace(/\b(api|id|ids|uri|url)\b/g, (word) => word.toUpperCase().replace("S", "s"));
  return entryOf(LABELS, name) ?? words.charAt(0).toUpperCase() + words.slice(1);
}
