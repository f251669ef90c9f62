/** openid-client signs a person in through a real browser: discovery, code with PKCE, issuer check, refresh, revocation. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as client from "openid-client";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { allow, clientSite, enter, textOnSite } from "../support/client-site.ts";
import { anApplication, type TestApplication } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let browser: Browser;

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
});

/** A site that sends people to sign in and shows who signed in. */
async function aSite(
  application: () => TestApplication,
  authentication?: client.ClientAuth,
  build: typeof client.buildAuthorizationUrlWithPAR = async (server, asked) =>
    client.buildAuthorizationUrl(server, asked),
) {
  const waiting = new Map<string, string>();
  const issued: client.TokenEndpointResponse[] = [];
  let configuration: client.Configuration | undefined;
  const configured = async () => {
    configuration ??= await client.discovery(
      new URL(world.url),
      application().uid,
      authentication ? {} : application().secret,
      authentication,
      { algorithm: "oauth2", execute: [client.allowInsecureRequests] },
    );
    return configuration;
  };
  const site = await clientSite(async (_request, response, url) => {
    const config = await configured();
    if (url.pathname === "/callback") {
      const state = url.searchParams.get("state") ?? "";
      const tokens = await client.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: waiting.get(state) ?? "",
        expectedState: state,
      });
      issued.push(tokens);
      const me = await client.fetchProtectedResource(
        config,
        tokens.access_token,
        new URL(`${world.url}/api/v4/user`),
        "GET",
      );
      response.end(`Hello ${((await me.json()) as { username: string }).username}`);
      return;
    }
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    waiting.set(state, verifier);
    const to = await build(config, {
      redirect_uri: site.callback,
      scope: "read_user",
      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    response.writeHead(302, { location: to.href }).end();
  });
  return { site, issued, configured };
}

test("openid-client signs Dev in with code and PKCE, refreshes and revokes (spec: Calling the API; spec: Authentication 8)", async () => {
  let application: TestApplication | undefined;
  const { site, issued, configured } = await aSite(() => application as TestApplication);
  application = await anApplication(world, { redirectUris: [site.callback] });
  const page = await (await browser.newContext()).newPage();
  await page.goto(site.origin);
  await enter(page, "dev");
  await allow(page);
  assert.equal(await textOnSite(page, site), "Hello dev");

  const config = await configured();
  assert.equal(config.serverMetadata().issuer, world.url);
  const renewed = await client.refreshTokenGrant(config, issued[0]?.refresh_token ?? "");
  assert.equal((await world.call("/api/v4/user", { token: renewed.access_token })).status, 200);
  await client.tokenRevocation(config, renewed.access_token);
  assert.equal((await world.call("/api/v4/user", { token: renewed.access_token })).status, 401);
});

test("openid-client pushes its request; Dev signs in and allows it, and is not asked the second time (RFC 9126 §4)", async () => {
  let application: TestApplication | undefined;
  const of = () => application as TestApplication;
  const { site } = await aSite(of, undefined, client.buildAuthorizationUrlWithPAR);
  application = await anApplication(world, { redirectUris: [site.callback], requirePushed: true });
  const page = await (await browser.newContext()).newPage();
  await page.goto(site.origin);
  await enter(page, "dev");
  await page.waitForSelector("button[value=allow]");
  assert.deepEqual([...new URL(page.url()).searchParams.keys()], ["client_id", "request_uri"]);
  // Waits for the page first, because Chromium refuses to reload before one is loaded.
  await page.reload();
  await allow(page);
  assert.equal(await textOnSite(page, site), "Hello dev");
  await page.goto(site.origin);
  assert.equal(await textOnSite(page, site), "Hello dev");
  // Redirected from the sign-in form to the client without a question.
  const second = await (await browser.newContext()).newPage();
  await second.goto(site.origin);
  await enter(second, "dev");
  assert.equal(await textOnSite(second, site), "Hello dev");
});

test("consent given before is not asked for again, also right after the sign-in form (contract §4, consent)", async () => {
  let application: TestApplication | undefined;
  const { site } = await aSite(() => application as TestApplication);
  application = await anApplication(world, { redirectUris: [site.callback] });
  const first = await (await browser.newContext()).newPage();
  await first.goto(site.origin);
  await enter(first, "max");
  await allow(first);
  assert.equal(await textOnSite(first, site), "Hello max");
  // Signed in and allowed: redirected at once.
  await first.goto(site.origin);
  assert.equal(await textOnSite(first, site), "Hello max");
  // Allowed but not signed in: the redirects from the sign-in form to the client must not be blocked by its content security
  // policy.
  const blocked: string[] = [];
  const second = await (await browser.newContext()).newPage();
  second.on("console", (line) => blocked.push(line.text()));
  await second.goto(site.origin);
  await enter(second, "max");
  assert.equal(await textOnSite(second, site), "Hello max");
  assert.deepEqual(
    blocked.filter((line) => /Content Security Policy/i.test(line)),
    [],
  );
});

test("a public application signs in with PKCE alone, and a confidential one with Basic (RFC 8252)", async () => {
  let application: TestApplication | undefined;
  const open = await aSite(() => application as TestApplication, client.None());
  application = await anApplication(world, { redirectUris: [open.site.callback], confidential: false });
  const page = await (await browser.newContext()).newPage();
  await page.goto(open.site.origin);
  await enter(page, "gus");
  await allow(page);
  assert.equal(await textOnSite(page, open.site), "Hello gus");

  let confidential: TestApplication | undefined;
  const basic = await aSite(
    () => confidential as TestApplication,
    // Percent-encodes every character that RFC 6749 §2.3.1 allows to be encoded.
    (...args) => client.ClientSecretBasic(confidential?.secret)(...args),
  );
  confidential = await anApplication(world, { redirectUris: [basic.site.callback] });
  await page.goto(basic.site.origin);
  await allow(page);
  assert.equal(await textOnSite(page, basic.site), "Hello gus");
});

test("a denial is returned as access_denied with the state (RFC 6749 §4.1.2.1)", async () => {
  const site = await clientSite((_request, response, url) => {
    response.end(url.search);
  });
  const application = await anApplication(world, { redirectUris: [site.callback] });
  const page = await (await browser.newContext()).newPage();
  const asked = new URLSearchParams({
    client_id: application.uid,
    redirect_uri: site.callback,
    response_type: "code",
    state: "abc",
  });
  await page.goto(`${world.url}/oauth/authorize?${asked}`);
  await enter(page, "dev");
  await page.click("button[value=deny]");
  const answer = new URLSearchParams(await textOnSite(page, site));
  assert.equal(answer.get("error"), "access_denied");
  assert.equal(answer.get("state"), "abc");
});

test("an application may redirect to another site after the callback (decision 0011)", async () => {
  const last = await clientSite((_request, response) => {
    response.end("the end");
  });
  const site = await clientSite((_request, response) => {
    response.writeHead(302, { location: last.origin.replace("127.0.0.1", "localhost") }).end();
  });
  const application = await anApplication(world, { redirectUris: [site.callback] });
  const page = await (await browser.newContext()).newPage();
  const asked = new URLSearchParams({
    client_id: application.uid,
    redirect_uri: site.callback,
    response_type: "code",
  });
  await page.goto(`${world.url}/oauth/authorize?${asked}`);
  await enter(page, "dev");
  await allow(page);
  await page.waitForURL((url) => url.port === new URL(last.origin).port);
  assert.equal(await page.textContent("body"), "the end");
});
