/** The open alerts of all projects in a real browser: every width and theme, with script and without, and on paper. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { SEVERITIES } from "../../src/alerts/severity.ts";
import { aSource } from "../support/alerts.ts";
import { launchBrowser, pressPair } from "../support/browser.ts";
import { enter, signedInPage } from "../support/client-site.ts";
import { judgeWidth } from "../support/judge-page.ts";
import { ALL_LOOKS, inLook } from "../support/looks.ts";
import { startWorld, type World } from "../support/world.ts";

const PAGE = "/-/alerts";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const made = await world.call("/api/v4/projects", { as: "stan", json: { name: "Own", path: "own" } });
  assert.equal(made.status, 201, made.text);
  const rocket = await aSource(world);
  const open = await aSource(world, "generic", {}, "acme/open");
  const named = {
    title: `Disk <b>full</b> ${"W".repeat(180)}`,
    severity: "critical",
    service: "V".repeat(100),
  };
  const payloads = Array.from({ length: 26 }, (_, i) => ({
    title: `Queue ${i} is long`,
    severity: SEVERITIES[i % 6],
    service: i % 4 === 0 ? "mailer" : undefined,
  }));
  for (const source of [rocket, open]) {
    const { status, text } = await source.send([named, ...payloads]);
    assert.equal(status, 200, text);
  }
  const repeated = { title: "Door is ajar", severity: "high", fingerprint: "door" };
  for (let i = 0; i < 3; i++) await open.send(repeated);
  const { json } = await open.send(repeated);
  for (const [project, iid, assignee] of [
    ["open", json[0].iid, world.ids.dev],
    ["rocket", 1, world.ids.dev],
    ["rocket", 2, world.ids.max],
  ]) {
    const change = { status: "acknowledged", assignee_ids: [assignee] };
    const path = `/api/v4/projects/acme%2F${project}/alert_management_alerts/${iid}`;
    const { status, text } = await world.call(path, { as: "olga", method: "PUT", json: change });
    assert.equal(status, 200, text);
  }
});

for (const one of ALL_LOOKS) {
  const script = one.javaScriptEnabled ? "with" : "without";
  test(`the page of open alerts is readable and accessible at ${one.size}, ${script} script (decision 0279; ux §4; WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, judge, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "dev");
      await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
      await look("start page with alerts", "/");
      await page.click("#open-alerts footer a");
      await page.waitForURL(world.url + PAGE);
      await judge("open alerts");
      await page.selectOption("select[name=severity]", "critical");
      await page.selectOption("select[name=assigned]", "me");
      await page.click("button:text-is('Filter')");
      await page.waitForURL(`${world.url}${PAGE}?search=&severity=critical&assigned=me`);
      assert.equal(await page.locator("tbody tr").count(), 1);
      await judge("open alerts filtered");
      await look("open alerts page two", `${PAGE}?status=triggered&page=2`);
      await page.fill("main input[name=search]", "disk <b>FULL");
      await page.click("button:text-is('Filter')");
      await page.waitForURL(/search=disk/);
      assert.equal(await page.locator("tbody tr").count(), 1);
      await judge("open alerts searched");
      await look("no open alert that fits", `${PAGE}?status=acknowledged&severity=info`);
      await look("open alerts past the end", `${PAGE}?page=900`);
    }));
}

for (const one of ALL_LOOKS.filter(({ javaScriptEnabled }) => javaScriptEnabled)) {
  test(`users without open alerts or without projects see an explanation at ${one.size} (decision 0279; ux §6; WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, look }) => {
      for (const [person, name] of [
        ["rep", "no project"],
        ["stan", "all is calm"],
      ] as const) {
        await page.context().clearCookies();
        await page.goto(`${world.url}/users/sign_in`);
        await enter(page, person);
        await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
        await look(name, PAGE);
      }
    }));
}

test("the list's keyboard shortcuts work, and g a opens the page from the start page (reference ux §7, dashboard)", async () => {
  const page = await signedInPage(browser, world, "dev", 1280);
  await page.goto(`${world.url}/`);
  await pressPair(page, "g", "a");
  await page.waitForURL(world.url + PAGE);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("o");
  await page.waitForURL(/\/acme\/(open|rocket)\/-\/alerts\/\d+$/);
  await page.close();
});

test("titles of alerts are targets of 24 px, since links to other pages are right below them (WCAG 2.5.8)", async () => {
  for (const width of [1280, 390]) {
    const page = await signedInPage(browser, world, "dev", width);
    for (const path of ["/", PAGE, "/acme/open/-/alerts"]) {
      await page.goto(world.url + path);
      const low = await page.evaluate<string[]>(`[...document.querySelectorAll("a.title")]
        .filter((link) => link.getBoundingClientRect().height < 24).map((link) => link.textContent)`);
      assert.deepEqual(low, [], `${path}, ${width} px`);
    }
    await page.close();
  }
});

test("the printed page shows the rows without the controls (reference ux §6)", async () => {
  const page = await signedInPage(browser, world, "dev", 1280);
  await page.goto(world.url + PAGE);
  await page.emulateMedia({ media: "print" });
  for (const [place, count] of [
    [".alerts tbody tr", 20],
    [".tabs", 0],
    [".toolbar", 0],
    [".pager", 0],
    ["nav.side", 0],
  ] as const)
    assert.equal(await page.locator(`${place}:visible`).count(), count, place);
  await judgeWidth(page, "paper");
  if (process.env.GATEHOUSE_TEST_PICTURES)
    await page.screenshot({ path: `${process.env.GATEHOUSE_TEST_PICTURES}/paper.png`, fullPage: true });
  await page.close();
});
