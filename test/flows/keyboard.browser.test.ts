/** Keyboard shortcuts in a real browser: they activate the controls of a page, but not while somebody types (reference ux §7). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { aSource } from "../support/alerts.ts";
import { launchBrowser, pressPair } from "../support/browser.ts";
import { signedInPage } from "../support/client-site.ts";
import { push, record } from "../support/events.ts";
import { daysAgo } from "../support/past-days.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const ALERTS = "/acme/rocket/-/alerts";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const source = await aSource(world);
  for (const title of ["First", "Second", "Third"]) {
    assert.equal((await source.send({ title, fingerprint: title })).status, 200);
  }
  // Three days of a week that has ended, and the same weekday two weeks before.
  const monday = daysAgo(14 + ((new Date().getUTCDay() + 6) % 7)).getTime();
  const days = [-14, 0, 1, 3].map((day) => new Date(monday + day * 86_400_000 + 43_200_000));
  const at = { ...push, projectId: world.rocket.id, authorId: world.ids.rep };
  await record(
    world,
    days.map((createdAt) => ({ ...at, createdAt })),
  );
});

/** Opens a page as Max, who may change everything in the project. */
async function open(path: string): Promise<Page> {
  const page = await signedInPage(browser, world, "max", 1280);
  await page.goto(world.url + path);
  return page;
}

/** The name or the text of the focused element. */
const focused = (page: Page) =>
  page.evaluate("document.activeElement.name || document.activeElement.textContent.trim()");
async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Asserts that these keys click nothing; if one opened another page, the count would be gone and the assertion would fail. */
async function pressesNothing(page: Page, what: string, ...keys: string[]): Promise<void> {
  await page.evaluate("window.clicks = 0; addEventListener('click', () => window.clicks++, true)");
  await press(page, ...keys);
  assert.equal(await page.evaluate("window.clicks"), 0, what);
}

test("j and k move from row to row, and o opens the current one (reference ux §7, alerts list)", async () => {
  const page = await open(ALERTS);
  const seen: unknown[] = [];
  for (const key of ["j", "j", "k", "k", "j", "j", "j", "j"]) {
    await press(page, key);
    seen.push(await focused(page));
  }
  assert.deepEqual(seen, ["Third", "Second", "Third", "Third", "Second", "First", "First", "First"]);
  await press(page, "o");
  await page.waitForURL(`${world.url}${ALERTS}/1`);
  await page.goto(`${world.url}/acme/rocket/activity`);
  await press(page, "j", "o");
  await page.waitForURL(/\/acme\/rocket\/-\/incidents\/\d+$/);
  await page.close();
});

test("x selects the row, and e resolves the selected alerts only, also while a checkbox has the focus (reference ux §7, alerts list)", async () => {
  const page = await open(ALERTS);
  await press(page, "x");
  assert.equal(await page.locator("tbody input:checked").count(), 0);
  await press(page, "j", "j", "x", "j", "x", "x");
  assert.deepEqual(
    await page.locator("tbody input:checked").evaluateAll((boxes) => boxes.map((box) => box.ariaLabel)),
    ["Select alert 2"],
  );
  await page.getByLabel("Select alert 2").focus();
  await press(page, "e");
  await page.getByText("1 alert was resolved.").waitFor();
  await page.waitForLoadState();
  assert.deepEqual(await page.locator("tbody a.title").allTextContents(), ["Third", "First"]);
  await page.close();
});

test("i opens the incident, c begins a comment, and e resolves the alert (reference ux §7, alert)", async () => {
  const page = await open(`${ALERTS}/1`);
  await press(page, "c", "e", "i", "x", "?");
  assert.equal(await page.inputValue("textarea[name=comment]"), "eix?");
  assert.match(page.url(), /\/alerts\/1$/);
  await page.fill("textarea[name=comment]", "");
  await page.locator("h1").click();
  await press(page, "i");
  await page.waitForURL(/\/-\/incidents\/\d+$/);
  await press(page, "c", "!");
  assert.equal(await page.inputValue("textarea[name=note]"), "!");
  await page.goto(`${world.url}${ALERTS}/1`);
  await press(page, "e");
  await page.getByRole("button", { name: "Reopen" }).waitFor();
  await page.close();
});

test("y copies the link of an alert or incident and announces it; it does nothing where there is no link or no clipboard (reference ux §7, alert)", async () => {
  const page = await open(ALERTS);
  const faults: Error[] = [];
  page.on("pageerror", (fault) => faults.push(fault));
  const { origin } = new URL(world.url);
  const said = page.locator("#live");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  await page.evaluate("navigator.clipboard.writeText('before')");
  await press(page, "y");
  assert.equal(
    await page.evaluate("navigator.clipboard.readText()"),
    "before",
    "the list has no link to copy",
  );
  for (const path of [`${ALERTS}/2`, "/acme/rocket/-/incidents/2"]) {
    await page.goto(`${world.url}${path}?occurrences=1#payload`);
    assert.equal(await said.textContent(), "");
    await press(page, "y");
    await page.getByText("Link copied").waitFor();
    assert.equal(await said.getAttribute("aria-live"), "polite");
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), world.url + path);
    await page.locator("#live.sr").waitFor({ state: "attached" });
  }
  for (const without of ["{ writeText: () => Promise.reject(new Error('denied')) }", "undefined"]) {
    await page.goto(`${world.url}${ALERTS}/2`);
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: ${without} })`);
    await press(page, "y");
    await page.evaluate("Promise.resolve()");
    assert.equal(await said.textContent(), "");
  }
  await page.goto(`${world.url}${ALERTS}/2`);
  await page.locator("textarea[name=comment]").focus();
  await press(page, "y");
  assert.equal(await page.inputValue("textarea[name=comment]"), "y");
  assert.deepEqual(faults, []);
  await page.context().close();
});

test("n starts a new record, g a and g p go to the alerts and the project (reference ux §7, dashboard)", async () => {
  const page = await open("/profile/applications");
  await press(page, "n");
  await page.waitForURL(/#new$/);
  await pressesNothing(page, "no such link stands there", "g", "p");
  await page.goto(`${world.url}/`);
  await pressPair(page, "g", "p");
  await page.waitForURL(`${world.url}/projects`);
  await press(page, "n");
  await page.waitForURL(`${world.url}/projects/new`);
  await page.goto(`${world.url}/acme/rocket/activity`);
  await pressPair(page, "g", "a");
  await page.waitForURL(world.url + ALERTS);
  await pressPair(page, "g", "p");
  await page.waitForURL(`${world.url}/acme/rocket`);
  await pressesNothing(page, "another key between", "g", "x", "a");
  await page.close();
});

test("shortcuts do nothing in fields, selects, dialogs and menus, or together with Ctrl, Alt or Command (WCAG 2.1.4)", async () => {
  const page = await open(`${ALERTS}/3`);
  for (const held of ["Control", "Alt", "Meta"]) {
    await pressesNothing(page, held, `${held}+i`, `${held}+e`);
  }
  await page.click("button[popovertarget=me]");
  await pressesNothing(page, "a menu", "i", "?");
  await page.keyboard.press("Escape");
  await page.focus("textarea[name=comment]");
  await pressesNothing(page, "a field", "i", "?");
  await page.goto(world.url + ALERTS);
  await page.focus("select[name=severity]");
  await pressesNothing(page, "a choice", "?", "g", "p");
  await page.goto(`${world.url}/acme/rocket/-/incidents/3`);
  await page.getByRole("button", { name: "Close incident" }).click();
  await page.locator("dialog:modal").waitFor();
  await pressesNothing(page, "a question", "c", "?", "g", "p");
  assert.equal(await focused(page), "Leave it open");
  await page.close();
});

test("keydown events without a key, which browsers send on autofill, cause no error (HTML, autofill: events of keys without a key)", async () => {
  const page = await open(ALERTS);
  const faults: Error[] = [];
  page.on("pageerror", (fault) => faults.push(fault));
  await page.evaluate("document.activeElement.dispatchEvent(new Event('keydown', { bubbles: true }))");
  await press(page, "j");
  assert.equal(await focused(page), "Third");
  assert.deepEqual(faults, []);
  await page.close();
});

test("a question mark opens the page of shortcuts, where they can be turned off and on again (WCAG 2.1.4)", async () => {
  const page = await open(ALERTS);
  await press(page, "?");
  await page.waitForURL(`${world.url}/-/help/keyboard`);
  const choice = page.getByRole("switch", { name: /Keys/ });
  assert.ok(await choice.isChecked());
  await choice.uncheck();
  await page.goto(world.url + ALERTS);
  await pressesNothing(page, "turned off", "j", "/", "?", "g", "p");
  assert.notEqual(await focused(page), "search");
  assert.notEqual(await focused(page), "Third");
  await page.goto(`${world.url}/-/help/keyboard`);
  assert.ok(!(await choice.isChecked()));
  await choice.check();
  await page.goto(world.url + ALERTS);
  await press(page, "/");
  assert.equal(await focused(page), "search");
  await page.close();
});

test("Enter on a checkbox of the list of alerts presses no button, and without script none that changes anything (HTML, implicit submission; reference ux §8)", async () => {
  for (const tab of ["open", "all"]) {
    const page = await open(`${ALERTS}?tab=${tab}`);
    await page.locator('input[name="iids[]"]').first().check();
    await pressesNothing(page, tab, "Enter");
    await page.close();
  }
  const max = await signedIn(world, "max");
  const list = (await max.get(ALERTS)).text;
  const [, first] =
    /<form method="post" action="[^"]*\/-\/alerts[^"]*">.*?<button ([^>]*)>/s.exec(list) ?? [];
  assert.equal(first, 'type="submit" hidden name="action" value=""');
  const sent = await max.submit(ALERTS, [
    ["iids[]", "1"],
    ["action", ""],
  ]);
  assert.match((await max.follow(sent)).text, /Nothing was changed\./);
});

test("the days of a calendar are one stop of Tab, the newest, and the arrows move between them (reference ux §7, user profile)", async () => {
  const page = await open("/rep");
  const days = page.locator(".heat td a");
  assert.equal(await days.count(), 4);
  const all = '[...document.querySelectorAll(".heat td a")]';
  const stops = () => page.evaluate(`${all}.map((day) => day.tabIndex)`);
  const here = () => page.evaluate(`${all}.indexOf(document.activeElement)`);
  // In the order of the table: the Monday two weeks before, the Monday, the Tuesday, the Thursday.
  assert.deepEqual(await stops(), [-1, -1, -1, 0]);
  await page.evaluate("document.querySelector('.heat td a[tabindex=\"0\"]').focus()");
  const ways: unknown[] = [];
  for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft", "ArrowRight", "ArrowDown"]) {
    await press(page, key);
    ways.push(await here());
  }
  assert.deepEqual(ways, [2, 1, 1, 0, 1, 2]);
  assert.deepEqual(await stops(), [-1, -1, 0, -1]);
  await page.close();
});

test("the page of shortcuts names exactly the keys that the pages have (decision 0191)", async () => {
  const page = await open(ALERTS);
  const found = new Set(["/", "j", "k", "o", "x", "y", "↓ ↑", "← → ↑ ↓"]);
  for (const path of ["/", ALERTS, `${ALERTS}/3`, "/acme/rocket/-/incidents", "/acme/rocket/-/incidents/3"]) {
    await page.goto(world.url + path);
    const keys = await page
      .locator("[data-key]")
      .evaluateAll((all) => all.map((one) => one.dataset.key ?? ""));
    for (const key of keys) found.add(key);
  }
  const lines = readFileSync("docs/keyboard.md", "utf8").matchAll(/^\| ((?:`.`\s*)+)\|/gm);
  const told = [...lines].map(([, keys = ""]) => keys.replaceAll("`", "").trim());
  assert.deepEqual([...found].sort(), told.sort());
  await page.close();
});
