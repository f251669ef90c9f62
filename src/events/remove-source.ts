/** Deletes an event source with all that it delivered; the events that it told stay. */
import type { Db } from "../platform/db.ts";
import { inPortions } from "../platform/in-portions.ts";
import type { Source } from "./source.ts";
import { deleteDeliveriesOfSource, deleteSource, updateSource } from "./store-sources.ts";

/** With what came, which may be megabytes. */
const DELIVERIES_AT_ONCE = 500;

/** Switched off first, so that nothing comes meanwhile: after a stop it is off and there, to be deleted again (decision 0229). */
export async function removeSource({ pooled }: Db, { id }: Pick<Source, "id">): Promise<void> {
  await updateSource(pooled, id, { active: false });
  await inPortions((most) => deleteDeliveriesOfSource(pooled, id, most), { portion: DELIVERIES_AT_ONCE });
  await deleteSource(pooled, id);
}
