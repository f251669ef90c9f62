/** Passkeys in a browser with a virtual authenticator. */
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { sql } from "../../src/platform/sql.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { judgePage, watchPolicy } from "../support/judge-page.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let devices: CDPSession;
let authenticatorId: string;
let blocked: string[];

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
});

beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
  blocked = watchPolicy(page);
  devices = await context.newCDPSession(page);
  await devices.send("WebAuthn.enable");
  authenticatorId = await addAuthenticator();
});

async function addAuthenticator(): Promise<string> {
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  const added = await devices.send("WebAuthn.addVirtualAuthenticator", { options });
  return added.authenticatorId;
}

const HOME = "/profile/two_factor";

/** Signs in with the password and adds a passkey on the page. */
async function addPasskey(person: Person, name: string): Promise<void> {
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, person);
  await page.waitForSelector("nav.side", { state: "attached" });
  await page.goto(world.url + HOME);
  await page.fill("#passkey-name", name);
  await page.click("#passkeys form[data-passkey] button");
  await page.waitForSelector("#recovery-codes");
  await page.waitForLoadState();
}

async function signOut(): Promise<void> {
  await context.clearCookies();
  await page.goto(`${world.url}/users/sign_in`);
}

const signInByPasskey = () => page.click("button:has-text('Sign in with a passkey')");
const isIn = () => page.waitForSelector("nav.side", { state: "attached" });

test("a user adds a passkey, signs in with it after the password and without one, and re-authenticates with it (reference oauth C12)", async () => {
  await addPasskey("dev", "My laptop");
  await judgePage(page, "new recovery codes");
  assert.match((await page.textContent("#passkeys table")) ?? "", /My laptop/);

  await signOut();
  await enter(page, "dev");
  await page.waitForSelector("button:has-text('Use your passkey')");
  await judgePage(page, "second step with a passkey");
  await page.click("button:has-text('Use your passkey')");
  await isIn();

  await signOut();
  await judgePage(page, "sign-in");
  await signInByPasskey();
  await isIn();

  await page.goto(`${world.url}/users/prove`);
  await judgePage(page, "proof");
  await page.click("button:has-text('Use your passkey')");
  await isIn();
  await page.goto(world.url + HOME);
  assert.match((await page.textContent("#passkeys table")) ?? "", /just now/);
  await judgePage(page, "two-factor with a passkey");
  assert.deepEqual(blocked, []);
});

test("a removed passkey is no longer accepted, and the page says so (reference oauth C12)", async () => {
  await addPasskey("max", "Old phone");
  await page.click("#passkeys button:has-text('Remove')");
  await page.click("dialog[open] button:has-text('Remove the passkey')");
  await page.waitForSelector("text=Two-factor sign-in is off.");
  await signOut();
  await signInByPasskey();
  await page.waitForSelector("#refused:has-text('That passkey was not accepted')");
});

test("a copied passkey whose signature counter is behind is refused (WebAuthn 3 §6.1.1)", async () => {
  await addPasskey("rep", "Copied");
  await signOut();
  await signInByPasskey();
  await isIn();
  const { credentials } = await devices.send("WebAuthn.getCredentials", { authenticatorId });
  const [credential] = credentials;
  assert.ok(credential);
  await devices.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
  const copyId = await addAuthenticator();
  const copy = { ...credential, signCount: 0 };
  await devices.send("WebAuthn.addCredential", { authenticatorId: copyId, credential: copy });
  await signOut();
  await signInByPasskey();
  await page.waitForSelector("#refused:has-text('That passkey was not accepted')");
});

test("a browser that has no passkey for this site, is at another address or too old shows what to do (reference ux §8)", async () => {
  await page.goto(`${world.url}/users/sign_in`);
  await devices.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await signInByPasskey();
  await page.waitForSelector("[data-passkey-error]:has-text('No passkey was used')");
  await judgePage(page, "no passkey");

  await page.goto(`${world.url.replace("localhost", "127.0.0.1")}/users/sign_in`);
  await signInByPasskey();
  await page.waitForSelector(
    "[data-passkey-error]:has-text('Open Gatehouse at the address it was set up with')",
  );

  await page.addInitScript("delete PublicKeyCredential.parseRequestOptionsFromJSON");
  await page.goto(`${world.url}/users/sign_in`);
  await signInByPasskey();
  await page.waitForSelector("[data-passkey-error]:has-text('too old for passkeys')");
});

test("adding a passkey needs re-authentication if the last one is older than 15 minutes, and returns to the page (decision 0047)", async () => {
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "gus");
  await isIn();
  await page.goto(world.url + HOME);
  await world.platform.db.run(sql`update sessions set authenticated_at = now() - interval '16 minutes'`);
  await page.click("#passkeys form[data-passkey] button");
  await page.waitForURL("**/users/prove");
  await page.fill("#password", PASSWORD);
  await page.click("main button.primary");
  await page.waitForURL(`**${HOME}`);
  await page.click("#passkeys form[data-passkey] button");
  await page.waitForSelector("#recovery-codes");
});

test("a user can stay signed in after signing in with a passkey only (decision 0202)", async () => {
  await addPasskey("max", "My phone");
  const lasts = async () =>
    (await context.cookies())
      .map(({ name, expires }) => [name, expires > 0])
      .find(([name]) => name === "session")?.[1];
  for (const stays of [true, false]) {
    await signOut();
    await page.setChecked("input[name=remember][type=checkbox]", stays);
    await signInByPasskey();
    await isIn();
    assert.equal(await lasts(), stays);
  }
});

test("without scripts pages offer no passkey buttons, and the other ways remain (reference ux §4)", async () => {
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(`${world.url}/users/sign_in`);
  assert.equal(await still.isVisible("button:has-text('Sign in with a passkey')"), false);
  await enter(still, "dev");
  await still.waitForURL("**/users/two_factor");
  assert.equal(await still.isVisible("button:has-text('Use your passkey')"), false);
  assert.equal(await still.isVisible("#code"), true);
  await still.goto(`${world.url}/users/sign_in`);
  await enter(still, "olga");
  await still.waitForSelector("nav.side", { state: "attached" });
  await still.goto(world.url + HOME);
  assert.equal(await still.isVisible("button:has-text('Add a passkey')"), false);
  assert.equal(await still.isVisible("#passkeys noscript p"), true);
  await plain.close();
});
