/** `/profile`: one's own name, time zone, username and mail address. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { mailIsOn } from "../outbox/send-mail.ts";
import { changedIn, type Shown, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { checkbox } from "../ui/choice.ts";
import {
  csrfField,
  errorSummary,
  faultOf,
  selectField,
  shownField,
  textField,
  withChosen,
} from "../ui/form.ts";
import { html } from "../ui/html.ts";
import { zoneWords } from "../ui/time.ts";
import type { About } from "./about.ts";
import { actOfViewer } from "./act-of-viewer.ts";
import {
  checkFormOfViewer,
  needsFreshProof,
  needsViewer,
  redirectWith,
  type SignedInBrowser,
} from "./browser.ts";
import { changeAbout } from "./change-about.ts";
import { changeEmail } from "./change-email.ts";
import { changeProfile } from "./change-profile.ts";
import { changeUsername } from "./change-username.ts";
import { ABOUT, moreCard } from "./pages-about.ts";
import { mailsCard } from "./pages-mails.ts";
import { sendSettings } from "./pages-settings-frame.ts";
import { type Profile, type ProfileFields, TIME_ZONES } from "./profile.ts";
import { findProfile } from "./store-profiles.ts";
import { aboutOf } from "./wire.ts";

const HOME = "/profile";
interface Refused {
  typed?: Partial<ProfileFields & { email: string; username: string; about: About }>;
  faults?: FieldProblem["fields"];
  shown?: Shown;
}

/** Username and mail address require a recent proof of identity, the mail address possibly a confirmation as well. */
export function profilePages(app: FastifyInstance, platform: Platform): void {
  app.get(HOME, async (request, reply) => {
    return show(platform, reply, await needsViewer(platform, request, reply), {});
  });
  app.post(HOME, async (request, reply) => {
    const browser = await checkFormOfViewer(platform, request, reply);
    const typed: ProfileFields = {
      name: formText(request, "name").trim(),
      timeZone: formText(request, "time_zone"),
      showsEmail: formText(request, "shows_email") === "yes",
      privateProfile: formText(request, "private_profile") === "yes",
    };
    const shown = shownIn(request);
    try {
      await changeProfile(platform, browser.viewer, changedIn(typed, shown));
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return show(platform, reply, browser, { typed, shown, faults: error.fields });
    }
    return redirectWith(platform, request, reply, HOME, { kind: "ok", text: "Your profile is saved." });
  });
  app.post(ABOUT, async (request, reply) => {
    const browser = await checkFormOfViewer(platform, request, reply);
    const about = aboutOf(request.body as Readonly<Record<string, unknown>>);
    const shown = shownIn(request);
    try {
      await changeAbout(platform, browser.viewer.userId, changedIn(about, shown));
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return show(platform, reply, browser, { typed: { about }, shown, faults: error.fields });
    }
    return redirectWith(platform, request, reply, HOME, { kind: "ok", text: "Your profile is saved." });
  });
  app.post(`${HOME}/email`, async (request, reply) => putNewEmail(platform, request, reply));
  app.post(`${HOME}/username`, async (request, reply) => putNewUsername(platform, request, reply));
}

async function putNewUsername(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await checkFormOfViewer(platform, request, reply);
  await needsFreshProof(platform, request, reply, `${HOME}#username-card`);
  const username = formText(request, "username").trim().replace(/^@/, "");
  const { userId, username: was } = browser.viewer;
  try {
    await changeUsername(platform.db, { id: userId, username: was }, username, actOfViewer(browser, request));
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return show(platform, reply, browser, { typed: { username }, faults: error.fields });
  }
  return redirectWith(platform, request, reply, HOME, { kind: "ok", text: `You are @${username} now.` });
}

async function putNewEmail(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await checkFormOfViewer(platform, request, reply);
  await needsFreshProof(platform, request, reply, `${HOME}#email-card`);
  const email = formText(request, "email").trim();
  try {
    const done = await changeEmail(platform, actOfViewer(browser, request), email);
    const asked = `A link is on its way to ${email}. The address changes when you open it.`;
    const text = done === "changed" ? `Your address is ${email} now.` : asked;
    return await redirectWith(platform, request, reply, HOME, { kind: "ok", text });
  } catch (error) {
    if (error instanceof Problem && error.kind === "too_many") {
      const faults = { email: [`was not changed: ${error.message}`] };
      return show(platform, reply, browser, { typed: { email }, faults });
    }
    if (!(error instanceof FieldProblem)) throw error;
    return show(platform, reply, browser, { typed: { email }, faults: error.fields });
  }
}

async function show(
  platform: Platform,
  reply: FastifyReply,
  browser: SignedInBrowser,
  { typed = {}, faults = {}, shown }: Refused,
) {
  const profile = await findProfile(platform.db, browser.viewer.userId);
  if (!profile) throw new Problem("not_found", "404 Not Found");
  const { csrfToken } = browser;
  const sendsMail = mailIsOn(platform.config);
  const head = pageHead({
    heading: "Profile",
    lead: "What others see of you.",
    actions: [linkButton("Public profile", `/${profile.username}`, { icon: "user" })],
  });
  const cards = [
    aboutCard(
      csrfToken,
      { ...profile, ...typed, email: profile.email, username: profile.username, about: profile.about },
      typed.name === undefined ? undefined : shown,
      faults,
    ),
    moreCard(csrfToken, typed.about ?? profile.about ?? {}, typed.about && shown, faults),
    usernameCard({ csrfToken, profile, typed: typed.username, faults }, platform.config.publicUrl),
    emailCard({ csrfToken, profile, typed: typed.email, faults }, sendsMail),
    sendsMail && mailsCard(csrfToken, profile),
  ];
  const main = html`${head}${stack(cards)}`;
  const failed = Object.keys(faults).length > 0;
  return sendSettings(reply, browser, { title: "Profile", current: "own-profile", main, failed });
}

const ZONE_HINT =
  "The calendar on your page counts days in it. Other times are in UTC, or as chosen at the foot of a page.";

function aboutCard(
  csrfToken: string,
  profile: Profile,
  shown: Shown | undefined,
  faults: FieldProblem["fields"],
) {
  const name = faultOf(faults, "name", "Name");
  const zone = faultOf(faults, "time_zone", "Time zone");
  const zones = TIME_ZONES.map((value) => ({ value, label: zoneWords(value) }));
  // Another version of the runtime may list other names than the one with which a zone was saved.
  const options = withChosen(zones, profile.timeZone, zoneWords(profile.timeZone));
  const summary = errorSummary([
    { id: "name", label: "Name", error: name },
    { id: "time_zone", label: "Time zone", error: zone },
  ]);
  const { name: named, timeZone, showsEmail, privateProfile } = profile;
  return card({
    id: "about",
    heading: "About you",
    body: html`<form class="form" action="${HOME}" method="post">${csrfField(csrfToken)}${shownField(shown ?? { name: named, timeZone, showsEmail, privateProfile })}${summary}
${textField({ name: "name", label: "Name", value: profile.name, error: name, autocomplete: "name", required: true, maxlength: 255 })}
${selectField({ name: "time_zone", label: "Time zone", value: profile.timeZone, error: zone, options, hint: ZONE_HINT })}
${checkbox("shows_email", { value: "yes", label: "Show my email address", hint: "API responses about you include it, for everybody who is signed in.", checked: profile.showsEmail })}
${checkbox("private_profile", { value: "yes", label: "Private profile", hint: "Only you and administrators see your page and your activity. Projects still show what happened in them.", checked: profile.privateProfile })}
<div class="btn-row">${submitButton("Save changes", { tone: "primary" })}</div></form>`,
  });
}

/** The content of a card with one field. */
interface FieldCard {
  csrfToken: string;
  profile: Profile;
  /** What a refused form contained; undefined: nothing was refused. */
  typed: string | undefined;
  faults: FieldProblem["fields"];
}

function usernameCard({ csrfToken, profile: { username }, typed, faults }: FieldCard, publicUrl: string) {
  const error = faultOf(faults, "username", "Username");
  const hint = `You sign in with it, and the addresses of your page and your projects begin with it: ${publicUrl}/${username}. Old addresses lead on, and nobody else gets the name.`;
  return card({
    id: "username-card",
    heading: "Username",
    body: html`<form class="form" action="${HOME}/username" method="post">${csrfField(csrfToken)}${errorSummary([{ id: "username", label: "Username", error }])}
${textField({ name: "username", label: "Username", value: typed ?? username, error, hint, autocomplete: "username", spellcheck: false, required: true, maxlength: 255 })}
<div class="btn-row">${submitButton("Change username")}</div></form>`,
  });
}

function emailCard({ csrfToken, profile, typed, faults }: FieldCard, sendsMail: boolean) {
  const { email, newEmail } = profile;
  const error = faultOf(faults, "email", "Email");
  const waits = newEmail && html`<p>We wait for ${newEmail} to be confirmed. Until then it is ${email}.</p>`;
  const hint = sendsMail
    ? "You sign in with it too. A link goes to the new address, and it counts once you open that."
    : "You sign in with it too.";
  return card({
    id: "email-card",
    heading: "Email address",
    body: html`${waits}<form class="form" action="${HOME}/email" method="post">${csrfField(csrfToken)}${errorSummary([{ id: "email", label: "Email", error }])}
${textField({ name: "email", label: "Email", type: "email", value: typed ?? email, error, hint, autocomplete: "email", spellcheck: false, required: true })}
<div class="btn-row">${submitButton("Change address")}</div></form>`,
  });
}
