/** The page behind the one-time link that creates the first administrator. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import { submitButton } from "../ui/button.ts";
import { csrfField, errorSummary, faultOf, passwordField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { type Browser, browserOf, checkForm, frameOf, redirectWith, renewSession } from "./browser.ts";
import { setUpAdministrator } from "./first-administrator.ts";
import { sendLinkOver } from "./pages-link-over.ts";
import { updateSignIn } from "./store.ts";
import { setupLinkLives } from "./store-setup-links.ts";

type Typed = Record<"username" | "name" | "email", string>;

/** `/setup/:token` (contract §1). */
export function setupPages(app: FastifyInstance, platform: Platform): void {
  app.get<{ Params: { token: string } }>("/setup/:token", async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    if (!(await isValidLink(platform, request.params.token))) return sendInvalid(reply, browser);
    return sendPage(reply, setupPage(browser, request.params.token, {}), { referrerPolicy: "no-referrer" });
  });
  app.post<{ Params: { token: string } }>("/setup/:token", async (request, reply) =>
    setUp(platform, request, reply, request.params.token),
  );
}

async function isValidLink({ db }: Platform, token: string): Promise<boolean> {
  return maySecretBe("setup", token) && (await setupLinkLives(db, digest(token)));
}

/** The same page for a link that does not exist, is spent, replaced or expired: how to get another. */
function sendInvalid(reply: FastifyReply, browser: Browser): FastifyReply {
  return sendLinkOver(reply, browser, {
    lead: "It works once, for 30 minutes, and only as long as no newer one was made.",
    next: html`While there is no administrator, <code>npx gatehouse setup-link</code> prints a new link, and so does every start.`,
  });
}

async function setUp(platform: Platform, request: FastifyRequest, reply: FastifyReply, token: string) {
  const browser = await checkForm(platform, request, reply);
  const typed: Typed = {
    username: formText(request, "username").trim(),
    name: formText(request, "name").trim(),
    email: formText(request, "email").trim(),
  };
  let userId: number;
  try {
    const fields = { ...typed, password: formText(request, "password") };
    userId = await setUpAdministrator(platform, token, fields, request.ip);
  } catch (error) {
    if (error instanceof Problem && error.kind === "not_found") return sendInvalid(reply, browser);
    if (!(error instanceof FieldProblem)) throw error;
    const page = setupPage(browser, token, { typed, faults: error.fields });
    return sendPage(reply, page, { failed: true, referrerPolicy: "no-referrer" });
  }
  await renewSession(platform, request, reply, { userId });
  await updateSignIn(platform.db.pooled, userId);
  return redirectWith(platform, request, reply, "/", {
    kind: "ok",
    text: `Welcome, ${typed.name}. You are the administrator of this Gatehouse.`,
  });
}

interface Shown {
  typed?: Typed;
  faults?: FieldProblem["fields"];
}

function setupPage(browser: Browser, token: string, { typed, faults = {} }: Shown): Html {
  const of = (name: keyof Typed, label: string) => ({
    name,
    label,
    required: true,
    value: typed?.[name],
    error: faultOf(faults, name, label),
  });
  const passwordError = faultOf(faults, "password", "Password");
  const fields = (["name", "username", "email", "password"] as const).map((id) => {
    const label = id.charAt(0).toUpperCase() + id.slice(1);
    return { id, label, error: faultOf(faults, id, label) };
  });
  return gatePage({
    ...frameOf(browser),
    title: "First administrator",
    heading: "Create the first administrator",
    lead: "This link works once. The account sees and manages everything in this Gatehouse.",
    failed: Object.keys(faults).length > 0,
    body: html`<form class="form mt" action="/setup/${token}" method="post">${csrfField(browser.csrfToken)}
${errorSummary(fields)}
${textField({ ...of("name", "Name"), autocomplete: "name", autofocus: true })}
${textField({ ...of("username", "Username"), autocomplete: "username", spellcheck: false })}
${textField({ ...of("email", "Email"), type: "email", autocomplete: "email" })}
${passwordField({ name: "password", label: "Password", required: true, error: passwordError, hint: "At least 12 characters. A sentence is fine.", autocomplete: "new-password" })}
${submitButton("Create administrator", { tone: "primary", size: "lg block" })}
</form>`,
  });
}
