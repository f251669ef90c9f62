/** Slow reads of alerts do not block other requests (decision 0162). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource } from "../support/alerts.ts";
import { whileHeld } from "../support/meanwhile.ts";
import { until } from "../support/until.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const PAGE = "/acme/rocket/-/alerts";
const API = "/api/v4/projects/acme%2Frocket/alert_management_alerts";

let world: World;
let dev: Visitor;
before(async () => {
  world = await startWorld();
  await (await aSource(world)).send({ title: "Slow to find" });
  dev = await signedIn(world, "dev");
});

/**
 * Sends short requests while a slow read waits for a table that is locked. They must be answered while it waits: one that had to
 * wait for it would be answered only after it had ended.
 */
async function othersAreAnswered(table: string, ask: () => Promise<{ status: number }>): Promise<void> {
  const token = await world.tokenOf("max", "read_user");
  const get = async () => {
    const reply = await fetch(`${world.url}/api/v4/user`, { headers: { "private-token": token } });
    return reply.status;
  };
  const held = [`lock table ${table} in access exclusive mode`] as const;
  let asked: Promise<{ status: number }> | undefined;
  const [others, stillWaits] = await whileHeld(world, [held], async (isWaitedFor) => {
    asked = ask();
    await until(isWaitedFor);
    const answers = await Promise.all(Array.from({ length: 6 }, get));
    return [answers, await isWaitedFor()] as const;
  });
  assert.deepEqual([others, stillWaits], [Array(6).fill(200), true]);
  assert.equal((await asked)?.status, 200);
}

test("reading figures, histograms and occurrences for pages does not block other requests (decision 0162)", async () => {
  for (const path of [PAGE, `${PAGE}/1`]) await othersAreAnswered("alert_occurrences", () => dev.get(path));
});

test("searches, filters, far pages and exports do not block other requests (decision 0162)", async () => {
  for (const path of ["?search=find", "?integration_id=1", "?page=500", "/counts?search=find", "/export"]) {
    await othersAreAnswered("alerts", () => world.call(`${API}${path}`, { as: "dev" }));
  }
  const search = "/api/v4/projects/acme%2Frocket/issues?search=find";
  await othersAreAnswered("incidents", () => world.call(search, { as: "dev" }));
});

test("HEAD on an export reads no alerts (decision 0107)", async () => {
  const answered = await whileHeld(
    world,
    [["lock table alerts in access exclusive mode"]],
    async (isWaitedFor) => {
      const cookie = `session=${dev.cookie("session")}`;
      const { status, headers } = await fetch(`${world.url}${PAGE}/export.csv`, {
        method: "HEAD",
        headers: { cookie },
      });
      for (let looks = 0; looks < 20; looks++) {
        assert.equal(await isWaitedFor(), false);
        await new Promise((done) => setTimeout(done, 10));
      }
      return [status, headers.get("content-type")];
    },
  );
  assert.deepEqual(answered, [200, "text/csv; charset=utf-8; header=present"]);
});
