/** The pages of alerts, incidents, settings and activity in a real browser, empty and full. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { aSource } from "../support/alerts.ts";
import { launchBrowser } from "../support/browser.ts";
import { whenDone } from "../support/cleanup.ts";
import { enter } from "../support/client-site.ts";
import { judgePage, watchPolicy } from "../support/judge-page.ts";
import { startWorld, type World } from "../support/world.ts";

const FULL = "/acme/rocket";
const EMPTY = "/acme/open";
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ["alerts", `${FULL}/-/alerts`],
  ["all alerts by severity", `${FULL}/-/alerts?tab=all&sort=severity_desc`],
  ["an open alert", `${FULL}/-/alerts/1`],
  ["a resolved alert", `${FULL}/-/alerts/2`],
  ["incidents", `${FULL}/-/incidents`],
  ["an incident", `${FULL}/-/incidents/1`],
  ["operations settings", `${FULL}/-/settings/operations`],
  ["activity", `${FULL}/activity`],
  ["profile", "/max"],
  ["reading rules", `${FULL}/-/settings/operations/integrations/1/rules`],
  ["receipts", `${FULL}/-/settings/operations/receipts`],
  ["no alerts", `${EMPTY}/-/alerts`],
  ["no incidents", `${EMPTY}/-/incidents`],
  ["no integrations", `${EMPTY}/-/settings/operations`],
  ["no activity that fits", `${EMPTY}/activity?action=merged`],
];

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  whenDone(() => browser.close());
  const source = await aSource(world);
  const long = { title: `Disk <b>full</b> ${"W".repeat(180)}`, hosts: ["db-1", "db-2"], fingerprint: "disk" };
  const payload = {
    ...long,
    description: "91 % <script>alert(1)</script>",
    nested: { deep: ["a".repeat(300)] },
  };
  for (let i = 0; i < 3; i++) assert.equal((await source.send(payload)).status, 200);
  await source.send({ title: "Queue", severity: "low", fingerprint: "queue" });
  await source.send({
    title: "Queue",
    severity: "low",
    fingerprint: "queue",
    end_time: new Date().toISOString(),
  });
  const push = {
    ref: "main",
    commit_from: "a".repeat(40),
    commit_to: "b".repeat(40),
    commit_count: 2,
    commit_title: "Mend it",
  };
  const json = { action: "pushed", push_data: push };
  assert.equal((await world.call("/api/v4/projects/acme%2Frocket/events", { as: "max", json })).status, 201);
});

for (const width of [1280, 390]) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`every page of the desk stands on its own at ${width} px, ${colorScheme} (ux §5, §9; WCAG 2.2 AA)`, async () => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const blocked = watchPolicy(page);
      page.on("dialog", () => blocked.push("a script of a payload ran"));
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "max");
      for (const [name, path] of PAGES) {
        const answered = await page.goto(world.url + path);
        assert.equal(answered?.status(), 200, name);
        await judgePage(page, name);
      }
      assert.deepEqual(blocked, []);
      await context.close();
    });
  }
}
