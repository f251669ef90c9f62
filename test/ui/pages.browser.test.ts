/** Checks every UI part in a real browser: accessibility, content security policy, width, with and without JavaScript. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { assetCacheControl, assets } from "../../src/ui/assets.ts";
import { textArea } from "../../src/ui/form.ts";
import { type Html, html } from "../../src/ui/html.ts";
import { themeOf } from "../../src/ui/navigation.ts";
import { launchBrowser } from "../support/browser.ts";
import { gallery } from "./gallery.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const sizes = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } };

// The type checker has no DOM types; these are the two members that the tests use.
type Drawn = { getBBox(): { width: number } };
type Matching = { matches(selector: string): boolean };

let browser: Browser;
let server: Server;
let origin: string;

before(async () => {
  server = createServer((request, response) => {
    try {
      answer(request, response);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await new Promise((done) => server.close(done));
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  const asset = assets.find((one) => one.path === path);
  if (asset) {
    response.writeHead(200, {
      "content-type": asset.type,
      "cache-control": assetCacheControl,
      etag: asset.etag,
    });
    response.end(asset.body);
    return;
  }
  const page = path === "/hostile" ? hostilePage : gallery[path.slice(1)];
  const pairs = (request.headers.cookie ?? "").split("; ").map((pair) => pair.split("="));
  const theme = themeOf(Object.fromEntries(pairs));
  const markup = page ? String(page(theme)) : "nothing";
  response.writeHead(page ? 200 : 404, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
  });
  response.end(markup);
}

async function open(name: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const answered = await page.goto(`${origin}/${name}`, { waitUntil: "load" });
  assert.equal(answered?.status(), 200, (await page.locator("body").textContent()) ?? "");
  return page;
}

const hostile = fc
  .sample(
    fc.string({
      unit: fc.constantFrom("<", ">", '"', "'", "&", "=", "/", "!", "-", "a", "s", ";", "\n", " "),
    }),
    {
      numRuns: 200,
      seed: 7,
    },
  )
  .concat(
    "</textarea><script>document.title='x'</script>",
    '"><img src=x onerror=alert(1)>',
    "\n\nfirst",
    "&lt;&#39;",
  );

function hostilePage(): Html {
  const rows = hostile.map(
    (text) => html`<li title="${text}">${text}</li>${textArea({ name: "t", label: "T", value: text })}`,
  );
  return html`<!doctype html><html lang="en"><title>calm</title><ul>${rows}</ul></html>`;
}

const name = (page: string, ...rest: string[]): string => `${page}, ${rest.join(", ")}`;

for (const sample of Object.keys(gallery)) {
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"] as const) {
      test(`axe finds no violations and nothing scrolls sideways: ${name(sample, size, colorScheme)} (WCAG 2.2 AA)`, async () => {
        const page = await open(sample, { viewport, colorScheme, bypassCSP: true });
        await page.addScriptTag({ content: axe });
        // A page that scrolled to its error has arbitrary content under the sticky bar, so that all are checked from the top.
        await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })");
        const found = (await page.evaluate(
          `axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
            .then((result) => result.violations.map((rule) => rule.id + " " + rule.nodes.map((node) => node.html).join(" | ")))`,
        )) as string[];
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        await page.context().close();
        assert.deepEqual(found, []);
        assert.equal(overflow, 0);
      });
    }
  }

  test(`the browser reports no violation of the content security policy: ${sample} (CSP level 3)`, async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const breaches: string[] = [];
    page.on("console", (line) => line.type() === "error" && breaches.push(line.text()));
    page.on("pageerror", (error) => breaches.push(String(error)));
    const failed: string[] = [];
    page.on("requestfailed", (request) => failed.push(request.url()));
    await page.goto(`${origin}/${sample}`, { waitUntil: "networkidle" });
    const loaded = await page.evaluate(
      "performance.getEntriesByType('resource').map((entry) => entry.name).join()",
    );
    await context.close();
    assert.deepEqual([...breaches, ...failed], []);
    assert.match(String(loaded), /icons\.[0-9a-f]{12}\.svg/);
  });

  test(`nothing scrolls sideways at 320 px: ${sample} (WCAG 1.4.10)`, async () => {
    const page = await open(sample, { viewport: { width: 320, height: 640 } });
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    await page.context().close();
    assert.equal(overflow, 0);
  });
}

for (const sample of Object.keys(gallery)) {
  test(`nothing scrolls sideways at any width, also with a wide font and with text spacing: ${sample} (ux §9, items 2 and 3; WCAG 1.4.12)`, async () => {
    const page = await open(sample, { viewport: { width: 320, height: 640 }, bypassCSP: true });
    const wide = async (look: string) => {
      const found: string[] = [];
      for (const width of [320, 390, 640, 768, 900, 1024]) {
        await page.setViewportSize({ width, height: 640 });
        const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        if (over !== 0) found.push(`${look}, ${width}: ${over}`);
      }
      return found;
    };
    const plain = await wide("plain");
    await page.addStyleTag({ content: "* { font-family: 'DejaVu Sans', Verdana, sans-serif !important; }" });
    const lettered = await wide("wide letters");
    await page.addStyleTag({
      content:
        "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; } p { margin-bottom: 2em !important; }",
    });
    const spaced = await wide("spaced");
    await page.context().close();
    assert.deepEqual([...plain, ...lettered, ...spaced], []);
  });
}

test("a browser's parser reads every hostile string back as the same text, and runs nothing (decision 0004)", async () => {
  const page = await open("hostile");
  const read = "[...document.querySelectorAll('li')].map((row) => [row.title, row.textContent])";
  const kept = "[...document.querySelectorAll('textarea')].map((area) => area.value)";
  assert.deepEqual(
    await page.evaluate(read),
    hostile.map((text) => [text, text]),
  );
  assert.deepEqual(await page.evaluate(kept), hostile);
  assert.equal(await page.title(), "calm");
  await page.context().close();
});

test("an icon of the sprite is drawn under the content security policy (CSP level 3)", async () => {
  const page = await open("sign-in");
  const drawn = await page.locator(".msg.bad svg use").evaluate((use: Drawn) => use.getBBox().width);
  await page.context().close();
  assert.ok(Number(drawn) > 5);
});

test("the theme button cycles through three states, and the next page is rendered in the chosen theme (decision 0004)", async () => {
  const page = await open("alerts", { colorScheme: "light" });
  const painted = () => page.locator("html").getAttribute("data-theme");
  const button = page.locator("[data-theme-next]");
  assert.equal(await painted(), null);
  await button.click();
  assert.equal(await painted(), "light");
  await button.click();
  await page.goto(`${origin}/profile`);
  assert.equal(await painted(), "dark");
  assert.equal(await button.getAttribute("aria-label"), "Theme: dark. Switch to system.");
  await button.click();
  await page.goto(`${origin}/profile`);
  assert.equal(await painted(), null);
  assert.deepEqual(await page.context().cookies(), []);
  await page.context().close();
});

test("over https the theme is in a cookie for this host alone, which replaces that of older versions (ASVS 3.3.1, 3.3.3)", async () => {
  const page = await open("profile");
  const secure = "https://gatehouse.example";
  await page.context().addCookies([{ name: "theme", value: "light", url: secure }]);
  await page.route(`${secure}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const headers = await route.request().allHeaders();
    await route.fulfill({ response: await route.fetch({ url: origin + pathname, headers }) });
  });
  await page.goto(`${secure}/profile`);
  const painted = () => page.locator("html").getAttribute("data-theme");
  assert.equal(await painted(), "light");
  await page.locator("[data-theme-next]").click();
  const kept = await page.context().cookies(secure);
  const attributes = kept.map(({ name, value, secure, path }) => ({ name, value, secure, path }));
  assert.deepEqual(attributes, [{ name: "__Host-theme", value: "dark", secure: true, path: "/" }]);
  await page.reload();
  assert.equal(await painted(), "dark");
  await page.locator("[data-theme-next]").click();
  assert.deepEqual(await page.context().cookies(secure), []);
  await page.context().close();
});

test("the title of a time adds what the reader's own clock showed, once, and nothing where that is UTC (ux §5, time zone)", async () => {
  for (const [timezoneId, title] of [
    ["Asia/Kolkata", "17 Nov 2026, 12:00:00 UTC (17 Nov 2026, 17:30:00 in your time zone)"],
    ["America/New_York", "17 Nov 2026, 12:00:00 UTC (17 Nov 2026, 07:00:00 in your time zone)"],
    ["UTC", "17 Nov 2026, 12:00:00 UTC"],
  ] as const) {
    const page = await open("profile", { timezoneId });
    const time = page.locator('time[datetime="2026-11-17T12:00:00Z"]').first();
    await time.hover();
    await page.hover("h1");
    await time.hover();
    assert.equal(await time.getAttribute("title"), title);
    await page.context().close();
  }
});

test("with prefers-contrast: more, lines and small text are more visible, in both themes (ux §5, prefers-contrast)", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await open("alerts", { colorScheme, viewport: sizes.wide });
    const seen = (part: string, property: string) =>
      page.evaluate(`getComputedStyle(document.querySelector("${part}"))["${property}"]`);
    const look = async () => [await seen(".sub", "color"), await seen(".card", "borderTopColor")];
    const [words, line] = await look();
    await page.emulateMedia({ colorScheme, contrast: "more" });
    const [strongWords, strongLine] = await look();
    assert.equal(strongWords, await seen("h1", "color"), colorScheme);
    assert.notEqual(words, strongWords, colorScheme);
    assert.notEqual(line, strongLine, colorScheme);
    await page.context().close();
  }
});

test("in forced colours a select has its arrow, a status its dot, the legend of the calendar its colours, and the current page a line (WCAG 1.3.3, 1.4.11; CSS Color Adjustment §3)", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await open("alerts", { colorScheme, viewport: sizes.wide });
    const seen = (part: string, property: string, pseudo = "") =>
      page.evaluate(`getComputedStyle(document.querySelector("${part}"), "${pseudo}")["${property}"]`);
    await page.emulateMedia({ colorScheme, forcedColors: "active" });
    assert.equal(await seen("select.input", "appearance"), "auto", colorScheme);
    assert.equal(await seen(".side [aria-current]", "textDecorationLine"), "underline", colorScheme);
    await page.goto(`${origin}/integrations`);
    const dot = await seen(".badge.dot", "backgroundColor", "::before");
    assert.equal(dot, await seen("h1", "color"), colorScheme);
    await page.goto(`${origin}/profile`);
    const legend = (n: number) => seen(`.legend i:nth-of-type(${n})`, "backgroundColor");
    const colours = await Promise.all([1, 2, 3, 4, 5].map(legend));
    assert.equal(new Set(colours).size, 5, `${colorScheme}: ${colours}`);
    await page.context().close();
  }
});

test("in print every theme is dark on white, and controls are hidden (ux §5, print)", async () => {
  for (const theme of ["system", "dark"]) {
    const page = await open("alerts", { colorScheme: "dark", viewport: { width: 1280, height: 900 } });
    await page.context().addCookies([{ name: "theme", value: theme, url: origin }]);
    await page.goto(`${origin}/alerts`);
    const painted = () => page.evaluate("getComputedStyle(document.querySelector('h1')).color");
    const onScreen = await painted();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    assert.equal(onScreen, "rgb(231, 239, 237)", theme);
    assert.equal(await painted(), "rgb(18, 32, 29)", theme);
    assert.equal(
      await page.evaluate("getComputedStyle(document.querySelector('.shell')).backgroundImage"),
      "none",
    );
    for (const part of [".bulk", ".tabs", ".side"])
      assert.equal(await page.locator(part).first().isVisible(), false, part);
    await page.context().close();
  }
});

test("a confirmation opens as a modal dialog with the focus on the safe choice, and returns the focus (WCAG 2.4.3)", async () => {
  const page = await open("applications");
  const opener = page.getByRole("button", { name: "Delete Dockyard CI" });
  await opener.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Delete Dockyard CI?" });
  assert.equal(await dialog.evaluate((node: Matching) => node.matches(":modal")), true);
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Keep it");
  await page.keyboard.press("Enter");
  assert.equal(await dialog.isVisible(), false);
  assert.equal(await opener.evaluate((node: Matching) => node.matches(":focus")), true);
  await page.context().close();
});

test("without JavaScript a confirmation and its form can be used, and controls that need JavaScript are hidden (WCAG 2.1.1)", async () => {
  const page = await open("applications", { javaScriptEnabled: false });
  await page.getByRole("button", { name: "Delete Dockyard CI" }).click();
  assert.equal(await page.getByRole("button", { name: "Delete application" }).isVisible(), true);
  await page.getByRole("button", { name: "Keep it" }).click();
  assert.equal(await page.getByRole("button", { name: "Delete application" }).isVisible(), false);
  assert.equal(await page.locator("[data-copy]").first().isVisible(), false);
  assert.equal(await page.locator("[data-theme-next]").isVisible(), false);
  await page.getByRole("button", { name: "ML, account menu for Maya Lindqvist" }).click();
  assert.equal(await page.getByRole("button", { name: "Sign out" }).isVisible(), true);
  await page.context().close();
});

test("without JavaScript a password field has no reveal button, and is rounded on both sides (WCAG 2.1.1)", async () => {
  for (const javaScriptEnabled of [false, true]) {
    const page = await open("sign-in", { javaScriptEnabled });
    const field = page.locator(".join > input").first();
    const radius = await field.evaluate((input: unknown) => {
      const look = (
        globalThis as unknown as { getComputedStyle(node: unknown): Record<string, string> }
      ).getComputedStyle(input);
      return [look.borderTopLeftRadius, look.borderTopRightRadius];
    });
    assert.deepEqual(radius, ["8px", javaScriptEnabled ? "0px" : "8px"]);
    await page.context().close();
  }
});

test("the title of a commit is not cut off on a phone (ux §5; WCAG 1.4.10)", async () => {
  const page = await open("profile", { viewport: sizes.narrow });
  const titles = await page
    .locator(".commits span")
    .evaluateAll((all: { scrollWidth: number; clientWidth: number }[]) =>
      all.map((one) => one.scrollWidth - one.clientWidth),
    );
  assert.deepEqual(titles, [0, 0]);
  await page.context().close();
});

test("on a phone the last button of a filter form fills its row (ux §6, filters)", async () => {
  const page = await open("profile", { viewport: sizes.narrow });
  const widths = await page
    .locator(".filters, .filters > :last-child")
    .evaluateAll((all: { clientWidth: number; offsetWidth: number }[]) => all.map((one) => one.offsetWidth));
  assert.equal(widths[1], widths[0]);
  await page.context().close();
});

test("the footer keeps a distance from a consent form that fills the screen (design README, consent)", async () => {
  for (const viewport of [sizes.wide, sizes.narrow]) {
    const page = await open("consent", { viewport: { ...viewport, height: 480 } });
    const card = await page.locator(".gatecard").boundingBox();
    const foot = await page.locator(".foot").boundingBox();
    assert.ok((foot?.y ?? 0) - (card?.y ?? 0) - (card?.height ?? 0) >= 16, JSON.stringify({ card, foot }));
    await page.context().close();
  }
});

test("a masked key is revealed, hidden again and copied completely (contract §4, authorization key)", async () => {
  const page = await open("integrations", { permissions: ["clipboard-read", "clipboard-write"] });
  const key = page.locator("#key");
  assert.match((await key.textContent()) ?? "", /^gak_•+PuG6f$/);
  const reveal = page.getByRole("button", { name: "Reveal authorization key" });
  await reveal.click();
  assert.equal(await key.textContent(), "gak_c8Vt2Rk7Nq4Zx1Jm9WbE5LsY3HdPuG6f");
  await reveal.click();
  await page.getByRole("button", { name: "Copy authorization key" }).click();
  await page.getByText("Copied").first().waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "gak_c8Vt2Rk7Nq4Zx1Jm9WbE5LsY3HdPuG6f");
  await page.context().close();
});

test("the slash key focuses the search field, and the checkbox in the head selects every row (docs/keyboard.md; reference ux §6, bulk bar)", async () => {
  const page = await open("alerts");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate("document.activeElement.name"), "search");
  await page.getByLabel("Select all on this page").check();
  assert.equal(await page.locator('input[name="iids[]"]:checked').count(), 6);
  await page.locator('input[name="iids[]"]').first().uncheck();
  const all = page.getByLabel("Select all on this page");
  assert.equal(await all.isChecked(), false);
  assert.equal(await page.evaluate("document.querySelector('[data-all]').indeterminate"), true);
  await page.context().close();
});
