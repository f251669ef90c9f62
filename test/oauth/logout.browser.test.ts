/** The logout pages in a real browser, and an application on another site that signs people out. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { clientSite, enter, textOnSite } from "../support/client-site.ts";
import { ALL_LOOKS, inLook } from "../support/looks.ts";
import { aCode, anApplication, exchange, signedIn } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
});

const far = `https://${"northern-harbour.".repeat(8)}example/bye`;

for (const look of ALL_LOOKS) {
  const { size, javaScriptEnabled } = look;
  test(`the logout pages work at ${size}, ${javaScriptEnabled ? "with" : "without"} script: question, refusal, end and form (ux §4; WCAG 2.2 AA)`, async () => {
    const site = await clientSite((_request, response) => void response.end("back at the application"));
    const application = await anApplication(world, {
      name: "Relay Console of the northern harbour",
      postLogoutRedirectUris: [site.callback, far],
    });
    const asked = new URLSearchParams({
      client_id: application.uid,
      post_logout_redirect_uri: site.callback,
    });
    const farAsked = new URLSearchParams({ client_id: application.uid, post_logout_redirect_uri: far });
    await inLook(browser, world.url, look, async ({ page, look: open, judge }) => {
      await open("signed out", "/oauth/logout");
      await open("signed out with a way back", `/oauth/logout?${farAsked}`);
      await page.goto(`${world.url}/profile/applications/${application.id}/edit`);
      await enter(page, "olga");
      await page.waitForSelector("#post_logout_redirect_uris");
      assert.equal(await page.inputValue("#post_logout_redirect_uris"), `${site.callback}\n${far}`);
      await judge("addresses after signing out");
      await open("application", `/profile/applications/${application.id}`);
      await page.goto(`${world.url}/oauth/logout?${asked}/${"long/".repeat(40)}`);
      await judge("address not registered");
      await open("sign out", `/oauth/logout?${farAsked}`);
      await page.click("text=Stay signed in");
      await page.waitForURL(`${world.url}/`);
      await page.goto(`${world.url}/oauth/logout?${asked}`);
      await page.click("main button:has-text('Sign out')");
      assert.equal(await textOnSite(page, site), "back at the application");
      await page.goto(`${world.url}/profile/applications`);
      assert.equal(new URL(page.url()).pathname, "/users/sign_in");
    });
  });
}

test("an application on another site can sign its user out by link or form; a form of any other site signs nobody out (OpenID Connect RP-Initiated Logout §2; D40)", async () => {
  let hint = "";
  const site = await clientSite((_request, response, url) => {
    response.setHeader("content-type", "text/html");
    if (url.pathname === "/callback") return void response.end("back at the application");
    const form = (to: string, fields: Record<string, string>) =>
      `<form method="post" action="${world.url}${to}">${Object.entries(fields)
        .map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
        .join("")}<button>${to}</button></form>`;
    const asked = { id_token_hint: hint, post_logout_redirect_uri: site.callback };
    response.end(
      `<a href="${world.url}/oauth/logout?${new URLSearchParams(asked)}">leave</a>${form("/oauth/logout", asked)}${form("/users/sign_out", { csrf_token: "x" })}${form("/users/sign_in", { username: "max" })}`,
    );
  });
  const application = await anApplication(world, {
    scopes: ["openid"],
    postLogoutRedirectUris: [site.callback],
  });
  const code = await aCode(await signedIn(world, "dev"), application, { scope: "openid" });
  hint = (await exchange(world, application, code)).json.id_token;
  const page = await (await browser.newContext()).newPage();
  const isIn = async () => {
    await page.goto(`${world.url}/profile/applications`);
    return new URL(page.url()).pathname === "/profile/applications";
  };
  for (const way of ["a", "button >> nth=0"]) {
    await page.goto(`${world.url}/users/sign_in`);
    await enter(page, "dev");
    await page.waitForURL((url) => url.pathname !== "/users/sign_in");
    for (const stranger of ["/users/sign_out", "/users/sign_in"]) {
      await page.goto(site.origin);
      await page.click(`button:has-text('${stranger}')`);
      await page.waitForURL((url) => url.origin === world.url);
      assert.equal(await isIn(), true, `after a form to ${stranger}`);
    }
    await page.goto(site.origin);
    await page.click(way);
    await page.waitForURL(site.callback);
    assert.equal(await textOnSite(page, site), "back at the application");
    assert.equal(await isIn(), false, way);
  }
});
