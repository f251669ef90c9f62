/** The pages of the device flow: typing the code, the question, and the result. */
import { buttonRow, linkButton, submitButton } from "../ui/button.ts";
import { properties } from "../ui/card.ts";
import { face, tile } from "../ui/face.ts";
import { csrfField, hiddenField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { icon, mark } from "../ui/icon.ts";
import { type Frame, gatePage } from "../ui/layout.ts";
import { message } from "../ui/message.ts";
import { named } from "../ui/named.ts";
import { timeAgo } from "../ui/time.ts";
import { shownName } from "./application.ts";
import { optionalScopes } from "./consent.ts";
import { shownUserCode } from "./device.ts";
import type { FoundDevice } from "./find-device.ts";
import type { Lifetimes } from "./lifetimes.ts";
import type { Owner } from "./owner.ts";
import { accessLifetime } from "./pages-application-lifetimes.ts";
import {
  administratorWarning,
  grantList,
  guardedButton,
  notYouButton,
  ownerLine,
  QUESTION,
  unverified,
} from "./pages-consent.ts";

type PlainFrame = Omit<Frame, "title">;

/** Asks for the code that the device shows. */
export function deviceCodePage(
  frame: PlainFrame,
  csrfToken: string,
  shown: { typed: string; error?: string },
): Html {
  return gatePage({
    ...frame,
    title: "Connect a device",
    heading: "Connect a device",
    lead: "Type the code that your device shows.",
    failed: shown.error !== undefined,
    body: html`<form class="form mt" action="/oauth/device" method="post">${csrfField(csrfToken)}
${textField({ name: "user_code", label: "Code", value: shown.typed, error: shown.error, hint: "Eight letters, as WDJB-MJHT. Only type a code that you see on a device of yours; nobody else can ask you for one.", autocomplete: "off", spellcheck: false, required: true, autofocus: true, code: true, maxlength: 20 })}
${submitButton("Continue", { tone: "primary", size: "lg block" })}
</form>`,
  });
}

/** The data of the question about a device. */
export interface DeviceQuestion {
  device: FoundDevice;
  /** The lifetimes of its tokens. */
  lifetimes: Lifetimes;
  owner: Owner;
  /** Whether the form was sent before with nothing ticked. */
  tickedNothing?: boolean;
}

/** Says who asks, from where and when, for what: the person compares it with the device before them (RFC 8628 §5.4). */
export function deviceConfirmPage(
  frame: PlainFrame,
  csrfToken: string,
  viewer: { username: string; name: string; isAdmin: boolean },
  { device, lifetimes, owner, tickedNothing = false }: DeviceQuestion,
  now: Date,
): Html {
  const { scopes } = device;
  const name = shownName(device.applicationName);
  return gatePage({
    ...frame,
    title: `Connect ${name}`,
    centred: true,
    failed: tickedNothing,
    above: html`<div class="handshake" aria-hidden="true">${tile(name, 4)}<span class="link">${icon("lock", 16)}</span><span class="tile h1 z4">${mark(26)}</span></div>`,
    heading: `${name} wants to use your account on a device`,
    lead: html`${ownerLine(owner)}.${unverified(owner)}`,
    body: html`<div class="row spread mt signed-as">${named(face(viewer.name, 2), html`<strong>${viewer.name}</strong>`, `@${viewer.username}`)}${notYouButton()}</div>
<div class="mt">${properties([
      ["Code", html`<code>${shownUserCode(device.userCode)}</code>`],
      ["Asked from", html`<code class="wrap-any">${device.ip || "unknown"}</code>`],
      ["Asked", timeAgo(device.createdAt, now)],
    ])}</div>
<h2 class="mt" id="can">It will be able to</h2>
${grantList(scopes, { optional: optionalScopes(device, scopes), tickedNothing })}
${administratorWarning(viewer, scopes)}
<div class="mt">${message({ kind: "warn", text: "Go on only if you see this code on a device in front of you. If somebody sent it to you, deny." })}</div>
<form class="mt consent-form" id="${QUESTION}" action="/oauth/device" method="post">${csrfField(csrfToken)}${hiddenField("user_code", device.userCode)}
<div class="two-btn">${submitButton("Deny", { size: "lg", name: "decision", value: "deny" })}${guardedButton("Connect")}</div>
<p class="hint center mt-s">Access lasts ${accessLifetime(lifetimes, device.renewable)}</p>
</form>
<form id="not-you" action="/oauth/device" method="post">${csrfField(csrfToken)}${hiddenField("user_code", device.userCode)}</form>`,
  });
}

/** The page after the answer, with its outcome on top; nothing more can be typed. */
export function deviceAnsweredPage(frame: PlainFrame): Html {
  return gatePage({
    ...frame,
    title: "Device answered",
    heading: "That is all here",
    lead: "Continue on your device. You can close this page.",
    body: html`<div class="mt">${buttonRow([
      linkButton("Applications you authorized", "/profile/applications#authorized"),
      linkButton("Connect another device", "/oauth/device"),
    ])}</div>`,
  });
}
