/** A service started with another master key: encrypted values cannot be read, and everything else keeps working. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { FastifyInstance } from "fastify";
import { buildApp } from "../../src/app.ts";
import { keysFrom } from "../../src/platform/secret.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { whenDone } from "../support/cleanup.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
import { Visitor } from "../support/visitor.ts";
import { PASSWORD, type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
let factor: { secret: string; codes: string[] };
/** A second service on the same database with another key, and its address. */
let other: FastifyInstance;
let url: string;

before(async () => {
  world = await startWorld();
  source = await aSource(world);
  factor = await turnOnTwoFactor(world, "dev");
  await world.call("/api/v4/projects/acme%2Frocket/alert_heartbeats", {
    as: "max",
    json: { name: "Nightly", interval_seconds: 3600 },
  });
  other = await buildApp({ ...world.platform, keys: keysFrom(Buffer.alloc(32, 9)) });
  url = await other.listen({ host: "127.0.0.1", port: 0 });
  whenDone(async () => {
    other.server.closeAllConnections();
    await other.close();
  });
});

async function ask(path: string, json?: unknown) {
  const headers = {
    authorization: `Bearer ${await world.tokenOf("max", "api")}`,
    "content-type": "application/json",
  };
  const sent = json === undefined ? {} : { method: "POST", body: JSON.stringify(json) };
  const reply = await fetch(url + path, { headers, ...sent });
  const read: Reply["json"] = await reply.json();
  return { status: reply.status, json: read };
}

describe("when the master key has changed", () => {
  it("senders can still deliver alerts with their keys, and integrations get new keys (operations: The data directory)", async () => {
    const sent = await fetch(url + source.path, {
      method: "POST",
      headers: { authorization: `Bearer ${source.key}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "Disk full" }),
    });
    assert.equal(sent.status, 200);
    const at = "/api/v4/projects/acme%2Frocket/alert_integrations";
    const listed = await ask(at);
    assert.equal(listed.status, 200);
    const [{ id }] = listed.json;
    assert.equal(listed.json[0].authorization_key ?? null, null);
    const rotated = await ask(`${at}/${id}/rotate_key`, {});
    assert.equal(rotated.status, 200);
    assert.match(rotated.json.authorization_key, /^gak_/);
    assert.equal((await ask(at)).json[0].authorization_key, rotated.json.authorization_key);
    assert.equal((await ask("/api/v4/projects/acme%2Frocket/alert_heartbeats")).status, 200);
  });

  it("a user with a second factor signs in with a recovery code, and the right code of the authenticator app is refused (operations: The data directory)", async () => {
    const visitor = new Visitor(url);
    await visitor.submit("/users/sign_in", { username: "dev", password: PASSWORD });
    const unread = await visitor.submit("/users/two_factor", { code: codeOf(factor.secret) });
    assert.equal(unread.status, 422);
    const right = await visitor.submit("/users/two_factor", { code: factor.codes[0] ?? "" });
    assert.equal(right.status, 303);
  });

  it("pages of integrations and heartbeats, whose keys cannot be read, still open (operations: The data directory)", async () => {
    const visitor = new Visitor(url);
    await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
    for (const path of [
      "/acme/rocket/-/settings/operations",
      "/acme/rocket/-/settings/operations/heartbeats",
      "/acme/rocket/-/settings/operations/integrations/1",
    ]) {
      const page = await visitor.get(path);
      assert.ok(page.status < 400, `${path}: ${page.status}`);
    }
  });
});
