/** The pages of archived and marked projects and groups in a real browser, in every width and theme, with script and without. */
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { fullProject } from "../support/full-project.ts";
import { ALL_LOOKS, inLook, LOOKS } from "../support/looks.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const ask = (method: string, path: string, json?: unknown) =>
    world.call(`/api/v4/${path}`, { as: "olga", method, ...(json ? { json } : {}) });
  await fullProject(world);
  const { json: ship } = await ask("GET", "groups/ship");
  const { json: deck } = await ask("POST", "groups", { name: "Deck", path: "deck", parent_id: ship.id });
  await ask("POST", "projects", { name: "Cabin", path: "cabin", namespace_id: deck.id });
  await ask("POST", "projects/ship%2Fhull/archive");
  await ask("POST", "projects/acme%2Frocket/archive");
  await ask("DELETE", "projects/acme%2Fopen");
  await ask("DELETE", "groups/ship%2Fdeck");
});

/** Pages that omit their forms while the project is archived. */
const QUIET = [
  "alerts",
  "alerts/1",
  "alerts/3",
  "incidents",
  "incidents/1",
  "incidents/new",
  "environments",
  "silences",
  "silences/new",
  "silences/1",
  "members",
  "invitations",
  "settings/hooks",
  "settings/hooks/1",
  "settings/sources",
  "settings/sources/1",
  "settings/retention",
  "settings/move",
  "settings/operations",
  "settings/operations/integrations/1",
  "settings/operations/integrations/1/rules",
  "settings/operations/receipts",
  "settings/operations/channels",
  "settings/operations/channels/1",
  "settings/operations/channels/new",
  "settings/operations/heartbeats",
  "settings/operations/heartbeats/1",
  "settings/operations/heartbeats/new",
  "settings/operations/templates/1",
  "settings/operations/templates/new",
];

for (const one of LOOKS) {
  test(`pages without their forms fit the window and pass axe at ${one.size} (decision 0153; WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "olga");
      await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
      for (const path of QUIET) await look(`quiet ${path.replaceAll("/", " ")}`, `/ship/hull/-/${path}`);
      await look("quiet group members", "/groups/ship%2Fdeck/-/members");
      await look("quiet group invitations", "/groups/ship%2Fdeck/-/invitations");
    }));
}

for (const one of ALL_LOOKS) {
  test(`every page of archived or marked projects and groups loads at ${one.size}, ${one.javaScriptEnabled ? "with" : "without"} script, and with script fits and passes axe (ux §4; WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, judge, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "olga");
      await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
      await look("archived projects", "/projects");
      await look("archived groups", "/groups");
      await look("archived project", "/acme/rocket");
      await look("archived project alerts", "/acme/rocket/-/alerts");
      await look("archived project activity", "/acme/rocket/activity");
      await look("archived project settings", "/acme/rocket/-/settings/general");
      await look("marked project", "/acme/open");
      await look("marked project settings", "/acme/open/-/settings/general");
      await page.fill("#confirm", "acme/rocket");
      await page.click('form[action$="/settings/delete"] button');
      await page.waitForSelector("#confirm-err");
      await judge("deletion refused");
      await look("group with a marked group", "/ship");
      await look("marked group", "/ship/deck");
      await look("marked group settings", "/groups/ship%2Fdeck/-/settings");
      await look("project of a marked group", "/ship/deck/cabin/-/settings/general");
      await look("project that is active", "/free/plan/-/settings/general");
      await look("group that is active", "/groups/acme/-/settings");
    }));
}
