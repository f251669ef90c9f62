/** The list of channels, and the words for them. */
import { badge, statusBadge } from "../ui/badge.ts";
import { linkButton } from "../ui/button.ts";
import { bareCard, emptyState } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { table } from "../ui/table.ts";
import { type Channel, type ChannelKind, isCutOff } from "./channel.ts";

export const KIND_WORDS: Readonly<Record<ChannelKind, string>> = {
  mail: "Mail",
  webhook: "Webhook",
  slack: "Slack-compatible webhook",
};
export const RECIPIENT_LABELS = {
  assignees: "Assignees of the alert",
  maintainers: "Owners and Maintainers",
} as const;

/** Why an enabled channel is silent. */
export const CUT_OFF = "This channel tells nobody: the integrations that it was limited to were removed.";

/** Headings of new channels. */
export const NEW_WORDS: Readonly<Record<ChannelKind, string>> = {
  mail: "New mail channel",
  webhook: "New webhook channel",
  slack: "New Slack-compatible channel",
};

export interface ChannelList {
  home: string;
  channels: readonly Channel[];
  /** The integrations that they are limited to, as far as they exist. */
  integrations: readonly { id: number }[];
  mayAdd: boolean;
}

export function channelTable({ home, channels, integrations, mayAdd }: ChannelList): Html {
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
        cell: (one) =>
          html`${one.active ? statusBadge("Enabled", "ok") : statusBadge("Disabled", "plain")}${isCutOff(one, integrations) && html`<br><span class="sub">Its integrations were removed</span>`}`,
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
