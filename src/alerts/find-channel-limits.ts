/** Finds the integrations to which a channel can be limited, and those to which it is. */
import type { Queries } from "../platform/db.ts";
import { type Channel, isCutOff } from "./channel.ts";
import type { Integration } from "./integration.ts";
import { countIntegrations, listIntegrations, listIntegrationsAmong } from "./store-integrations.ts";

const MOST_LISTED = 100;

export interface ChannelLimits {
  /** The first integrations that send alerts, and those to which the channel is limited, as far as they exist. */
  integrations: readonly Pick<Integration, "id" | "name">[];
  /** How many there are. */
  integrationTotal: number;
  /** Whether all integrations to which it is limited were removed. */
  isCutOff: boolean;
}

export async function findChannelLimits(
  db: Queries,
  projectId: number,
  channel: Pick<Channel, "integrationIds"> | undefined,
): Promise<ChannelLimits> {
  const [listed, total, chosen] = await Promise.all([
    listIntegrations(db, projectId, { limit: MOST_LISTED, offset: 0 }),
    countIntegrations(db, projectId),
    listIntegrationsAmong(db, projectId, channel?.integrationIds ?? []),
  ]);
  const senders = listed.filter(({ type }) => type !== "external_tool");
  const others = chosen.filter(({ id }) => !senders.some((one) => one.id === id));
  return {
    integrations: [...senders, ...others],
    integrationTotal: total - (listed.length - senders.length),
    isCutOff: channel !== undefined && isCutOff(channel, chosen),
  };
}
