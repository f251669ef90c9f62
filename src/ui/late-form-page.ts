/** The page for an expired form: nothing was done, and the typed values can be sent again. */
import { entryOf } from "../platform/entry-of.ts";
import { SHOWN_FIELD } from "../platform/form-shown.ts";
import { linkButton, submitButton } from "./button.ts";
import { csrfField, hiddenField } from "./form.ts";
import { attrs, type Html, html } from "./html.ts";
import { gatePage } from "./layout.ts";
import type { Theme } from "./navigation.ts";

/** The form, and the person who sends it now. */
export type LateFormPage = {
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
  csrfToken: string;
  viewer: { name: string; username: string } | undefined;
  theme: Theme;
};

/** Values with more characters in all are collapsed. */
const SHOWN = 3000;

/** Shows the typed values, and offers to send them with a current token (reference ux §7, 403). */
export function lateFormPage({ action, fields, csrfToken, viewer, theme }: LateFormPage): Html {
  const heading = "This form was open for too long";
  const who = viewer
    ? html`You are signed in as <strong class="wrap-any">${viewer.name}</strong> (@${viewer.username}).`
    : "You are not signed in. If you were, sign in by another tab first.";
  const typed = fields.filter(([name, value]) => value !== "" && name !== SHOWN_FIELD);
  const open = typed.join("").length <= SHOWN;
  return gatePage({
    title: heading,
    heading,
    theme,
    failed: true,
    lead: "Nothing has been changed yet. What you typed is kept: check it and send it again.",
    body: html`<p class="mt">${who}</p>
<details class="more mt"${attrs({ open })}><summary>What is sent</summary><dl class="props mt-s"><div><dt>To</dt><dd><code class="wrap-any">${action}</code></dd></div>
${typed.map(([name, value]) => html`<div><dt class="wrap-any">${labelOf(name)}</dt><dd class="wrap-any">${value}</dd></div>`)}</dl></details>
<form class="mt" method="post" action="${action}">${csrfField(csrfToken)}${fields.map(([name, value]) => hiddenField(name, value))}
<div class="btn-row">${submitButton("Send it again", { tone: "primary" })}${linkButton("Leave it", "/")}${!viewer && html`<a class="btn" href="/users/sign_in" target="_blank">Sign in</a>`}</div></form>`,
  });
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
