/** The pages for refusals that are not simply redirected to the application. */
import { classOf, linkButton } from "../ui/button.ts";
import { properties } from "../ui/card.ts";
import { type Html, html, redirectHref } from "../ui/html.ts";
import { type Frame, gatePage } from "../ui/layout.ts";
import { message } from "../ui/message.ts";
import { type Application, shownName } from "./application.ts";
import type { AuthorizationError } from "./authorization-error.ts";
import { formPost } from "./pages-consent.ts";
import { nearestTo } from "./redirect-difference.ts";
import { originOf } from "./redirect-uri.ts";

/** The data of the page; `owns` offers the form of the application. */
export interface Refused {
  application: Application;
  sent: string;
  owns: boolean;
  requestId: string;
}

/** Shows addresses as text, never as links: the one that was sent may be an attacker's. */
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

/**
 * The page for the person if the redirect URI is out-of-band, so that the application cannot get the refusal
 * (reference oauth A2).
 */
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
      : reasonOf(refused),
  });
}

function reasonOf({ code, message }: AuthorizationError): Html {
  return html`<div class="mt">${properties([
    ["Error", html`<code>${code}</code>`],
    ["Reason", message],
  ])}</div>`;
}

/**
 * The page for a refused application that registered itself, before the person has answered: a link to this server must not be an
 * open redirect (RFC 9700 §4.11.2; decision 0196). Its name cannot be trusted, so that only its address is shown.
 */
export function strangerRefusedPage(frame: Omit<Frame, "title">, refused: AuthorizationError): Html {
  const { location, mode } = refused;
  const words = "Go on to that site";
  const link = html`<p class="mt"><a class="${classOf({ tone: "primary", size: "lg block" })}" href="${redirectHref(location)}">${words}</a></p>`;
  return gatePage({
    ...frame,
    title: "The application asked for something it cannot have",
    failed: true,
    heading: "That did not work",
    lead: html`An application of <strong class="wrap-any">${originOf(location)}</strong>, which nobody at this Gatehouse knows, sent you here.`,
    body: html`${reasonOf(refused)}
<div class="mt">${message({ kind: "warn", text: "Go on only if you know that site, and have just come from there." })}</div>
${mode === "form_post" ? formPost(location, words, { byItself: false }) : link}
<div class="btn-row mt">${linkButton("Go to the start page", "/")}</div>`,
  });
}
