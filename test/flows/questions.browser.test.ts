/** Questions with a page of their own, which the script shows as a dialog of the list (decision 0325). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, untilTrue } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { ALL_LOOKS, inLook, type Look } from "../support/looks.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;
before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
});

const MEMBERS = "/acme/rocket/-/members";

async function asOwner(page: Page): Promise<void> {
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "olga");
  await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
}

const stan = () => world.ids.stan;

for (const one of ALL_LOOKS) {
  const withScript = one.javaScriptEnabled;
  test(`a member is changed and removed at ${one.size}, ${withScript ? "in dialogs" : "on pages, without script"} (ux §4, §8; decision 0325)`, async () => {
    const json = { user_id: stan(), access_level: 20 };
    const added = await world.call("/api/v4/projects/acme%2Frocket/members", { as: "olga", json });
    assert.equal(added.status, 201, added.text);
    await inLook(browser, world.url, one, async ({ page, judge, look }) => {
      await asOwner(page);
      await look("members", MEMBERS);
      await page.click(`a[href="${MEMBERS}/${stan()}"]`);
      const place = withScript ? "dialog[open]" : "main";
      await page.waitForSelector(`${place} input[name="expires_at"]`);
      await judge("member");
      await page.selectOption(`${place} [name="access_level"]`, "30");
      await page.click(`${place} button:has-text("Save")`);
      await page.waitForSelector('.msg:has-text("The role is now Developer.")');
      await page.click(`a[href="${MEMBERS}/${stan()}/remove"]`);
      await page.waitForSelector(`${place} p:has-text("can no longer work in")`);
      await judge("member to be removed");
      await page.click(`${place} button:has-text("Remove")`);
      await page.waitForSelector('.msg:has-text("The member is removed.")');
      assert.equal(new URL(page.url()).pathname, MEMBERS);
    });
  });
}

const WIDE: Look = { size: "1280", width: 1280, colorScheme: "light", javaScriptEnabled: true };

test("a question starts on the safe choice, which closes it and returns the focus to its link (ux §5 2.4.3, §8)", () =>
  inLook(browser, world.url, WIDE, async ({ page }) => {
    await asOwner(page);
    await page.goto(`${world.url}${MEMBERS}`);
    const link = `a[href="${MEMBERS}/${world.ids.max}/remove"]`;
    for (const leave of ["Enter", "Escape"]) {
      await page.focus(link);
      await page.keyboard.press("Enter");
      await page.waitForSelector("dialog[open]");
      await untilTrue(page, "document.activeElement.textContent === 'Keep'");
      await page.keyboard.press(leave);
      await page.waitForSelector("dialog", { state: "detached" });
      assert.equal(await page.evaluate(`document.activeElement.matches('${link}')`), true, leave);
    }
    assert.equal(new URL(page.url()).pathname, MEMBERS);
  }));

test("a question that cannot be asked here any longer leads to the page that says why (ux §7, errors)", () =>
  inLook(browser, world.url, WIDE, async ({ page }) => {
    await asOwner(page);
    await page.goto(`${world.url}${MEMBERS}`);
    await page.context().clearCookies();
    await page.click(`a[href="${MEMBERS}/${world.ids.max}/remove"]`);
    await page.waitForURL((url) => url.pathname === "/users/sign_in");
  }));
