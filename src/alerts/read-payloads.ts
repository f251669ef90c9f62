/** Loads the payloads of listed alerts, a few at a time if all together would take too much memory. */
import type { Queries } from "../platform/db.ts";
import { type Alert, FETCHED_BYTES } from "./alert.ts";
import { listPayloads } from "./store.ts";

/** How many payloads that did not come with the list are loaded at once; most are at most a MiB each. */
const AT_ONCE = FETCHED_BYTES / 2 ** 20;

/** Yields the same alerts in the same order, without any that were deleted meanwhile; the first payloads only on request. */
export async function* readPayloads(
  db: Queries,
  alerts: readonly Alert[],
  { withFirst }: { withFirst: boolean },
): AsyncGenerator<Alert> {
  for (let at = 0; at < alerts.length; at += AT_ONCE) {
    const some = alerts.slice(at, at + AT_ONCE);
    const lacking = some.filter(({ payload }) => payload === null).map(({ id }) => id);
    const found = lacking.length > 0 ? await listPayloads(db, lacking, withFirst) : [];
    for (const alert of some) {
      const more = found.find(({ id }) => id === alert.id);
      if (more || alert.payload !== null) yield { ...alert, ...more };
    }
  }
}
