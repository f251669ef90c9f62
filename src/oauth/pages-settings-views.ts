/** What the switches of the instance look like. */
import type { Shown } from "../platform/form-shown.ts";
import { badge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { csrfField, errorSummary, selectField, shownField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { durationWords } from "../ui/time.ts";
import { LIVES } from "./lifetimes.ts";
import type { FormFaults } from "./pages-application-form.ts";
import { CODE_SECONDS, type SecurityProfile, SWITCHES, type Switch, settingsOf } from "./settings.ts";

/** What stands in the form: `on`, `off`, or empty for the start configuration. */
export type TypedSettings = Record<Switch | "codeSeconds", string>;

export interface SettingsForm {
  typed: TypedSettings;
  /** What its sender saw when they began. */
  shown: Shown;
  faults?: FormFaults;
}

const WORDS: Readonly<Record<Switch, { label: string; hint: string; on: string; off: string }>> = {
  allowImplicit: {
    label: "Implicit grant",
    hint: "The token stands in the address of the redirect. RFC 9700 advises against it.",
    on: "Allowed where an application is registered for it",
    off: "Refused for all",
  },
  allowPassword: {
    label: "Password flow",
    hint: "Programs take people’s passwords themselves. RFC 9700 forbids it.",
    on: "Allowed where an application is registered for it",
    off: "Refused for all",
  },
  allowQueryTokens: {
    label: "Tokens in addresses",
    hint: "access_token, private_token and bearer_token as query parameters; logs and histories keep addresses.",
    on: "Accepted",
    off: "Refused",
  },
  requirePkce: {
    label: "PKCE",
    hint: "Public applications must always use it.",
    on: "Asked of confidential applications too",
    off: "Confidential applications may leave it out",
  },
  guardAdministrators: {
    label: "Full access to administrators’ accounts",
    hint: "Scope api of an administrator is power over the whole instance.",
    on: "Only for trusted applications",
    off: "Administrators decide, with a warning",
  },
  allowDynamicRegistration: {
    label: "Programs that register themselves",
    hint: "RFC 7591, for clients that nobody registers beforehand. They use PKCE, get reading scopes alone, and are called unverified.",
    on: "Any program may, from anywhere",
    off: "Refused",
  },
  allowLongLives: {
    label: "Longer lives of tokens",
    hint: `Usual lives: ${durationWords(LIVES.accessTokenSeconds.usual)} for access tokens; for refresh tokens, ${durationWords(LIVES.refreshIdleSeconds.usual)} without use and ${durationWords(LIVES.refreshAbsoluteSeconds.usual)} in all. Shorter is always allowed.`,
    on: "Where an application is set to it",
    off: "As usual for all",
  },
};

/** One form; each switch offers what the start configuration says as the first choice. */
export function settingsMain(
  csrfToken: string,
  profile: SecurityProfile,
  { typed, shown, faults }: SettingsForm,
  registration: Html,
): Html {
  const byDefault = settingsOf(profile);
  const error = faults?.code_seconds && `The life of a code ${faults.code_seconds.join(" ")}.`;
  const head = pageHead({
    heading: "Settings",
    above: badge(`Profile: ${profile}`, "line"),
    lead: html`What applications are allowed on this Gatehouse. What is not set here follows <code>GATEHOUSE_SECURITY_PROFILE</code>. A change counts at once, in every process.`,
  });
  const fields = SWITCHES.map((name) => {
    const { label, hint, on, off } = WORDS[name];
    const standard = byDefault[name] ? on : off;
    const options = [
      { value: "", label: `As started: ${standard}` },
      { value: "on", label: on },
      { value: "off", label: off },
    ];
    return selectField({ name, label, hint, value: typed[name], options });
  });
  const code = textField({
    name: "codeSeconds",
    label: "Life of an authorization code, in seconds",
    note: "optional",
    value: typed.codeSeconds,
    error: error || undefined,
    inputmode: "numeric",
    autocomplete: "off",
    hint: `${CODE_SECONDS.least} to ${CODE_SECONDS.most}. Empty: ${byDefault.codeSeconds}. Longer than a minute only for slow clients.`,
  });
  return html`${head}${stack([
    card({
      id: "security",
      heading: "Applications and tokens",
      lead: "Tokens handed out before a change live on until they expire.",
      body: html`<form class="form" action="/admin/settings" method="post">${csrfField(csrfToken)}${shownField(shown)}${errorSummary([{ id: "codeSeconds", label: "Life of a code", error: error || undefined }])}${fields}${code}
<div class="btn-row full">${submitButton("Save settings", { tone: "primary" })}</div></form>`,
    }),
    registration,
  ])}`;
}
