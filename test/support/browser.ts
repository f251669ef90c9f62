/** Starts the Chromium of the page tests. */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { whenDone } from "./cleanup.ts";
import { until } from "./until.ts";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
/** How long a page may take on a busy machine. */
const PATIENCE_MS = 300_000;
const still = ["--disable-component-update", "--disable-sync"];

/**
 * Launches a headless Chromium of this machine, which is closed when the tests of the file are done. @throws Error that says
 * what to install if there is none
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = places.find((place) => existsSync(place));
  if (executablePath === undefined) {
    throw new Error(
      `No Chromium found (looked at ${places.join(", ")}). Install one: apt-get install chromium, or dnf install chromium.`,
    );
  }
  // Chromium refuses to use its sandbox as root; the tests only open pages of this project.
  const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const args = [...root, ...quiet, ...still];
  const browser = await chromium.launch({ executablePath, args, timeout: PATIENCE_MS });
  whenDone(() => browser.close());
  browser.on("context", (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

/**
 * Waits until the expression is true in the page. The browser's own way to wait evaluates it anew in the page, which our Content
 * Security Policy forbids (no `unsafe-eval`), so it fails unless the expression is true at once.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await until(() => page.evaluate<boolean>(expression));
}

/** Presses two keys of one shortcut: the second does not wait until the browser has answered the first. */
export async function pressPair(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}
