/** The part of `/admin/settings` about who may register (decision 0121). */
import type { Registration } from "../accounts/registration.ts";
import type { Shown } from "../platform/form-shown.ts";
import { submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { choiceSet } from "../ui/choice.ts";
import { csrfField, errorSummary, faultOf, hiddenField, shownField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import type { FormFaults } from "./pages-application-form.ts";

/** The values of a refused form, what its page showed, and its faults. */
export interface RefusedRegistration {
  typed: { registration: string; domains: string };
  shown: Shown;
  faults: FormFaults;
}

const CHOICES = [
  { value: "off", label: "Off", hint: "Only administrators create accounts and invite people." },
  {
    value: "invited",
    label: "By invitation",
    hint: "Maintainers of projects and owners of groups can invite people by email too.",
  },
  { value: "open", label: "Open", hint: "Anybody can sign up with a link sent to their email address." },
];

/** The form, with the values from the environment in place of the fields that it sets; no form if it sets both. */
export function registrationCard(
  csrfToken: string,
  now: Registration,
  sendsMail: boolean,
  refused: RefusedRegistration | undefined,
): Html {
  const heading = "Registration";
  const said = CHOICES.find(({ value }) => value === now.mode);
  const limits = now.areDomainsLocked && html` Only addresses in ${now.domains.join(", ")} sign up.`;
  const fixedMode = html`<p><strong>${said?.label}.</strong> ${said?.hint}${limits}</p>
<p class="text-2 mt-s">Set by <code>GATEHOUSE_REGISTRATION</code>. Start the service without it to choose here.</p>`;
  if (now.isModeLocked && now.areDomainsLocked)
    return card({ id: "registration-card", heading, body: fixedMode });
  const kept = { registration: now.mode, domains: now.domains.join(", ") };
  const { typed, shown, faults } = refused ?? { typed: kept, shown: kept, faults: undefined };
  const error = (field: string, label: string) => faultOf(faults, field, label);
  const mode = error("registration", "Registration") || undefined;
  const domains = error("registration_domains", "Mail domains") || undefined;
  const choices = CHOICES.map((choice) => ({
    ...choice,
    checked: choice.value === typed.registration,
    disabled: choice.value === "open" && !sendsMail && typed.registration !== "open",
  }));
  const hint = sendsMail ? undefined : "Open registration needs mail, which is not set up here.";
  const fixed = html`<p>Only addresses in ${now.domains.join(", ")} sign up, as <code>GATEHOUSE_REGISTRATION_DOMAINS</code> says.</p>`;
  const field = textField({
    name: "registration_domains",
    label: "Mail domains that may sign up",
    note: "optional",
    value: typed.domains,
    error: domains,
    spellcheck: false,
    autocomplete: "off",
    placeholder: "example.org, example.com",
    hint: "Applies while registration is open. Leave empty to allow all.",
  });
  const choice = choiceSet({
    name: "registration",
    legend: "Accounts",
    many: false,
    error: mode,
    hint,
    choices,
  });
  const keptMode = html`<div>${fixedMode}${hiddenField("registration", now.mode)}</div>`;
  const summary = errorSummary([
    { id: "registration", label: "Registration", error: mode },
    { id: "registration_domains", label: "Mail domains", error: domains },
  ]);
  return card({
    id: "registration-card",
    heading,
    lead: "How people get an account. Sign-up links stop working when registration is no longer open.",
    body: html`<form class="form" action="/admin/settings/registration" method="post">${csrfField(csrfToken)}${shownField(shown)}${summary}
${now.isModeLocked ? keptMode : choice}
${now.areDomainsLocked ? fixed : field}
<div class="btn-row full">${submitButton("Save registration", { tone: "primary" })}</div></form>`,
  });
}
