/** A button that is pressed again before the response has arrived, in a real browser. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser, Route } from "playwright-core";
import { aSource } from "../support/alerts.ts";
import { launchBrowser } from "../support/browser.ts";
import { signedInPage } from "../support/client-site.ts";
import { startWorld, type World } from "../support/world.ts";

const ALERT = "/acme/rocket/-/alerts/1";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const source = await aSource(world);
  assert.equal((await source.send({ title: "Disk full", fingerprint: "disk" })).status, 200);
});

test("pressing a button again before the response has arrived sends nothing twice, and the form works again afterwards (ux §8)", async () => {
  const page = await signedInPage(browser, world, "dev", 1280);
  await page.goto(world.url + ALERT);
  // The service has handled the request, and its response is slow.
  let sent = 0;
  let arrives: () => void = () => undefined;
  const arrival = new Promise<void>((resolve) => {
    arrives = resolve;
  });
  const slow = async (route: Route) => {
    if (route.request().method() !== "POST") return route.continue();
    sent++;
    const response = await route.fetch({ maxRedirects: 0 });
    await arrival;
    // A request that the second press aborted cannot be answered.
    await route.fulfill({ response }).catch(() => undefined);
  };
  await page.route(`**${ALERT}`, slow);
  await page.fill("textarea[name=comment]", "Looking at it.");
  // Clicks in the page, as the browser driver would wait for the response.
  await page.evaluate(
    "(async () => { const button = document.querySelector('button[value=comment]'); button.click(); await new Promise((go) => setTimeout(go, 300)); button.click(); await new Promise((go) => setTimeout(go, 300)); })()",
  );
  arrives();
  await page.waitForURL(`${world.url}${ALERT}#activity`);
  assert.equal(sent, 1);
  assert.equal(await page.getByText("Looking at it.").count(), 1);

  await page.fill("textarea[name=comment]", "Mended.");
  await page.click("button[value=comment]");
  await page.getByText("Mended.").first().waitFor();
  await page.close();
});
