/**
 * The pages of silences, channels, heartbeats and templates in a browser: accessibility, content security policy,
 * width and both themes.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { aSource } from "../support/alerts.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { judgePage, watchPolicy } from "../support/judge-page.ts";
import { LOOKS } from "../support/looks.ts";
import { coded, formOf, PICTURE } from "../support/picture.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const OPERATIONS = "/acme/rocket/-/settings/operations";

let world: World;
let browser: Browser;
let paths: string[];

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const long = `W${"-long words".repeat(20)}`;
  const made = async (path: string, json: unknown): Promise<number> => {
    const reply = await world.call(API + path, { as: "max", json });
    assert.ok(reply.status < 300, reply.text);
    return reply.json.id;
  };
  const matchers = [
    { field: "title", operator: "contains", value: "disk" },
    { field: "payload", path: `labels.${"x".repeat(200)}`, operator: "not_equals", value: long },
  ];
  const recurrence = { days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "00:00", zone: "Etc/UTC" };
  const silence = await made("/alert_silences", { comment: long, matchers, recurrence });
  const source = await aSource(world);
  await source.send({ title: "Disk is full" });
  const url = `https://${"host-".repeat(11)}x.example.org/hook`;
  const channel = await made("/alert_channels", { kind: "webhook", name: long, url });
  const mail = await made("/alert_channels", { kind: "mail", name: "On call", user_ids: [world.ids.dev] });
  await made(`/alert_channels/${channel}/test`, {});
  // Causes a storm, which the list shows.
  const settings = { as: "max", method: "PUT", json: { storm_threshold: 1 } } as const;
  assert.equal((await world.call(`${API}/alert_settings`, settings)).status, 200);
  await source.send([{ title: "One more" }, { title: "Another" }]);
  const beat = await made("/alert_heartbeats", { name: "w".repeat(100), severity: "low" });
  const content = `## ${"Heading".repeat(9)}\n- [ ] ${long}\n- [x] Done\n\n> Quote\n\n1. One\n\n\`\`\`\n${long}\n\`\`\``;
  const template = await made("/incident_templates", { name: "Outage ".repeat(20).trim(), content });
  await made("/incident_templates", { name: "Security", content });
  await made("/issues", { title: long, description: content });
  const [incident] = (await world.call(`${API}/issues`, { as: "max" })).json;
  const form = await coded(formOf({ url_text: long.slice(0, 128) }, PICTURE));
  const images = `${API}/issues/${incident.iid}/metric_images`;
  assert.equal((await world.call(images, { as: "dev", method: "POST", ...form })).status, 201);
  paths = [
    `${OPERATIONS}/templates/new`,
    `${OPERATIONS}/templates/${template}`,
    "/acme/rocket/-/incidents",
    `/acme/rocket/-/incidents/new?template=${template}`,
    `/acme/rocket/-/incidents/${incident.iid}`,
    OPERATIONS,
    "/acme/rocket/-/silences",
    "/acme/rocket/-/silences/new?alert=1",
    `/acme/rocket/-/silences/${silence}`,
    `${OPERATIONS}/channels`,
    `${OPERATIONS}/channels/new?kind=slack`,
    `${OPERATIONS}/channels/${channel}`,
    `${OPERATIONS}/channels/${mail}`,
    `${OPERATIONS}/heartbeats`,
    `${OPERATIONS}/heartbeats/new`,
    `${OPERATIONS}/heartbeats/${beat}`,
    "/acme/rocket/-/alerts",
    "/acme/rocket/-/alerts/1",
  ];
});

for (const { colorScheme, width } of LOOKS) {
  test(`all pages at ${width} px, ${colorScheme}: no policy violation and no accessibility fault (ux §4; WCAG 2.2 AA)`, async () => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    const blocked = watchPolicy(page);
    await page.goto(`${world.url}/users/sign_in`);
    await enter(page, "max");
    await page.waitForURL((url) => !url.pathname.includes("sign_in"));
    for (const path of paths) {
      const answer = await page.goto(world.url + path);
      assert.equal(answer?.status(), 200, path);
      await judgePage(page, path);
    }
    assert.deepEqual(blocked, []);
    await context.close();
  });
}

test("the filters of alerts stay within their card with a long integration name (ux §4)", async () => {
  await aSource(world, "http", {
    name: "Monitor of the yard, the gates and every crane that moves at night",
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "max");
  await page.waitForURL((url) => !url.pathname.includes("sign_in"));
  await page.goto(`${world.url}/acme/rocket/-/alerts`);
  const right = async (place: string) => {
    const box = await page.locator(place).first().boundingBox();
    return Math.round((box?.x ?? 0) + (box?.width ?? 0));
  };
  const [search, button] = [await right(".toolbar .with-icon"), await right(".filters > button")];
  assert.ok(search > 0 && button <= search, `the button ends at ${button}, the search field at ${search}`);
  await context.close();
});
