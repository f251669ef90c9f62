/** Which sign-ins their owners are written to about: those by a device or from a network that is new to the account. */
import type { Queries } from "../platform/db.ts";
import { networkOf } from "./authenticate.ts";
import { listEarlierSignIns } from "./store-audit.ts";

/**
 * The numbers of those entries of the audit log by which somebody signed in with other words for the device, or from
 * another network (/24, /64), than in the year before (decision 0193). The first sign-in of a person is none of them.
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
