/** The tabs of the list of alerts, and what other pages of the project show about alerts. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket/alert_management_alerts";

let world: World;
let source: Source;
let dev: Visitor;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  dev = await signedIn(world, "dev");
});

test("an ignored alert is listed on the tabs Ignored and All only (contract-alerts, list)", async () => {
  const [alert] = (await source.send({ title: "Noise from the fan" })).json;
  const change = { as: "dev", method: "PUT", json: { status: "ignored" } } as const;
  assert.equal((await world.call(`${api}/${alert.iid}`, change)).status, 200);
  const on = async (tab: string) =>
    (await dev.get(`/acme/rocket/-/alerts?tab=${tab}`)).text.includes("Noise from the fan");
  assert.deepEqual(
    [await on("open"), await on("ignored"), await on("resolved"), await on("all")],
    [false, true, false, true],
  );
});

test("every page of a project shows how many alerts and incidents are open (contract-alerts, list)", async () => {
  await source.send({ title: "Pump stands still" });
  for (const page of ["", "/activity", "/-/environments", "/-/alerts", "/-/incidents"]) {
    const { text } = await dev.get(`/acme/rocket${page}`);
    assert.match(text, /Alerts<span class="n hot">1</, page);
    assert.match(text, /Incidents<span class="n">\d/, page);
  }
});

test("times in the list and its histogram name their time zone (decision 0095)", async () => {
  await source.send({ title: "Lamp is out" });
  const { text } = await dev.get("/acme/rocket/-/alerts");
  assert.match(text, /Occurrences by hour<\/h2><p>The last 24 hours, in UTC\.<\/p>/);
  assert.match(text, /Lamp is out/);
  // If midnight passes before the page is read, the date is shown instead of the time.
  assert.match(text, /<time [^>]*>(\d\d:\d\d UTC|\d{1,2} [A-Z][a-z]{2}( \d{4})?)<\/time>/);
  assert.doesNotMatch(text, /<time [^>]*>\d\d:\d\d<\/time>/);
});

test("the pages of a renamed project's alerts, incidents and settings lead from its former address to the new one (decision 0042)", async () => {
  const { id } = (await world.call("/api/v4/projects", { as: "max", json: { name: "Lift", path: "lift" } }))
    .json;
  const max = await signedIn(world, "max");
  const pages = [
    "/-/alerts?tab=all",
    "/-/alerts/1",
    "/-/alerts/export.csv",
    "/-/incidents",
    "/-/incidents/new",
    "/-/silences?page=2",
    "/-/settings/operations",
    "/-/settings/operations/channels/new?kind=mail",
    "/-/settings/operations/receipts",
  ];
  for (const page of pages)
    assert.notEqual((await max.get(`/max/LIFT${page}`)).status, 301, "only the case differs");
  const renamed = { as: "max", method: "PUT", json: { path: "hoist" } } as const;
  assert.equal((await world.call(`/api/v4/projects/${id}`, renamed)).status, 200);
  for (const page of pages) {
    const { status, location } = await max.get(`/max/lift${page}`);
    assert.deepEqual([status, location], [301, `/max/hoist${page}`]);
  }
  // A form that was open meanwhile is accepted, and who may not see the page learns no new address.
  const silence = { matchers: "title = x", comment: "Rope", lasts: "2" };
  await max.get("/max/hoist/-/silences/new");
  const saved = await max.post("/max/lift/-/silences", silence);
  assert.deepEqual([saved.status, saved.location], [303, "/max/hoist/-/silences"]);
  assert.deepEqual(
    [(await dev.get("/max/lift/-/alerts")).status, (await dev.get("/max/lift/-/alerts")).location],
    [404, null],
  );
});
