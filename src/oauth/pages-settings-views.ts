/** The views of the instance's settings. */
import type { Shown } from "../platform/form-shown.ts";
import { badge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { csrfField, errorSummary, selectField, shownField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { durationWords } from "../ui/time.ts";
import { LIFETIMES } from "./lifetimes.ts";
import type { FormFaults } from "./pages-application-form.ts";
import { CODE_SECONDS, type SecurityProfile, SWITCHES, type Switch, settingsOf } from "./settings.ts";

/** The values of the form: `on`, `off`, or empty for the default of the start configuration. */
export type TypedSettings = Record<Switch | "codeSeconds", string>;

export interface SettingsForm {
  typed: TypedSettings;
  /** The values that the form showed when its sender began. */
  shown: Shown;
  faults?: FormFaults;
}

const WORDS: Readonly<Record<Switch, { label: string; hint: string; on: string; off: string }>> = {
  allowImplicit: {
    label: "Implicit grant",
    hint: "The token is part of the redirect address, where others may see it. RFC 9700 advises against it.",
    on: "Allowed where registered",
    off: "Refused",
  },
  allowPassword: {
    label: "Password flow",
    hint: "Programs ask people for their password themselves. RFC 9700 forbids it.",
    on: "Allowed where registered",
    off: "Refused",
  },
  allowQueryTokens: {
    label: "Tokens in addresses",
    hint: "access_token, private_token and bearer_token as query parameters. Addresses end up in logs and browser histories.",
    on: "Accepted",
    off: "Refused",
  },
  requirePkce: {
    label: "PKCE",
    hint: "Public applications must always use it; confidential ones prove themselves by their secret too.",
    on: "Required for all",
    off: "Required for public only",
  },
  guardAdministrators: {
    label: "Full access to administrators’ accounts",
    hint: "A token of an administrator with the scope api can change everything here. Without the limit, administrators are warned and decide.",
    on: "Trusted applications only",
    off: "All, after a warning",
  },
  allowDynamicRegistration: {
    label: "Programs that register themselves",
    hint: "Dynamic registration (RFC 7591) without an account. Such programs must use PKCE, can only read, and are marked as unverified.",
    on: "Allowed, from anywhere",
    off: "Refused",
  },
  allowLongLives: {
    label: "Longer token lifetimes",
    hint: `Standard: ${durationWords(LIFETIMES.accessTokenSeconds.usual)} for access tokens; refresh tokens end after ${durationWords(LIFETIMES.refreshIdleSeconds.usual)} without use and after ${durationWords(LIFETIMES.refreshAbsoluteSeconds.usual)} at the latest. Applications may always be set to less.`,
    on: "As set per application",
    off: "Standard at most",
  },
};

/** One form; the first choice of each setting is the default of the start configuration. */
export function settingsMain(
  csrfToken: string,
  profile: SecurityProfile,
  { typed, shown, faults }: SettingsForm,
  registration: Html,
): Html {
  const byDefault = settingsOf(profile);
  const error = faults?.code_seconds && `The lifetime of a code ${faults.code_seconds.join(" ")}.`;
  const head = pageHead({
    heading: "Settings",
    above: badge(`Profile: ${profile}`, "line"),
    lead: html`What applications may do on this Gatehouse. Defaults come from <code>GATEHOUSE_SECURITY_PROFILE</code>. Changes take effect at once.`,
  });
  const fields = SWITCHES.map((name) => {
    const { label, hint, on, off } = WORDS[name];
    const standard = byDefault[name] ? on : off;
    const options = [
      { value: "", label: `Default: ${standard}` },
      { value: "on", label: on },
      { value: "off", label: off },
    ];
    return selectField({ name, label, hint, value: typed[name], options });
  });
  const code = textField({
    name: "codeSeconds",
    label: "Lifetime of an authorization code, in seconds",
    note: "optional",
    value: typed.codeSeconds,
    error: error || undefined,
    inputmode: "numeric",
    autocomplete: "off",
    hint: `${CODE_SECONDS.least} to ${CODE_SECONDS.most}. Empty: ${byDefault.codeSeconds}. More than a minute only helps slow clients.`,
  });
  return html`${head}${stack([
    card({
      id: "security",
      heading: "Applications and tokens",
      lead: "Tokens issued before a change stay valid until they expire.",
      body: html`<form class="form" action="/admin/settings" method="post">${csrfField(csrfToken)}${shownField(shown)}${errorSummary([{ id: "codeSeconds", label: "Lifetime of a code", error: error || undefined }])}${fields}${code}
<div class="btn-row full">${submitButton("Save settings", { tone: "primary" })}</div></form>`,
    }),
    registration,
  ])}`;
}
