/** The confirmation page before an application signs a person out, and the page afterwards. */
import { classOf, linkButton, submitButton } from "../ui/button.ts";
import { face } from "../ui/face.ts";
import { csrfField, hiddenField } from "../ui/form.ts";
import { type Html, html, redirectHref } from "../ui/html.ts";
import { type Frame, gatePage } from "../ui/layout.ts";
import { message } from "../ui/message.ts";
import { named } from "../ui/named.ts";
import { shownName } from "./application.ts";
import type { LogoutRequest } from "./check-logout.ts";
import { originOf } from "./redirect-uri.ts";

/** The data of the confirmation page. */
export interface SignOut {
  asked: LogoutRequest;
  viewer: { username: string; name: string };
  csrfToken: string;
  /** The form fields with the request, which is checked again. */
  fields: Readonly<Record<string, string>>;
}

/** Says who asks, who is signed in, and where the person goes afterwards. */
export function signOutPage(
  frame: Omit<Frame, "title">,
  { asked, viewer, csrfToken, fields }: SignOut,
): Html {
  const { application, wayBack } = asked;
  const who = application && html`<strong>${shownName(application.name)}</strong>`;
  return gatePage({
    ...frame,
    title: "Sign out",
    heading: "Sign out?",
    lead: who
      ? html`${who} wants to sign you out of Gatehouse in this browser.`
      : "This signs you out of Gatehouse in this browser.",
    body: html`${faultMessage(asked)}<div class="row mt signed-as">${named(face(viewer.name, 2), html`<strong>${viewer.name}</strong>`, `@${viewer.username}`)}</div>
<form class="mt" action="/oauth/logout" method="post">${csrfField(csrfToken)}${Object.entries(fields).map(([name, value]) => hiddenField(name, value))}
<div class="two-btn">${linkButton("Stay signed in", "/", { size: "lg" })}${submitButton("Sign out", { tone: "primary", size: "lg" })}</div>
${wayBack !== undefined && html`<p class="hint center mt-s">Then you go back to <strong class="wrap-any">${originOf(wayBack)}</strong></p>`}
</form>`,
    below: html`Applications keep the access you gave them. <a href="/profile/applications">See which</a>`,
  });
}

/** Says that nobody is signed in any more, with a link back to the application. */
export function signedOutPage(frame: Omit<Frame, "title">, asked: LogoutRequest): Html {
  const { wayBack } = asked;
  const signIn = linkButton("Sign in", "/users/sign_in", {
    tone: wayBack === undefined ? "primary" : undefined,
  });
  const onward =
    wayBack !== undefined &&
    html`<p class="mt"><a class="${classOf({ tone: "primary", size: "lg block" })}" href="${redirectHref(wayBack)}">Continue</a></p>
<p class="hint center mt-s">Continue leads to <strong class="wrap-any">${originOf(wayBack)}</strong></p>`;
  return gatePage({
    ...frame,
    title: "Signed out",
    heading: "You are signed out",
    lead: "Nobody is signed in to Gatehouse in this browser.",
    body: html`${faultMessage(asked)}${onward}<div class="btn-row mt">${signIn}${linkButton("Go to the start page", "/")}</div>`,
  });
}

/** Says why the person will not be sent back. */
function faultMessage({ application, fault }: LogoutRequest): Html | undefined {
  if (!fault) return undefined;
  const name = application ? shownName(application.name) : "whoever sent you here";
  return html`<div class="mt">${message({
    kind: "warn",
    text: html`You can’t be sent back to ${name}. ${fault.words}`,
  })}</div>`;
}
