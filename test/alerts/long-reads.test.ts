/** Which statements about receipts and incidents share a connection with those of other requests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildApp } from "../../src/app.ts";
import { aSource } from "../support/alerts.ts";
import { whenDone } from "../support/cleanup.ts";
import { noting } from "../support/counting.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const OPERATIONS = "/acme/rocket/-/settings/operations";

test("reading and storing bodies of receipts, searching receipts, and reading the alerts of an incident delay no other statement (reference performance §7)", async () => {
  const world = await startWorld();
  const { platform } = world;
  const source = await aSource(world);
  // Statements that are sent in turn, over connections that all requests share.
  const { db, statements } = noting(platform.db);
  const { pooled, searching } = platform.db;
  const app = await buildApp({ ...platform, db: { ...db, pooled, searching } });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  whenDone(() => app.close());
  const sent = await source.send({ title: "Read about", fingerprint: "read about" });
  const [{ iid }] = sent.json;
  const receipt = sent.headers.get("x-alert-receipt");
  const alert = (await world.call(`${API}/alert_management_alerts/${iid}`, { as: "dev" })).json;
  const tried = await world.call("/opsgenie/v2/alerts", {
    json: { message: "Asked about" },
    headers: { authorization: `GenieKey ${source.key}` },
  });
  const max = await signedIn(world, "max");
  const page = await max.get(`/acme/rocket/-/alerts/${iid}`);
  const occurrence = /[?&]occurrence=\d+/.exec(page.text)?.[0].slice(1) ?? "";
  const cookie = `session=${max.cookie("session")}`;
  const authorization = `Bearer ${await world.tokenOf("max", "api")}`;
  const genie = { authorization: `GenieKey ${source.key}` };
  const asked = [
    [`${OPERATIONS}/receipts`, { cookie }],
    [`${OPERATIONS}/receipts/${receipt}`, { cookie }],
    [`${OPERATIONS}/integrations/${source.id}/rules`, { cookie }],
    [`/acme/rocket/-/alerts/${iid}?${occurrence}`, { cookie }],
    [`/acme/rocket/-/incidents/${alert.issue_iid}`, { cookie }],
    [`${API}/alert_receipts/${receipt}`, { authorization }],
    [`/opsgenie/v2/alerts/requests/${tried.json.requestId}`, genie],
  ] as const;
  for (const [url, headers] of asked) {
    statements.length = 0;
    const reply = await fetch(address + url, { headers });
    assert.equal(reply.status, 200, url);
    assertShort(url);
  }
  statements.length = 0;
  const key = { authorization: `Bearer ${source.key}`, "content-type": "application/json" };
  const refused = await fetch(address + source.path, { method: "POST", body: "{", headers: key });
  assert.equal(refused.status, 400);
  assertShort("a refused body");

  function assertShort(what: string) {
    const long = statements
      .map(({ statement }) => statement.text)
      .filter((text) =>
        /alert_receipts r\b|from alerts where incident_id|insert into alert_receipts/.test(text),
      );
    assert.deepEqual(long, [], what);
    assert.ok(statements.length > 0, what);
  }
});
