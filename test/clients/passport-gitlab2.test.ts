/** passport with the passport-gitlab2 strategy signs a person in through a real browser and reads the profile. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { allow, clientSite, enter, textOnSite } from "../support/client-site.ts";
import { anApplication } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

const require = createRequire(import.meta.url);
const { Passport } = require("passport");
const { Strategy } = require("passport-gitlab2");

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
});

interface Profile {
  provider: string;
  id: string;
  username: string;
  displayName: string;
  emails: { value: string }[];
  avatarUrl: string;
  profileUrl: string;
}

type Verified = (error: unknown, profile: Profile, info: unknown) => void;

/** A site that uses passport alone: a session for its state, and the strategy. */
async function aSite(options: Record<string, unknown>, uid: () => { uid: string; secret: string }) {
  const session: Record<string, unknown> = {};
  const passport = new Passport();
  const site = await clientSite((request, response, url) => {
    const { uid: clientID, secret: clientSecret } = uid();
    const told = { clientID, clientSecret, baseURL: `${world.url}/`, callbackURL: site.callback, ...options };
    passport.use(
      new Strategy(told, (_access: string, _refresh: string, profile: Profile, done: Verified) =>
        done(null, profile, {}),
      ),
    );
    Object.assign(request, { session, query: Object.fromEntries(url.searchParams) });
    const shown: Verified = (error, profile, info) => {
      response.end(error ? String((error as Error).stack) : JSON.stringify(profile || info));
    };
    const authenticate: (request: IncomingMessage, response: ServerResponse, next: Verified) => void =
      passport.authenticate("gitlab", { session: false }, shown);
    authenticate(request, response, shown);
  });
  return site;
}

for (const [name, options] of [
  ["its defaults and a state", { state: true }],
  ["PKCE", { state: true, pkce: "S256" }],
  ["two scopes, which it joins with a comma", { state: true, scope: ["read_user", "api"] }],
] as const) {
  test(`passport-gitlab2 signs Dev in with ${name} (reference oauth E)`, async () => {
    let application = { uid: "", secret: "" };
    const site = await aSite(options, () => application);
    application = await anApplication(world, { redirectUris: [site.callback] });
    const page = await (await browser.newContext()).newPage();
    await page.goto(site.origin);
    await enter(page, "dev");
    await allow(page);
    const profile: Profile = JSON.parse(await textOnSite(page, site));
    assert.equal(profile.provider, "gitlab");
    assert.equal(profile.id, String(world.ids.dev));
    assert.equal(profile.username, "dev");
    assert.equal(profile.displayName, "Dev Developer");
    assert.equal(profile.emails[0]?.value, "dev@example.org");
    assert.match(profile.profileUrl, /\/dev$/);
  });
}

test("passport-gitlab2 treats a denial as a failed sign-in and passes on the error_description (RFC 6749 §4.1.2.1; reference oauth E)", async () => {
  let application = { uid: "", secret: "" };
  const site = await aSite({ state: true }, () => application);
  application = await anApplication(world, { redirectUris: [site.callback] });
  const page = await (await browser.newContext()).newPage();
  await page.goto(site.origin);
  await enter(page, "gus");
  await page.click("button[value=deny]");
  assert.deepEqual(JSON.parse(await textOnSite(page, site)), { message: "The person denied the request." });
});
