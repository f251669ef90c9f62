/** `/profile/mails`: the mails that a person can switch off (decision 0185). */
import type { FastifyInstance } from "fastify";
import { formText } from "../platform/form-text.ts";
import type { Platform } from "../platform/platform.ts";
import { submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { checkbox } from "../ui/choice.ts";
import { csrfField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { actOfViewer } from "./act-of-viewer.ts";
import { checkFormOfViewer, redirectWith } from "./browser.ts";
import { changeDeletionMails } from "./change-deletion-mails.ts";
import type { Profile } from "./profile.ts";

/** The address that the form is sent to. */
const MAILS = "/profile/mails";

export function mailPages(app: FastifyInstance, platform: Platform): void {
  app.post(MAILS, async (request, reply) => {
    const browser = await checkFormOfViewer(platform, request, reply);
    const areWanted = formText(request, "deletion_mails") === "yes";
    await changeDeletionMails(platform.db, browser.viewer.userId, areWanted, actOfViewer(browser, request));
    const text = areWanted
      ? "You are written to about deletions."
      : "You are not written to about deletions.";
    return redirectWith(platform, request, reply, "/profile", { kind: "ok", text });
  });
}

/** The card with the checkbox. */
export function mailsCard(csrfToken: string, { deletionMails }: Pick<Profile, "deletionMails">): Html {
  return card({
    id: "mails",
    heading: "Mails",
    body: html`<form class="form" action="${MAILS}" method="post">${csrfField(csrfToken)}
${checkbox("deletion_mails", { value: "yes", label: "Tell me when a project or group that I own is marked for deletion", hint: "While it can be restored. Its pages say so either way, and mails about the safety of your account always come.", checked: deletionMails })}
<div class="btn-row">${submitButton("Save changes")}</div></form>`,
  });
}
