/** `/profile/two_factor`: turns the second step of sign-in on and off. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { encode } from "uqr";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { badge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { csrfField, passwordField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { settingsNav, type Viewer } from "../ui/navigation.ts";
import { codeBlock, secretField } from "../ui/secret.ts";
import {
  type Browser,
  checkFormOfViewer,
  frameOf,
  needsViewer,
  redirectWith,
  renewSession,
} from "./browser.ts";
import { checkPassword } from "./check-password.ts";
import { findUser } from "./store.ts";
import { countRecoveryCodes } from "./store-second-factor.ts";
import { turnOffTwoFactor } from "./turn-off-two-factor.ts";
import { confirmTwoFactor, startTwoFactor, type TotpSecret, waitingSecret } from "./turn-on-two-factor.ts";

const HOME = "/profile/two_factor";
type Errors = { password?: string; code?: string };

export function twoFactorPages(app: FastifyInstance, platform: Platform): void {
  app.get(HOME, async (request, reply) => show(platform, request, reply, {}));
  app.post(HOME, async (request, reply) => {
    const { viewer } = await checkFormOfViewer(platform, request, reply);
    const person = { id: viewer.userId, username: viewer.username };
    return trying(platform, request, reply, "password", async () => {
      await checkPassword(platform, person, formText(request, "password"), request.ip);
      await startTwoFactor(platform, person);
      return reply.redirect(HOME, 303);
    });
  });
  app.post(`${HOME}/confirm`, async (request, reply) => {
    const { viewer } = await checkFormOfViewer(platform, request, reply);
    return trying(platform, request, reply, "code", async () => {
      const codes = await confirmTwoFactor(platform, viewer.userId, formText(request, "code").slice(0, 100), {
        actorId: viewer.userId,
        ip: request.ip,
      });
      await renewSession(platform, request, reply, { userId: viewer.userId });
      const text = "Two-factor sign-in is on.";
      return redirectWith(platform, request, reply, HOME, {
        kind: "ok",
        text,
        secrets: { codes: codes.join("\n") },
      });
    });
  });
  app.post(`${HOME}/off`, async (request, reply) => {
    const { viewer } = await checkFormOfViewer(platform, request, reply);
    const person = { id: viewer.userId, username: viewer.username };
    return trying(platform, request, reply, "password", async () => {
      await checkPassword(platform, person, formText(request, "password"), request.ip);
      await turnOffTwoFactor(platform.db, person.id, { actorId: person.id, ip: request.ip });
      return redirectWith(platform, request, reply, HOME, { kind: "ok", text: "Two-factor sign-in is off." });
    });
  });
}

/** What is refused stands beside the field that was wrong. */
async function trying(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  field: keyof Errors,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    switch (error.kind) {
      case "forbidden":
        return show(platform, request, reply, { [field]: "That is not your password." });
      case "unprocessable":
      case "too_many":
        return show(platform, request, reply, { [field]: error.message });
      default:
        throw error;
    }
  }
}

async function show(platform: Platform, request: FastifyRequest, reply: FastifyReply, errors: Errors) {
  const browser = await needsViewer(platform, request, reply);
  const { userId: id, username } = browser.viewer;
  const user = await findUser(platform.db, id);
  const waiting = await waitingSecret(platform, { id, username });
  const left = user?.twoFactor ? await countRecoveryCodes(platform.db, id) : 0;
  const frame = frameOf(browser);
  const failed = Object.keys(errors).length > 0;
  const body = user?.twoFactor
    ? onCards(browser, left, errors)
    : [waiting && confirmCard(browser, waiting, errors), startCard(browser, waiting !== undefined, errors)];
  const main = html`${pageHead({
    heading: "Two-factor sign-in",
    above: user?.twoFactor ? badge("On", "ok") : badge("Off", "line"),
    lead: "A code from your phone beside your password, so that the password alone opens nothing.",
  })}${stack(body)}`;
  const page = appPage({
    ...frame,
    title: "Two-factor sign-in",
    failed,
    crumbs: [{ label: "Settings", href: "/profile/applications" }, { label: "Two-factor sign-in" }],
    nav: settingsNav("two-factor", frame.viewer as Viewer),
    main,
  });
  return sendPage(reply, page, failed ? { status: 422 } : {});
}

function startCard({ csrfToken }: Browser, again: boolean, errors: Errors): Html {
  return card({
    id: "start",
    heading: again ? "Begin again with a new key" : "Turn it on",
    lead: "You need an authenticator app. Programs that sign in with your password alone stop working; give them a personal access token.",
    body: html`<form class="form" action="${HOME}" method="post">${csrfField(csrfToken)}
${passwordField({ name: "password", label: "Your password", error: errors.password, autocomplete: "current-password", required: true })}
<div class="btn-row">${submitButton(again ? "Make a new key" : "Turn on two-factor sign-in", again ? {} : { tone: "primary" })}</div></form>`,
  });
}

function confirmCard({ csrfToken }: Browser, { secret, otpauthUrl }: TotpSecret, errors: Errors): Html {
  const typed = secret.match(/.{4}/g)?.join(" ") ?? secret;
  return card({
    id: "confirm",
    heading: "Scan, then type the code",
    lead: "Nothing is on until a code has arrived here.",
    body: html`<div class="form"><div class="center">${qrCode(otpauthUrl)}</div>
${secretField({ id: "key", label: "Or type this key into the app", value: typed })}
<form class="form" action="${HOME}/confirm" method="post">${csrfField(csrfToken)}
${textField({ name: "code", label: "Code from the app", error: errors.code, required: true, autofocus: true, code: true, inputmode: "numeric", autocomplete: "one-time-code", maxlength: 7, placeholder: "000000", spellcheck: false })}
<div class="btn-row">${submitButton("Confirm", { tone: "primary" })}</div></form></div>`,
  });
}

function onCards(browser: Browser, left: number, errors: Errors): (Html | false)[] {
  const codes = browser.flash?.secrets?.codes;
  const shown =
    codes !== undefined &&
    card({
      id: "codes",
      heading: "Your recovery codes",
      lead: "Each opens once in place of a code, when your phone is gone. They can’t be shown again: print or store them now.",
      once: true,
      body: codeBlock("recovery-codes", "Recovery codes", codes),
      footer: html`<span class="grow"></span>${linkButton("I’ve stored them", HOME, { size: "sm" })}`,
    });
  const off = card({
    id: "off",
    heading: "Turn it off",
    lead: `${left} of 10 recovery codes are unused. Turning it off and on again makes new ones.`,
    body: html`<form class="form" action="${HOME}/off" method="post">${csrfField(browser.csrfToken)}
${passwordField({ name: "password", label: "Your password", error: errors.password, autocomplete: "current-password", required: true })}
<div class="btn-row">${submitButton("Turn off two-factor sign-in", { tone: "danger" })}</div></form>`,
  });
  return [shown, off];
}

/** The otpauth address as a QR code, black on white in both themes because scanners want it so. */
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
