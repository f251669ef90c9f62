/** The pages of groups in a real browser, in every width and theme, with script and without. */
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { ALL_LOOKS, inLook } from "../support/looks.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const post = (path: string, json: unknown) => world.call(`/api/v4/groups${path}`, { as: "olga", json });
  const parent = await world.call("/api/v4/groups/acme", { as: "olga" });
  await post("", { name: "Propulsion and Guidance", path: "propulsion", parent_id: parent.json.id });
  await post("/acme/members", { user_id: world.ids.dev, access_level: 30, expires_at: "2199-03-01" });
  await post("/acme/members", { user_id: world.ids.stan, access_level: 20 });
  const email = "somebody.with.a.very.long.name.indeed@department.example.net";
  await post("/acme/invitations", { email, access_level: 20 });
});

for (const one of ALL_LOOKS) {
  test(`every page of a group loads at ${one.size}, ${one.javaScriptEnabled ? "with" : "without"} script, and with script fits the window and passes axe (ux §4; WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, judge, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "olga");
      await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
      await look("groups", "/groups");
      await look("no group that fits", "/groups?search=nothing-like-it");
      await look("new group", "/groups/new?parent=acme");
      await page.fill("#name", "Taken");
      await page.fill("#path", "propulsion");
      await page.click("main form button.primary");
      await page.waitForSelector("#path-err");
      await judge("new group refused");
      await look("group", "/acme");
      await look("group below", "/acme/propulsion");
      await look("group activity", "/groups/acme/-/activity");
      await look("group members", "/groups/acme/-/members");
      await look("group members below", "/groups/acme/propulsion/-/members");
      await look("group invitations", "/groups/acme/-/invitations");
      await look("group applications", "/groups/acme/-/settings/applications");
      await look("group to be moved", "/groups/acme%2Fpropulsion/-/settings/move");
      await look("project to be moved", "/acme/rocket/-/settings/move");
      await look("group settings", "/groups/acme/-/settings");
      await page.fill("#path", "free");
      await page.click("main form button.primary");
      await page.waitForSelector("#path-err");
      await judge("group settings refused");
    }));
}
