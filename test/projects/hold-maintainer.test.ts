/** Nobody changes a project, or is handed a secret of it, by a role that they lose at the same moment (decision 0302). */
import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import type { Queries } from "../../src/platform/db.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const CHANNEL = { kind: "webhook", name: "Mine", url: "https://hooks.example.net/", events: ["opened"] };

let world: World;
/** The ids of what Olga configured in the project rocket. */
const made: Record<string, number> = {};

before(async () => {
  world = await startWorld();
  for (const [what, json] of [
    ["alert_integrations", { type: "http", name: "First" }],
    ["alert_heartbeats", { name: "Backup", interval_seconds: 3600 }],
    ["event_sources", { name: "Forge" }],
    ["hooks", { url: "https://hooks.example.org/" }],
  ] as const) {
    const reply = await call("POST", what, json, "olga");
    assert.equal(reply.status, 201, reply.text);
    made[what] = reply.json.id;
  }
});
beforeEach(async () => {
  await call("DELETE", `members/${world.ids.max}`, undefined, "olga");
  await addsMax();
});

const call = (method: string, path: string, json?: object, as: "max" | "olga" = "max") =>
  world.call(`/api/v4/projects/${world.rocket.id}/${path}`.replace(/\/$/, ""), {
    as,
    method,
    ...(json ? { json } : {}),
  });

async function addsMax(): Promise<void> {
  const added = await call("POST", "members", { user_id: world.ids.max, access_level: 40 }, "olga");
  assert.equal(added.status, 201, added.text);
}

/** What Max's change waits for, so that it is done after he was removed. */
async function locksAll(tx: Queries): Promise<void> {
  for (const table of ["alert_integrations", "alert_heartbeats", "event_sources", "event_hooks"]) {
    await tx.run(
      new Sql([`select 1 as held from ${table} where project_id = `, " for update"], [world.rocket.id]),
    );
  }
  await tx.run(sql`select 1 as held from projects where id = ${world.rocket.id} for update`);
}

async function removesMax(tx: Queries): Promise<void> {
  await locksAll(tx);
  await tx.run(sql`delete from members where project_id = ${world.rocket.id} and user_id = ${world.ids.max}`);
}

async function demotesMax(tx: Queries): Promise<void> {
  await locksAll(tx);
  await tx.run(
    sql`update members set access_level = 30 where project_id = ${world.rocket.id} and user_id = ${world.ids.max}`,
  );
}

/** A request by Max that arrived before the change, and ends after it. */
const lateReply = async <T>(change: (tx: Queries) => Promise<void>, request: () => Promise<T>): Promise<T> =>
  (await whileDoing(world, change, request)).worked;

describe("a Maintainer who is being removed", () => {
  it("does not make the project public, neither by API nor on its page (contract §4, tokens and roles; decision 0302)", async () => {
    const isPublic = async () => (await world.call(`/api/v4/projects/${world.rocket.id}`)).status === 200;
    const reply = await lateReply(removesMax, () => call("PUT", "", { visibility: "public" }));
    assert.equal(reply.status, 404, reply.text);
    assert.equal(await isPublic(), false);
    await addsMax();
    const max = await signedIn(world, "max");
    const { text } = await max.get("/acme/rocket/-/settings/general");
    assert.match(text, /name="visibility"/);
    const form = {
      name: "Rocket",
      path: "rocket",
      description: "",
      default_branch: "main",
      visibility: "public",
    };
    const page = await lateReply(demotesMax, () => max.post("/acme/rocket/-/settings/general", form));
    assert.equal(page.status, 403, page.text);
    assert.equal(await isPublic(), false);
  });

  for (const [what, method, path, json] of [
    [
      "the new key of an integration",
      "POST",
      () => `alert_integrations/${made.alert_integrations}/rotate_key`,
      {},
    ],
    [
      "a key by changing an integration",
      "PUT",
      () => `alert_integrations/${made.alert_integrations}`,
      { name: "Mine" },
    ],
    ["the key of a new integration", "POST", () => "alert_integrations", { type: "http", name: "Mine" }],
    [
      "the new key of a heartbeat",
      "POST",
      () => `alert_heartbeats/${made.alert_heartbeats}/rotate_key`,
      undefined,
    ],
    [
      "a key by changing a heartbeat",
      "PUT",
      () => `alert_heartbeats/${made.alert_heartbeats}`,
      { name: "Mine" },
    ],
    [
      "the key of a new heartbeat",
      "POST",
      () => "alert_heartbeats",
      { name: "Mine", interval_seconds: 3600 },
    ],
    [
      "the new secret of an event source",
      "POST",
      () => `event_sources/${made.event_sources}/rotate_secret`,
      undefined,
    ],
    ["the secret of a new event source", "POST", () => "event_sources", { name: "Mine" }],
    ["the new secret of a hook", "POST", () => `hooks/${made.hooks}/rotate_secret`, undefined],
    ["the secret of a new hook", "POST", () => "hooks", { url: "https://hooks.example.net/" }],
    ["the secret of a new channel", "POST", () => "alert_channels", CHANNEL],
  ] as const) {
    it(`does not get ${what} (contract §4, tokens and roles; decision 0302)`, async () => {
      const removed = await lateReply(removesMax, () => call(method, path(), json));
      assert.equal(removed.status, 404, removed.text);
      await addsMax();
      const demoted = await lateReply(demotesMax, () => call(method, path(), json));
      assert.equal(demoted.status, 403, demoted.text);
    });
  }
});
