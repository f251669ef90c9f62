/** The pages of accounts and projects in a browser: accessibility, content security policy, width and both themes. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { FROM_CONSOLE } from "../../src/accounts/audit.ts";
import { createPasswordLink } from "../../src/accounts/create-password-link.ts";
import { insertSetupLink } from "../../src/accounts/store-setup-links.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { addPasskey } from "../support/authenticator.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter, signedInPage } from "../support/client-site.ts";
import { judgePage, judgeWidth, watchPolicy } from "../support/judge-page.ts";
import { turnOnTwoFactor } from "../support/two-factor.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;
let setup: string;
let newPassword: string;
/** The session of Gus, who has an app and two passkeys. */
let session: string;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  setup = newSecret("setup");
  await insertSetupLink(world.platform.db, digest(setup), 1800);
  await turnOnTwoFactor(world, "stan");
  const { codes } = await turnOnTwoFactor(world, "gus");
  const gus = new Visitor(world.url);
  await gus.submit("/users/sign_in", { username: "gus", password: PASSWORD });
  await gus.submit("/users/two_factor", { code: codes[0] ?? "" });
  await addPasskey(gus, world.url, "Laptop");
  await addPasskey(
    gus,
    world.url,
    "A key whose name says at great length in which drawer of which room it lies",
  );
  session = gus.cookie("session") ?? "";
  const told = {
    bio: "Keeps the lights on.\nMostly at night.",
    job_title: "Electrician",
    organization: "Power and Light of a town with a long name",
    location: "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch",
    website_url: `https://gus.example.org/${"far".repeat(30)}`,
    pronouns: "he/him",
  };
  await world.call(`/api/v4/users/${world.ids.gus}`, { as: "ada", method: "PUT", json: told });
  await signedIn(world, "olga");
  await world.tokenOf("olga", "api", "read_user");
  const used = sql`last_used_at = now(), last_used_ip = '2001:db8:1234:5678:9abc:def0:1234:5678'`;
  await world.platform.db.run(sql`update access_tokens set ${used} where user_id = ${world.ids.olga}`);
  newPassword = await createPasswordLink(world.platform, world.ids.rep, FROM_CONSOLE);
  const json = { name: "production", external_url: `https://www.example.org/${"long".repeat(20)}` };
  const made = await world.call("/api/v4/projects/acme%2Frocket/environments", { as: "max", json });
  assert.equal(made.status, 201, made.text);
});

const HOME = "/acme/rocket";
/** Pages for a signed-in user, by the name shown on a failure. */
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ["dashboard", "/"],
  ["projects", "/projects"],
  ["new project", "/projects/new"],
  ["group", "/acme"],
  ["overview", HOME],
  ["members", `${HOME}/-/members`],
  ["environments", `${HOME}/-/environments`],
  ["profile", "/profile"],
  ["person", "/gus"],
  ["tokens", "/profile/personal_access_tokens"],
  ["password", "/profile/password"],
  ["sessions", "/profile/sessions"],
  ["security log", "/profile/security_log"],
  ["two-factor", "/profile/two_factor"],
  ["feeds", "/profile/feeds"],
  ["outside identities", "/profile/identities"],
];

const ADMIN_PAGES: typeof PAGES = [
  ["administration", "/admin"],
  ["users", "/admin/users"],
  ["audit log", "/admin/audit"],
  ["password again", "/users/prove"],
  ["accounts of applications", "/admin/users/applications"],
  ["claims of outside identities", "/admin/identities"],
];

/** Finds texts in table rows that are covered by a button of the row. */
const covered = `[...document.querySelectorAll("tr")].flatMap((row) =>
  [...row.querySelectorAll("td > .btn, td > form > .btn, td .btn-row .btn")].flatMap((button) => {
    const box = button.getBoundingClientRect();
    return [...row.cells].filter((cell) => !cell.contains(button)).flatMap((cell) => {
      // Text for screen readers only has no visible position.
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const parts = [];
      while (texts.nextNode()) {
        if (texts.currentNode.parentElement.closest(".sr")) continue;
        const words = document.createRange();
        words.selectNodeContents(texts.currentNode);
        parts.push(...words.getClientRects());
      }
      const hit = parts.some((part) => part.width > 1 && part.left < box.right - 1 &&
        part.right > box.left + 1 && part.top < box.bottom - 1 && part.bottom > box.top + 1);
      return hit ? [cell.textContent.trim()] : [];
    });
  }))`;

for (const width of [1280, 390]) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`all pages at ${width} px, ${colorScheme}: no policy violation and no accessibility fault (ux §4; WCAG 2.2 AA)`, async () => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const blocked = watchPolicy(page);
      const look = async (name: string, path: string) => {
        const answer = await page.goto(world.url + path);
        assert.equal(answer?.status(), 200, name);
        await judgePage(page, name);
        assert.deepEqual(await page.evaluate(covered), [], `${name}: buttons cover texts of their row`);
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
      await enter(page, "gus");
      await page.waitForSelector("form[data-passkey]");
      await judgePage(page, "second step with passkey and app");
      await page.fill("#code", "000 000");
      await page.click("main button:has-text('Verify')");
      await page.waitForSelector("#code-err");
      await judgePage(page, "second step refused");
      await look("new password", newPassword.slice(world.url.length));
      await context.addCookies([{ name: "session", value: session, url: world.url }]);
      await look("two-factor with passkeys", "/profile/two_factor");
      await page.click("#passkeys button:has-text('Rename')");
      await judgePage(page, "passkey to rename");
      await look("proof with a passkey", "/users/prove");
      await context.clearCookies();
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

test("no account or admin page scrolls sideways at 320 px (WCAG 1.4.10)", async () => {
  for (const [person, pages] of [
    ["olga", PAGES],
    ["ada", ADMIN_PAGES],
  ] as const) {
    const page = await signedInPage(browser, world, person, 320);
    for (const [name, path] of pages) {
      await page.goto(world.url + path);
      await judgeWidth(page, name);
    }
    await page.close();
  }
});
