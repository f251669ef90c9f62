/** Deletes an event source with all its deliveries; its events stay. */
import type { Db } from "../platform/db.ts";
import { inPortions } from "../platform/in-portions.ts";
import { holdMaintainer } from "../projects/hold-role.ts";
import type { Source } from "./source.ts";
import { deleteDeliveriesOfSource, deleteSource, updateSource } from "./store-sources.ts";

/** Each with its body, which may be megabytes. */
const DELIVERIES_AT_ONCE = 500;

/**
 * Switches the source off first, so that nothing arrives meanwhile: if interrupted, it still exists, switched off, and can be
 * deleted again (decision 0229).
 * @throws as `holdMaintainer`
 */
export async function removeSource(
  { transaction, pooled }: Pick<Db, "transaction" | "pooled">,
  makerId: number,
  { id, projectId }: Pick<Source, "id" | "projectId">,
): Promise<void> {
  await transaction(async (tx) => {
    await holdMaintainer(tx, makerId, projectId);
    await updateSource(tx, id, { active: false });
  });
  await inPortions((most) => deleteDeliveriesOfSource(pooled, id, most), { portion: DELIVERIES_AT_ONCE });
  await deleteSource(pooled, id);
}
