/** Right-to-left names in a real browser: they are read in their own direction, and do not reorder the text beside them. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { sql } from "../../src/platform/sql.ts";
import { aSource } from "../support/alerts.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter, signedInPage } from "../support/client-site.ts";
import { inLook, LOOKS } from "../support/looks.ts";
import { startWorld, type World } from "../support/world.ts";

const HEBREW = "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd";
const ARABIC =
  "\u062e\u0627\u062f\u0645 db-1.example.org \u0644\u0627 \u064a\u0633\u062a\u062c\u064a\u0628 \u0645\u0646\u0630 5 \u062f\u0642\u0627\u0626\u0642!";
const HULL = "/ship/hull";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const ask = async (path: string, json: unknown) => {
    const reply = await world.call(`/api/v4/${path}`, { as: "olga", json });
    assert.ok(reply.status < 300, `${path}: ${reply.text}`);
    return reply.json;
  };
  const group = await ask("groups", { name: HEBREW, path: "ship" });
  await ask("projects", { name: `${HEBREW} `.repeat(6), path: "hull", namespace_id: group.id });
  const source = await aSource(world, "http", { name: HEBREW }, "ship/hull");
  await source.send({ title: ARABIC, service: HEBREW, description: ARABIC, severity: "high" });
  // Minutes ago, since a number is what a right-to-left name would pull to its other side.
  await world.platform.db.run(sql`update alerts set created_at = now() - interval '5 minutes'`);
});

/** The position of the character at `at` of an element's own text; counted from its end if `at` is negative. */
function placeOf(page: Page, selector: string, at: number): Promise<{ left: number; right: number }> {
  return page.evaluate(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const text = [...element.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
    const from = ${at} < 0 ? text.data.length + ${at} : ${at};
    const range = document.createRange();
    range.setStart(text, from);
    range.setEnd(text, from + 1);
    const { left, right } = range.getBoundingClientRect();
    return { left, right };
  })()`);
}

const olgas = (width: number) => signedInPage(browser, world, "olga", width);

for (const one of LOOKS) {
  test(`pages full of right-to-left names pass the accessibility and layout checks at ${one.size} (ux §1, §9; WCAG 1.3.2)`, () =>
    inLook(browser, world.url, one, async ({ page, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "olga");
      for (const path of ["/", "/ship", HULL, `${HULL}/-/alerts`, `${HULL}/-/alerts/1`, `${HULL}/activity`])
        await look(`right to left ${path.replaceAll("/", " ")}`, path);
    }));
}

test("the time beside a right-to-left name is in one piece and follows it (WCAG 1.3.2)", async () => {
  const page = await olgas(1280);
  await page.goto(`${world.url}${HULL}/-/alerts/1`);
  const line = page.locator(".timeline .what", { hasText: "Logged an alert from" });
  const name = await line.locator("b, strong").boundingBox();
  const pieces = await line
    .locator("time")
    .evaluate((time: { getClientRects(): Iterable<{ left: number }> }) =>
      [...time.getClientRects()].map(({ left }) => left),
    );
  assert.equal(pieces.length, 1, `the time is split into ${pieces.length} pieces`);
  assert.ok((pieces[0] ?? 0) >= (name?.x ?? 0) + (name?.width ?? 0), "the time is in front of the name");
  await page.close();
});

test("a right-to-left title ends at the left, and is aligned with the page like every other title (WCAG 1.3.2)", async () => {
  const page = await olgas(1280);
  await page.goto(`${world.url}${HULL}/-/alerts/1`);
  const [first, last] = [await placeOf(page, "h1", 0), await placeOf(page, "h1", -1)];
  assert.ok(last.right <= first.left, `it ends at ${last.right} and starts at ${first.left}`);
  const edge = await page.locator(".figures").boundingBox();
  assert.ok(Math.abs(last.left - (edge?.x ?? 0)) < 4, `it lies at ${last.left}, the page at ${edge?.x}`);
  await page.close();
});

test("a right-to-left breadcrumb that is too long is cut at its end, and its beginning stays visible (WCAG 1.3.2)", async () => {
  const page = await olgas(1280);
  await page.goto(`${world.url}${HULL}/-/alerts/1`);
  const link = `.crumbs a[href="${HULL}"]`;
  const [first, box] = [await placeOf(page, link, 0), await page.locator(link).boundingBox()];
  const [left, right] = [box?.x ?? 0, (box?.x ?? 0) + (box?.width ?? 0)];
  assert.ok(
    first.left >= left && first.right <= right,
    `${first.left} to ${first.right} of ${left} to ${right}`,
  );
  await page.close();
});
