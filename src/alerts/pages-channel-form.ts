/** The form of a channel. */
import type { FastifyRequest } from "fastify";
import type { Shown } from "../platform/form-shown.ts";
import { formList, formText } from "../platform/form-text.ts";
import { submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { choiceSet, switchField } from "../ui/choice.ts";
import {
  changeHeading,
  errorSummary,
  type FormToken,
  hiddenField,
  postForm,
  shownField,
  textField,
} from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { message } from "../ui/message.ts";
import { CHANNEL_EVENTS, CHANNEL_KINDS, type Channel, type ChannelKind, RECIPIENTS } from "./channel.ts";
import type { ChannelLimits } from "./find-channel-limits.ts";
import { CUT_OFF, RECIPIENT_LABELS } from "./pages-channels-view.ts";
import { faultWords } from "./pages-frame.ts";
import { SEVERITIES } from "./severity.ts";

/** The values of the form. */
export interface ChannelForm {
  kind: ChannelKind;
  name: string;
  active: boolean;
  recipients: readonly string[];
  users: string;
  url: string;
  severities: readonly string[];
  events: readonly string[];
  integrations: readonly string[];
}

/** Returns the form of a new channel, of the kind that its address names. */
export function emptyForm(asked: string | undefined): ChannelForm {
  return {
    kind: CHANNEL_KINDS.find((one) => one === asked) ?? "mail",
    name: "",
    active: true,
    recipients: ["maintainers"],
    users: "",
    url: "",
    severities: ["critical", "high", "medium"],
    events: ["opened", "reopened", "resolved"],
    integrations: [],
  };
}

/** Reads the form of a request; the kind of an existing channel stays. */
export function typedForm(request: FastifyRequest, before: Channel | undefined): ChannelForm {
  return {
    kind: before?.kind ?? CHANNEL_KINDS.find((one) => one === formText(request, "kind")) ?? "mail",
    name: formText(request, "name"),
    active: formText(request, "active") === "true",
    recipients: formList(request, "recipients"),
    users: formText(request, "user_ids"),
    url: formText(request, "url"),
    severities: formList(request, "severities"),
    events: formList(request, "events"),
    integrations: formList(request, "integration_ids"),
  };
}

export interface ChannelPage extends ChannelLimits {
  action: string;
  form: ChannelForm;
  /** The values that the form showed when it was loaded. */
  shown: Shown;
  faults: Readonly<Record<string, readonly string[]>>;
  csrfToken: FormToken;
  isNew: boolean;
  mailIsOn: boolean;
}

const LABELS: Readonly<Record<string, string>> = {
  name: "Name",
  recipients: "Recipients",
  user_ids: "People",
  url: "Address",
  severities: "Severities",
  events: "Tell when",
  integration_ids: "Integrations",
};

const EVENT_LABELS = {
  opened: "Opened",
  reopened: "Opened again by hand",
  acknowledged: "Acknowledged",
  resolved: "Resolved",
} as const;

export function channelForm(page: ChannelPage): Html {
  const { form, faults, action, csrfToken, isNew } = page;
  const fault: FaultOf = (name) => faultWords(LABELS[name] ?? name, faults[name]);
  const summary = errorSummary(
    Object.entries(LABELS).map(([id, label]) => ({ id, label, error: fault(id) })),
  );
  const isMail = form.kind === "mail";
  const off =
    isMail &&
    !page.mailIsOn &&
    html`<div class="full">${message({ kind: "warn", text: html`This Gatehouse doesn’t send mail yet, so this channel reaches nobody. An administrator has to set <code>GATEHOUSE_SMTP_URL</code>.` })}</div>`;
  const cutOff =
    page.isCutOff &&
    html`<div class="full">${message({ kind: "warn", text: `${CUT_OFF} Choose others, or none for alerts from all.` })}</div>`;
  return card({
    id: "channel",
    heading: isNew ? "Whom to tell, and of what" : changeHeading(csrfToken),
    body: postForm(
      { action, csrfToken, two: true, cancel: isNew && action },
      html`${hiddenField("kind", form.kind)}${!isNew && shownField(page.shown)}${summary}${off}${cutOff}
${textField({ name: "name", label: "Name", value: form.name, maxlength: 255, autocomplete: "off", full: true, error: fault("name") })}
${isMail ? mailFields(page, fault) : addressField(page, fault)}
${choices({ name: "severities", legend: "Severities", all: SEVERITIES, ticked: form.severities, error: fault("severities") })}
${choices({ name: "events", legend: "Tell when an alert, or an incident opened by hand, is", all: CHANNEL_EVENTS, ticked: form.events, error: fault("events"), words: EVENT_LABELS })}
${integrationField(page, fault)}
<div class="full">${switchField("active", "Active", { checked: form.active })}</div>`,
      submitButton(isNew ? "Create channel" : "Save changes", { tone: "primary" }),
    ),
  });
}

type FaultOf = (name: string) => string | undefined;

/** Who gets the mails. */
function mailFields({ form }: ChannelPage, fault: FaultOf): Html {
  return html`${choiceSet({
    name: "recipients",
    legend: "Recipients",
    many: true,
    choices: RECIPIENTS.map((value) => ({
      value,
      label: RECIPIENT_LABELS[value],
      checked: form.recipients.includes(value),
    })),
    error: fault("recipients"),
  })}${textField({ name: "user_ids", label: "People", note: "optional, usernames separated by commas", value: form.users, full: true, autocomplete: "off", spellcheck: false, error: fault("user_ids") })}`;
}

/** Where messages are posted. A saved address is never shown, so without a form its field would be empty. */
function addressField({ form, csrfToken, isNew }: ChannelPage, fault: FaultOf): Html | false {
  return (
    csrfToken !== undefined &&
    textField({
      name: "url",
      label: "Address",
      type: "url",
      value: form.url,
      full: true,
      autocomplete: "off",
      spellcheck: false,
      placeholder: isNew ? "https://hooks.example.org/…" : "",
      note: isNew ? undefined : "empty: stays as it is",
      error: fault("url"),
    })
  );
}

/** What was removed stays a choice, so that a form in which nobody touched it does not mean "from all" (decision 0246). */
function integrationField(
  { form, integrations, integrationTotal }: ChannelPage,
  fault: FaultOf,
): Html | false {
  const removed = form.integrations.filter((one) => !integrations.some(({ id }) => `${id}` === one));
  const choices = [
    ...integrations.map(({ id, name }) => ({ value: `${id}`, label: name })),
    ...removed.map((id) => ({ value: id, label: `Removed since (number ${id})` })),
  ];
  return (
    choices.length > 0 &&
    choiceSet({
      name: "integration_ids",
      legend: "Only from these integrations",
      note: "none: from all",
      many: true,
      choices: choices.map((one) => ({ ...one, checked: form.integrations.includes(one.value) })),
      hint:
        integrations.length < integrationTotal
          ? `${integrations.length} of ${integrationTotal} integrations are listed; by API all can be chosen.`
          : undefined,
      error: fault("integration_ids"),
    })
  );
}

interface Boxes {
  name: string;
  legend: string;
  all: readonly string[];
  ticked: readonly string[];
  error: string | undefined;
  /** Labels by value; a value without a label is shown as it is. */
  words?: Readonly<Record<string, string>>;
}

function choices({ name, legend, all, ticked, error, words = {} }: Boxes): Html {
  return choiceSet({
    name,
    legend,
    many: true,
    choices: all.map((value) => ({
      value,
      label: words[value] ?? value.charAt(0).toUpperCase() + value.slice(1),
      checked: ticked.includes(value),
    })),
    error,
  });
}
