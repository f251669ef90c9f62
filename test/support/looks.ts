/** Pages in every look: both widths, both themes, with script and without; with screenshots if wanted. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { judgePage, watchPolicy } from "./judge-page.ts";

/** A directory for screenshots of every page, if set. */
const pictures = process.env.GATEHOUSE_TEST_PICTURES;

export interface Look {
  /** `390 px, dark`, for the title of a test. */
  size: string;
  width: number;
  colorScheme: "light" | "dark";
  javaScriptEnabled: boolean;
}

/** The four looks of a browser with script. */
export const LOOKS: readonly Look[] = [1280, 390].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({
    size: `${width} px, ${colorScheme}`,
    width,
    colorScheme,
    javaScriptEnabled: true,
  })),
);

/** Each of them with script and without. */
export const ALL_LOOKS: readonly Look[] = LOOKS.flatMap((look) => [
  look,
  { ...look, javaScriptEnabled: false },
]);

export interface Viewing {
  page: Page;
  /** Violations of the policy; must be empty at the end. */
  blocked: string[];
  /** Checks the current page, if it has script. */
  judge(name: string): Promise<void>;
  /** Opens a page of the site and checks it. */
  look(name: string, path: string): Promise<void>;
}

/** Runs `work` in this look on the site at `url`; the policy must block nothing meanwhile. */
export async function inLook(
  browser: Browser,
  url: string,
  { width, colorScheme, javaScriptEnabled }: Look,
  work: (viewing: Viewing) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    colorScheme,
    javaScriptEnabled,
    viewport: { width, height: 900 },
  });
  const page = await context.newPage();
  const blocked = watchPolicy(page);
  const judge = async (name: string) => {
    if (javaScriptEnabled) await judgePage(page, name);
    if (!pictures) return;
    mkdirSync(pictures, { recursive: true });
    const path = `${pictures}/${name.replaceAll(" ", "-")}-${width}-${colorScheme}-${javaScriptEnabled}.png`;
    await page.screenshot({ path, fullPage: true });
  };
  const look = async (name: string, path: string) => {
    const answer = await page.goto(url + path);
    assert.equal(answer?.status(), 200, name);
    await judge(name);
  };
  await work({ page, blocked, judge, look });
  assert.deepEqual(blocked, []);
  await context.close();
}
