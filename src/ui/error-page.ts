/** The page for a request that was refused or failed; it needs neither database nor session. */
import { linkButton } from "./button.ts";
import { type Html, html } from "./html.ts";
import { gatePage } from "./layout.ts";
import { SIGN_IN_FROM_HERE, type Theme } from "./navigation.ts";
import { copyButton } from "./secret.ts";

/** The content of an error page. */
export type Refusal = {
  status: number;
  /** For the operator's log; shown so that people can quote it. */
  requestId: string;
  /** The refusal's public message, if it says more than the status. */
  message?: string | undefined;
  /** What to do, if the refusal is more specific than its status. */
  next?: string | undefined;
  theme?: Theme | undefined;
  /** Somebody who is signed in is not asked to sign in. */
  signedIn?: boolean | undefined;
  /** The project or group to which the link leads; by default the start page. */
  overviewHref?: string | undefined;
};

type Words = { heading: string; what: string; next: string };

const words: Record<number, Words> = {
  400: {
    heading: "This request can’t be read",
    what: "Something in the address or the form is missing or malformed.",
    next: "Go back and try again. If a link brought you here, tell whoever made it.",
  },
  401: {
    heading: "Sign in first",
    what: "This page is for people who are signed in.",
    next: "Sign in and open it again.",
  },
  403: {
    heading: "You can’t do this",
    what: "Your account does not have the permission.",
    next: "Ask an owner for access.",
  },
  404: {
    heading: "Page not found",
    what: "This page does not exist, or you don’t have access to it.",
    next: "Check the address, or sign in with the account that has access.",
  },
  405: {
    heading: "This address can’t be used that way",
    what: "The address exists, but not for this kind of request.",
    next: "Go back and use the links and buttons of the page.",
  },
  409: {
    heading: "Somebody else changed this first",
    what: "What you tried to change is no longer as you saw it.",
    next: "Go back, reload the page and look at it again before you repeat the change.",
  },
  413: {
    heading: "This is too large",
    what: "What you sent is larger than Gatehouse accepts.",
    next: "Go back and send less.",
  },
  429: {
    heading: "Too many requests",
    what: "You have sent more requests than the limit allows.",
    next: "Wait a minute, then try again.",
  },
  500: {
    heading: "Something went wrong",
    what: "The request failed. What you sent may not have been saved.",
    next: "Try again in a moment. If it keeps failing, give the request number to your administrator.",
  },
  503: {
    heading: "Gatehouse is busy or starting",
    what: "It can’t answer right now.",
    next: "Try again in a moment.",
  },
};

const ASK = "Check the address, or ask whoever gave it to you for access.";

/** A whole page that says what happened, what to do next, and the request id, with a way back. */
export function errorPage(refusal: Refusal): Html {
  const { heading, what, next } = words[refusal.status] ?? fallback(refusal.status);
  const way = refusal.overviewHref
    ? linkButton("Go to the overview", refusal.overviewHref, { tone: "primary" })
    : linkButton("Go to the start page", "/", { tone: "primary" });
  return gatePage({
    title: heading,
    theme: refusal.theme,
    heading,
    lead: refusal.message ?? what,
    body: html`<p class="mt">${refusal.next ?? (refusal.status === 404 && refusal.signedIn ? ASK : next)}</p>
<dl class="props mt"><div><dt>Status</dt><dd>${refusal.status}</dd></div><div><dt>Request</dt><dd class="row"><code class="wrap-any" id="request">${refusal.requestId}</code>${copyButton("request", "Request number")}</dd></div></dl>
<div class="btn-row mt">${way}${(refusal.status === 404 || refusal.status === 401) && !refusal.signedIn && linkButton("Sign in", SIGN_IN_FROM_HERE)}</div>`,
  });
}

function fallback(status: number): Words {
  const kind = words[status >= 500 ? 500 : 400];
  return (
    kind ?? { heading: "This did not work", what: "The request failed.", next: "Go back and try again." }
  );
}
