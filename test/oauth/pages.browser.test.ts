/** The OAuth pages in a real browser: accessibility, content security policy, width, both themes, and no script. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { aKey, setOf } from "../support/assertions.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { judgePage, watchPolicy } from "../support/judge-page.ts";
import { LOOKS } from "../support/looks.ts";
import {
  aCode,
  anApplication,
  authorizePath,
  exchange,
  signedIn,
  type TestApplication,
} from "../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;
let consoleApplication: TestApplication;
let local: TestApplication;
let native: TestApplication;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  consoleApplication = await anApplication(world, {
    owner: "ada",
    backchannelLogoutUri: `https://app.example.org/${"long/".repeat(60)}`,
    // Set values keep sections open, so that they are checked too.
    accessTokenSeconds: 900,
    jwks: setOf(aKey("RS256", "k".repeat(200)), aKey("EdDSA")),
  });
  local = await anApplication(world, {
    name: "W".repeat(255),
    owner: null,
    redirectUris: [`http://localhost:4000/${"long/".repeat(60)}`],
    confidential: false,
    grantTypes: ["implicit"],
  });
  native = await anApplication(world, {
    name: "Tape deck",
    owner: "ada",
    redirectUris: ["urn:ietf:wg:oauth:2.0:oob"],
    grantTypes: ["authorization_code", "device_code"],
  });
  // Twice, so that an event with a count is checked.
  for (let n = 0; n < 2; n++) await exchange(world, consoleApplication, "x", { client_secret: "wrong" });
  await exchange(world, consoleApplication, "x", {
    redirect_uri: `https://app.example.org/${"long/".repeat(60)}`,
  });
  await aCode(await signedIn(world, "stan"), consoleApplication);
});

for (const { colorScheme, width } of LOOKS) {
  test(`every page works at ${width} px, ${colorScheme}, without policy violations or accessibility errors (ux §4; WCAG 2.2 AA)`, async () => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    const blocked = watchPolicy(page);
    await page.goto(world.url + authorizePath(consoleApplication));
    await enter(page, "ada");
    await page.waitForSelector("button[value=allow]");
    await judgePage(page, "consent");
    await page.goto(world.url + authorizePath(local, { response_type: "token" }));
    await page.click("summary");
    await judgePage(page, "consent with warnings");
    await page.goto(`${world.url}/oauth/authorize?client_id=x`);
    await judgePage(page, "refusal");
    await page.goto(`${world.url}/profile/applications`);
    await judgePage(page, "applications");
    await page.fill("#name", "Pilot roster");
    await page.fill("#redirect_uri", "https://a.example/#x");
    await page.click("text=Create application");
    await page.waitForSelector("[role=alert]");
    await judgePage(page, "faults");
    await page.fill("#redirect_uri", "https://roster.example.net/callback");
    await page.check("input[value=read_user]");
    await page.click("text=Create application");
    await page.waitForSelector("#client-secret");
    await judgePage(page, "secret shown");
    await page.click("a.title >> nth=0");
    await page.waitForSelector("#about");
    await judgePage(page, "application");
    await page.click("#danger button >> nth=0");
    await judgePage(page, "question before deleting");
    await page.goto(`${page.url()}/edit`);
    await judgePage(page, "edit");
    await page.goto(`${world.url}/profile/applications/${consoleApplication.id}/edit`);
    await judgePage(page, "edit with its folds open");
    await page.goto(`${world.url}/profile/applications/${consoleApplication.id}`);
    await page.selectOption("select[name=grace_seconds]", "3600");
    await page.click("text=Renew secret");
    await page.waitForSelector("#client-secret");
    await judgePage(page, "two secrets");
    assert.deepEqual(blocked, []);
    await context.close();
  });

  test(`events, usage, settings, group and code pages work at ${width} px, ${colorScheme}, without policy violations or accessibility errors (ux §4; WCAG 2.2 AA)`, async () => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    const blocked = watchPolicy(page);
    await page.goto(`${world.url}/profile/applications/${consoleApplication.id}/events`);
    await enter(page, "ada");
    await page.waitForSelector("text=client secret missing or wrong");
    await judgePage(page, "events");
    await page.goto(`${page.url()}?search=no+such+word`);
    await judgePage(page, "no event");
    await page.goto(`${world.url}/profile/applications/${consoleApplication.id}/usage`);
    await page.waitForSelector("text=Stan Stranger");
    await judgePage(page, "usage");
    await page.goto(`${world.url}/profile/applications/${native.id}/usage`);
    await judgePage(page, "no usage");
    for (const path of [
      "/admin/applications",
      "/admin/applications?of=everybody",
      `/admin/applications/${local.id}/edit`,
      `/admin/applications/${local.id}`,
      "/groups/acme/-/settings/applications",
    ]) {
      await page.goto(world.url + path);
      await page.waitForSelector("h1");
      await judgePage(page, path);
    }
    await page.goto(`${world.url}/admin/settings`);
    await judgePage(page, "switches");
    await page.fill("#codeSeconds", "5");
    await page.click("text=Save settings");
    await page.waitForSelector("[role=alert]");
    await judgePage(page, "switches with a fault");
    await page.goto(world.url + authorizePath(native, { prompt: "consent" }));
    await judgePage(page, "consent for a program");
    await page.click("button[value=allow]");
    await page.waitForSelector("#code");
    await judgePage(page, "code to copy");
    await page.goto(world.url + authorizePath(native, { scope: "nonsense" }));
    await judgePage(page, "a refusal as a page");
    await page.goto(world.url + authorizePath(native, { prompt: "consent" }));
    await page.click("button[value=deny]");
    await page.waitForSelector("text=Nothing was given");
    await judgePage(page, "denied");
    const device = await world.call("/oauth/authorize_device", {
      form: { client_id: native.uid, client_secret: native.secret },
    });
    await page.goto(device.json.verification_uri_complete);
    await judgePage(page, "device code");
    await page.click("text=Continue");
    await page.waitForSelector("button[value=allow]");
    await judgePage(page, "device question");
    await page.locator("button[value=deny]").press("Enter");
    await page.waitForSelector("text=You can close this page");
    await judgePage(page, "device answered");
    assert.deepEqual(blocked, []);
    await context.close();
  });
}

test("the consent button ignores clicks just after the page appears, works by keyboard, and submits only once (reference oauth D46)", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route("https://app.example.org/**", (route) => route.fulfill({ body: "back" }));
  await page.goto(world.url + authorizePath(consoleApplication));
  await enter(page, "rep");
  const allow = page.locator("button[value=allow]");
  await allow.waitFor();
  await page.waitForLoadState();
  // Focusing the window restarts the guard, so that the click comes at once on a slow machine too.
  const pressed = await page.evaluate(
    "(() => { const button = document.querySelector('button[data-guard]'); let sent = 0; const count = () => sent++; addEventListener('submit', count); dispatchEvent(new Event('focus')); button.click(); removeEventListener('submit', count); return [button.getAttribute('aria-disabled'), sent]; })()",
  );
  assert.deepEqual(pressed, ["true", 0]);
  assert.match(page.url(), /oauth\/authorize/);
  await page.locator("button[value=allow]:not([aria-disabled])").waitFor();
  await page.locator("button[value=deny]").focus();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate("document.activeElement.value"), "allow");
  await page.evaluate("dispatchEvent(new Event('focus'))");
  assert.equal(await page.evaluate("document.activeElement.value"), "allow", "the guard leaves the focus");
  await page.locator("button[value=allow]:not([aria-disabled])").waitFor();
  const twice = await page.evaluate(
    "(() => { const form = document.querySelector('.consent-form'); let sent = 0; const stop = (event) => { if (!event.defaultPrevented) sent++; event.preventDefault(); }; addEventListener('submit', stop); form.requestSubmit(); form.requestSubmit(); removeEventListener('submit', stop); delete form.dataset.sent; return sent; })()",
  );
  assert.equal(twice, 1);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.hostname === "app.example.org");
  await context.close();
});

test("settings can be saved and a code can be copied without script (ux §7)", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${world.url}/admin/settings`);
  await enter(page, "ada");
  await page.selectOption("#guardAdministrators", "off");
  await page.click("text=Save settings");
  await page.waitForSelector("text=Settings saved.");
  await page.goto(world.url + authorizePath(native, { prompt: "consent" }));
  await page.click("button[value=allow]");
  await page.locator("#code", { hasText: /^goc_/ }).waitFor();
  await context.close();
});

test("an application can be created, renewed and deleted without script (ux §7)", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${world.url}/profile/applications`);
  await enter(page, "dev");
  await page.fill("#name", "Plain");
  await page.fill("#redirect_uri", "https://plain.example/cb");
  await page.check("input[value=profile]");
  await page.click("text=Create application");
  await page.locator("#client-secret", { hasText: /^gos_/ }).waitFor();
  await page.click("a.title");
  await page.selectOption("select[name=grace_seconds]", "3600");
  await page.click("text=Renew secret");
  await page.locator("#client-secret", { hasText: /^gos_/ }).waitFor();
  await page.click("#danger button >> nth=0");
  await page.click("dialog >> text=Delete application");
  await page.waitForSelector("text=Plain is deleted.");
  await context.close();
});

test("on a phone both consent buttons stay visible and do not cover the focused element (ux §7, consent; WCAG 2.4.11)", async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 560 } });
  const page = await context.newPage();
  await page.goto(world.url + authorizePath(local, { response_type: "token" }));
  await enter(page, "gus");
  const bottomOf = async (part: string) => {
    const box = await page.locator(part).boundingBox();
    return box ? box.y + box.height : Number.POSITIVE_INFINITY;
  };
  await page.waitForSelector("button[value=allow]");
  assert.ok(Number(await page.evaluate("document.documentElement.scrollHeight")) > 700, "a long page");
  assert.ok((await bottomOf("button[value=deny]")) <= 560);
  assert.ok((await bottomOf("button[value=allow]")) <= 560);
  await page.evaluate("scrollTo(0, 0)");
  await page.locator("details.more > summary").focus();
  const form = await page.locator(".consent-form").boundingBox();
  assert.ok((await bottomOf("details.more > summary")) <= (form?.y ?? 0));
  await context.close();
});

test("consent works without script, and a deselected scope is not granted (ux §7; decision 0194)", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  // Not one whose first secret has ended, since it was renewed twice.
  const own = await anApplication(world);
  let arrived = "";
  await page.route("https://app.example.org/**", (route) => {
    arrived = route.request().url();
    return route.fulfill({ body: "back" });
  });
  await page.goto(world.url + authorizePath(own, { scope: "read_user profile" }));
  await enter(page, "gus");
  await page.getByLabel("Read your account and activity").uncheck();
  await page.click("button[value=allow]");
  await page.waitForURL((url) => url.hostname === "app.example.org");
  const code = new URL(arrived).searchParams.get("code") ?? "";
  assert.equal((await exchange(world, own, code)).json.scope, "profile");
  await context.close();
});

test("“Not you?” leads to the sign-in form, with and without script (ux §6; decision 0011)", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    await page.goto(world.url + authorizePath(consoleApplication, { prompt: "consent" }));
    await enter(page, "rep");
    await page.click("text=Not you?");
    await page.waitForURL((url) => url.pathname === "/users/sign_in");
    await context.close();
  }
});

test("an application that opens the consent page in a popup keeps its window reference (spec: Authentication 3; decision 0123)", async () => {
  const context = await browser.newContext();
  await context.route("https://app.example.org/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>Console</title>" }),
  );
  const page = await context.newPage();
  await page.goto("https://app.example.org/");
  const asked =
    world.url + authorizePath(await anApplication(world), { response_type: "token", scope: "read_user" });
  const opened = context.waitForEvent("page");
  await page.evaluate(`window.open(${JSON.stringify(asked)}); 0`);
  const popup = await opened;
  await popup.fill("[name=username]", "rep");
  await popup.fill("[name=password]", PASSWORD);
  await popup.press("[name=password]", "Enter");
  await popup.click("button[value=allow]:enabled");
  await popup.waitForURL((url) => url.hostname === "app.example.org");
  assert.match(popup.url(), /#access_token=goa_/);
  assert.equal(await popup.evaluate("window.opener !== null"), true);
  await context.close();
});
