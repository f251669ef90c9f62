/** `/admin/users/:id/username`: an administrator changes somebody's username. */
import type { FastifyInstance, FastifyReply } from "fastify";
import { formText } from "../platform/form-text.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { csrfField, errorSummary, faultOf, textField } from "../ui/form.ts";
import { html } from "../ui/html.ts";
import { checkFormOfAdministrator, needsAdminViewer } from "./admin-viewer.ts";
import { redirectWith, type SignedInBrowser } from "./browser.ts";
import { changeUsername } from "./change-username.ts";
import { sendAdmin } from "./pages-admin-frame.ts";
import { personForPage } from "./person-for-page.ts";
import type { User } from "./user.ts";

const USERS = "/admin/users";
type ById = { Params: { id: string } };

/** The form, which needs a recent proof of the password; 404 for everybody but administrators. */
export function adminUsernamePages(app: FastifyInstance, platform: Platform): void {
  app.get<ById>(`${USERS}/:id/username`, async (request, reply) => {
    const browser = await needsAdminViewer(platform, request, reply);
    const user = await personForPage(platform, request.params.id);
    return show(reply, browser, user, user.username, {});
  });
  app.post<ById>(`${USERS}/:id/username`, async (request, reply) => {
    const home = `${USERS}/${request.params.id.replace(/\D/g, "")}/username`;
    const { browser, act } = await checkFormOfAdministrator(platform, request, reply, home);
    const user = await personForPage(platform, request.params.id);
    const username = formText(request, "username").trim().replace(/^@/, "");
    try {
      await changeUsername(platform.db, user, username, act);
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return show(reply, browser, user, username, error.fields);
    }
    const text = `${user.name} is @${username} now.`;
    return redirectWith(platform, request, reply, USERS, { kind: "ok", text });
  });
}

function show(
  reply: FastifyReply,
  browser: SignedInBrowser,
  user: User,
  typed: string,
  faults: FieldProblem["fields"],
) {
  const error = faultOf(faults, "username", "Username");
  const head = pageHead({
    heading: `Username of ${user.name}`,
    lead: `They sign in with the new username. Everything below /${user.username} moves along, and old addresses redirect.`,
  });
  const form = html`<form class="form" action="${USERS}/${user.id}/username" method="post">${csrfField(browser.csrfToken)}${errorSummary([{ id: "username", label: "Username", error }])}
${textField({ name: "username", label: "Username", value: typed, error, autocomplete: "off", spellcheck: false, required: true, maxlength: 255 })}
<div class="btn-row">${submitButton("Change username", { tone: "primary" })}${linkButton("Cancel", USERS)}</div></form>`;
  const main = html`${head}${stack([card({ id: "about", heading: `@${user.username}`, body: form })])}`;
  const failed = error !== undefined;
  return sendAdmin(reply, browser, { title: "Username", current: "users", main, failed });
}
