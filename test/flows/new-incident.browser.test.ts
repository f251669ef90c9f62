/** The page of a new incident: beginning with a template keeps what was typed, with script and without. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { enter, signedInPage } from "../support/client-site.ts";
import { ALL_LOOKS, inLook } from "../support/looks.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const PAGE = "/acme/rocket/-/incidents/new";
const TEMPLATES = "/acme/rocket/-/settings/operations/templates";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const max = await signedIn(world, "max");
  for (const [name, content] of [
    ["Outage", "## Who looks\n- [ ] on call"],
    ["Data loss", "## What is gone\n- [ ] backup"],
  ] as const) {
    const made = await max.submit(TEMPLATES, { name, content }, `${TEMPLATES}/new`);
    assert.equal(made.status, 303, made.text);
  }
});

const begin = (page: Page, name: string) =>
  page.getByRole("group", { name: "Templates" }).getByRole("button", { name });

for (const one of ALL_LOOKS) {
  const script = one.javaScriptEnabled ? "with" : "without";
  test(`choosing a template keeps what was typed at ${one.size}, ${script} script (ux §7, input kept; decision 0117; WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, judge, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "rep");
      await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
      await look("new incident", PAGE);
      await page.fill("#title", "The crane stands still");
      await page.selectOption("#severity", "high");
      await begin(page, "Outage").click();
      await page.locator(".chip[aria-current]", { hasText: "Outage" }).waitFor();
      assert.equal(await page.inputValue("#title"), "The crane stands still");
      assert.equal(await page.inputValue("#severity"), "high");
      assert.equal(await page.inputValue("#description"), "## Who looks\n- [ ] on call");
      await judge("new incident from a template");
      await begin(page, "Data loss").click();
      await page.locator(".chip[aria-current]", { hasText: "Data loss" }).waitFor();
      assert.equal(
        await page.inputValue("#description"),
        "## What is gone\n- [ ] backup",
        "an unchanged text is replaced",
      );
      await page.fill("#description", "The crane of the northern yard.");
      await begin(page, "Outage").click();
      await page.locator(".chip[aria-current]", { hasText: "Outage" }).waitFor();
      const both = "The crane of the northern yard.\n\n## Who looks\n- [ ] on call";
      assert.equal(await page.inputValue("#description"), both, "what was typed stays above");
      await begin(page, "Nothing").click();
      await page.locator(".chip[aria-current]", { hasText: "Nothing" }).waitFor();
      assert.equal(await page.inputValue("#description"), both, "a changed text stays");
    }));
}

test("Enter in the title opens the incident and chooses no template (HTML, implicit submission; ux §8)", async () => {
  const page = await signedInPage(browser, world, "rep", 1280);
  await page.goto(world.url + PAGE);
  await page.fill("#title", "Opened by Enter");
  await page.press("#title", "Enter");
  await page.getByText(/Incident #\d+ is open\./).waitFor();
  await page.close();
});
