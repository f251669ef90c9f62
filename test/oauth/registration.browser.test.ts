/** The pages about self-registered applications in a real browser. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { inLook, LOOKS } from "../support/looks.ts";
import { aProof, aStranger, authorizePath, setRegistration, type TestApplication } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;
let site: TestApplication;
let local: TestApplication;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  await setRegistration(world, true);
  site = await aStranger(world, { client_name: "Tidewatch" });
  local = await aStranger(world, {
    client_name: "Helper for editors",
    redirect_uris: ["http://127.0.0.1/callback"],
    scope: "read_user read_api",
  });
});

for (const look of LOOKS) {
  test(`consent pages, lists and the setting for self-registration work at ${look.size} (ux §4; WCAG 2.2 AA; decision 0196)`, async () => {
    await inLook(browser, world.url, look, async ({ page, judge, look: at }) => {
      const proof = { code_challenge: aProof().challenge, code_challenge_method: "S256" };
      await page.goto(world.url + authorizePath(local, proof));
      await enter(page, "ada");
      await page.waitForSelector("text=knows this program");
      await judge("question of a program");
      await at("question of a site", authorizePath(site, proof));
      assert.match((await page.textContent("main")) ?? "", /knows this application/);
      await at("registered by themselves", "/admin/applications?of=themselves");
      await at("everybody’s", "/admin/applications?of=everybody");
      await at("an unverified application", `/admin/applications/${site.id}`);
      await at("switches", "/admin/settings");
    });
  });
}
