/** Selects the sign-ins by a new device or from a new network, of which the account's owner is notified. */
import type { Queries } from "../platform/db.ts";
import { networkOf } from "./authenticate.ts";
import { listEarlierSignIns } from "./store-audit.ts";

/**
 * Returns the ids of the audit log entries whose device words or network (/24, /64) did not occur in the person's sign-ins of the
 * year before (decision 0193). A person's first sign-in is not among them.
 */
export async function newSignIns(
  db: Queries,
  signIns: readonly { id: number; ip: string; device: string }[],
): Promise<ReadonlySet<number>> {
  if (signIns.length === 0) return new Set();
  const known = Map.groupBy(
    await listEarlierSignIns(
      db,
      signIns.map(({ id }) => id),
    ),
    ({ id }) => id,
  );
  const isNew = ({ id, ip, device }: (typeof signIns)[number]) => {
    const earlier = known.get(id);
    if (!earlier) return false;
    const hasNetwork = earlier.some((one) => one.ip !== null && networkOf(one.ip) === networkOf(ip));
    return !hasNetwork || !earlier.some((one) => one.device === device);
  };
  return new Set(signIns.filter(isNew).map(({ id }) => id));
}
