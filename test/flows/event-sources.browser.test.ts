/** The pages of event sources in a real browser: accessibility, content security policy, widths and both themes. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { judgePage, watchPolicy } from "../support/judge-page.ts";
import { LOOKS } from "../support/looks.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;
const HOME = "/acme/rocket/-/settings/sources";

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
});

for (const { colorScheme, width } of LOOKS) {
  test(`the pages for creating a source and for its deliveries are accessible and fit at ${width} px, ${colorScheme} (decision 0105; WCAG 2.2 AA)`, async () => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    const blocked = watchPolicy(page);
    await page.goto(world.url + HOME);
    await enter(page, "max");
    await page.waitForSelector("input[name=name]");
    await judgePage(page, "no source");
    await page.fill("input[name=name]", "W".repeat(120));
    await page.click("button:has-text('Create source')");
    await page.waitForSelector("#source-secret");
    await judgePage(page, "new source");
    const url = await page.getAttribute("#source-url", "data-value");
    const secret = await page.getAttribute("#source-secret", "data-value");
    for (const [kind, data] of [
      ["com.github.watch.started", { action: "started" }],
      [
        "com.github.issues.opened",
        { action: "opened", issue: { id: 1, number: 1, title: "Leak ".repeat(40) } },
      ],
    ] as const) {
      const reply = await fetch((url ?? "").replace(/^https?:\/\/[^/]+/, world.url), {
        method: "POST",
        headers: { "content-type": "application/cloudevents+json", authorization: `Bearer ${secret}` },
        body: JSON.stringify({
          specversion: "1.0",
          id: `${kind}-${"x".repeat(90)}`,
          source: "/s",
          type: kind,
          data,
        }),
      });
      assert.equal(reply.status, 202, await reply.text());
    }
    await page.reload();
    await judgePage(page, "source with deliveries");
    await page.click("#deliveries a.title >> nth=0");
    await page.waitForSelector("#raw");
    await judgePage(page, "delivery");
    await page.goto(world.url + HOME);
    await judgePage(page, "sources");
    assert.deepEqual(blocked, []);
    await context.close();
  });
}
