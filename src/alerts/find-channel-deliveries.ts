/** Finds the deliveries of a channel, as those who may change the channel see them. */
import type { Delivery } from "../outbox/delivery.ts";
import { findDeliveries } from "../outbox/find-deliveries.ts";
import type { Db } from "../platform/db.ts";
import { type Channel, purposeOf } from "./channel.ts";
import { listHolders } from "./store-channels.ts";

/**
 * A page of a channel's deliveries, the newest first, and their total. The target of a mail is the username of its receiver:
 * a mail address is private, also to the Maintainers of a project. Of an address that belongs to nobody here now, the domain is
 * left.
 */
export async function findChannelDeliveries(
  db: Db,
  channel: Pick<Channel, "id" | "projectId">,
  page: { limit: number; offset: number },
): Promise<{ deliveries: Delivery[]; total: number }> {
  const filter = { projectId: channel.projectId, purpose: purposeOf(channel) };
  const { deliveries, total } = await findDeliveries(db, filter, page);
  const addresses = deliveries.filter((one) => one.channel === "mail").map(({ target }) => target);
  const holders = addresses.length === 0 ? [] : await listHolders(db.pooled, addresses);
  const names = new Map(holders.map(({ email, username }) => [email.toLowerCase(), username]));
  const shown = ({ target }: Delivery) => names.get(target.toLowerCase()) ?? masked(target);
  return {
    deliveries: deliveries.map((one) => (one.channel === "mail" ? { ...one, target: shown(one) } : one)),
    total,
  };
}

function masked(address: string): string {
  return `***${address.slice(address.lastIndexOf("@"))}`;
}
