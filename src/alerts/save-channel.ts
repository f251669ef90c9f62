/** Makes, changes and tries out the channels by which a project tells of its alerts. */
import type { Act } from "../accounts/audit.ts";
import { enqueue } from "../outbox/enqueue.ts";
import { OUTBOX_SEAL } from "../outbox/message.ts";
import { targetFault } from "../outbox/safe-request.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import { newWebhookSecret } from "../outbox/signature.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
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
  type Target,
  updateChannel,
} from "./store-channels.ts";
import { markReaching } from "./store-silences.ts";

const MAX_CHANNELS = 20;
const SHOWN = ["name", "active", "recipients", "userIds", "severities", "events", "integrationIds"] as const;

/**
 * Makes a channel, or changes the one of that id; a new webhook's signing secret comes back once.
 * @param given what it is to be, told by what it is while nobody else changes it
 * @throws FieldProblem invalid, by field; Problem not_found; unprocessable: too many
 */
export function saveChannel(
  platform: Platform,
  act: Act,
  project: Pick<Project, "id" | "fullPath">,
  kind: ChannelKind,
  given: (before: Channel | undefined) => ChannelFields,
  id?: number,
): Promise<{ channel: Channel; secret: string | undefined }> {
  const { id: projectId, fullPath } = project;
  return platform.db.transaction(async (tx) => {
    const before = id === undefined ? undefined : await channelOf(tx, projectId, id, true);
    const fields = eachOnce(given(before));
    await checkFields(platform, tx, projectId, kind, fields, before);
    const secret = kind === "webhook" && !before ? newWebhookSecret() : undefined;
    const { url } = fields;
    const target: Target = {
      url: url ? platform.keys.seal(url, OUTBOX_SEAL) : null,
      host: url ? new URL(url).host : null,
      secret: secret ? platform.keys.seal(secret, OUTBOX_SEAL) : null,
    };
    if (before) {
      const channel = await updateChannel(tx, projectId, before.id, fields, target);
      if (!channel) throw noChannel();
      const changed = [changedNames(before, channel, SHOWN), url && "url"].filter(Boolean).join(", ");
      const details = { name: channel.name, kind, changed };
      if (changed !== "") await recordChange(tx, act, "alert_channel_changed", fullPath, details);
      return { channel, secret };
    }
    await markReaching(tx, projectId);
    if ((await listChannels(tx, projectId)).length >= MAX_CHANNELS)
      throw new Problem("unprocessable", `A project has at most ${MAX_CHANNELS} channels.`);
    const channel = await insertChannel(tx, projectId, kind, fields, target);
    await recordChange(tx, act, "alert_channel_created", fullPath, { name: channel.name, kind });
    return { channel, secret };
  });
}

/** Lists without what they name again: they are read with every alert. */
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

/** What waits to be sent is still sent. */
export async function removeChannel(
  { db }: Platform,
  act: Act,
  project: Pick<Project, "id" | "fullPath">,
  { id, name, kind }: Channel,
): Promise<void> {
  await db.transaction(async (tx) => {
    if ((await deleteChannel(tx, project.id, id)) === 0) return;
    await recordChange(tx, act, "alert_channel_removed", project.fullPath, { name, kind });
  });
}

async function checkFields(
  { config }: Platform,
  tx: Queries,
  projectId: number,
  kind: ChannelKind,
  fields: ChannelFields,
  before: Channel | undefined,
): Promise<void> {
  const faults = channelFaults(kind, fields, before);
  const { url, userIds, integrationIds } = fields;
  const fault = url && !faults.url ? targetFault(url, config) : undefined;
  if (fault) faults.url = [fault];
  // Who left stays in the list, and is written to no more.
  const people = userIds.filter((id) => !before?.userIds.includes(id));
  if ((await findPossibleAssignees(tx, projectId, people)).length < people.length)
    faults.user_ids = ["must be people who may see the alerts of this project"];
  const integrations = integrationIds.filter((id) => !before?.integrationIds.includes(id));
  if ((await countIntegrationsOf(tx, projectId, integrations)) < integrations.length)
    faults.integration_ids = ["must be integrations of this project"];
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
}

/** @throws Problem not_found */
export async function channelOf(
  db: Queries,
  projectId: number,
  id: number | undefined,
  isLocked = false,
): Promise<Channel> {
  const found = id === undefined ? undefined : await findChannel(db, projectId, id, isLocked);
  if (!found) throw noChannel();
  return found;
}

function noChannel(): Problem {
  return new Problem("not_found", "404 Channel Not Found");
}

/**
 * Sends a test by a channel, whether it is on or not, and returns how many messages are on their way.
 * @throws Problem unprocessable: there is nobody to write to, or no mail is sent
 */
export async function testChannel(platform: Platform, project: Project, channel: Channel): Promise<number> {
  if (channel.kind === "mail" && !mailIsOn(platform.config))
    throw new Problem("unprocessable", "Mail is not set up on this instance.");
  const readers = readersOf(channel, await listReaders(platform.db, [project.id], []));
  const notice = testNotice(channel.name, project.fullPath, platform.config.publicUrl);
  const messages = messagesOf(platform, channel, notice, readers);
  if (messages.length === 0)
    throw new Problem("unprocessable", "There is nobody to write to before an alert has assignees.");
  return (await enqueue(platform.db, messages)).length;
}
