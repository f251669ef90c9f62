/** Counts of alerts by status under the filters of the list, for its tabs. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

const PROJECT = "/api/v4/projects/acme%2Frocket";
const ALERTS = `${PROJECT}/alert_management_alerts`;

let world: World;
let httpId: number;
before(async () => {
  world = await startWorld();
  const sources = [await aSource(world), await aSource(world, "http", { name: "Second" })];
  httpId = sources[1]?.id ?? 0;
  // An environment of the same name exists in another project.
  for (const project of ["/api/v4/projects/acme%2Fopen", PROJECT]) {
    const made = await world.call(`${project}/environments`, { as: "max", json: { name: "production" } });
    assert.equal(made.status, 201, made.text);
  }
  for (let n = 0; n < 16; n++) {
    const payload = {
      title: n % 3 === 0 ? "Pump stands" : "Valve leaks",
      fingerprint: `${n}`,
      severity: n % 2 === 0 ? "critical" : "low",
      ...(n % 5 < 2 ? { gitlab_environment_name: "production" } : {}),
    };
    const { json } = (await sources[n % 4 === 0 ? 1 : 0]?.send(payload)) ?? {};
    const status = ["triggered", "acknowledged", "resolved", "ignored"][(n >> 1) % 4];
    await world.call(`${ALERTS}/${json[0].iid}`, { as: "dev", method: "PUT", json: { status } });
  }
  for (const severity of ["critical", "low"]) {
    const payload = { title: "Pump on trial", severity, gitlab_environment_name: "production" };
    const tried = await world.call(`${PROJECT}/alert_integrations/${httpId}/test`, {
      as: "dev",
      json: { payload },
    });
    assert.equal(tried.status, 200, tried.text);
  }
  const silenced = await world.call(`${PROJECT}/alert_silences`, {
    as: "dev",
    json: {
      comment: "Known",
      ends_at: new Date(Date.now() + 3_600_000).toISOString(),
      matchers: [{ field: "title", operator: "contains", value: "hums" }],
    },
  });
  assert.equal(silenced.status, 201, silenced.text);
  for (const severity of ["critical", "low"]) await sources[0]?.send({ title: "Pump hums", severity });
});

test("each count equals the total of the list with that status, under every combination of filters (contract-alerts, list)", async () => {
  const choices: readonly string[][] = [
    ["", "severity=critical"],
    ["", "environment=production"],
    ["", `integration_id=${httpId}`, "search=pump"],
    ["", "silenced=false", "silenced=true"],
  ];
  const totalOf = async (query: string) => {
    const list = await world.call(`${ALERTS}?per_page=100&${query}`, { as: "dev" });
    assert.equal(Number(list.headers.get("x-total")), list.json.length, query);
    return list.json.length;
  };
  assert.deepEqual(
    [await totalOf(""), await totalOf("silenced=true"), await totalOf("environment=production")],
    [18, 2, 7],
  );
  const seen = new Set<number>();
  for (const query of choices.reduce((all, few) =>
    all.flatMap((one) => few.map((more) => `${one}&${more}`)),
  )) {
    const { json: counts } = await world.call(`${ALERTS}/counts?${query}`, { as: "dev" });
    assert.deepEqual(
      counts,
      {
        open: await totalOf(`${query}&status=triggered,acknowledged`),
        triggered: await totalOf(`${query}&status=triggered`),
        acknowledged: await totalOf(`${query}&status=acknowledged`),
        resolved: await totalOf(`${query}&status=resolved`),
        ignored: await totalOf(`${query}&status=ignored`),
        all: await totalOf(query),
      },
      query,
    );
    seen.add(counts.all);
  }
  assert.ok(seen.size > 6);
});

test("the counts ignore status, sort and paging parameters of the list (contract-alerts, list)", async () => {
  const ask = async (query: string) => (await world.call(`${ALERTS}/counts?${query}`, { as: "dev" })).json;
  const counts = await ask("severity=low");
  const address = "severity=low&status=resolved&include_test=true&sort=severity_desc&page=2&per_page=5";
  assert.deepEqual(await ask(address), counts);
  assert.ok(counts.open > 0 && counts.resolved > 0);
});

test("the OpenAPI document lists only parameters that affect the counts (contract-alerts, list; house §2.7)", async () => {
  const { paths } = (await world.call("/openapi.json")).json;
  const { parameters } = paths["/api/v4/projects/{id}/alert_management_alerts/counts"].get;
  const names = parameters.map((one: { name: string }) => one.name).sort();
  assert.deepEqual(
    names.join(" "),
    "assignee_username environment id iids integration_id search severity silenced",
  );
});
