/** Sample pages with invented data that contain every UI part, for checks in a browser. */
import { linkButton } from "../../src/ui/button.ts";
import { card, emptyState, pageHead } from "../../src/ui/card.ts";
import { errorPage } from "../../src/ui/error-page.ts";
import { type Html, html } from "../../src/ui/html.ts";
import { appPage } from "../../src/ui/layout.ts";
import type { Theme } from "../../src/ui/navigation.ts";
import { applications, consent, profile, signIn } from "./gallery-people.ts";
import { alertDetail, alerts, integrations } from "./gallery-project.ts";

/** The pages of the gallery by name, rendered in a theme. */
export const gallery: Record<string, (theme: Theme) => Html> = {
  "sign-in": signIn,
  consent,
  error: (theme) => errorPage({ status: 404, requestId: "req-7f3a", theme }),
  applications,
  integrations,
  alerts,
  "alert-detail": alertDetail,
  profile,
  visitor: (theme) =>
    appPage({
      title: "Projects",
      theme,
      viewer: undefined,
      crumbs: [{ label: "Projects" }],
      main: html`${pageHead({ heading: "Projects" })}${card({ id: "none", heading: "Public projects", flush: emptyState({ heading: "No public projects", text: "Projects that everybody can see are listed here.", action: linkButton("Sign in", "/users/sign_in") }) })}`,
    }),
};
