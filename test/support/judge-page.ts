/** What every page in a real browser must pass: axe, the width of the window, and the page policy. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  id: string;
  nodes: { html: string }[];
}

/** More than this need not fit beside anything on a phone: a long name is cut at the end of its row. */
const SHORT_CHOICE = 36;

/** No finding of axe, nothing wider than the window, and no choice of ours cut. */
export async function judgePage(page: Page, name: string): Promise<void> {
  // Whoever pressed a button may see a page of which not all has come.
  await page.waitForLoadState();
  // The policy lets no inline script in, so the checker comes by the debugger.
  await page.evaluate(axe);
  const found = (await page.evaluate("axe.run().then(({ violations }) => violations)")) as Finding[];
  const told = found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  assert.deepEqual(told, [], name);
  await judgeWidth(page, name);
  await judgeChoices(page, name);
}

/** Nothing wider than the window. */
export async function judgeWidth(page: Page, name: string): Promise<void> {
  const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.ok(Number(wider) <= 0, `${name} is ${wider} px wider than the window`);
}

/** What is chosen can be read: no list shows the beginning of a short choice alone. */
async function judgeChoices(page: Page, name: string): Promise<void> {
  const cut = await page.evaluate(`(() => {
    const ink = document.createElement("canvas").getContext("2d");
    return [...document.querySelectorAll("select")].flatMap((select) => {
      const words = select.selectedOptions[0]?.text ?? "";
      if (!select.checkVisibility() || words.length > ${SHORT_CHOICE}) return [];
      const style = getComputedStyle(select);
      ink.font = style.font;
      const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
      return ink.measureText(words).width + padding > select.clientWidth + 1 ? [words] : [];
    });
  })()`);
  assert.deepEqual(cut, [], `${name} cuts what is chosen`);
}

/** Collects what the page policy blocked from now on. */
export function watchPolicy(page: Page): string[] {
  const blocked: string[] = [];
  page.on("console", (line) => {
    if (/policy|trusted/i.test(line.text())) blocked.push(line.text());
  });
  return blocked;
}
