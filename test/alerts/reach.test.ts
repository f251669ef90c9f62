/** The budget of one project's patterns in a transaction with several projects. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { findReach } from "../../src/alerts/find-reach.ts";
import { silenceOver } from "../../src/alerts/reach.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const subject = (title: string, texts: readonly string[] = []) => ({
  ...{ title, service: null, severity: "low", environment: null, hosts: [], integrationId: 1 },
  ...{ integrationName: "Test", payload: { texts } },
});

async function silence(project: string, matchers: unknown) {
  const ends_at = new Date(Date.now() + 3_600_000).toISOString();
  const reply = await world.call(`/api/v4/projects/${encodeURIComponent(project)}/alert_silences`, {
    as: "max",
    json: { comment: "Work on it", ends_at, matchers },
  });
  assert.equal(reply.status, 201, reply.text);
}

test("patterns that use up their project's budget do not affect another project's silences (decision 0096)", async () => {
  await silence("acme/rocket", [
    { field: "payload", path: "texts", operator: "matches", value: "(a?){99}(a?){99}b" },
  ]);
  await silence("acme/open", [{ field: "title", operator: "matches", value: "^Pump [0-9]+" }]);
  const reach = await findReach(world.platform.db, [world.rocket.id, world.open.id]);
  const short = () => subject("Short", ["b"]);
  assert.ok(silenceOver(reach, world.rocket.id, short), "covered while there is budget");
  const long = subject("Long", new Array<string>(100).fill("a".repeat(1000)));
  for (let n = 0; n < 3; n++)
    assert.equal(
      silenceOver(reach, world.rocket.id, () => long),
      undefined,
    );
  assert.equal(silenceOver(reach, world.rocket.id, short), undefined, "all its alerts share one budget");
  assert.ok(
    silenceOver(reach, world.open.id, () => subject("Pump 7")),
    "the budget of the other project is not used up",
  );
});
