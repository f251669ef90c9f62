/** The pages of accounts and projects in a real browser: accessibility, the strict policy, width, both themes. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { insertSetupLink } from "../../src/accounts/store-sessions.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { launchBrowser } from "../support/browser.ts";
import { whenDone } from "../support/cleanup.ts";
import { enter } from "../support/client-site.ts";
import { turnOnTwoFactor } from "../support/two-factor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let world: World;
let browser: Browser;
let setup: string;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  whenDone(() => browser.close());
  setup = newSecret("setup");
  await insertSetupLink(world.platform.db, digest(setup), 1800);
  await turnOnTwoFactor(world, "stan");
  const json = { name: "production", external_url: `https://www.example.org/${"long".repeat(20)}` };
  const made = await world.call("/api/v4/projects/acme%2Frocket/environments", { as: "max", json });
  assert.equal(made.status, 201, made.text);
});

interface Finding {
  id: string;
  nodes: { html: string }[];
}

/** No finding of axe, and nothing wider than the window or outside its card. */
async function judge(page: Page, name: string): Promise<void> {
  // The policy lets no inline script in, so the checker comes by the debugger.
  await page.evaluate(axe);
  const found = (await page.evaluate("axe.run().then(({ violations }) => violations)")) as Finding[];
  const told = found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  assert.deepEqual(told, [], name);
  const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.ok(Number(wider) <= 0, `${name} is ${wider} px wider than the window`);
}

const HOME = "/acme/rocket";
/** Pages of somebody signed in, by the words under which a failure is told. */
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ["dashboard", "/"],
  ["projects", "/projects"],
  ["new project", "/projects/new"],
  ["group", "/acme"],
  ["overview", HOME],
  ["members", `${HOME}/-/members`],
  ["environments", `${HOME}/-/environments`],
  ["tokens", "/profile/personal_access_tokens"],
  ["password", "/profile/password"],
  ["sessions", "/profile/sessions"],
  ["security log", "/profile/security_log"],
  ["two-factor", "/profile/two_factor"],
];

const ADMIN_PAGES: typeof PAGES = [
  ["administration", "/admin"],
  ["users", "/admin/users"],
  ["audit log", "/admin/audit"],
  ["password again", "/users/prove"],
];

for (const width of [1280, 390]) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`every page stands on its own at ${width} px, ${colorScheme}: nothing blocked, nothing axe finds (ux §4; WCAG 2.2 AA)`, async () => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const blocked: string[] = [];
      page.on("console", (line) => {
        if (/policy|trusted/i.test(line.text())) blocked.push(line.text());
      });
      const look = async (name: string, path: string) => {
        const answer = await page.goto(world.url + path);
        assert.equal(answer?.status(), 200, name);
        await judge(page, name);
      };
      await look("setup", `/setup/${setup}`);
      await look("sign-in", "/users/sign_in");
      await page.fill("#username", "stan");
      await page.fill("#password", "not the password");
      await page.click("main button.primary");
      await page.waitForSelector("#refused");
      await judge(page, "sign-in refused");
      await enter(page, "stan");
      await page.waitForSelector("#code");
      await judge(page, "second step");
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "olga");
      await page.waitForSelector("nav.side", { state: "attached" });
      for (const [name, path] of PAGES) await look(name, path);
      await page.goto(`${world.url}/profile/two_factor`);
      await page.fill("#password", PASSWORD);
      await page.click("#start button[type=submit]");
      await page.waitForSelector("#confirm");
      await judge(page, "two-factor key");
      await context.clearCookies();
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "ada");
      await page.waitForSelector("nav.side", { state: "attached" });
      for (const [name, path] of ADMIN_PAGES) await look(name, path);
      assert.deepEqual(blocked, []);
      await context.close();
    });
  }
}
