/** Finds the integrations to which a channel can be limited, and those to which it is. */
import type { Queries } from "../platform/db.ts";
import { type Channel, isCutOff } from "./channel.ts";
import type { Integration } from "./integration.ts";
import { countIntegrations, listOfferedIntegrations } from "./store-integrations.ts";

export interface ChannelLimits {
  /** Those that can be chosen, which include those to which the channel is limited, as far as they exist. */
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
  const chosen = channel?.integrationIds ?? [];
  const [offered, total] = await Promise.all([
    listOfferedIntegrations(db, projectId, chosen),
    countIntegrations(db, projectId),
  ]);
  const integrations = offered.filter(({ id, type }) => type !== "external_tool" || chosen.includes(id));
  return {
    integrations,
    integrationTotal: total - (offered.length - integrations.length),
    isCutOff: channel !== undefined && isCutOff(channel, offered),
  };
}
