/** What the start page says of the viewer's own account: administrators whom a password alone protects. */
import type { Platform } from "../platform/platform.ts";
import { linkButton } from "../ui/button.ts";
import { card, type DashboardCard } from "../ui/card.ts";
import { html } from "../ui/html.ts";
import { findFactors } from "./store-second-factor.ts";

/** Leads administrators to two-factor sign-in until it is on (reference ux §2); no card for anybody else. */
export function twoFactorCard({ db }: Platform): DashboardCard {
  return async ({ id, isAdmin }) => {
    if (!isAdmin) return undefined;
    const { app, passkeys } = await findFactors(db.pooled, id);
    if (app || passkeys > 0) return undefined;
    return card({
      id: "two-factor",
      heading: "Protect your account",
      body: html`<p class="text-2">You can change everything in this Gatehouse, and only your password protects that. Add a passkey or an authenticator app.</p>`,
      footer: linkButton("Turn on two-factor sign-in", "/profile/two_factor", { icon: "phone" }),
    });
  };
}
