/** Composes the page of two-factor sign-in, for the routes of the app and those of passkeys. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { badge } from "../ui/badge.ts";
import { pageHead, stack } from "../ui/card.ts";
import { html } from "../ui/html.ts";
import { needsViewer } from "./browser.ts";
import { deviceWords } from "./device.ts";
import { passkeysCard } from "./pages-passkeys-views.ts";
import { sendSettings } from "./pages-settings-frame.ts";
import {
  appCard,
  codesCard,
  confirmCard,
  freshCodesCard,
  offCard,
  startCard,
  type TwoFactorErrors,
} from "./pages-two-factor-views.ts";
import { listPasskeys } from "./store-passkeys.ts";
import { findFactors } from "./store-second-factor.ts";
import { waitingSecret } from "./turn-on-two-factor.ts";

export const TWO_FACTOR = "/profile/two_factor";

/** Sends the page in its current state; with errors its status is 422. */
export async function sendTwoFactor(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  errors: TwoFactorErrors,
): Promise<FastifyReply> {
  const { db, config } = platform;
  const browser = await needsViewer(platform, request, reply);
  const { userId: id, username } = browser.viewer;
  const [factors, passkeys] = await Promise.all([findFactors(db, id), listPasskeys(db, id)]);
  const waiting = factors.app ? undefined : await waitingSecret(platform, { id, username });
  const { csrfToken } = browser;
  const isOn = factors.app || passkeys.length > 0;
  const shown = { csrfToken, username, errors };
  const device = deviceWords(request.headers["user-agent"] ?? "");
  const main = html`${pageHead({
    heading: "Two-factor sign-in",
    above: isOn ? badge("On", "ok") : badge("Off", "line"),
    lead: isOn
      ? neededWords(factors.app, passkeys.length > 0)
      : "Protects your account with something only you have, so that your password alone is not enough. Use a passkey, an authenticator app, or both. Programs that sign in with your password stop working; give them a personal access token instead.",
  })}${stack([
    freshCodesCard(username, config.publicUrl, browser.flash?.secrets?.codes),
    waiting && confirmCard(shown, waiting),
    passkeysCard(shown, { passkeys, isOnly: !factors.app && passkeys.length === 1, device, now: new Date() }),
    factors.app ? appCard(shown, passkeys.length > 0) : startCard(shown, waiting !== undefined),
    isOn && codesCard(shown, factors.codesLeft),
    isOn && offCard(shown),
  ])}`;
  const failed = Object.keys(errors).length > 0;
  const title = "Two-factor sign-in";
  return sendSettings(reply, browser, {
    title,
    current: "two-factor",
    main,
    failed,
    scripts: ["passkey.js"],
  });
}

/** Says which factors are needed, of those that the person has. */
function neededWords(app: boolean, passkeys: boolean): string {
  const recovery = "a recovery code";
  if (!passkeys) return `Beside your password you need a code of your app, or ${recovery}.`;
  const ways = app ? "one of the passkeys below, a code of your app" : "one of the passkeys below";
  return `Beside your password you need ${ways}, or ${recovery}. A passkey that knows your finger, face or PIN opens the door alone.`;
}
