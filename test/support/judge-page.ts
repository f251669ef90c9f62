/** Checks for every page in a real browser: axe, page width, and content security policy. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  id: string;
  nodes: { html: string; target: string[] }[];
}

/** Choices up to this length must be fully visible; a longer name may be cut off on a phone. */
const SHORT_CHOICE = 36;

/** Asserts that axe finds nothing, nothing is wider than the window, and no short choice is cut off. */
export async function judgePage(page: Page, name: string): Promise<void> {
  // After a click the page may not be complete yet.
  await page.waitForLoadState();
  // The content security policy blocks inline scripts, so axe is evaluated through the debugger.
  await page.evaluate(axe);
  const found = (await page.evaluate(
    "axe.run({ rules: { 'target-size': { enabled: true } } }).then(({ violations }) => violations)",
  )) as Finding[];
  const told = found
    .map(withoutDays)
    .filter(({ nodes }) => nodes.length > 0)
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  assert.deepEqual(told, [], name);
  await judgeWidth(page, name);
  await judgeChoices(page, name);
}

/**
 * Leaves out the size of days in a calendar: the filter of the list below leads to the same days (WCAG 2.2, 2.5.8: Equivalent), and
 * on a touch screen they are larger.
 */
function withoutDays({ id, nodes }: Finding): Finding {
  const isDay = ({ target }: Finding["nodes"][number]) =>
    id === "target-size" && /\.heat|on=\d/.test(target.join(" "));
  return { id, nodes: nodes.filter((node) => !isDay(node)) };
}

/** Asserts that nothing is wider than the window. */
export async function judgeWidth(page: Page, name: string): Promise<void> {
  const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.ok(Number(wider) <= 0, `${name} is ${wider} px wider than the window`);
}

/** Asserts that every short selected choice is fully visible. */
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

/** Collects what the content security policy blocks from now on. */
export function watchPolicy(page: Page): string[] {
  const blocked: string[] = [];
  page.on("console", (line) => {
    if (/policy|trusted/i.test(line.text())) blocked.push(line.text());
  });
  return blocked;
}
