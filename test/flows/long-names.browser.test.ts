/** Names of the maximum length without a space: no page becomes wider than the window. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { aSource } from "../support/alerts.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter, signedInPage } from "../support/client-site.ts";
import { inLook, LOOKS } from "../support/looks.ts";
import { PEOPLE, startWorld, type World } from "../support/world.ts";

const LONG = "W".repeat(200);
const HULL = "/ship/hull";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const ask = async (as: "olga" | "ada", path: string, json: unknown, method = "POST") => {
    const reply = await world.call(`/api/v4/${path}`, { as, method, json });
    assert.ok(reply.status < 300, `${path}: ${reply.text}`);
    return reply.json;
  };
  await ask("ada", `users/${world.ids.olga}`, { name: `${PEOPLE.olga} ${LONG}` }, "PUT");
  const far = {
    username: "w".repeat(100),
    name: LONG,
    email: "far@example.org",
    password: "a long enough password",
  };
  const { id: farId } = await ask("ada", "users", far);
  const group = await ask("olga", "groups", { name: LONG, path: "ship" });
  await ask("olga", "projects", { name: LONG, path: "hull", namespace_id: group.id });
  const hull = "projects/ship%2Fhull";
  await ask("olga", `${hull}/members`, { user_id: world.ids.olga, access_level: 50 });
  await ask("olga", `${hull}/invitations`, { email: `${"n".repeat(60)}@example.org`, access_level: 30 });
  await ask("olga", `${hull}/environments`, { name: LONG, external_url: `https://example.org/${LONG}` });
  const matchers = [{ field: "service", operator: "equals", value: LONG }];
  await ask("olga", `${hull}/alert_silences`, { comment: LONG, ends_at: "2999-01-01T00:00:00Z", matchers });
  const source = await aSource(world, "http", { name: LONG }, "ship/hull");
  await source.send({
    title: LONG,
    service: LONG,
    hosts: [LONG, "db-2"],
    gitlab_environment_name: LONG,
    severity: "high",
  });
  await ask("olga", `${hull}/incident_templates`, { name: LONG, content: "Who looks?" });
  for (const [userId, level] of [
    [farId, 30],
    [world.ids.max, 40],
  ] as const)
    await ask("olga", `${hull}/members`, { user_id: userId, access_level: level });
  await ask("olga", `${hull}/alert_management_alerts/1`, { assignee_ids: [farId] }, "PUT");
});

const PAGES = [
  "/",
  "/projects",
  "/groups",
  "/ship",
  "/groups/ship/-/settings",
  "/groups/ship/-/members",
  HULL,
  `${HULL}/-/alerts`,
  `${HULL}/-/alerts/1`,
  `${HULL}/-/incidents/new`,
  `${HULL}/-/silences`,
  `${HULL}/-/silences/1`,
  `${HULL}/-/environments`,
  `${HULL}/-/members`,
  `${HULL}/-/invitations`,
  `${HULL}/-/settings/general`,
  `${HULL}/-/settings/operations/receipts`,
];

for (const one of LOOKS) {
  test(`pages with names of 200 letters fit the window at ${one.size} (ux §5; WCAG 1.4.10)`, () =>
    inLook(browser, world.url, one, async ({ page, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "olga");
      for (const path of PAGES) await look(`long names ${path.replaceAll("/", " ")}`, path);
    }));

  test(`administration pages with names of 200 letters fit the window at ${one.size} (ux §5; WCAG 1.4.10)`, () =>
    inLook(browser, world.url, one, async ({ page, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "ada");
      for (const path of ["/admin/users", "/admin/invitations", "/admin/applications", "/admin/audit"])
        await look(`long names ${path.replaceAll("/", " ")}`, path);
    }));
}

test("a confirmation dialog with a long name keeps its heading and button within its borders (ux §8; WCAG 1.4.10)", async () => {
  const page = await signedInPage(browser, world, "olga", 390);
  await page.goto(`${world.url}${HULL}/-/environments`);
  await page.getByRole("link", { name: /^Delete/ }).click();
  const asked = page.getByRole("dialog");
  const box = await asked.boundingBox();
  for (const part of [
    asked.getByRole("heading"),
    asked.getByRole("button", { name: "Delete", exact: true }),
  ]) {
    const inner = await part.boundingBox();
    const [left, right] = [inner?.x ?? 0, (inner?.x ?? 0) + (inner?.width ?? 0)];
    assert.ok(
      left >= (box?.x ?? 0) && right <= (box?.x ?? 0) + (box?.width ?? 0),
      `from ${left} to ${right}`,
    );
  }
  await page.close();
});

/** Pairs of a name and a button of the same row that overlap. */
const COVERED = `[...document.querySelectorAll(".cards > tbody > tr")].flatMap((row) => {
  const range = document.createRange();
  range.selectNodeContents(row.querySelector("th") ?? row);
  const buttons = [...row.querySelectorAll(":scope > .act .btn")].map((button) => [button.textContent, button.getBoundingClientRect()]);
  return [...range.getClientRects()].flatMap((text) =>
    buttons
      .filter(([, button]) => text.right > button.left && text.left < button.right && text.bottom > button.top && text.top < button.bottom)
      .map(([words]) => words));
})`;

test("on a phone no name of 200 letters runs under the buttons of its row (ux §5; WCAG 1.4.10)", async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 900 }, hasTouch: true });
  const page = await context.newPage();
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "olga");
  for (const path of [`${HULL}/-/members`, "/groups/ship/-/members", `${HULL}/-/environments`]) {
    await page.goto(world.url + path);
    assert.ok((await page.locator(".cards > tbody > tr > .act .btn").count()) > 0, path);
    assert.deepEqual(await page.evaluate(COVERED), [], path);
  }
  await context.close();
});

test("on a phone, the checkbox that selects all alerts is visible when it has the focus (WCAG 2.4.7)", async () => {
  const page = await signedInPage(browser, world, "olga", 390);
  await page.goto(`${world.url}${HULL}/-/alerts`);
  const all = page.getByRole("checkbox", { name: "Select all" });
  await all.focus();
  const head = await page.locator(".alerts > thead").boundingBox();
  assert.ok((head?.height ?? 0) > 20 && (head?.width ?? 0) > 200, JSON.stringify(head));
  assert.equal(
    await page.evaluate("getComputedStyle(document.querySelector('.alerts > thead')).clipPath"),
    "none",
  );
  const box = await all.boundingBox();
  const at = `${(box?.x ?? 0) + (box?.width ?? 0) / 2}, ${(box?.y ?? 0) + (box?.height ?? 0) / 2}`;
  assert.equal(
    await page.evaluate(`document.elementFromPoint(${at}).dataset.all`),
    "iids[]",
    "nothing covers it",
  );
  const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.ok(Number(wider) <= 0, `${wider} px wider than the window`);
  await page.close();
});

test("a long project name wraps within the side navigation, and the last breadcrumb is not cut off (ux §4)", async () => {
  const page = await signedInPage(browser, world, "olga", 1280);
  await page.goto(`${world.url}${HULL}/-/alerts`);
  const box = async (place: string) => {
    const found = await page.locator(place).boundingBox();
    return { right: (found?.x ?? 0) + (found?.width ?? 0), height: found?.height ?? 0 };
  };
  const [name, side] = [await box(".side .owner > :last-child"), await box(".side")];
  assert.ok(name.right <= side.right, `the name ends at ${name.right}, the navigation at ${side.right}`);
  assert.ok(name.height < 120, `the name is ${name.height} px high, and the links stand below it`);
  const step = await page
    .locator(".crumbs [aria-current] a")
    .evaluate((link: { scrollWidth: number; clientWidth: number }) => link.scrollWidth - link.clientWidth);
  assert.equal(step, 0, "the last step of the breadcrumb is cut off");
  await page.close();
});

test("long names do not squeeze what is next to them: a role is fully readable, and the remove button is at least 24 by 24 px (WCAG 2.5.8)", async () => {
  const page = await signedInPage(browser, world, "olga", 1280);
  await page.goto(`${world.url}${HULL}/-/members`);
  const lines = await page.evaluate(`(() => {
    const cell = [...document.querySelectorAll(".table td")].find((one) => one.textContent.trim() === "Maintainer");
    const range = document.createRange();
    range.selectNodeContents(cell);
    return [range.getClientRects().length, cell.scrollWidth - cell.clientWidth];
  })()`);
  assert.deepEqual(lines, [1, 0], "lines of the role, and by how much it is cut off");
  await page.goto(`${world.url}${HULL}/-/alerts/1`);
  const box = await page.getByRole("button", { name: "Remove WWW" }).boundingBox();
  assert.ok((box?.width ?? 0) >= 24 && (box?.height ?? 0) >= 24, JSON.stringify(box));
  await page.close();
});

for (const width of [1280, 390])
  test(`the source path of an alert field breaks only between its parts at ${width} px (ux §5; WCAG 1.4.10)`, async () => {
    const source = await aSource(world, "http", { name: "Cluster" }, "ship/hull");
    const annotations = {
      summary: "Volume is filling up",
      description: "Four hours are left. ".repeat(9),
      runbook_url: `https://example.org/${"runbooks/".repeat(8)}`,
    };
    const alert = {
      status: "firing",
      labels: { alertname: "Volume", severity: "critical", instance: "10.0.0.1:9100" },
      annotations,
      startsAt: new Date().toISOString(),
    };
    await source.send({ version: "4", status: "firing", groupKey: `g${width}`, alerts: [alert] });
    const page = await signedInPage(browser, world, "olga", width);
    await page.goto(`${world.url}${HULL}/-/settings/operations/receipts`);
    await page.locator("main tbody th a").first().click();
    await page.waitForURL(/\/receipts\/[^/]+$/);
    const places = page.locator("main td[data-label=From] code");
    assert.ok((await places.allInnerTexts()).includes("annotations.runbook_url"));
    const broken = await page.evaluate(`
      [...document.querySelectorAll("main td[data-label=From] code")].flatMap((code) =>
        [...code.childNodes].flatMap((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          return lines.size > 1 ? [code.textContent] : [];
        }),
      )`);
    assert.deepEqual(broken, []);
    await page.close();
  });
