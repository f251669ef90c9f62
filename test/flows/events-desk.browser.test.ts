/** The pages of activity, groups, people and hooks in a real browser, at four sizes and themes. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { feedHooks } from "../../src/events/feed-hooks.ts";
import { hookLetter } from "../../src/events/wire-hooks.ts";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { about, comment, push, record } from "../support/events.ts";
import { inLook, LOOKS } from "../support/looks.ts";
import { startReceiver } from "../support/receivers.ts";
import { startWorld, type World } from "../support/world.ts";

const HOOKS = "/acme/rocket/-/settings/hooks";
const today = new Date().toISOString().slice(0, 10);
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ["a group", "/acme"],
  ["the activity of a group", "/groups/acme/-/activity"],
  ["own activity", "/-/activity?action=pushed"],
  ["a day of a person", `/max?on=${today}`],
  ["hooks", HOOKS],
  ["a hook", `${HOOKS}/1`],
  ["no hooks", "/acme/open/-/settings/hooks"],
];

let world: World;
let browser: Browser;

before(async () => {
  const receiver = await startReceiver();
  world = await startWorld({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(receiver.url).host });
  browser = await launchBrowser();
  const made = { projectId: world.rocket.id, authorId: world.ids.max };
  const json = { url: receiver.url, name: `Build ${"W".repeat(200)}`, confidential: true };
  const hook = await world.call("/api/v4/projects/acme%2Frocket/hooks", { as: "max", json });
  assert.equal(hook.json.id, 1, hook.text);
  await record(world, [
    { ...about("created", "Issue", 7), ...made, title: `Late ${"W".repeat(200)}` },
    { ...comment("Issue", 7, { body: "The lock is released." }), ...made },
    { ...push, ...made },
    { ...about("created", "Issue", 1), ...made, projectId: world.open.id },
  ]);
  receiver.answers(500);
  await feedHooks(world.platform, hookLetter);
  await deliverDue(world.platform);
});

for (const one of LOOKS) {
  test(`pages of events and hooks pass the accessibility and layout checks at ${one.size} (ux §5, §9; WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "max");
      for (const [name, path] of PAGES) await look(name, path);
    }));
}
