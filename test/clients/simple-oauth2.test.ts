/**
 * simple-oauth2 with its default paths: code through a real browser, password, client credentials, refresh and revocation.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import {
  AuthorizationCode,
  ClientCredentials,
  type ModuleOptions,
  ResourceOwnerPassword,
} from "simple-oauth2";
import { launchBrowser } from "../support/browser.ts";
import { allow, clientSite, enter, textOnSite } from "../support/client-site.ts";
import { anApplication, type TestApplication } from "../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
});

function optionsFor(application: TestApplication, more: ModuleOptions["options"] = {}): ModuleOptions {
  return {
    client: { id: application.uid, secret: application.secret },
    auth: { tokenHost: world.url },
    options: more,
  };
}

async function usernameOf(token: unknown): Promise<string | undefined> {
  const reply = await world.call("/api/v4/user", { token: String(token) });
  return reply.json?.username;
}

for (const options of [{}, { authorizationMethod: "body" as const }, { bodyFormat: "json" as const }]) {
  test(`simple-oauth2 (${JSON.stringify(options)}) signs Dev in by code, refreshes and revokes (RFC 6749 §4.1, §6; RFC 7009)`, async () => {
    let grant: AuthorizationCode | undefined;
    let seen = "";
    const site = await clientSite(async (_request, response, url) => {
      if (!grant) throw new Error("not ready");
      if (url.pathname !== "/callback") {
        const location = grant.authorizeURL({
          redirect_uri: site.callback,
          scope: ["api", "read_user"],
          state: "s",
        });
        response.writeHead(302, { location }).end();
        return;
      }
      const code = url.searchParams.get("code") ?? "";
      const first = await grant.getToken({ code, redirect_uri: site.callback });
      const next = await first.refresh();
      seen = `${await usernameOf(first.token.access_token)} ${await usernameOf(next.token.access_token)}`;
      assert.equal(next.expired(), false);
      await next.revokeAll();
      seen += ` ${await usernameOf(next.token.access_token)}`;
      response.end(seen);
    });
    const application = await anApplication(world, { redirectUris: [site.callback] });
    grant = new AuthorizationCode(optionsFor(application, options));
    const page = await (await browser.newContext()).newPage();
    await page.goto(site.origin);
    await enter(page, "dev");
    await allow(page);
    assert.equal(await textOnSite(page, site), "undefined dev undefined");
  });
}

test("simple-oauth2 gets a token by password, and a wrong password is an error (spec: Authentication 4)", async () => {
  const application = await anApplication(world);
  const grant = new ResourceOwnerPassword(optionsFor(application));
  const { token } = await grant.getToken({ username: "dev", password: PASSWORD, scope: "read_user" });
  assert.equal(await usernameOf(token.access_token), "dev");
  assert.equal(token.refresh_token, undefined);
  await assert.rejects(grant.getToken({ username: "dev", password: "wrong" }), isRefusal("invalid_grant"));
});

test("simple-oauth2 gets a token by client credentials (RFC 6749 §4.4; reference oauth E)", async () => {
  const application = await anApplication(world, { grantTypes: ["client_credentials"] });
  const grant = new ClientCredentials(optionsFor(application));
  const { token } = await grant.getToken({ scope: ["read_user", "profile"] });
  assert.equal(token.scope, "read_user profile");
  assert.equal(await usernameOf(token.access_token), "olga");
  await assert.rejects(grant.getToken({ scope: "nonsense" }), isRefusal("invalid_scope"));
});

/** Whether an error tells that the service refused with this code. */
function isRefusal(code: string): (error: Error) => boolean {
  return (error) => {
    const { data } = error as unknown as { data: { payload: { error: string } } };
    return data.payload.error === code;
  };
}
