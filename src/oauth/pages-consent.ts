/** The consent page, and the page from which a browser goes on to the application. */
import { covers, isScope, SCOPE_WORDS } from "../accounts/scope.ts";
import { badge, fullAccessBadge, ref } from "../ui/badge.ts";
import { classOf, submitButton } from "../ui/button.ts";
import { properties } from "../ui/card.ts";
import { face, tile } from "../ui/face.ts";
import { csrfField, hiddenField } from "../ui/form.ts";
import { attrs, type Html, html, redirectHref } from "../ui/html.ts";
import { type IconName, icon, mark } from "../ui/icon.ts";
import { type Frame, gatePage } from "../ui/layout.ts";
import { message } from "../ui/message.ts";
import { named } from "../ui/named.ts";
import { shownName } from "./application.ts";
import type { AuthorizationRequest } from "./check-authorization.ts";
import { optionalScopes } from "./consent.ts";
import type { Lifetimes } from "./lifetimes.ts";
import { groupOf, type Owner } from "./owner.ts";
import { accessLifetime } from "./pages-application-lifetimes.ts";
import { isOnOwnMachine, isOutOfBand, isPlainHttp, originOf } from "./redirect-uri.ts";
import { boxOf, CHOSEN } from "./wire-consent.ts";

/** The data of the consent page. */
export interface Consent {
  asked: AuthorizationRequest;
  /** The scopes that the person has allowed the application so far; undefined: none. */
  allowed: readonly string[] | undefined;
  /** The lifetimes of its tokens. */
  lifetimes: Lifetimes;
  owner: Owner;
  viewer: { username: string; name: string; isAdmin: boolean };
  /** The id of the stored request; the form sends nothing else about it. */
  requestId: string;
  /** Whether the page offers to switch accounts. */
  maySwitch: boolean;
  /** The `request_uri` of the pushed request, to return to it. */
  requestUri?: string | undefined;
  /** Whether the form was sent before with nothing ticked. */
  tickedNothing?: boolean;
  /** Whether the settings keep the scope `api` of this administrator from the application, and whether it was allowed nevertheless. */
  spared?: "told" | "refused" | false;
  csrfToken: string;
  frame: Omit<Frame, "title">;
}

/** The id of the form to which the check boxes before it belong. */
export const QUESTION = "question";

/** Says who asks, for whose account, for what, and where the person goes afterwards; with both buttons in one form. */
export function consentPage(consent: Consent): Html {
  const { asked, allowed, lifetimes, owner, viewer, requestId, maySwitch, tickedNothing, csrfToken, frame } =
    consent;
  const { requestUri, spared } = consent;
  const { application, redirect, scopes } = asked;
  const prompt = asked.prompts.join(" ");
  const origin = originOf(redirect.uri);
  const name = shownName(application.name);
  return gatePage({
    ...frame,
    title: `Authorize ${name}`,
    centred: true,
    failed: tickedNothing === true || spared === "refused",
    above: html`<div class="handshake" aria-hidden="true">${tile(name, 4)}<span class="link">${icon("lock", 16)}</span><span class="tile h1 z4">${mark(26)}</span></div>`,
    heading: `${name} wants to use your account`,
    lead: ownerLead(asked, owner),
    body: html`<div class="row spread mt signed-as">${named(face(viewer.name, 2), html`<strong>${viewer.name}</strong>`, `@${viewer.username}`)}${maySwitch && notYouButton()}</div>
${strangerWarning(asked, origin)}
<h2 class="mt" id="can">It will be able to</h2>
${grantList(scopes, { allowed, optional: optionalScopes(application, scopes), cleared: spared ? ["api"] : [], tickedNothing })}
${warnings(consent, origin)}
${details(asked, lifetimes)}
<form class="mt consent-form" id="${QUESTION}" action="/oauth/authorize" method="post">${csrfField(csrfToken)}${hiddenField("request_id", requestId)}
<div class="two-btn">${submitButton("Deny", { size: "lg", name: "decision", value: "deny" })}${guardedButton("Authorize")}</div>
<p class="hint center mt-s">${isOutOfBand(redirect.uri) ? "You will be shown a code to copy into the program" : html`Either way you go back to <strong class="wrap-any">${origin}</strong>`}</p>
</form>
${maySwitch && html`<form id="not-you" action="/oauth/authorize" method="post">${csrfField(csrfToken)}${hiddenField("request_id", requestId)}${requestUri ? hiddenField("request_uri", requestUri) : prompt !== "" && hiddenField("prompt", prompt)}</form>`}`,
  });
}

/** The button that gives access; the script disables it for half a second first (reference oauth D46). */
export function guardedButton(words: string): Html {
  return html`<button class="${classOf({ tone: "primary", size: "lg" })}" type="submit" name="decision" value="allow" data-guard>${words}</button>`;
}

/**
 * Switches the account. The button has the decision, not its form: programs that send every hidden field of the page mean to
 * authorize (reference oauth A1; decision 0011).
 */
export function notYouButton(): Html {
  return submitButton("Not you?", { size: "sm", name: "decision", value: "switch", form: "not-you" });
}

/** Says who made the application, for which host, and that nobody has verified it, unless it is the instance's own. */
function ownerLead({ redirect }: AuthorizationRequest, owner: Owner): Html {
  const place = isOutOfBand(redirect.uri)
    ? "a program that shows no page of its own"
    : originOf(redirect.uri).replace(/^https?:\/\//, "");
  return html`${ownerLine(owner)} for <strong class="wrap-any">${place}</strong>.${unverified(owner)}`;
}

/** Says who made an application, for the consent page. */
export function ownerLine(owner: Owner): Html {
  const { ownerUsername, isOfGroup, selfRegistered, ownerGroupPath } = owner;
  if (selfRegistered) return html`Registered by itself`;
  if (ownerUsername !== null) return html`Made by <a href="/${ownerUsername}">@${ownerUsername}</a>`;
  if (ownerGroupPath !== null) {
    return html`Made by the group <a href="/${ownerGroupPath}">${ownerGroupPath}</a>`;
  }
  if (isOfGroup) return html`Made by ${groupOf(owner)}`;
  return html`Registered by the administrators of this Gatehouse`;
}

/** Says that an application which is not the instance's own is not verified. */
export function unverified({ ownerUsername, isOfGroup, selfRegistered }: Owner): Html | false {
  if (ownerUsername === null && !isOfGroup && !selfRegistered) return false;
  return html` Not made or checked by Gatehouse. ${badge("Unverified", "brass")}`;
}

/** How the list of scopes is shown. */
export interface GrantLook {
  /** Scopes that the person has allowed before; undefined: nothing is marked as new. */
  allowed?: readonly string[] | undefined;
  /** Scopes with a check box, in the consent form. */
  optional?: readonly string[];
  /** Those of them that are not ticked. */
  cleared?: readonly string[];
  /** Whether the form was sent before with nothing ticked. */
  tickedNothing?: boolean | undefined;
}

/**
 * What the scopes allow, in words, below a heading with the id `can`. Scopes beyond `allowed` are marked as new, so that nobody
 * takes this for the question that they answered before (reference ux §6). Optional scopes have a check box each.
 */
export function grantList(scopes: readonly string[], look: GrantLook = {}): Html {
  const { allowed, optional = [], cleared = [], tickedNothing = false } = look;
  const grants = scopes.map((scope) => {
    const isNew = allowed !== undefined && !covers(allowed, [scope]);
    // Clearing a box has no effect on what another ticked scope includes.
    const brought = optional.filter((other) => other !== scope && covers([scope], [other]));
    const ticked = !tickedNothing && !cleared.includes(scope);
    return grant(scope, isNew, optional.includes(scope) && { ticked, brought });
  });
  const list = html`<ul class="grants mt-s" aria-labelledby="can">${grants}${never(scopes)}</ul>`;
  if (optional.length === 0) return list;
  const blame =
    tickedNothing &&
    html`<div class="mt-s">${message({ kind: "bad", text: "Nothing is selected. Select what you allow, or deny the request." })}</div>`;
  return html`<p class="hint">Clear what you don’t want to allow. Parts of the application may not work then.</p>
<input name="${CHOSEN}" value="1" form="${QUESTION}" hidden>${blame}${list}`;
}

const SCOPE_ICONS: Readonly<Record<string, IconName>> = {
  read_api: "eye",
  read_user: "activity",
  write_events: "pencil",
};

interface Box {
  ticked: boolean;
  /** Scopes that it includes, whatever their own boxes say. */
  brought: readonly string[];
}

function grant(scope: string, isNew: boolean, box: Box | false): Html {
  const { title, detail: plain } = wordsOf(scope);
  const brought = box && box.brought.length > 0 && box.brought.map((one) => wordsOf(one).title).join("; ");
  const detail = brought ? html`${plain}. Always includes: ${brought}` : plain;
  const words = html`${title}${isNew && html` ${badge("New", "brass")}`}<small>${detail}</small>`;
  const isFull = scope === "api";
  const name = boxOf(scope);
  const said = box
    ? html`<input${attrs({ type: "checkbox", id: name, name, value: "1", form: QUESTION, checked: box.ticked })}><label for="${name}">${words}</label>`
    : html`${icon(isFull ? "warn" : (SCOPE_ICONS[scope] ?? "user"))}<div>${words}</div>`;
  return html`<li${attrs({ class: isFull ? "full" : undefined })}>${said}${isFull ? fullAccessBadge() : ref(scope)}</li>`;
}

function wordsOf(scope: string): { title: string; detail: string } {
  return isScope(scope) ? SCOPE_WORDS[scope] : { title: scope, detail: "" };
}

function never(scopes: readonly string[]): Html {
  const writes = scopes.includes("api") || scopes.includes("write_events");
  const words = writes ? "It will not see your password" : "It will not see your password or change anything";
  // The feed token has no end, and `GET /user/feed_token` returns it (decision 0106).
  const feeds = scopes.some((scope) => scope === "api" || scope === "read_api");
  const lasting = feeds && "; your feed token, which it can read, stays valid until you reset it";
  return html`<li class="never">${icon("ban")}<div>${words}<small>Access ends when you revoke it under Applications${lasting}</small></div></li>`;
}

function warnings({ asked, viewer, spared }: Consent, origin: string): Html {
  const { application, redirect, scopes } = asked;
  const plain =
    !application.selfRegistered &&
    isPlainHttp(redirect.uri) &&
    html`<div class="mt">${message({
      kind: "warn",
      text: html`You will be sent to <strong>${origin}</strong>, which is not encrypted. Go on only if you started this on your own computer.`,
    })}</div>`;
  const others = scopes.filter((scope) => scope !== "api");
  if (spared) return html`${plain}${sparedMessage(asked, spared)}${administratorWarning(viewer, others)}`;
  return html`${plain}${administratorWarning(viewer, scopes)}`;
}

/** What a scope gives an application of an administrator beyond what its own words say, the furthest scope first. */
const ADMINISTRATORS_REACH = [
  ["api", "do everything an administrator can"],
  [
    "read_api",
    "read everything an administrator can: all private projects, everybody’s email address and the audit log",
  ],
  ["read_user", "see everybody’s email address, sign-ins and activity, including what is private"],
] as const;

/** Warns administrators of what the words of the scopes, which are those for everybody, leave out. */
export function administratorWarning(viewer: { isAdmin: boolean }, scopes: readonly string[]): Html | false {
  const reach = ADMINISTRATORS_REACH.find(([scope]) => scopes.includes(scope));
  if (!viewer.isAdmin || !reach) return false;
  const text = `You administer this Gatehouse. The application would be able to ${reach[1]}.`;
  return html`<div class="mt">${message({ kind: "warn", text })}</div>`;
}

function sparedMessage({ application, scopes }: AuthorizationRequest, spared: "told" | "refused"): Html {
  const canClear = optionalScopes(application, scopes).includes("api");
  const rest = canClear ? "It is cleared: allow the rest, or deny the request." : "Deny the request.";
  const text = `You administer this Gatehouse, and you cannot allow full access: its settings keep that from applications that are not trusted. ${rest}`;
  return html`<div class="mt">${message({ kind: spared === "refused" ? "bad" : "warn", text })}</div>`;
}

/**
 * The name of an application that registered itself proves nothing, so that its address is shown first, where small screens show
 * it (decision 0196).
 */
function strangerWarning({ application, redirect }: AuthorizationRequest, origin: string): Html | false {
  if (!application.selfRegistered) return false;
  const text = isOnOwnMachine(redirect.uri)
    ? html`Nobody at this Gatehouse knows this program. It says that it runs on this computer, at <strong class="wrap-any">${origin}</strong>. Go on only if you have just started it yourself.`
    : html`Nobody at this Gatehouse knows this application. What you allow goes to <strong class="wrap-any">${origin}</strong>. Go on only if you know that site, and have just come from there.`;
  return html`<div class="mt">${message({ kind: "warn", text })}</div>`;
}

function details({ application, redirect, responseType }: AuthorizationRequest, lifetimes: Lifetimes): Html {
  const renewable = responseType === "code" && application.grantTypes.includes("refresh_token");
  return html`<details class="more mt"><summary>Technical details</summary>
<div class="mt-s">${properties([
    ["Application ID", html`<code class="wrap-any">${application.uid}</code>`],
    [
      "Flow",
      responseType === "code"
        ? "Authorization code (web application)"
        : "Implicit grant (token in the address)",
    ],
    ["Redirect URI", html`<code class="wrap-any">${redirect.uri}</code>`],
    ["Access lasts", accessLifetime(lifetimes, renewable)],
    [
      "Home page",
      application.homePage ? html`<code class="wrap-any">${application.homePage}</code>` : undefined,
    ],
  ])}</div></details>`;
}

/** Redirects by its `Refresh` header; the link is for browsers that need a click. */
export function onwardPage(location: string): Html {
  const origin = originOf(location);
  return gatePage({
    title: "Going back to the application",
    heading: "Going back to the application",
    lead: html`You are on your way to <strong class="wrap-any">${origin}</strong>.`,
    body: html`<p class="mt"><a class="${classOf({ tone: "primary", size: "lg block" })}" href="${redirectHref(location)}">Continue</a></p>`,
  });
}

/** Sends the response as a form that the script submits at once; the button is for browsers without scripts. */
export function formPostPage(location: string): Html {
  return gatePage({
    title: "Going back to the application",
    heading: "Going back to the application",
    lead: html`You are on your way to <strong class="wrap-any">${originOf(location)}</strong>.`,
    body: formPost(location, "Continue", { byItself: true }),
  });
}

/** The response as a form (OAuth form post response mode §2); its parameters are in the fragment of `location`. */
export function formPost(location: string, words: string, { byItself }: { byItself: boolean }): Html {
  const at = location.indexOf("#");
  const uri = location.slice(0, at);
  const members = [...new URLSearchParams(location.slice(at + 1))];
  return html`<form class="mt" action="${redirectHref(uri)}" method="post"${attrs({ "data-send": byItself })}>${members.map(([name, value]) => hiddenField(name, value))}
${submitButton(words, { tone: "primary", size: "lg block" })}</form>`;
}
