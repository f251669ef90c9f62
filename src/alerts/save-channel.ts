/** Creates, changes, removes and tests notification channels. */
import type { Act } from "../accounts/audit.ts";
import { enqueue } from "../outbox/enqueue.ts";
import { OUTBOX_SEAL } from "../outbox/message.ts";
import { targetFault } from "../outbox/safe-request.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import { newWebhookSecret } from "../outbox/signature.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { holdMaintainer } from "../projects/hold-role.ts";
import type { Project } from "../projects/project.ts";
import { changedNames } from "./changed-names.ts";
import { type Channel, type ChannelFields, type ChannelKind, channelFaults } from "./channel.ts";
import { testNotice } from "./notice.ts";
import { messagesOf, readersOf } from "./notify-alerts.ts";
import { recordChange } from "./record-change.ts";
import { findPossibleAssignees } from "./store.ts";
import {
  countIntegrationsOf,
  deleteChannel,
  findChannel,
  insertChannel,
  listChannels,
  listReaders,
  lockChannel,
  type Target,
  updateChannel,
} from "./store-channels.ts";
import { markReaching } from "./store-silences.ts";

const MAX_CHANNELS = 20;
const SHOWN = ["name", "active", "recipients", "userIds", "severities", "events", "integrationIds"] as const;

/**
 * Creates a channel. A webhook gets a secret that signs its messages, which is returned only here.
 * @throws FieldProblem invalid, by field; Problem unprocessable: the project has `MAX_CHANNELS` already
 */
export function createChannel(
  platform: Platform,
  act: Act,
  project: Pick<Project, "id" | "fullPath">,
  kind: ChannelKind,
  given: ChannelFields,
): Promise<{ channel: Channel; secret: string | undefined }> {
  const { id: projectId, fullPath } = project;
  const fields = eachOnce(given);
  return platform.db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, projectId);
    await checkFields(platform, tx, { projectId, kind }, fields);
    const secret = kind === "webhook" ? newWebhookSecret() : undefined;
    await markReaching(tx, projectId);
    if ((await listChannels(tx, projectId)).length >= MAX_CHANNELS)
      throw new Problem("unprocessable", `A project has at most ${MAX_CHANNELS} channels.`);
    const channel = await insertChannel(tx, projectId, kind, fields, targetOf(platform, fields, secret));
    await recordChange(tx, act, "alert_channel_created", fullPath, { name: channel.name, kind });
    return { channel, secret };
  });
}

/**
 * Changes a channel; its kind and its secret stay.
 * @param given computes the new fields from the locked row
 * @throws FieldProblem invalid, by field; Problem not_found; as `holdMaintainer`
 */
export function changeChannel(
  platform: Platform,
  act: Act,
  project: Pick<Project, "id" | "fullPath">,
  id: number,
  given: (before: Channel) => ChannelFields,
): Promise<Channel> {
  const { id: projectId, fullPath } = project;
  return platform.db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, projectId);
    const before = await lockChannel(tx, projectId, id);
    if (!before) throw noChannel();
    const { kind } = before;
    const fields = eachOnce(given(before));
    await checkFields(platform, tx, before, fields, before);
    const channel = await updateChannel(tx, projectId, id, fields, targetOf(platform, fields));
    if (!channel) throw noChannel();
    const changed = [changedNames(before, channel, SHOWN), fields.url && "url"].filter(Boolean).join(", ");
    const details = { name: channel.name, kind, changed };
    if (changed !== "") await recordChange(tx, act, "alert_channel_changed", fullPath, details);
    return channel;
  });
}

/** Returns the sealed address and secret; null for those that are not given. */
function targetOf({ keys }: Platform, { url }: ChannelFields, secret?: string): Target {
  return {
    url: url ? keys.seal(url, OUTBOX_SEAL) : null,
    host: url ? new URL(url).host : null,
    secret: secret ? keys.seal(secret, OUTBOX_SEAL) : null,
  };
}

/** Removes duplicates from the lists, which are read for every alert. */
function eachOnce(fields: ChannelFields): ChannelFields {
  return {
    ...fields,
    recipients: [...new Set(fields.recipients)],
    userIds: [...new Set(fields.userIds)],
    severities: [...new Set(fields.severities)],
    events: [...new Set(fields.events)],
    integrationIds: [...new Set(fields.integrationIds)],
  };
}

/** Removes a channel; its messages that are already in the outbox are still sent. */
export async function removeChannel(
  { db }: Platform,
  act: Act,
  project: Pick<Project, "id" | "fullPath">,
  { id, name, kind }: Channel,
): Promise<void> {
  await db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, project.id);
    if ((await deleteChannel(tx, project.id, id)) === 0) return;
    await recordChange(tx, act, "alert_channel_removed", project.fullPath, { name, kind });
  });
}

async function checkFields(
  { config }: Platform,
  tx: Queries,
  { projectId, kind }: Pick<Channel, "projectId" | "kind">,
  fields: ChannelFields,
  before?: Channel,
): Promise<void> {
  const faults = channelFaults(kind, fields, before);
  const { url, userIds, integrationIds } = fields;
  const fault = url && !faults.url ? targetFault(url, config) : undefined;
  if (fault) faults.url = [fault];
  // Only added ids are checked: somebody who has left the project stays in the list but gets no mail.
  const people = userIds.filter((id) => !before?.userIds.includes(id));
  if ((await findPossibleAssignees(tx, projectId, people)).length < people.length)
    faults.user_ids = ["must be people who may see the alerts of this project"];
  const integrations = integrationIds.filter((id) => !before?.integrationIds.includes(id));
  if ((await countIntegrationsOf(tx, projectId, integrations)) < integrations.length)
    faults.integration_ids = ["must be integrations of this project"];
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
}

/** @throws Problem not_found */
export async function channelOf(db: Queries, projectId: number, id: number | undefined): Promise<Channel> {
  const found = id === undefined ? undefined : await findChannel(db, projectId, id);
  if (!found) throw noChannel();
  return found;
}

function noChannel(): Problem {
  return new Problem("not_found", "404 Channel Not Found");
}

/** How long after a test the next one is refused: mails reach people who did not ask for them (decision 0299). */
const PAUSE_SECONDS: Readonly<Record<ChannelKind, number>> = { mail: 60, webhook: 10, slack: 10 };

/**
 * Sends a test message through a channel, active or not, and returns how many messages were enqueued.
 * @throws Problem unprocessable: there is no recipient, or the instance sends no mail; too_many: it was tested moments ago
 */
export async function testChannel(platform: Platform, project: Project, channel: Channel): Promise<number> {
  if (channel.kind === "mail" && !mailIsOn(platform.config))
    throw new Problem("unprocessable", "Mail is not set up on this instance.");
  const readers = readersOf(channel, await listReaders(platform.db, [project.id], []));
  const notice = testNotice(channel.name, project.fullPath, platform.config.publicUrl);
  const messages = messagesOf(platform, channel, notice, readers);
  if (messages.length === 0)
    throw new Problem("unprocessable", "This channel only mails assignees, and a test has none.");
  const pause = PAUSE_SECONDS[channel.kind];
  const elapsed = Date.now() / 1000;
  // Spans by the clock: the outbox ignores what it already has by this key.
  const span = Math.floor(elapsed / pause);
  const sent = await enqueue(
    platform.db,
    messages.map((one) => ({ ...one, dedupeKey: `test ${span} ${one.channel === "mail" ? one.to : ""}` })),
  );
  if (sent.length > 0) return sent.length;
  const retryAfterSeconds = Math.max(1, Math.ceil((span + 1) * pause - elapsed));
  const text = `It was tested a moment ago. Test it again in ${retryAfterSeconds} s.`;
  throw new Problem("too_many", text, { retryAfterSeconds });
}
