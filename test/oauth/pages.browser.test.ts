/** The pages of OAuth in a real browser: accessibility, the strict page policy, width, both themes, and no script. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { whenDone } from "../support/cleanup.ts";
import { enter } from "../support/client-site.ts";
import { judgePage, watchPolicy } from "../support/judge-page.ts";
import { anApplication, authorizePath, type TestApplication } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;
let consoleApplication: TestApplication;
let local: TestApplication;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  whenDone(() => browser.close());
  consoleApplication = await anApplication(world, { owner: "ada" });
  local = await anApplication(world, {
    name: "W".repeat(255),
    owner: null,
    redirectUris: [`http://localhost:4000/${"long/".repeat(60)}`],
    confidential: false,
    grantTypes: ["implicit"],
  });
});

for (const [colorScheme, width] of [
  ["light", 1280],
  ["dark", 390],
] as const) {
  test(`every page stands on its own at ${width} px, ${colorScheme}: nothing blocked, nothing axe finds (ux §4; WCAG 2.2 AA)`, async () => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    const blocked = watchPolicy(page);
    await page.goto(world.url + authorizePath(consoleApplication));
    await enter(page, "ada");
    await page.waitForSelector("button[value=allow]");
    await judgePage(page, "consent");
    await page.goto(world.url + authorizePath(local, { response_type: "token" }));
    await page.click("summary");
    await judgePage(page, "consent with warnings");
    await page.goto(`${world.url}/oauth/authorize?client_id=x`);
    await judgePage(page, "refusal");
    await page.goto(`${world.url}/profile/applications`);
    await judgePage(page, "applications");
    await page.fill("#name", "Pilot roster");
    await page.fill("#redirect_uri", "https://a.example/#x");
    await page.click("text=Create application");
    await page.waitForSelector("[role=alert]");
    await judgePage(page, "faults");
    await page.fill("#redirect_uri", "https://roster.example.net/callback");
    await page.check("input[value=read_user]");
    await page.click("text=Create application");
    await page.waitForSelector("#client-secret");
    await judgePage(page, "secret shown");
    await page.click("a.title >> nth=0");
    await page.waitForSelector("#about");
    await judgePage(page, "application");
    await page.click("#danger button >> nth=0");
    await judgePage(page, "question before deleting");
    await page.goto(`${page.url()}/edit`);
    await judgePage(page, "edit");
    assert.deepEqual(blocked, []);
    await context.close();
  });
}

test("an application is made, renewed and deleted without script (ux §7)", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${world.url}/profile/applications`);
  await enter(page, "dev");
  await page.fill("#name", "Plain");
  await page.fill("#redirect_uri", "https://plain.example/cb");
  await page.check("input[value=profile]");
  await page.click("text=Create application");
  assert.match((await page.textContent("#client-secret")) ?? "", /^gos_/);
  await page.click("a.title");
  await page.selectOption("select[name=grace_seconds]", "3600");
  await page.click("text=Renew secret");
  assert.match((await page.textContent("#client-secret")) ?? "", /^gos_/);
  await page.click("#danger button >> nth=0");
  await page.click("dialog >> text=Delete application");
  await page.waitForSelector("text=Plain is deleted.");
  await context.close();
});

test("the question is answered without script too (ux §7)", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  let arrived = "";
  await page.route("https://app.example.org/**", (route) => {
    arrived = route.request().url();
    return route.fulfill({ body: "back" });
  });
  await page.goto(world.url + authorizePath(consoleApplication));
  await enter(page, "gus");
  await page.click("button[value=allow]");
  await page.waitForURL(/app\.example\.org/);
  assert.match(arrived, /[?&]code=goc_/);
  await context.close();
});
