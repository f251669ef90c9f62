/** The pages of groups in a real browser: every width and theme, with script and without. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { whenDone } from "../support/cleanup.ts";
import { enter } from "../support/client-site.ts";
import { judgePage, watchPolicy } from "../support/judge-page.ts";
import { startWorld, type World } from "../support/world.ts";

/** Set to keep pictures of every page there. */
const pictures = process.env.GATEHOUSE_TEST_PICTURES;
let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  whenDone(() => browser.close());
  const post = (path: string, json: unknown) => world.call(`/api/v4/groups${path}`, { as: "olga", json });
  const parent = await world.call("/api/v4/groups/acme", { as: "olga" });
  await post("", { name: "Propulsion and Guidance", path: "propulsion", parent_id: parent.json.id });
  await post("/acme/members", { user_id: world.ids.dev, access_level: 30, expires_at: "2199-03-01" });
  await post("/acme/members", { user_id: world.ids.stan, access_level: 20 });
  const email = "somebody.with.a.very.long.name.indeed@department.example.net";
  await post("/acme/invitations", { email, access_level: 20 });
});

for (const width of [1280, 390]) {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const javaScriptEnabled of [true, false]) {
      test(`every page of a group stands at ${width} px, ${colorScheme}, ${javaScriptEnabled ? "with" : "without"} script (ux §4; WCAG 2.2 AA)`, async () => {
        const context = await browser.newContext({
          colorScheme,
          javaScriptEnabled,
          viewport: { width, height: 900 },
        });
        const page = await context.newPage();
        const blocked = watchPolicy(page);
        const judge = async (name: string) => {
          if (javaScriptEnabled) await judgePage(page, name);
          if (!pictures) return;
          mkdirSync(pictures, { recursive: true });
          const path = `${pictures}/${name.replaceAll(" ", "-")}-${width}-${colorScheme}-${javaScriptEnabled}.png`;
          await page.screenshot({ path, fullPage: true });
        };
        const look = async (name: string, path: string) => {
          const answer = await page.goto(world.url + path);
          assert.equal(answer?.status(), 200, name);
          await judge(name);
        };
        await page.goto(`${world.url}/users/sign_in`);
        await enter(page, "olga");
        await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
        await look("group", "/acme");
        await look("group below", "/acme/propulsion");
        await look("group activity", "/groups/acme/-/activity");
        await look("group members", "/groups/acme/-/members");
        await look("group members below", "/groups/acme/propulsion/-/members");
        await look("group invitations", "/groups/acme/-/invitations");
        await look("group applications", "/groups/acme/-/settings/applications");
        await look("group settings", "/groups/acme/-/settings");
        await page.fill("#path", "free");
        await page.click("main form button.primary");
        await page.waitForSelector("#path-err");
        await judge("group settings refused");
        assert.deepEqual(blocked, []);
        await context.close();
      });
    }
  }
}
