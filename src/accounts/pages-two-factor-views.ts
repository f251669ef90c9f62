/** The cards of the page of two-factor sign-in for the app, the recovery codes and switching it off. */
import { encode } from "uqr";
import { badge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { confirmDialog } from "../ui/dialog.ts";
import { accountField, csrfField, passwordField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { codeBlock, copyButton, printButton, saveButton, secretField } from "../ui/secret.ts";
import type { TotpSecret } from "./turn-on-two-factor.ts";

const HOME = "/profile/two_factor";

/** Errors by form: start, confirm, new codes, off, adding or naming a passkey. */
export interface TwoFactorErrors {
  password?: string;
  code?: string;
  codes?: string;
  off?: string;
  passkey?: string;
}

/** What every card needs. */
export interface Shown {
  csrfToken: string;
  username: string;
  errors: TwoFactorErrors;
}

/** The form that creates a key for an authenticator app. */
export function startCard({ csrfToken, username, errors }: Shown, again: boolean): Html {
  return card({
    id: "start",
    heading: again ? "Begin again with a new key" : "Authenticator app",
    lead: "An app on your phone shows a new six-digit code every 30 seconds.",
    body: html`<form class="form" action="${HOME}" method="post">${csrfField(csrfToken)}${accountField(username)}
${passwordField({ name: "password", label: "Your password", error: errors.password, autocomplete: "current-password", required: true, autofocus: errors.password !== undefined })}
<div class="btn-row">${submitButton(again ? "Create a new key" : "Set up an app", { icon: "phone" })}</div></form>`,
  });
}

/** The key as a QR code and as text, and the form for a code that confirms it. */
export function confirmCard({ csrfToken, errors }: Shown, { secret, otpauthUrl }: TotpSecret): Html {
  const typed = secret.match(/.{4}/g)?.join(" ") ?? secret;
  return card({
    id: "confirm",
    heading: "Scan, then type the code",
    lead: "Two-factor sign-in is on once you have typed a code from the app.",
    body: html`<div class="form"><div class="center">${qrCode(otpauthUrl)}</div>
${secretField({ id: "key", label: "Or type this key into the app", value: typed })}
<form class="form" action="${HOME}/confirm" method="post">${csrfField(csrfToken)}
${textField({ name: "code", label: "Code from the app", error: errors.code, required: true, autofocus: errors.password === undefined, code: true, inputmode: "numeric", autocomplete: "one-time-code", maxlength: 7, placeholder: "000000", spellcheck: false })}
<div class="btn-row">${submitButton("Confirm", { tone: "primary" })}</div></form></div>`,
  });
}

/**
 * The new recovery codes, shown once, with their account, so that a saved file or printed sheet names it; false if there are
 * none.
 */
export function freshCodesCard(username: string, publicUrl: string, codes: string | undefined): Html | false {
  if (codes === undefined) return false;
  const [what, file] = ["Recovery codes", `gatehouse-recovery-codes-${username}.txt`];
  return card({
    id: "codes",
    heading: "Your recovery codes",
    lead: "Each opens once in place of a code or passkey, when yours is gone. They can’t be shown again: print or store them now.",
    once: true,
    body: html`<p class="wrap-any" id="recovery-codes-of">Recovery codes of @${username} at ${publicUrl}</p><div class="mt-s">${codeBlock("recovery-codes", what, codes)}</div>`,
    footer: html`${copyButton("recovery-codes", what)}${saveButton(["recovery-codes-of", "recovery-codes"], file, what)}${printButton(what)}<span class="grow"></span>${linkButton("I’ve stored them", HOME, { size: "sm" })}`,
  });
}

/** The app in use; it can be removed alone if passkeys remain. */
export function appCard({ csrfToken }: Shown, removable: boolean): Html {
  const remove = confirmDialog(
    { words: "Remove", about: "the authenticator app", size: "sm" },
    {
      id: "remove-app",
      heading: "Remove the authenticator app?",
      text: "Its codes no longer count. Your passkeys and recovery codes remain.",
      action: `${HOME}/app/remove`,
      csrfToken,
      confirm: "Remove the app",
      keep: "Keep it",
    },
  );
  return card({
    id: "app",
    heading: "Authenticator app",
    lead: "An app on your phone shows a new six-digit code every 30 seconds.",
    aside: html`<div class="row">${badge("In use", "ok")}${removable && remove}</div>`,
  });
}

/** The number of unused recovery codes, and the form for new ones. */
export function codesCard({ csrfToken, username, errors }: Shown, left: number): Html {
  return card({
    id: "recovery",
    heading: "Recovery codes",
    lead: `${left} of 10 are unused. New ones take the place of all of them.`,
    body: html`<form class="form" action="${HOME}/codes" method="post">${csrfField(csrfToken)}${accountField(username)}
${passwordField({ id: "codes-password", name: "password", label: "Your password", error: errors.codes, autocomplete: "current-password", required: true, autofocus: errors.codes !== undefined })}
<div class="btn-row">${submitButton("Make new recovery codes")}</div></form>`,
  });
}

/** The form that turns two-factor sign-in off. */
export function offCard({ csrfToken, username, errors }: Shown): Html {
  return card({
    id: "off",
    heading: "Turn it off",
    lead: "Forgets the app, every passkey and the recovery codes. Your password alone opens the door then.",
    body: html`<form class="form" action="${HOME}/off" method="post">${csrfField(csrfToken)}${accountField(username)}
${passwordField({ id: "off-password", name: "password", label: "Your password", error: errors.off, autocomplete: "current-password", required: true, autofocus: errors.off !== undefined })}
<div class="btn-row">${submitButton("Turn off two-factor sign-in", { tone: "danger" })}</div></form>`,
  });
}

/** The otpauth address as a QR code, black on white in both themes because scanners need it so. */
function qrCode(text: string): Html {
  const { data, size } = encode(text, { ecc: "M", border: 3 });
  let path = "";
  data.forEach((row, y) => {
    row.forEach((dark, x) => {
      if (dark) path += `M${x} ${y}h1v1h-1z`;
    });
  });
  return html`<svg class="qr" width="200" height="200" viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code with the key for your authenticator app" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}
