/** New recovery codes on the page that shows them once, downloaded and printed in a browser. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { ALL_LOOKS, inLook, LOOKS } from "../support/looks.ts";
import { turnOnTwoFactor } from "../support/two-factor.ts";
import { Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const HOME = "/profile/two_factor";
const CODES = /[a-z2-7]{4}(?:-[a-z2-7]{4}){5}/g;

let world: World;
let browser: Browser;
let session: string;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const { codes } = await turnOnTwoFactor(world, "gus");
  const gus = new Visitor(world.url);
  await gus.submit("/users/sign_in", { username: "gus", password: PASSWORD });
  await gus.submit("/users/two_factor", { code: codes[0] ?? "" });
  session = gus.cookie("session") ?? "";
});

/** Creates new codes through the form as Gus, and returns those shown on the page. */
async function newCodes(page: Page): Promise<string[]> {
  await page.context().addCookies([{ name: "session", value: session, url: world.url }]);
  await page.goto(world.url + HOME);
  await page.fill("#codes-password", PASSWORD);
  await page.click("#recovery .btn-row .btn");
  await page.waitForSelector("#recovery-codes");
  await page.waitForLoadState();
  const shown = (await page.textContent("#recovery-codes")) ?? "";
  return shown.match(CODES) ?? [];
}

const download = (page: Page) => page.getByRole("button", { name: "Download recovery codes" });
const print = (page: Page) => page.getByRole("button", { name: "Print recovery codes" });

for (const look of LOOKS) {
  test(`recovery codes are downloaded as a text file with the username, without a request to the server (reference ux §7, 2FA; ${look.size})`, async () => {
    await inLook(browser, world.url, look, async ({ page, judge }) => {
      const codes = await newCodes(page);
      assert.equal(codes.length, 10);
      await judge("recovery codes shown once");
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      const [file] = await Promise.all([page.waitForEvent("download"), download(page).click()]);
      assert.equal(file.suggestedFilename(), "gatehouse-recovery-codes-gus.txt");
      const text = await readFile(await file.path(), "utf8");
      assert.equal(
        text,
        `Recovery codes of @gus at ${world.platform.config.publicUrl}\n\n${codes.join("\n")}\n`,
      );
      assert.deepEqual(
        asked.filter((url) => !url.startsWith("blob:")),
        [],
      );
    });
  });
}

test("recovery codes are printed with the username, without the rest of the page (reference ux §7, 2FA)", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript("window.print = () => { document.body.dataset.printed = 'yes'; }");
  await newCodes(page);
  await print(page).click();
  await page.waitForSelector("body[data-printed]");
  await page.emulateMedia({ media: "print" });
  const cards = () => page.locator("section.card:visible").evaluateAll((all) => all.map(({ id }) => id));
  assert.deepEqual(await cards(), ["codes"]);
  assert.equal(await page.isVisible("text=Recovery codes of @gus"), true);
  assert.equal(await download(page).isVisible(), false);
  await page.reload();
  await page.waitForSelector("#recovery");
  assert.deepEqual(
    await cards(),
    ["passkeys", "app", "recovery", "off"],
    "without codes the page prints in full",
  );
  await context.close();
});

for (const look of ALL_LOOKS.filter(({ javaScriptEnabled }) => !javaScriptEnabled)) {
  test(`without scripts the codes are shown in full, without buttons to download or print (reference ux §4; ${look.size})`, async () => {
    await inLook(browser, world.url, look, async ({ page }) => {
      assert.equal((await newCodes(page)).length, 10);
      assert.equal(await download(page).isVisible(), false);
      assert.equal(await print(page).isVisible(), false);
    });
  });
}
