/** The pages of accounts and projects in a real browser: accessibility, the strict policy, width, both themes. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { insertSetupLink } from "../../src/accounts/store-sessions.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { launchBrowser } from "../support/browser.ts";
import { whenDone } from "../support/cleanup.ts";
import { enter } from "../support/client-site.ts";
import { judgePage, watchPolicy } from "../support/judge-page.ts";
import { turnOnTwoFactor } from "../support/two-factor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

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
      const blocked = watchPolicy(page);
      const look = async (name: string, path: string) => {
        const answer = await page.goto(world.url + path);
        assert.equal(answer?.status(), 200, name);
        await judgePage(page, name);
      };
      await look("setup", `/setup/${setup}`);
      await look("sign-in", "/users/sign_in");
      await page.fill("#username", "stan");
      await page.fill("#password", "not the password");
      await page.click("main button.primary");
      await page.waitForSelector("#refused");
      await judgePage(page, "sign-in refused");
      await enter(page, "stan");
      await page.waitForSelector("#code");
      await judgePage(page, "second step");
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "olga");
      await page.waitForSelector("nav.side", { state: "attached" });
      for (const [name, path] of PAGES) await look(name, path);
      await page.goto(`${world.url}/profile/two_factor`);
      await page.fill("#password", PASSWORD);
      await page.click("#start button[type=submit]");
      await page.waitForSelector("#confirm");
      await judgePage(page, "two-factor key");
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
