/** New alerts that an open list announces, and the switch that pauses that, in a real browser. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { aSource, type Source } from "../support/alerts.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter, signedInPage } from "../support/client-site.ts";
import { inLook, LOOKS } from "../support/looks.ts";
import { startWorld, type World } from "../support/world.ts";

const LIST = "/acme/rocket/-/alerts";
const EMPTY = "/acme/open/-/alerts";

let world: World;
let browser: Browser;
let source: Source;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  source = await aSource(world);
  for (let i = 0; i < 22; i++) assert.equal((await source.send({ title: `Queue ${i}` })).status, 200);
});

const choice = (page: Page) => page.getByRole("switch", { name: "Announce new alerts" });

test("the switch pauses the announcements with the keyboard alone, and shows what came meanwhile afterwards (WCAG 2.2.2; ux §5 4.1.3)", async () => {
  const page = await signedInPage(browser, world, "max", 1280);
  const streams: string[] = [];
  page.on("request", (request) => {
    if (/\/stream\?/.test(request.url())) streams.push(request.url());
  });
  await page.goto(world.url + LIST);
  await source.send({ title: "Before the pause" });
  await page.getByRole("link", { name: "1 new alert – show" }).waitFor();
  await choice(page).focus();
  await page.keyboard.press("Space");
  assert.equal(await choice(page).isChecked(), false);
  assert.equal(await page.locator(".arrivals").textContent(), "", "what was announced is hidden");
  const before = streams.length;
  await page.reload();
  await page.waitForLoadState();
  assert.equal(await choice(page).isChecked(), false, "the browser remembers the choice");
  await page.goto(`${world.url}${LIST}?tab=resolved`);
  assert.equal(await choice(page).isChecked(), false, "on every list");
  await page.waitForLoadState();
  assert.equal(streams.length, before, "a paused list keeps no stream");
  await page.goto(world.url + LIST);
  await source.send({ title: "During the pause" });
  assert.equal(await page.locator(".arrivals").textContent(), "");
  await page.keyboard.press("Tab");
  await choice(page).press("Space");
  await page.getByRole("link", { name: "1 new alert – show" }).waitFor();
  await page.reload();
  assert.equal(await choice(page).isChecked(), true);
  await page.close();
});

test("a browser without storage pauses for as long as the page is open (WCAG 2.2.2)", async () => {
  const page = await signedInPage(browser, world, "max", 1280);
  const faults: Error[] = [];
  page.on("pageerror", (fault) => faults.push(fault));
  await page.addInitScript(
    "Object.defineProperty(window, 'localStorage', { get() { throw new Error('storage is off'); } })",
  );
  await page.goto(world.url + LIST);
  await choice(page).uncheck();
  await source.send({ title: "Unannounced" });
  assert.equal(await page.locator(".arrivals").textContent(), "");
  await choice(page).check();
  await page.getByRole("link", { name: "1 new alert – show" }).waitFor();
  assert.deepEqual(faults, []);
  await page.close();
});

test("without script there are neither announcements nor the switch (ux §0.8)", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "max");
  await page.goto(world.url + LIST);
  assert.equal(await page.locator("[data-arrivals-switch]").count(), 1);
  assert.equal(await page.locator("[data-arrivals-switch]").isVisible(), false);
  assert.match(
    await page.content(),
    /<noscript>New alerts appear when the page is loaded again\.<\/noscript>/,
  );
  await context.close();
});

for (const one of LOOKS) {
  test(`the switch is below the list, with alerts and without, at ${one.size} (WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "max");
      await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
      for (const [name, path] of [
        ["arrivals below a list", LIST],
        ["arrivals below an empty tab", `${LIST}?tab=ignored`],
        ["arrivals before the first alert", EMPTY],
      ] as const) {
        await look(name, path);
        assert.equal(await choice(page).isVisible(), true, name);
        await page.emulateMedia({ media: "print" });
        assert.equal(await choice(page).isVisible(), false, `${name} on paper`);
        await page.emulateMedia({ media: "screen" });
      }
    }));
}

test("a page that waits for the first alert of a project shows it by itself, unless somebody types (reference ux §2, item 4)", async () => {
  const calls = await aSource(world, "generic", {}, "acme/open");
  for (const one of LOOKS) {
    await inLook(browser, world.url, one, async ({ page, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "max");
      await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
      await look("waiting for the first alert", EMPTY);
      await look("overview before the first alert", "/acme/open");
    });
  }
  const [idle, typing, paused] = [
    await signedInPage(browser, world, "max", 1280),
    await signedInPage(browser, world, "dev", 1280),
    await signedInPage(browser, world, "olga", 1280),
  ];
  for (const page of [idle, typing, paused]) await page.goto(world.url + EMPTY);
  await typing.locator("input[name=q]").fill("half a word");
  await choice(paused).uncheck();
  assert.equal((await calls.send({ title: "The very first" })).status, 200);
  await idle.getByRole("link", { name: "The very first" }).waitFor();
  await typing.getByRole("link", { name: "1 new alert – show" }).waitFor();
  assert.equal(await typing.inputValue("input[name=q]"), "half a word");
  assert.match((await paused.textContent("main")) ?? "", /Waiting for the first alert/);
  await calls.send({ title: "The second" });
  await idle.getByRole("link", { name: "1 new alert – show" }).waitFor();
  for (const page of [idle, typing, paused]) await page.close();
});
