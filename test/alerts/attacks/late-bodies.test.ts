/** Alerts and images whose headers came before their key or session ended, and whose body comes after it (decision 0313). */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { digest } from "../../../src/platform/secret.ts";
import { sql } from "../../../src/platform/sql.ts";
import { aSource } from "../../support/alerts.ts";
import { aroundBody } from "../../support/late-body.ts";
import { coded, formOf, PICTURE } from "../../support/picture.ts";
import { signedIn } from "../../support/visitor.ts";
import { startWorld, type World } from "../../support/world.ts";

const rocket = "/api/v4/projects/acme%2Frocket";
let world: World;
before(async () => {
  world = await startWorld();
});

async function countAlerts(): Promise<number> {
  return (await world.call(`${rocket}/alert_management_alerts`, { as: "max" })).json.length;
}

describe("an alert with a late body", () => {
  for (const [what, method, ending, json, status] of [
    ["whose key was rotated", "POST", "/rotate_key", { grace_seconds: 0 }, 401],
    ["whose integration was switched off", "PUT", "", { active: false }, 403],
    ["whose integration was removed", "DELETE", "", undefined, 403],
  ] as const) {
    it(`${what} meanwhile is refused (spec: Authentication 10; contract-alerts, order of refusal; decision 0313)`, async () => {
      const source = await aSource(world, "http");
      const before = await countAlerts();
      const changes = async () => {
        const path = `${rocket}/alert_integrations/${source.id}${ending}`;
        const reply = await world.call(path, { as: "max", method, ...(json ? { json } : {}) });
        assert.ok(reply.status < 300, reply.text);
      };
      const headers = { authorization: `Bearer ${source.key}`, "content-type": "application/json" };
      const asked = { method: "POST", path: source.path, headers, body: '{"title":"Late"}' };
      const reply = await aroundBody(world, asked, changes);
      assert.deepEqual([reply.status, await countAlerts()], [status, before], reply.text);
    });
  }

  it("whose key is still valid is taken (contract-alerts, order of refusal; decision 0313)", async () => {
    const source = await aSource(world, "http");
    const before = await countAlerts();
    const headers = { authorization: `Bearer ${source.key}`, "content-type": "application/json" };
    const asked = { method: "POST", path: source.path, headers, body: '{"title":"Slow"}' };
    assert.equal((await aroundBody(world, asked, async () => {})).status, 200);
    assert.equal(await countAlerts(), before + 1);
  });
});

it("a metric image whose file comes after the session has ended is not stored (contract §4, tokens and roles; decision 0313)", async () => {
  const source = await aSource(world, "http");
  await source.send({ title: "Seen", fingerprint: "seen" });
  const dev = await signedIn(world, "dev");
  await dev.get("/acme/rocket/-/alerts/1");
  const fields = { project: "acme/rocket", kind: "alert", iid: "1", csrf_token: dev.csrfToken };
  const { body, headers } = await coded(formOf(fields, PICTURE));
  const session = dev.cookie("session") ?? "";
  const cookie = { cookie: `session=${session}` };
  const asked = { method: "POST", path: "/-/metric_images", headers: { ...headers, ...cookie }, body };
  const ends = () => world.owner.run(sql`delete from sessions where digest = ${digest(session)}`);
  const images = `${rocket}/alert_management_alerts/1/metric_images`;
  const whole = await aroundBody(world, asked, async () => {});
  assert.equal(whole.headers.location, "/acme/rocket/-/alerts/1", whole.text);
  const late = await aroundBody(world, asked, ends);
  assert.ok([302, 403].includes(late.status), `${late.status} ${late.headers.location}`);
  assert.equal((await world.call(images, { as: "dev" })).json.length, 1);
});
