/** Keys, signatures and feed tokens used at endpoints of another project. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, describe, it } from "node:test";
import { ABSENT, type Estate, type Estates, startEstates } from "../support/estates.ts";
import { contentOf } from "../support/rows.ts";
import { told } from "../support/told.ts";
import type { Person, Reply } from "../support/world.ts";

/** Known only to maintainers of a project. */
interface Keys {
  integration: { url: string; authorization_key: string };
  heartbeat: { url: string; key: string };
  source: { url: string; secret: string };
  feedToken: string;
}

let estates: Estates;
let mine: Keys;
let theirs: Keys;

before(async () => {
  estates = await startEstates();
  mine = await keysOf("stan", estates.mine);
  theirs = await keysOf("olga", estates.theirs);
});

async function keysOf(as: Person, { project, integration, heartbeat, source }: Estate): Promise<Keys> {
  const { world } = estates;
  const of = `/api/v4/projects/${project}`;
  const ask = async (path: string, method = "GET") => (await world.call(path, { as, method })).json;
  return {
    integration: await ask(`${of}/alert_integrations/${integration}`),
    heartbeat: await ask(`${of}/alert_heartbeats/${heartbeat}`),
    source: await ask(`${of}/event_sources/${source}/rotate_secret`, "POST"),
    feedToken: (await ask("/api/v4/user/feed_token")).feed_token,
  };
}

/** The address of a thing of one project, below the path of another project. */
function moved(address: string, from: Estate, to: Estate): string {
  const path = new URL(address).pathname;
  return path
    .replace(`/${from.projectPath}/`, `/${to.projectPath}/`)
    .replace(`/projects/${from.project}/`, `/projects/${to.project}/`);
}

const alert = { title: "Anchor drags" };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const genie = (key: string) => ({ authorization: `GenieKey ${key}` });

function deliver(path: string, secret: string): Promise<Reply> {
  const body = JSON.stringify({
    action: "opened",
    issue: { id: 7, number: 7, title: "T" },
    sender: { login: "egret" },
  });
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-github-event": "issues",
    "x-github-delivery": "another",
    "x-hub-signature-256": `sha256=${signature}`,
  };
  return estates.world.call(path, { method: "POST", headers, body });
}

describe("a key of one project", () => {
  it("is refused by endpoints of another one, and by its own endpoint below another project's path (contract-alerts, doors; contract-events §3; reference reliability S79)", async () => {
    const { world, mine: here, theirs: there } = estates;
    const own = {
      alerts: new URL(theirs.integration.url).pathname,
      ping: new URL(theirs.heartbeat.url).pathname,
    };
    const before = await contentOf(world);
    const send = async (path: string, key: string, json?: object) =>
      (await world.call(path, { method: "POST", headers: bearer(key), ...(json ? { json } : {}) })).status;
    const { authorization_key: key } = mine.integration;
    assert.equal(await send(own.alerts, key, alert), 401);
    assert.equal(await send(`/${there.projectPath}/alertmanager/api/v2/alerts`, key, [{ labels: {} }]), 401);
    assert.equal(
      await send(moved(theirs.integration.url, there, here), theirs.integration.authorization_key, alert),
      403,
    );
    assert.equal(await send(own.ping, mine.heartbeat.key), 401);
    assert.equal(await send(moved(theirs.heartbeat.url, there, here), theirs.heartbeat.key), 403);
    assert.equal((await deliver(moved(theirs.source.url, there, here), theirs.source.secret)).status, 404);
    const after = await contentOf(world);
    for (const [table, was] of Object.entries(before)) assert.equal(after[table], was, table);
    assert.equal((await deliver(new URL(theirs.source.url).pathname, mine.source.secret)).status, 401);
    assert.equal(
      await send(own.alerts, theirs.integration.authorization_key, alert),
      200,
      "each works at its own endpoint",
    );
    assert.equal(await send(own.ping, theirs.heartbeat.key), 200);
    assert.equal((await deliver(new URL(theirs.source.url).pathname, theirs.source.secret)).status, 202);
  });

  it("finds neither alerts nor requests of another project by id (reference reliability S79)", async () => {
    const { world, theirs: there, mine: here } = estates;
    const headers = genie(mine.integration.authorization_key);
    const ask = async (path: string, method: string, named: string) => {
      const reply = await world.call(`/opsgenie/v2/alerts/${path}`, { method, headers });
      const { took: _, ...said } = reply.json;
      return told({ status: reply.status, headers: reply.headers, text: JSON.stringify(said) }, named);
    };
    const before = await contentOf(world);
    for (const [path, method] of [
      ["", "DELETE"],
      ["/close", "POST"],
      ["/acknowledge", "POST"],
      ["/notes", "POST"],
      ["/notes", "GET"],
      ["/logs", "GET"],
      ["/attachments", "GET"],
    ] as const) {
      const theirOwn = await ask(`${there.alert}${path}`, method, there.alert);
      assert.match(theirOwn, /^\[404/);
      assert.equal(theirOwn, await ask(`${ABSENT.alert}${path}`, method, ABSENT.alert), path);
    }
    const request = await ask(`requests/${there.receipt}`, "GET", there.receipt);
    assert.match(request, /^\[404/);
    assert.equal(request, await ask(`requests/${ABSENT.receipt}`, "GET", ABSENT.receipt));
    const after = await contentOf(world);
    for (const [table, was] of Object.entries(before)) assert.equal(after[table], was, table);
    assert.match(await ask(`requests/${here.receipt}`, "GET", ""), /^\[200/);
  });

  it("for feeds reads nothing that its owner cannot see (contract-events §5)", async () => {
    const { world, mine: here, theirs: there } = estates;
    const feed = async (place: string, token = mine.feedToken) =>
      told(await world.call(`/${place}.atom?feed_token=${token}`), place);
    assert.match(await feed(here.projectPath), /^\[200/);
    assert.match(await feed(there.projectPath), /^\[404/);
    assert.equal(await feed(there.projectPath), await feed(ABSENT.projectPath));
    assert.match(await feed("olga", theirs.feedToken), /Hull/);
    assert.doesNotMatch(await feed("olga"), /Hull/);
  });
});
