/** The pages of OAuth in a real browser: accessibility, the strict page policy, width, both themes, and no script. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { whenDone } from "../support/cleanup.ts";
import { enter } from "../support/client-site.ts";
import { anApplication, authorizePath, type TestApplication } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

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

interface Finding {
  id: string;
  nodes: { html: string }[];
}

/** Findings of axe, and how far the page is wider than the window. */
async function judge(page: Page, name: string): Promise<void> {
  // The policy lets no inline script in, so the checker comes by the debugger.
  await page.evaluate(axe);
  const found = (await page.evaluate("axe.run().then(({ violations }) => violations)")) as Finding[];
  const told = found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  assert.deepEqual(told, [], name);
  const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.ok(Number(wider) <= 0, `${name} is ${wider} px wider than the window`);
}

for (const [colorScheme, width] of [
  ["light", 1280],
  ["dark", 390],
] as const) {
  test(`every page stands on its own at ${width} px, ${colorScheme}: nothing blocked, nothing axe finds (ux §4; WCAG 2.2 AA)`, async () => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    const blocked: string[] = [];
    page.on("console", (line) => {
      if (/policy|trusted/i.test(line.text())) blocked.push(line.text());
    });
    await page.goto(world.url + authorizePath(consoleApplication));
    await enter(page, "ada");
    await page.waitForSelector("button[value=allow]");
    await judge(page, "consent");
    await page.goto(world.url + authorizePath(local, { response_type: "token" }));
    await page.click("summary");
    await judge(page, "consent with warnings");
    await page.goto(`${world.url}/oauth/authorize?client_id=x`);
    await judge(page, "refusal");
    await page.goto(`${world.url}/profile/applications`);
    await judge(page, "applications");
    await page.fill("#name", "Pilot roster");
    await page.fill("#redirect_uri", "https://a.example/#x");
    await page.click("text=Create application");
    await page.waitForSelector("[role=alert]");
    await judge(page, "faults");
    await page.fill("#redirect_uri", "https://roster.example.net/callback");
    await page.check("input[value=read_user]");
    await page.click("text=Create application");
    await page.waitForSelector("#client-secret");
    await judge(page, "secret shown");
    await page.click("a.title >> nth=0");
    await page.waitForSelector("#about");
    await judge(page, "application");
    await page.click("#danger button >> nth=0");
    await judge(page, "question before deleting");
    await page.goto(`${page.url()}/edit`);
    await judge(page, "edit");
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
