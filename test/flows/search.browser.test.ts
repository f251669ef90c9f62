/** The search in a real browser: its appearance, its shortcut, and keyboard navigation through the results. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { aSource } from "../support/alerts.ts";
import { launchBrowser, untilTrue } from "../support/browser.ts";
import { enter, signedInPage } from "../support/client-site.ts";
import { inLook, LOOKS } from "../support/looks.ts";
import { anApplication } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const source = await aSource(world);
  for (const title of ["Rocket leans to the left", "Rocket is out of fuel ".repeat(8)])
    await source.send({ title, severity: "critical", service: "pad" });
  await anApplication(world, { owner: "max", name: "Rocket desk" });
  const names = Array.from({ length: 7 }, (_, n) => `Rocket ${n}`);
  for (const name of names) {
    const made = await world.call("/api/v4/projects", { as: "max", json: { name, visibility: "internal" } });
    assert.equal(made.status, 201, made.text);
  }
});

for (const size of LOOKS) {
  test(`the search page fits the window and passes axe, with and without a query and results (reference ux §5, §9; ${size.size})`, async () => {
    await inLook(browser, world.url, size, async ({ page, judge, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "max");
      await look("search-none", "/search");
      await look("search", "/search?q=rocket");
      await look("search-people", "/search?q=max");
      await look("search-nothing", "/search?q=nothing-like-it");
      await page.goto(`${world.url}/search?q=${"x".repeat(300)}`);
      await judge("search-long");
    });
  });
}

test("the key / focuses the search field, and the arrow keys move through the results (reference ux §7, search)", async () => {
  const page = await signedInPage(browser, world, "max", 1280);
  await page.goto(`${world.url}/acme/rocket`);
  await page.keyboard.press("/");
  await page.keyboard.type("out of fuel");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/search\?q=out\+of\+fuel$/);
  const focused = () =>
    page.evaluate("document.activeElement.getAttribute('href') ?? document.activeElement.name");
  await page.goto(`${world.url}/search?q=rocket`);
  await page.keyboard.press("/");
  assert.equal(await focused(), "q");
  assert.ok(
    await page.evaluate("document.activeElement.matches('main input')"),
    "the field of the page, not the one in the top bar",
  );
  const hrefs = await page
    .locator("[data-results] .title")
    .evaluateAll((all) =>
      all.map((one) => (one as unknown as { getAttribute(name: string): string }).getAttribute("href")),
    );
  assert.ok(hrefs.length > 6);
  for (const href of hrefs) {
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(), href);
  }
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(), hrefs.at(-1), "the last result is the end");
  for (const _ of hrefs) await page.keyboard.press("ArrowUp");
  assert.equal(await focused(), "q");
  await page.close();
});

test("on a phone, an icon opens the search page, whose field has the focus (reference ux §7, search)", async () => {
  const page = await signedInPage(browser, world, "max", 390);
  await page.click(".topbar a[aria-label='Search everywhere']");
  await page.waitForURL(/\/search$/);
  await untilTrue(page, "document.activeElement?.matches('main input[name=q]')");
  await page.close();
});
