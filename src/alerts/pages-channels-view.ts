/** The parts of the pages of channels: the list, the form, and the deliveries. */
import type { Delivery } from "../outbox/delivery.ts";
import type { Shown } from "../platform/form-shown.ts";
import { badge, statusBadge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { bareCard, card, emptyState } from "../ui/card.ts";
import { choiceSet, switchField } from "../ui/choice.ts";
import { postButton } from "../ui/dialog.ts";
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
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager, table } from "../ui/table.ts";
import { timeAgo } from "../ui/time.ts";
import { CHANNEL_EVENTS, type Channel, type ChannelKind, RECIPIENTS } from "./channel.ts";
import type { Integration } from "./integration.ts";
import { faultWords, queryString } from "./pages-frame.ts";
import { SEVERITIES } from "./severity.ts";

export const KIND_WORDS: Readonly<Record<ChannelKind, string>> = {
  mail: "Mail",
  webhook: "Webhook",
  slack: "Slack-compatible webhook",
};
const EVENT_LABELS = {
  opened: "Opened",
  reopened: "Opened again by hand",
  acknowledged: "Acknowledged",
  resolved: "Resolved",
} as const;
const RECIPIENT_LABELS = {
  assignees: "Assignees of the alert",
  maintainers: "Owners and Maintainers",
} as const;
export const DELIVERIES_A_PAGE = 20;

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

/** Headings of new channels. */
export const NEW_WORDS: Readonly<Record<ChannelKind, string>> = {
  mail: "New mail channel",
  webhook: "New webhook channel",
  slack: "New Slack-compatible channel",
};

export function channelTable(home: string, channels: readonly Channel[], mayAdd: boolean): Html {
  const news = mayAdd
    ? html`<span class="btn-row">${(["mail", "webhook", "slack"] as const).map((kind) =>
        linkButton(NEW_WORDS[kind], `${home}/-/settings/operations/channels/new?kind=${kind}`, {
          size: "sm",
          icon: "plus",
        }),
      )}</span>`
    : undefined;
  if (channels.length === 0) {
    const text = "A channel sends mail to people, or calls a webhook, when alerts open or are resolved.";
    return bareCard(
      "Channels",
      emptyState({ heading: "Nobody is notified yet", text, action: news, level: 2 }),
    );
  }
  const rows = table({
    caption: "Channels",
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: (one: Channel) =>
          html`<a class="title wrap-any" href="${`${home}/-/settings/operations/channels/${one.id}`}">${one.name}</a><br><span class="sub wrap-any">${one.urlHost ?? recipientWords(one)}</span>`,
      },
      { head: "Kind", cell: (one) => badge(KIND_WORDS[one.kind], "line") },
      { head: "Severities", cell: (one) => html`<span class="sub">${one.severities.join(", ")}</span>` },
      { head: "On", cell: (one) => html`<span class="sub">${one.events.join(", ")}</span>` },
      {
        head: "Status",
        cell: (one) => (one.active ? statusBadge("Enabled", "ok") : statusBadge("Disabled", "plain")),
      },
    ],
    rows: channels,
  });
  return bareCard("Channels", rows, news);
}

function recipientWords({ recipients, userIds }: Channel): string {
  const people = userIds.length === 0 ? [] : [userIds.length === 1 ? "1 person" : `${userIds.length} people`];
  return [...recipients.map((one) => RECIPIENT_LABELS[one]), ...people].join(", ");
}

export interface ChannelPage {
  action: string;
  form: ChannelForm;
  /** The values that the form showed when it was loaded. */
  shown: Shown;
  faults: Readonly<Record<string, readonly string[]>>;
  integrations: readonly Integration[];
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

export function channelForm(page: ChannelPage): Html {
  const { form, faults, action, csrfToken, isNew, integrations } = page;
  const fault = (name: string) => faultWords(LABELS[name] ?? name, faults[name]);
  const summary = errorSummary(
    Object.entries(LABELS).map(([id, label]) => ({ id, label, error: fault(id) })),
  );
  const isMail = form.kind === "mail";
  const off =
    isMail &&
    !page.mailIsOn &&
    html`<div class="full">${message({ kind: "warn", text: html`This Gatehouse doesn’t send mail yet, so this channel reaches nobody. An administrator has to set <code>GATEHOUSE_SMTP_URL</code>.` })}</div>`;
  const target = isMail
    ? html`${choiceSet({
        name: "recipients",
        legend: "Recipients",
        many: true,
        choices: RECIPIENTS.map((value) => ({
          value,
          label: RECIPIENT_LABELS[value],
          checked: form.recipients.includes(value),
        })),
        error: fault("recipients"),
      })}${textField({ name: "user_ids", label: "People", note: "optional, usernames separated by commas", value: form.users, full: true, autocomplete: "off", spellcheck: false, error: fault("user_ids") })}`
    : // A saved address is never shown, so without a form its field would be empty.
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
      });
  return card({
    id: "channel",
    heading: isNew ? "Whom to tell, and of what" : changeHeading(csrfToken),
    body: postForm(
      { action, csrfToken, two: true, cancel: isNew && action },
      html`${hiddenField("kind", form.kind)}${!isNew && shownField(page.shown)}${summary}${off}
${textField({ name: "name", label: "Name", value: form.name, maxlength: 255, autocomplete: "off", full: true, error: fault("name") })}
${target}
${choices({ name: "severities", legend: "Severities", all: SEVERITIES, ticked: form.severities, error: fault("severities") })}
${choices({ name: "events", legend: "Tell when an alert, or an incident opened by hand, is", all: CHANNEL_EVENTS, ticked: form.events, error: fault("events"), words: EVENT_LABELS })}
${
  integrations.length > 0 &&
  choiceSet({
    name: "integration_ids",
    legend: "Only from these integrations",
    note: "none: from all",
    many: true,
    choices: integrations.map(({ id, name }) => ({
      value: `${id}`,
      label: name,
      checked: form.integrations.includes(`${id}`),
    })),
    error: fault("integration_ids"),
  })
}
<div class="full">${switchField("active", "Active", { checked: form.active })}</div>`,
      submitButton(isNew ? "Create channel" : "Save changes", { tone: "primary" }),
    ),
  });
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

export interface DeliveryList {
  base: string;
  deliveries: readonly Delivery[];
  page: number;
  total: number;
  now: Date;
  csrfToken: FormToken;
}

const STATES = { waiting: "Waiting", sent: "Sent", dead: "Given up" } as const;

/** Returns the card of a channel's deliveries, the newest first. */
export function deliveryCard({ base, deliveries, page, total, now, csrfToken }: DeliveryList): Html {
  if (deliveries.length === 0) {
    return card({
      id: "deliveries",
      heading: "Deliveries",
      ...(page > 1
        ? { flush: pastTheEnd("deliveries", base) }
        : { body: html`<p class="text-2">Nothing was sent yet.</p>` }),
    });
  }
  const rows = table({
    caption: "Deliveries",
    columns: [
      {
        head: "What",
        rowHeader: true,
        cell: (one: Delivery) => html`<span class="wrap-any">${one.title}</span>`,
      },
      { head: "To", cell: (one) => html`<span class="wrap-any sub">${one.target}</span>` },
      {
        head: "State",
        cell: (one) =>
          statusBadge(
            STATES[one.state],
            one.state === "sent" ? "ok" : one.state === "dead" ? "high" : "plain",
          ),
      },
      { head: "Tries", kind: "num", cell: (one) => one.attempts },
      {
        head: "Last answer",
        cell: (one) => html`<span class="sub">${one.lastError || (one.lastStatus ?? "")}</span>`,
      },
      { head: "Written", kind: "nowrap", cell: (one) => timeAgo(one.createdAt, now) },
      {
        head: "Actions",
        kind: "act",
        hiddenHead: true,
        cell: (one) =>
          one.channel === "mail"
            ? ""
            : postButton(
                `${base}/resend`,
                csrfToken,
                submitButton(html`Send again<span class="sr"> delivery ${one.id}</span>`, { size: "sm" }),
                {
                  delivery_id: `${one.id}`,
                },
              ),
      },
    ],
    rows: deliveries,
  });
  const totalPages = Math.ceil(total / DELIVERIES_A_PAGE);
  const hrefFor = (to: number) => `${base}${queryString({ page: to === 1 ? undefined : to })}`;
  return card({
    id: "deliveries",
    heading: "Deliveries",
    lead: "Kept for 30 days.",
    flush: rows,
    footer: html`<span>${total} in all</span>${pager({ page, totalPages, hrefFor })}`,
  });
}
