/** A notification channel: who is notified of which of a project's alerts (decision 0097). */
import { nameFault } from "../accounts/name.ts";
import { isOneOf } from "../platform/one-of.ts";
import {
  boolean,
  bytes,
  instant,
  integer,
  list,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";
import { SEVERITIES, type Severity } from "./severity.ts";

export const CHANNEL_KINDS = ["mail", "webhook", "slack"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];
export const CHANNEL_EVENTS = ["opened", "reopened", "acknowledged", "resolved"] as const;
export type ChannelEvent = (typeof CHANNEL_EVENTS)[number];
export const RECIPIENTS = ["assignees", "maintainers"] as const;

export const ChannelRow = row({
  id: integer,
  projectId: integer,
  name: text,
  kind: oneOf(CHANNEL_KINDS),
  active: boolean,
  recipients: list(oneOf(RECIPIENTS)),
  userIds: list(integer),
  urlSealed: nullable(bytes),
  urlHost: nullable(text),
  secretSealed: nullable(bytes),
  severities: list(oneOf(SEVERITIES)),
  events: list(oneOf(CHANNEL_EVENTS)),
  integrationIds: list(integer),
  createdAt: instant,
  updatedAt: instant,
});
export type Channel = RowOf<typeof ChannelRow>;

/** The fields of a channel that can be set. */
export interface ChannelFields {
  name: string;
  active: boolean;
  recipients: readonly (typeof RECIPIENTS)[number][];
  userIds: readonly number[];
  /** Undefined: unchanged. */
  url: string | undefined;
  severities: readonly string[];
  events: readonly ChannelEvent[];
  integrationIds: readonly number[];
}

/** Returns the purpose under which the outbox keeps the channel's deliveries. */
export function purposeOf({ id }: Pick<Channel, "id">): string {
  return `alert-channel:${id}`;
}

/** Whether a channel is to be notified of this alert. */
export function concerns(
  { severities, integrationIds }: Pick<Channel, "severities" | "integrationIds">,
  alert: { severity: string; integrationId: number | null },
): boolean {
  return (
    isOneOf(severities, alert.severity) &&
    (integrationIds.length === 0 ||
      (alert.integrationId !== null && integrationIds.includes(alert.integrationId)))
  );
}

/** Whether a channel concerns no alert any more, since all integrations that it was limited to were removed. */
export function isCutOff(
  { integrationIds }: Pick<Channel, "integrationIds">,
  existing: readonly { id: number }[],
): boolean {
  return integrationIds.length > 0 && !existing.some(({ id }) => integrationIds.includes(id));
}

/** Whether it was to be notified of the alert already before that became more severe. */
export function concernedBefore(
  channel: Pick<Channel, "severities" | "integrationIds">,
  alert: { integrationId: number | null },
  severityBefore: Severity | undefined,
): boolean {
  return severityBefore !== undefined && concerns(channel, { ...alert, severity: severityBefore });
}

/** Returns the errors in a channel's fields; whether its address is allowed is checked by the outbox. */
export function channelFaults(
  kind: ChannelKind,
  fields: ChannelFields,
  before?: Pick<Channel, "name">,
): Record<string, string[]> {
  const isNew = before === undefined;
  const faults: Record<string, string[]> = {};
  const wrongName = nameFault(fields.name, 255, before?.name);
  if (wrongName) faults.name = [wrongName];
  if (fields.severities.length === 0) faults.severities = ["must be at least one"];
  if (fields.events.length === 0) faults.events = ["must be at least one"];
  if (kind === "mail" && fields.recipients.length + fields.userIds.length === 0)
    faults.recipients = ["must be at least one"];
  if (kind === "mail" && fields.url) faults.url = ["is not for mail"];
  if (kind !== "mail" && isNew && !fields.url) faults.url = ["can't be blank"];
  if ((fields.url?.length ?? 0) > 2000) faults.url = ["is too long (maximum is 2000 characters)"];
  return faults;
}
