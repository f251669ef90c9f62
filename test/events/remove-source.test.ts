/** Deleting a source with many deliveries delays nobody. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { exampleOf, type Forge, sources, startForge } from "../support/forge.ts";
import { whileHeld } from "../support/meanwhile.ts";
import { until } from "../support/until.ts";

const KEPT = 1200;

let forge: Forge;
before(async () => {
  forge = await startForge();
});

test("a source is deleted with its deliveries in batches, accepts none meanwhile, and other requests do not wait (decision 0229)", async () => {
  const { world } = forge;
  const [source] = (await world.call(sources, { as: "max" })).json;
  const own = `${sources}/${source.id}`;
  await world.owner.run(
    sql`insert into event_deliveries (source_id, delivery_id, kind, status)
      select ${source.id}, 'd' || n, 'push', 'ignored' from generate_series(1, ${KEPT}::integer) n`,
  );
  const left = async () => (await world.call(`${own}/deliveries`, { as: "max" })).headers.get("x-total");
  assert.equal(await left(), String(KEPT));
  const held = ["select from event_deliveries where delivery_id = 'd7' for update"] as const;
  const [deleting, stillWaits] = await whileHeld(world, [held], async (isWaitedFor) => {
    const deleting = world.call(own, { as: "max", method: "DELETE" });
    await until(isWaitedFor);
    assert.equal(await left(), "1", "all but the locked one");
    const refused = await forge.deliver("issues", exampleOf("issues"));
    assert.equal(refused.status, 404, refused.text);
    const others = Array.from({ length: 40 }, () => world.call("/api/v4/user", { as: "dev" }));
    for (const { status } of await Promise.all(others)) assert.equal(status, 200);
    return [deleting, await isWaitedFor()] as const;
  });
  assert.equal((await deleting).status, 204);
  assert.equal(stillWaits, true, "the other requests were answered before");
  assert.equal((await world.call(own, { as: "max" })).status, 404);
});
