/** Concurrent requests to an alert endpoint: one alert, exact counts, one incident, one event. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const api = "/api/v4/projects/acme%2Frocket";
const alertsNamed = async (search: string) =>
  (
    await world.call(`${api}/alert_management_alerts?per_page=100&sort=created_at_asc&search=${search}`, {
      as: "dev",
    })
  ).json as { iid: number; events: number; deliveries: number; status: string; issue_iid: number }[];

test("256 parallel identical payloads make one alert with 256 events and one incident (reference alerts D2; spec: States 3)", async () => {
  const replies = await Promise.all(
    Array.from({ length: 256 }, (_, i) => source.send({ title: "Storm", hosts: `h${i}` })),
  );
  assert.equal(new Set(replies.map((reply) => `${reply.status} ${reply.text}`)).size, 1);
  const [alert, ...others] = await alertsNamed("Storm");
  assert.deepEqual([alert?.events, alert?.deliveries, others], [256, 256, []]);
  const issues = await world.call(`${api}/issues?search=Storm`, { as: "dev" });
  assert.deepEqual(
    issues.json.map((issue: { iid: number }) => issue.iid),
    [alert?.issue_iid],
  );
});

test("alert iids have no gaps under concurrent requests (contract §3)", async () => {
  const titles = Array.from({ length: 200 }, (_, i) => `Gapless ${Math.floor(i / 2)}`);
  await Promise.all(titles.map((title) => source.send({ title })));
  const all = (
    await world.call(`${api}/alert_management_alerts?sort=created_at_asc&per_page=100&page=2`, { as: "dev" })
  ).headers;
  const total = Number(all.get("x-total"));
  const newest = await world.call(`${api}/alert_management_alerts/${total}`, { as: "dev" });
  const beyond = await world.call(`${api}/alert_management_alerts/${total + 1}`, { as: "dev" });
  assert.deepEqual([newest.status, beyond.status], [200, 404]);
});

test("concurrent firings and recoveries lose no firing and leave at most one alert open (spec: States 1, 2, 3; reference alerts D3)", async () => {
  for (let round = 0; round < 4; round++) {
    const title = `Mixed${round}`;
    const replies = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        source.send(i % 4 === 3 ? { title, end_time: "2035-01-01T00:00:00Z" } : { title }),
      ),
    );
    assert.ok(replies.every((reply: Reply) => reply.status === 200));
    const alerts = await alertsNamed(title);
    assert.equal(
      alerts.reduce((sum, alert) => sum + alert.events, 0),
      48,
    );
    assert.ok(alerts.filter((alert) => alert.status !== "resolved").length <= 1);
    const states = await Promise.all(
      alerts.map(
        async ({ issue_iid }) => (await world.call(`${api}/issues/${issue_iid}`, { as: "dev" })).json.state,
      ),
    );
    assert.deepEqual(
      states,
      alerts.map(({ status }) => (status === "resolved" ? "closed" : "opened")),
    );
  }
});

test("an incident resolved by users and tools at the same time is closed once (reference alerts D10)", async () => {
  const payload = { title: "Closed by many" };
  const [alert] = (await source.send(payload)).json;
  const { issue_iid } = (await world.call(`${api}/alert_management_alerts/${alert.iid}`, { as: "dev" })).json;
  const put = (path: string, json: unknown) =>
    world.call(`${api}/${path}`, { as: "dev", method: "PUT", json });
  const replies = await Promise.all([
    ...Array.from({ length: 8 }, () => source.send({ ...payload, end_time: "2035-01-01T00:00:00Z" })),
    ...Array.from({ length: 8 }, () => put(`alert_management_alerts/${alert.iid}`, { status: "resolved" })),
    ...Array.from({ length: 8 }, () => put(`issues/${issue_iid}`, { state_event: "close" })),
  ]);
  assert.deepEqual([...new Set(replies.map((reply) => reply.status))], [200]);
  const events = await world.call(`${api}/events?action=closed&per_page=100`, { as: "dev" });
  assert.equal(
    events.json.filter((event: { target_iid: number }) => event.target_iid === issue_iid).length,
    1,
  );
});
