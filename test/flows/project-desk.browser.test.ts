/** The pages of alerts, incidents, settings and activity in a real browser, with and without data. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { aSource } from "../support/alerts.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter, signedInPage } from "../support/client-site.ts";
import { judgePage, judgeWidth, watchPolicy } from "../support/judge-page.ts";
import { inLook, LOOKS } from "../support/looks.ts";
import { until } from "../support/until.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const FULL = "/acme/rocket";
const EMPTY = "/acme/open";
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ["alerts", `${FULL}/-/alerts`],
  ["all alerts by severity", `${FULL}/-/alerts?tab=all&sort=severity_desc`],
  ["a filtered list", `${FULL}/-/alerts?severity=critical&sort=event_count_asc`],
  ["an open alert", `${FULL}/-/alerts/1`],
  ["a payload and what changed in it", `${FULL}/-/alerts/1?occurrence=3#payload`],
  ["a resolved alert", `${FULL}/-/alerts/2`],
  ["incidents", `${FULL}/-/incidents`],
  ["an incident", `${FULL}/-/incidents/1`],
  ["general settings", `${FULL}/-/settings/general`],
  ["operations settings", `${FULL}/-/settings/operations`],
  ["activity", `${FULL}/activity`],
  ["profile", "/max"],
  ["reading rules", `${FULL}/-/settings/operations/integrations/1/rules`],
  ["an integration", `${FULL}/-/settings/operations/integrations/1`],
  ["receipts of an alert", `${FULL}/-/settings/operations/receipts?alert=1&decision=counted`],
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
  const view = { action: "save", name: "Grave ones" };
  const max = await signedIn(world, "max");
  await max.submit(`${FULL}/-/alerts/views?severity=critical&sort=event_count_asc`, view, `${FULL}/-/alerts`);
  const json = { action: "pushed", push_data: push };
  assert.equal((await world.call("/api/v4/projects/acme%2Frocket/events", { as: "max", json })).status, 201);
});

for (const one of LOOKS) {
  test(`every page of alerts, incidents, settings and activity fits the window, passes axe and runs no script of a payload at ${one.size} (ux §5, §9; WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, blocked, look }) => {
      page.on("dialog", () => blocked.push("a script of a payload ran"));
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "max");
      for (const [name, path] of PAGES) await look(name, path);
    }));
}

test("on a phone the occurrences of an alert are stacked, with nothing cut off and no horizontal scrolling (ux §5; WCAG 1.4.10)", async () => {
  const page = await browser.newPage({ viewport: { width: 320, height: 900 } });
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "max");
  await page.goto(`${world.url}${FULL}/-/alerts/1`);
  const occurrence = page.getByRole("table", { name: "Occurrence table" }).getByRole("row").nth(1);
  for (const inside of [
    occurrence.getByRole("rowheader"),
    occurrence.getByText("Firing"),
    occurrence.getByText("db-2"),
    occurrence.getByRole("link", { name: /^Payload/ }),
    occurrence.getByRole("link", { name: /^Receipt/ }),
  ]) {
    const box = await inside.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 320, `${await inside.textContent()}`);
  }
  const [time, link] = await Promise.all(
    [occurrence.locator("time"), occurrence.getByRole("link", { name: /^Payload/ })].map((one) =>
      one.boundingBox(),
    ),
  );
  assert.ok(
    time && link && (time.x + time.width <= link.x || time.y + time.height <= link.y),
    "the time and the link do not overlap",
  );
  await page.close();
});

test("none of these pages, nor a receipt, scrolls horizontally at 320 px (WCAG 1.4.10)", async () => {
  const page = await signedInPage(browser, world, "max", 320);
  for (const [name, path] of PAGES) {
    await page.goto(world.url + path);
    await judgeWidth(page, name);
  }
  await page.goto(`${world.url}${FULL}/-/settings/operations/receipts`);
  await page.locator("tbody a.title").first().click();
  await page.waitForURL(/\/receipts\/[^/]+$/);
  await judgeWidth(page, "a receipt");
  await page.close();
});

test("the page of a receipt fits and passes axe in every width and theme, also after a dry-run replay (ux §5, §9; WCAG 2.2 AA)", async () => {
  for (const width of [1280, 390]) {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const blocked = watchPolicy(page);
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "max");
      await page.goto(`${world.url}${FULL}/-/settings/operations/receipts`);
      await page.locator("tbody a.title").first().click();
      await page.waitForURL(/\/receipts\/[^/]+$/);
      await judgePage(page, "a receipt");
      await page.getByRole("button", { name: "Try without effect" }).click();
      await page.getByText("Nothing was changed").waitFor();
      await judgePage(page, "a replay without effect");
      assert.deepEqual(blocked, []);
      await context.close();
    }
  }
});

test("the copy button of a set-up example copies it with the key, which the example itself does not show (decision 0147)", async () => {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "max");
  await page.goto(`${world.url}${FULL}/-/settings/operations/integrations/1`);
  const key = (await page.getAttribute("#authkey", "data-value")) ?? "";
  await page.click("#set-up button >> nth=0");
  await page.getByText("Copied").first().waitFor();
  const copied = await page.evaluate("navigator.clipboard.readText()");
  assert.ok(String(copied).includes(`Authorization: Bearer ${key}"`), "the key is in the command");
  assert.ok(!(await page.innerText("#set-up")).includes(key));
  await context.close();
});

test("the bar above the list shows how many alerts are selected, and is unobtrusive while none is (reference ux §6, alerts list)", async () => {
  const page = await browser.newPage();
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "max");
  await page.goto(`${world.url}${FULL}/-/alerts?tab=all`);
  const colour = () => page.evaluate("getComputedStyle(document.querySelector('.bulk')).backgroundColor");
  const calm = await colour();
  const height = () =>
    page.evaluate("document.querySelector('.alerts tbody tr').getBoundingClientRect().top + scrollY");
  const before = await height();
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByText(/^[2-9] selected$/).waitFor();
  assert.notEqual(await colour(), calm);
  assert.equal(await height(), before, "selecting moves no row");
  await judgePage(page, "a list with selected alerts");
  await page.getByRole("checkbox", { name: "Select all on this page" }).uncheck();
  await page.getByText("With the selected alerts").waitFor();
  assert.equal(await colour(), calm);
  await page.close();
});

test("the form of an integration shows the fields of the chosen type (reference ux §7, operations settings)", async () => {
  const page = await browser.newPage();
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "max");
  await page.goto(`${world.url}${EMPTY}/-/settings/operations`);
  const shown = async (type: string) => {
    await page.selectOption("#new [name=type]", type);
    const names = ["api_url", "strict", "payload_example", "next"];
    const seen = await Promise.all(names.map((name) => page.isVisible(`#new [name=${name}]`)));
    return names.filter((_, index) => seen[index]);
  };
  // `next` is the button that also sends a test alert, which a link to a tool does not support.
  assert.deepEqual(await shown("generic"), ["strict", "payload_example", "next"]);
  assert.deepEqual(await shown("http"), ["strict", "payload_example", "next"]);
  assert.deepEqual(await shown("prometheus"), ["api_url", "strict", "payload_example", "next"]);
  assert.deepEqual(await shown("external_tool"), ["api_url"]);
  await page.close();
});

test("the tabs of an alert mark the part of the page that the address names (WAI-ARIA 1.2, aria-current; ux §5)", async () => {
  const page = await signedInPage(browser, world, "max", 1280);
  const current = async () => [
    await page.locator(".tabs [aria-current=location]").allTextContents(),
    await page.locator(".tabs [aria-current=page]").count(),
  ];
  await page.goto(`${world.url}${FULL}/-/alerts/1`);
  assert.deepEqual(await current(), [["Overview"], 0]);
  await page.getByRole("link", { name: "Payload", exact: true }).first().click();
  await page.waitForURL(/#payload$/);
  assert.deepEqual(await current(), [["Payload"], 0]);
  await page.goBack();
  assert.deepEqual(await current(), [["Overview"], 0]);
  await page.goto(`${world.url}${FULL}/-/alerts/1?occurrence=3#payload`);
  assert.deepEqual(await current(), [["Payload"], 0]);
  await page.close();
});

test("new alerts are announced in a bar, and rows are added only when it is activated (decision 0100)", async () => {
  const page = await browser.newPage();
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "max");
  await page.goto(`${world.url}${FULL}/-/alerts`);
  const rows = page.locator("tbody tr");
  const [count, place] = [await rows.count(), await rows.first().boundingBox()];
  const source = await aSource(world, "http", { name: "Later" });
  await source.send({ title: "It came later", severity: "high" });
  const bar = page.getByRole("link", { name: "1 new alert – show" });
  await bar.waitFor();
  assert.equal(await rows.count(), count);
  assert.deepEqual(await rows.first().boundingBox(), place);
  await judgePage(page, "a list with arrivals");
  await bar.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "It came later" }).waitFor();
  await page.close();
});

test("new alerts are announced at most once in ten seconds, with their total number (ux §5; WCAG 4.1.3)", async () => {
  const page = await browser.newPage();
  // Records the last message of the page's stream: this listener is added before that of the page.
  await page.addInitScript(
    "EventSource = class extends EventSource { constructor(url) { super(url); this.addEventListener('message', ({ data }) => { window.told = data; }); } }",
  );
  await page.clock.install();
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "max");
  await page.goto(`${world.url}${FULL}/-/alerts`);
  await page.clock.pauseAt(Date.now() + 3_600_000);
  const source = await aSource(world, "http", { name: "Often" });
  for (const [title, count] of [
    ["It came first", 1],
    ["It came soon after", 2],
    ["It came last", 3],
  ] as const) {
    await source.send({ title });
    await until(async () => (await page.evaluate("window.told")) === String(count));
    if (count === 1) await page.getByRole("link", { name: "1 new alert – show" }).waitFor();
  }
  assert.equal(await page.getByRole("link", { name: "1 new alert – show" }).count(), 1);
  await page.clock.fastForward(10_000);
  await page.getByRole("link", { name: "3 new alerts – show" }).waitFor();
  await page.close();
});

test("alerts are acknowledged and views saved with the keyboard alone, without script (ux §9)", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "max");
  await page.goto(`${world.url}${FULL}/-/alerts?search=later`);
  await page.getByRole("checkbox", { name: /Select alert/ }).focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Acknowledge" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("1 alert was acknowledged.").waitFor();
  await page.waitForLoadState();
  await page.getByText("Save this view").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Later ones");
  await page.keyboard.press("Enter");
  await page.getByText("The view Later ones is yours alone").waitFor();
  await context.close();
});
