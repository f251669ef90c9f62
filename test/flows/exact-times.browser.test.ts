/** Exact times by keyboard and touch, in a real browser: the choice at the foot of every page. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { aSource } from "../support/alerts.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter, signedInPage } from "../support/client-site.ts";
import { judgeWidth } from "../support/judge-page.ts";
import { inLook, LOOKS } from "../support/looks.ts";
import { startWorld, type World } from "../support/world.ts";

const LIST = "/acme/rocket/-/alerts";
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ["exact times of alerts", LIST],
  ["exact times of an alert", `${LIST}/1`],
  ["exact times of incidents", "/acme/rocket/-/incidents"],
  ["exact times of an incident", "/acme/rocket/-/incidents/1"],
  ["exact times of receipts", "/acme/rocket/-/settings/operations/receipts"],
  ["exact times of integrations", "/acme/rocket/-/settings/operations"],
  ["exact times of members", "/acme/rocket/-/members"],
  ["exact times of activity", "/acme/rocket/activity"],
  ["exact times of all alerts", "/-/alerts"],
  ["exact times of sessions", "/profile/sessions"],
];

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const source = await aSource(world);
  for (const title of [
    "Disk is full",
    "Weighbridge 2 of the northern yard is out of its range",
    "W".repeat(200),
  ])
    assert.equal((await source.send({ title, service: "yard-sensors", fingerprint: title })).status, 200);
});

const choice = (page: Page) => page.getByRole("combobox", { name: "Times" });
const shown = (page: Page) => page.locator("main time").allTextContents();

test("the choice shows all times of a page exactly, by keyboard alone, and the browser remembers it (reference ux §5)", async () => {
  const context = await browser.newContext({ timezoneId: "Asia/Kolkata" });
  const page = await context.newPage();
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "max");
  await page.goto(`${world.url}${LIST}/1`);
  const words = await shown(page);
  assert.ok(
    words.some((text) => /ago|just now/.test(text)),
    words.join(),
  );
  await choice(page).focus();
  await page.keyboard.press("ArrowDown");
  for (const text of await shown(page)) assert.match(text, /^\d+\s\w{3}\s\d{4}, \d\d:\d\d:\d\d\sUTC$/);
  await page.goto(world.url + LIST);
  for (const text of await shown(page)) assert.match(text, /^\d+\s\w{3}\s\d{4}, \d\d:\d\d:\d\d\sUTC$/);
  await choice(page).focus();
  await page.keyboard.press("ArrowDown");
  const here = await shown(page);
  for (const text of here) assert.match(text, /^\d+\s\w{3}\s\d{4}, \d\d:\d\d:\d\d\s(?:IST|GMT\+5:30)$/);
  const [exact = ""] = await page
    .locator("main time")
    .evaluateAll((all) => all.map((one) => one.getAttribute("datetime")));
  assert.match(here[0] ?? "", new RegExp(hourIn("Asia/Kolkata", exact ?? "")));
  await page.goto(`${world.url}${LIST}/1`);
  await choice(page).selectOption("Times in words");
  assert.deepEqual((await shown(page)).length, words.length);
  assert.match((await shown(page)).join(), /ago|just now/);
  await page.reload();
  assert.match((await shown(page)).join(), /ago|just now/);
  await context.close();
});

/** The time of day of an instant in a zone, such as `18:09:33`. */
function hourIn(timeZone: string, at: string): string {
  return new Date(at).toLocaleTimeString("en-GB", { timeZone });
}

test("a time that the page takes over from the server is exact too (reference ux §5)", async () => {
  const page = await signedInPage(browser, world, "max", 1280);
  await page.goto(`${world.url}/acme/rocket/-/settings/operations`);
  await choice(page).selectOption("Exact times, UTC");
  await page.fill("#payload", '{"title": "x", "start_time": "2026-11-01T07:18:33Z"}');
  await page.locator("#preview").getByText("1 Nov 2026, 07:18:33 UTC").waitFor();
  await page.close();
});

for (const one of LOOKS) {
  test(`pages with exact times are readable at ${one.size} (WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "max");
      await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
      await choice(page).selectOption("Exact times, local");
      for (const [name, path] of PAGES) await look(name, path);
    }));
}

test("exact times make no page wider than the window (WCAG 1.4.10)", async () => {
  const page = await signedInPage(browser, world, "max", 1280);
  await choice(page).selectOption("Exact times, local");
  for (const [name, path] of PAGES) {
    await page.goto(world.url + path);
    for (const width of [320, 640, 768, 900, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      await judgeWidth(page, `${name} at ${width} px`);
    }
  }
  await page.close();
});
