/** Puts what channels want to hear of alerts into the outbox, in the transaction in which it happened (decision 0097). */
import { enqueue } from "../outbox/enqueue.ts";
import type { Message } from "../outbox/message.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { type Channel, type ChannelEvent, purposeOf, wants } from "./channel.ts";
import { alertNotice, type Notice } from "./notice.ts";
import { type Reach, silenceOver } from "./reach.ts";
import { type Facts, listActiveChannels, listFacts, listReaders, type Reader } from "./store-channels.ts";

/** Something that happened to an alert. */
export interface AlertHappening {
  projectId: number;
  alertId: number;
  what: ChannelEvent;
  /** Who did it; undefined: its sender. */
  by?: string | undefined;
}

/** Projects without a channel cost nothing here; alerts under a silence are not told. */
export async function notifyAlerts(
  platform: Platform,
  tx: Queries,
  happenings: readonly AlertHappening[],
  reach: Reach,
): Promise<void> {
  const told = happenings.filter(({ projectId }) => reach.projects.get(projectId)?.notifies);
  if (told.length === 0) return;
  const projectIds = [...new Set(told.map(({ projectId }) => projectId))];
  const [facts, channels, readers] = await Promise.all([
    listFacts(tx, [...new Set(told.map(({ alertId }) => alertId))]),
    listActiveChannels(tx, projectIds),
    listReaders(tx, projectIds),
  ]);
  const factsById = new Map(facts.map((one) => [one.id, one]));
  const messages = told.flatMap(({ alertId, projectId, what, by }) => {
    const alert = factsById.get(alertId);
    if (!alert || alert.silenceId !== null || silenceOver(reach, projectId, () => alert)) return [];
    const wanting = channels.filter((one) => one.projectId === projectId && wants(one, what, alert));
    if (wanting.length === 0) return [];
    const notice = alertNotice(what, alert, by, platform.config.publicUrl);
    return wanting.flatMap((channel) =>
      messagesOf(platform, channel, notice, readersOf(channel, readers, alert)),
    );
  });
  await enqueue(tx, messages);
}

/** Who of those who may see alerts is written to. */
export function readersOf(
  { recipients, userIds, projectId }: Channel,
  readers: readonly Reader[],
  alert?: Pick<Facts, "assigneeIds">,
): string[] {
  return readers
    .filter(
      (reader) =>
        reader.projectId === projectId &&
        ((recipients.includes("maintainers") && reader.maintains === 1) ||
          (recipients.includes("assignees") && alert?.assigneeIds.includes(reader.id)) ||
          userIds.includes(reader.id)),
    )
    .map(({ email }) => email);
}

/** The messages by which a channel tells something; none by mail where no mail is sent. */
export function messagesOf(
  { config }: Platform,
  channel: Channel,
  notice: Notice,
  mailboxes: readonly string[],
): Message[] {
  const labels = { projectId: channel.projectId, purpose: purposeOf(channel) };
  const { urlSealed, urlHost, secretSealed } = channel;
  if (channel.kind === "mail") {
    if (!mailIsOn(config)) return [];
    return mailboxes.map((to) => ({
      ...labels,
      channel: "mail",
      to,
      subject: notice.subject,
      text: notice.text,
    }));
  }
  if (!urlSealed || urlHost === null) return [];
  const url = { sealed: urlSealed, host: urlHost };
  if (channel.kind === "slack") return [{ ...labels, channel: "slack", url, ...notice.slack }];
  const secret = secretSealed ?? undefined;
  return [{ ...labels, channel: "webhook", url, secret, event: notice.event, body: notice.body }];
}
