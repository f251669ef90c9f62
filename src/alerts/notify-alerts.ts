/** Puts what channels want to hear of alerts into the outbox, in the transaction in which it happened (decision 0097). */
import { enqueue } from "../outbox/enqueue.ts";
import type { Message } from "../outbox/message.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { type Channel, type ChannelEvent, concerns, purposeOf } from "./channel.ts";
import { alertNotice, type Notice } from "./notice.ts";
import { type Reach, silenceOver } from "./reach.ts";
import type { Severity } from "./severity.ts";
import { type Facts, listActiveChannels, listFacts, listReaders, type Reader } from "./store-channels.ts";
import { listStorms, upsertStorms } from "./store-storms.ts";
import { asTold, type Heard, isCalm, type Storm, UNHEARD, withHeld, withOpened } from "./storm.ts";
import { stormNotice } from "./storm-notice.ts";

/** Something that happened to an alert. */
export interface AlertHappening {
  projectId: number;
  alertId: number;
  what: ChannelEvent;
  /** Who did it; undefined: its sender. */
  by?: string | undefined;
  /** Of one that became more severe: channels that were about it before have heard of it. */
  severityBefore?: Severity | undefined;
}

/** A message that is about to be written: a happening that a channel wants to hear of. */
interface Wanted {
  happening: AlertHappening;
  alert: Facts;
  channel: Channel;
}

/**
 * Projects without a channel cost nothing here; alerts under a silence are not told. While a channel's storm lasts
 * one message stands for many (decision 0099). The projects are locked by the caller.
 */
export async function notifyAlerts(
  platform: Platform,
  tx: Queries,
  happenings: readonly AlertHappening[],
  reach: Reach,
): Promise<void> {
  const mayBeTold = happenings.filter(({ projectId }) => reach.projects.get(projectId)?.notifies);
  if (mayBeTold.length === 0) return;
  const projectIds = [...new Set(mayBeTold.map(({ projectId }) => projectId))];
  const alertIds = [...new Set(mayBeTold.map(({ alertId }) => alertId))];
  const isBare = projectIds.every((id) => reach.projects.get(id)?.silences.length === 0);
  const [facts, channels, readers, storms] = await Promise.all([
    listFacts(tx, alertIds, isBare),
    listActiveChannels(tx, projectIds),
    listReaders(tx, projectIds, alertIds),
    listStorms(tx, projectIds),
  ]);
  const factsById = new Map(facts.map((one) => [one.id, one]));
  const told = mayBeTold.flatMap((happening) => {
    const alert = factsById.get(happening.alertId);
    const { projectId } = happening;
    if (!alert || alert.silenceId !== null || silenceOver(reach, projectId, () => alert)) return [];
    return [{ happening, alert }];
  });
  const messages: Message[] = [];
  const changed: Pick<Storm, "projectId" | "channels">[] = [];
  for (const storm of storms) {
    const { projectId } = storm;
    const here = told.filter(({ happening }) => happening.projectId === projectId);
    const after: Record<string, Heard> = {};
    let isTouched = false;
    for (const channel of channels.filter((one) => one.projectId === projectId)) {
      const about = here.filter(
        ({ alert, happening }) =>
          concerns(channel, alert) && !isNoNews(channel, alert, happening.severityBefore),
      );
      const { heard, written } = tellChannel(platform, storm, channel, about, readers);
      messages.push(...written);
      if (!isCalm(heard)) after[channel.id] = heard;
      isTouched ||= heard.since !== null || about.some(({ happening }) => happening.what === "opened");
    }
    const isKept = Object.keys(after).length > 0 || Object.keys(storm.channels).length > 0;
    if (isKept && isTouched) changed.push({ projectId, channels: after });
  }
  await Promise.all([enqueue(tx, messages), changed.length > 0 && upsertStorms(tx, changed)]);
}

/** Whether the channel was about the alert before it became more severe. */
function isNoNews(channel: Channel, alert: Facts, severityBefore: Severity | undefined): boolean {
  return severityBefore !== undefined && concerns(channel, { ...alert, severity: severityBefore });
}

/** Writes what a channel wants to hear of the alerts that it is about; in its storm one message stands for them. */
function tellChannel(
  platform: Platform,
  storm: Storm,
  channel: Channel,
  about: readonly Omit<Wanted, "channel">[],
  readers: readonly Reader[],
): { heard: Heard; written: Message[] } {
  const opened = about.filter(({ happening }) => happening.what === "opened").length;
  const wanted = about.filter(({ happening }) => channel.events.includes(happening.what));
  const before = storm.channels[channel.id] ?? UNHEARD;
  // Where nothing can begin and nothing lasts, nothing is counted.
  const counts = collapses(channel) && (storm.threshold > 0 || before.since !== null);
  const heard = counts ? withOpened(before, storm, opened) : UNHEARD;
  if (heard.since !== null) {
    return holdBack(platform, storm, channel, heard, wanted, readers);
  }
  return { heard, written: wanted.flatMap((one) => singleMessages(platform, { ...one, channel }, readers)) };
}

/** Mail that goes to assignees alone is never much: what opens has none. */
function collapses({ kind, recipients, userIds }: Channel): boolean {
  return kind !== "mail" || recipients.includes("maintainers") || userIds.length > 0;
}

function singleMessages(
  platform: Platform,
  { happening, alert, channel }: Wanted,
  readers: readonly Reader[],
): Message[] {
  const notice = alertNotice(happening.what, alert, happening.by, platform.config.publicUrl);
  return messagesOf(platform, channel, notice, readersOf(channel, readers, alert));
}

/** Counts what is not written; a channel from which something is held back for the first time hears that a storm is. */
function holdBack(
  platform: Platform,
  storm: Storm,
  channel: Channel,
  heard: Heard,
  wanted: readonly Omit<Wanted, "channel">[],
  readers: readonly Reader[],
): { heard: Heard; written: Message[] } {
  if (wanted.length === 0) return { heard, written: [] };
  const held = withHeld(
    heard,
    wanted.map(({ alert }) => alert),
  );
  if (held.toldAt !== null) return { heard: held, written: [] };
  const notice = stormNotice("storm_began", storm, held, platform.config.publicUrl);
  const written = messagesOf(platform, channel, notice, readersOf(channel, readers));
  return { heard: asTold(held, storm.now), written };
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
      thread: notice.thread,
    }));
  }
  if (!urlSealed || urlHost === null) return [];
  const url = { sealed: urlSealed, host: urlHost };
  if (channel.kind === "slack") return [{ ...labels, channel: "slack", url, ...notice.slack }];
  const secret = secretSealed ?? undefined;
  return [{ ...labels, channel: "webhook", url, secret, event: notice.event, body: notice.body }];
}
