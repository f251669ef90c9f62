/** The first steps in a real browser: results are in view, and empty pages are well-formed. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, untilTrue } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { judgePage } from "../support/judge-page.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
});

/** A page of a signed-in person, as wide as a phone. */
async function pageOf(person: Person): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, person);
  return page;
}

/** Waits until this begins within the window; a browser scrolls to a fragment when it renders the page, not before. */
const isInSight = (page: Page, place: string) =>
  untilTrue(page, `(({ top }) => top >= 0 && top < innerHeight)(${place}.getBoundingClientRect())`);

for (const [what, person, path, button, fields, box] of [
  [
    "an application's secret",
    "ada",
    "/profile/applications",
    "Create application",
    { name: "Wiki", redirect_uri: "https://wiki.example.org/back" },
    "read_user",
  ],
  [
    "that a user can sign in",
    "ada",
    "/admin/users",
    "Create user",
    { name: "Bea", username: "bea", email: "bea@example.org", password: "a long enough password" },
    undefined,
  ],
] as const) {
  test(`after the form below a list is sent, the window shows ${what}, not the form again (reference ux §6)`, async () => {
    const page = await pageOf(person);
    await page.goto(world.url + path);
    for (const [name, value] of Object.entries(fields)) await page.fill(`form.two [name=${name}]`, value);
    if (box) await page.check(`input[value=${box}]`);
    await page.click(`button:text-is("${button}")`);
    await page.waitForSelector("main .msg.ok, main .once, .msg.ok");
    // The first message or new secret.
    await isInSight(page, "document.querySelector('main .msg.ok, main .once, .msg.ok')");
    await page.close();
  });
}

for (const [person, path] of [
  ["ada", "/profile/applications"],
  ["ada", "/profile/personal_access_tokens"],
  ["ada", "/profile/identities"],
  ["ada", "/admin/users"],
  ["ada", "/admin/invitations"],
  ["olga", "/acme/rocket/-/members"],
  ["olga", "/acme/rocket/-/invitations"],
  ["olga", "/acme/rocket/-/environments"],
  ["olga", "/acme/rocket/-/settings/sources"],
] as const) {
  test(`after an empty form of ${path} is sent, the focus is on the error (WCAG 3.3.1)`, async () => {
    const page = await pageOf(person);
    await page.goto(world.url + path);
    // A browser would not submit missing required fields; one without that check would, as would other kinds of errors.
    await page.evaluate("document.querySelector('#new form').noValidate = true");
    await page.click("#new form button.primary");
    await page.waitForSelector("#new .err");
    await untilTrue(page, "document.activeElement?.matches('#new [role=alert], #new [aria-invalid]')");
    await isInSight(page, "document.activeElement");
    await page.close();
  });
}

test("the path is derived from the name until somebody types one (reference ux §7, projects)", async () => {
  const page = await pageOf("stan");
  for (const path of ["/projects/new", "/groups/new"]) {
    await page.goto(world.url + path);
    await page.locator("[name=name]").pressSequentially("Crème & Brûlée 2");
    assert.equal(await page.inputValue("[name=path]"), "creme-brulee-2", path);
    await page.fill("[name=path]", "mine");
    await page.locator("[name=name]").pressSequentially(" more");
    assert.equal(await page.inputValue("[name=path]"), "mine", path);
  }
  await page.close();
});

test("on a narrow screen the breadcrumb links to the parent page (WCAG 2.4.8)", async () => {
  const page = await pageOf("max");
  await page.goto(`${world.url}/acme/rocket/-/settings/operations/receipts`);
  await page.click("nav.crumbs a:text-is('Operations')");
  await page.waitForURL(/\/-\/settings\/operations$/);
  await page.close();
});

test("the account menu leads to the settings, and is inside a landmark while it is open (WCAG 1.3.1)", async () => {
  const page = await pageOf("stan");
  await page.goto(`${world.url}/stan`);
  assert.match((await page.textContent("main")) ?? "", /What you do in projects is shown here/);
  await page.click("button[popovertarget=me]");
  await judgePage(page, "account menu");
  await page.click("#me a:text-is('Settings')");
  await page.waitForURL(`${world.url}/profile`);
  await page.close();
});

test("pages with empty lists skip no heading level, and filter fields are wide enough for their text (WCAG 1.3.1; reference ux §6)", async () => {
  const page = await pageOf("ada");
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const path of [
    "/projects?search=nothing-like-it",
    "/admin/audit?name=nobody-at-all",
    "/-/docs?q=nothing-like-it",
  ]) {
    await page.goto(world.url + path);
    await judgePage(page, path);
  }
  await page.goto(`${world.url}/acme/rocket/-/settings/operations/receipts`);
  const widths = (await page.evaluate(
    "[...document.querySelectorAll('.filters select')].map((one) => one.clientWidth)",
  )) as number[];
  assert.ok(widths.length === 2 && Math.min(...widths) > 110, `${widths}`);
  await page.close();
});
