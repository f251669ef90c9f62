/** Enqueues the messages of notification channels about alerts, in the transaction of the change (decision 0097). */
import { enqueue } from "../outbox/enqueue.ts";
import type { Message } from "../outbox/message.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import { bothOf } from "../platform/both-of.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { batchNotice } from "./batch-notice.ts";
import { type Channel, type ChannelEvent, concernedBefore, concerns, purposeOf } from "./channel.ts";
import { alertNotice, type Notice } from "./notice.ts";
import { type Reach, silenceOver } from "./reach.ts";
import type { Severity } from "./severity.ts";
import { type Facts, listActiveChannels, listFacts, listReaders, type Reader } from "./store-channels.ts";
import { listStorms, upsertStorms } from "./store-storms.ts";
import {
  isEmpty,
  NO_STORM,
  type Storm,
  type StormState,
  withHeldBack,
  withNotice,
  withOpened,
} from "./storm.ts";
import { stormNotice } from "./storm-notice.ts";

/** An event of an alert of which channels may be notified. */
export interface AlertHappening {
  projectId: number;
  alertId: number;
  what: ChannelEvent;
  /** The name of the person who caused it; undefined: the alert's sender. */
  by?: string | undefined;
  /** The previous severity, if the alert became more severe. Channels that it already concerned are not notified again. */
  severityBefore?: Severity | undefined;
}

/** An event with the facts of its alert that channels filter by and report. */
interface News {
  happening: AlertHappening;
  alert: Facts;
}

/** A channel, the storms of its project, and the people whom it may send mail to. */
interface Audience {
  channel: Channel;
  storm: Storm;
  readers: readonly Reader[];
}

/**
 * Enqueues the messages to the projects' channels. Costs no statement for projects without a channel; alerts under a silence
 * are left out; during a channel's storm, one message stands for many (decision 0099), as for very many changes at once
 * (decision 0295). The caller holds the locks of the projects.
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
    const states: Record<string, StormState> = {};
    let isTouched = false;
    for (const channel of channels.filter((one) => one.projectId === projectId)) {
      const about = here.filter(
        ({ alert, happening }) =>
          concerns(channel, alert) && !concernedBefore(channel, alert, happening.severityBefore),
      );
      const { state, written } = tellChannel(platform, { channel, storm, readers }, about);
      // One at a time: passed as arguments, more than about a hundred thousand do not fit on the stack.
      for (const message of written) messages.push(message);
      if (!isEmpty(state)) states[channel.id] = state;
      isTouched ||= state.since !== null || about.some(({ happening }) => happening.what === "opened");
    }
    const isKept = Object.keys(states).length > 0 || Object.keys(storm.channels).length > 0;
    if (isKept && isTouched) changed.push({ projectId, channels: states });
  }
  const enqueued = enqueue(tx, messages);
  await bothOf<unknown>(enqueued, changed.length > 0 ? upsertStorms(tx, changed) : enqueued);
}

/**
 * Returns the messages to a channel about alerts that concern it, or in a storm the one that stands for them; and its new
 * state.
 */
function tellChannel(
  platform: Platform,
  audience: Audience,
  about: readonly News[],
): { state: StormState; written: Message[] } {
  const { channel, storm } = audience;
  const opened = about.filter(({ happening }) => happening.what === "opened").length;
  const wanted = about.filter(({ happening }) => channel.events.includes(happening.what));
  const before = storm.channels[channel.id] ?? NO_STORM;
  // Counting is needed only if a storm can begin or lasts.
  const counts = collapses(channel) && (storm.threshold > 0 || before.since !== null);
  const state = counts ? withOpened(before, storm, opened) : NO_STORM;
  if (state.since !== null) return holdBack(platform, audience, state, wanted);
  return { state, written: messagesAbout(platform, audience, wanted) };
}

/** More messages than these of one channel, about the changes of one transaction, are combined (decision 0295). */
const MAX_SINGLE = 1000;

/** Returns the messages about single changes; if they were too many, one for each receiver about all that concern it. */
function messagesAbout(platform: Platform, audience: Audience, wanted: readonly News[]): Message[] {
  const { channel, storm } = audience;
  const receivers =
    channel.kind === "mail" ? receiversOf(audience, wanted) : [{ mailboxes: [], news: wanted }];
  const total = receivers.reduce((sum, { mailboxes, news }) => {
    return sum + news.length * (channel.kind === "mail" ? mailboxes.length : 1);
  }, 0);
  if (total <= MAX_SINGLE) return wanted.flatMap((one) => singleMessages(platform, audience, one));
  return receivers.flatMap(({ mailboxes, news }) => {
    const [first] = news;
    if (!first) return [];
    const { publicUrl } = platform.config;
    const notice = news.length === 1 ? noticeAbout(first, publicUrl) : batchNotice(news, storm, publicUrl);
    return messagesOf(platform, channel, notice, mailboxes);
  });
}

/** Mailboxes of a mail channel with the changes that they are told of. */
interface Receivers {
  mailboxes: readonly string[];
  news: readonly News[];
}

/** Returns those who are told of every change, together, and each who is told only of the alerts assigned to them. */
function receiversOf({ channel, readers }: Audience, wanted: readonly News[]): Receivers[] {
  const always = readersOf(channel, readers);
  const named = new Set(always);
  const assigned = new Map<string, News[]>();
  for (const one of wanted) {
    if (one.alert.assigneeIds.length === 0) continue;
    for (const mailbox of readersOf(channel, readers, one.alert)) {
      if (named.has(mailbox)) continue;
      const news = assigned.get(mailbox) ?? [];
      news.push(one);
      assigned.set(mailbox, news);
    }
  }
  return [
    { mailboxes: always, news: wanted },
    ...[...assigned].map(([mailbox, news]) => ({ mailboxes: [mailbox], news })),
  ];
}

/** Whether a storm can begin on a channel; not if it only mails assignees, since an alert that opens has none. */
function collapses({ kind, recipients, userIds }: Channel): boolean {
  return kind !== "mail" || recipients.includes("maintainers") || userIds.length > 0;
}

function singleMessages(platform: Platform, { channel, readers }: Audience, news: News): Message[] {
  const notice = noticeAbout(news, platform.config.publicUrl);
  return messagesOf(platform, channel, notice, readersOf(channel, readers, news.alert));
}

function noticeAbout({ happening, alert }: News, publicUrl: string): Notice {
  return alertNotice(happening.what, alert, happening.by, publicUrl);
}

/** Counts the messages that a storm holds back; the first time, one message notifies the channel that the storm began. */
function holdBack(
  platform: Platform,
  { channel, storm, readers }: Audience,
  state: StormState,
  wanted: readonly News[],
): { state: StormState; written: Message[] } {
  if (wanted.length === 0) return { state, written: [] };
  const held = withHeldBack(
    state,
    wanted.map(({ alert }) => alert),
  );
  if (held.toldAt !== null) return { state: held, written: [] };
  const notice = stormNotice("storm_began", storm, held, platform.config.publicUrl);
  const written = messagesOf(platform, channel, notice, readersOf(channel, readers));
  return { state: withNotice(held, storm.now), written };
}

/** Returns the mail addresses to which the channel writes, among `readers`, who may see the alerts of the project. */
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

/** Returns the messages of a channel for a notice; none for a mail channel if the instance sends no mail. */
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
