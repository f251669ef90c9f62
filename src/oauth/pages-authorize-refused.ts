/** The page that tells an application's owner which redirect URI was sent and which are registered. */
import { linkButton } from "../ui/button.ts";
import { properties } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { type Frame, gatePage } from "../ui/layout.ts";
import { type Application, shownName } from "./application.ts";
import type { AuthorizationError } from "./authorization-error.ts";
import { nearestTo } from "./redirect-difference.ts";

/** What the page is painted from; `owns` offers the form of the application. */
export interface Refused {
  application: Application;
  sent: string;
  owns: boolean;
  requestId: string;
}

/** Addresses as text, never as links: the one that was sent is a stranger's. */
export function redirectRefusedPage(frame: Omit<Frame, "title">, refused: Refused): Html {
  const { application, sent, owns, requestId } = refused;
  const nearest = nearestTo(sent, application.redirectUris);
  const registered = application.redirectUris.map((uri) => html`<code class="wrap-any">${uri}</code><br>`);
  return gatePage({
    ...frame,
    title: "The redirect URI is not registered",
    failed: true,
    heading: "The redirect URI is not registered",
    lead: html`You see this because ${owns ? "you own" : "you administer this Gatehouse and may look after"} <strong>${shownName(application.name)}</strong>. Other people are told only that the address is wrong.`,
    body: html`<div class="mt">${properties([
      [
        "Sent",
        sent === ""
          ? "Nothing: redirect_uri is missing"
          : html`<code class="wrap-any">${sent.slice(0, 2048)}</code>`,
      ],
      ["Registered", registered.length > 0 ? html`${registered}` : "None"],
      [
        "What differs",
        nearest && html`${nearest.difference}, from <code class="wrap-any">${nearest.uri}</code>`,
      ],
      ["Application ID", html`<code class="wrap-any">${application.uid}</code>`],
      ["Request", html`<code class="wrap-any">${requestId}</code>`],
    ])}</div>
<p class="mt">Both must be equal character by character: scheme, host, port, path, a slash at the end. Only on a loopback IP the port may differ.</p>
<div class="btn-row mt">${owns && linkButton("Edit the application", `/profile/applications/${application.id}/edit`, { tone: "primary" })}${linkButton("Go to the start page", "/")}</div>`,
  });
}

/** What a person reads where an application has no page of its own that could be told (reference oauth A2). */
export function outOfBandRefusedPage(frame: Omit<Frame, "title">, refused: AuthorizationError): Html {
  const name = shownName(refused.application.name);
  const denied = refused.code === "access_denied";
  return gatePage({
    ...frame,
    title: denied ? "Nothing was given" : "The application asked for something it cannot have",
    failed: !denied,
    heading: denied ? "Nothing was given" : "That did not work",
    lead: denied
      ? html`<strong>${name}</strong> may not use your account. You can close this page.`
      : html`<strong>${name}</strong> asked for something it cannot have. Tell whoever made it:`,
    body: denied
      ? html`<div class="btn-row mt">${linkButton("Go to the start page", "/")}</div>`
      : html`<div class="mt">${properties([
          ["Error", html`<code>${refused.code}</code>`],
          ["Reason", refused.message],
        ])}</div>`,
  });
}
