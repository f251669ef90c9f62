/** `/users/invitations/:token`: accepts an invitation, with a new or an existing account. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { csrfField, errorSummary, faultOf, passwordField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { exactWords } from "../ui/time.ts";
import { type Accepting, acceptInvitation } from "./accept-invitation.ts";
import {
  type Browser,
  browserOf,
  checkForm,
  frameOf,
  keepReturnPath,
  redirectWith,
  renewSession,
} from "./browser.ts";
import { findRegistration } from "./find-registration.ts";
import { type Invitation, type Join, type Joined, registrationFault } from "./invitation.ts";
import { sendLinkOver } from "./pages-link-over.ts";
import { updateSignIn } from "./store.ts";
import { findLiveInvitation } from "./store-invitations.ts";

type At = { Params: { token: string } };
type Typed = Record<"username" | "name", string>;
interface Shown {
  typed?: Typed;
  faults?: FieldProblem["fields"];
}

/** Names a role by its access level; provided by the room of projects. */
export type NameRole = (accessLevel: number) => string;

/** Accept as the signed-in person, or create an account; the link replaces a sign-in once. */
export function invitationPages(
  app: FastifyInstance,
  platform: Platform,
  join: Join,
  nameRole: NameRole,
): void {
  app.get<At>("/users/invitations/:token", async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    const invitation = await invitationOf(platform, request.params.token);
    if (!invitation) return sendInvalid(reply, browser);
    return show(reply, browser, request.params.token, { ...invitation, nameRole }, {});
  });
  app.post<At>("/users/invitations/:token", async (request, reply) =>
    accept(platform, request, reply, join, nameRole),
  );
  app.post<At>("/users/invitations/:token/sign_in", async (request, reply) => {
    const browser = await checkForm(platform, request, reply);
    if (!(await invitationOf(platform, request.params.token))) return sendInvalid(reply, browser);
    await keepReturnPath(platform, request, reply, `/users/invitations/${request.params.token}`);
    return reply.redirect("/users/sign_in", 303);
  });
}

/**
 * Returns undefined for a link that does not exist, is spent, withdrawn or expired, or belongs to a sign-up that is no longer
 * allowed.
 */
async function invitationOf(platform: Platform, token: string): Promise<Invitation | undefined> {
  const { db } = platform;
  const found = maySecretBe("invitation", token) ? await findLiveInvitation(db, digest(token)) : undefined;
  if (found?.invitedBy === null && !(await maySignUp(platform, found.email))) return undefined;
  return found;
}

function sendInvalid(reply: FastifyReply, browser: Browser) {
  return sendLinkOver(reply, browser, {
    lead: "It works once, for seven days after an invitation and for a day after a sign-up, and not once it was withdrawn or sent again.",
    next: html`If you took it up already, sign in. Otherwise ask whoever invited you to send it again, or <a href="/users/sign_up">sign up</a> again.`,
  });
}

/** Checked again: registration may have been closed since the mail was sent, by the environment too. */
async function maySignUp(platform: Platform, email: string): Promise<boolean> {
  const { mode, domains } = await findRegistration(platform);
  return mode === "open" && registrationFault(email, domains) === undefined;
}

async function accept(
  platform: Platform,
  request: FastifyRequest<At>,
  reply: FastifyReply,
  join: Join,
  nameRole: NameRole,
) {
  const browser = await checkForm(platform, request, reply);
  const { token } = request.params;
  const invitation = await invitationOf(platform, token);
  if (!invitation) return sendInvalid(reply, browser);
  const typed = { username: formText(request, "username").trim(), name: formText(request, "name").trim() };
  const who: Accepting = browser.viewer
    ? { userId: browser.viewer.userId }
    : { ...typed, password: formText(request, "password") };
  let joined: Joined;
  try {
    const accepted = await acceptInvitation(platform, token, who, request.ip, join);
    joined = accepted.joined;
    if (!browser.viewer) {
      await renewSession(platform, request, reply, { userId: accepted.userId });
      await updateSignIn(platform.db.pooled, accepted.userId);
    }
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return show(reply, browser, token, { ...invitation, nameRole }, { typed, faults: error.fields });
  }
  const { home, told } = outcome(invitation, typed.name, joined);
  return redirectWith(platform, request, reply, home, told);
}

/** Where the person goes, and what they are told there. */
function outcome({ place }: Invitation, name: string, joined: Joined) {
  if (place !== "" && joined !== "member") {
    const ended = "what you were invited to had ended before you accepted.";
    const text =
      joined === "inside"
        ? `Your role in ${place} is as before: ${ended}`
        : `You are not a member of ${place}: ${ended}`;
    const home = joined === "inside" ? `/${place}` : "/";
    return { home, told: { kind: "note", text } } as const;
  }
  const text = place === "" ? `Welcome, ${name}.` : `You are a member of ${place} now.`;
  return { home: `/${place}`, told: { kind: "ok", text } } as const;
}

type Named = Invitation & { nameRole: NameRole };

function show(reply: FastifyReply, browser: Browser, token: string, invitation: Named, shown: Shown) {
  const page = browser.viewer
    ? memberPage(browser, browser.viewer.username, token, invitation)
    : newcomerPage(browser, token, invitation, shown);
  const failed = Object.keys(shown.faults ?? {}).length > 0;
  return sendPage(reply, page, { referrerPolicy: "no-referrer", failed });
}

function leadOf({ inviterName, place, accessLevel, memberUntil, nameRole }: Named): string {
  const until = memberUntil ? `, until ${exactWords(memberUntil)}` : "";
  const role = accessLevel === null ? "" : ` as ${nameRole(accessLevel)}${until}`;
  const what = place === "" ? "to this Gatehouse" : `to ${place}${role}`;
  return inviterName === null
    ? "One more step: choose a name and a password."
    : `${inviterName} invites you ${what}.`;
}

function memberPage(browser: Browser, username: string, token: string, invitation: Named): Html {
  const isForMembers = invitation.accessLevel !== null;
  const acceptForm = html`<form class="form mt" action="/users/invitations/${token}" method="post">${csrfField(browser.csrfToken)}
${submitButton(`Accept as @${username}`, { tone: "primary", size: "lg block" })}</form>`;
  const useless = html`<p class="mt">You are signed in as @${username} and need no other account. The link stays good for ${invitation.email}.</p><div class="btn-row mt">${linkButton("To the start page", "/")}</div>`;
  return gatePage({
    ...frameOf(browser),
    title: "Invitation",
    heading: isForMembers ? "Accept the invitation" : "You have an account",
    lead: leadOf(invitation),
    body: isForMembers ? acceptForm : useless,
    below: isForMembers
      ? html`<p class="wrap-any">Sent to ${invitation.email}.</p><p class="mt-s"><a href="/">Not now</a></p>`
      : html``,
  });
}

function newcomerPage(
  browser: Browser,
  token: string,
  invitation: Named,
  { typed, faults = {} }: Shown,
): Html {
  const labels = { name: "Name", username: "Username", email: "Email", password: "Password" } as const;
  const error = (field: keyof typeof labels) => faultOf(faults, field, labels[field]);
  const all = Object.entries(labels).map(([id, label]) => ({
    id,
    label,
    error: error(id as keyof typeof labels),
  }));
  const of = (name: keyof Typed) => ({
    name,
    label: labels[name],
    required: true,
    value: typed?.[name],
    error: error(name),
  });
  const home = `/users/invitations/${token}`;
  const haveOne = html`<form action="${home}/sign_in" method="post">${csrfField(browser.csrfToken)}${submitButton("I have an account: sign in", { size: "sm" })}</form>`;
  return gatePage({
    ...frameOf(browser),
    title: "Create your account",
    heading: "Create your account",
    lead: leadOf(invitation),
    failed: Object.keys(faults).length > 0,
    body: html`<form class="form mt" action="${home}" method="post">${csrfField(browser.csrfToken)}${errorSummary(all)}
${textField({ ...of("name"), autocomplete: "name", autofocus: !typed })}
${textField({ ...of("username"), autocomplete: "username", spellcheck: false, hint: "Others see it. Letters, digits, _, - and a dot." })}
${textField({ name: "email", label: labels.email, type: "email", value: invitation.email, readonly: true, error: error("email"), autocomplete: "off" })}
${passwordField({ name: "password", label: labels.password, required: true, error: error("password"), hint: "At least 12 characters. A sentence is fine.", autocomplete: "new-password" })}
${submitButton("Create account", { tone: "primary", size: "lg block" })}
</form>`,
    below: invitation.accessLevel === null ? html`` : haveOne,
  });
}
