/** The form post response mode of OAuth 2.0. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { launchBrowser } from "../support/browser.ts";
import { allow, clientSite, enter } from "../support/client-site.ts";
import {
  anApplication,
  answerOf,
  authorizePath,
  decide,
  exchange,
  hiddenFields,
  signedIn,
  type TestApplication,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
});

test("response_mode=form_post answers with a form to the redirect URI, for codes and errors (form post response mode §2; D7)", async () => {
  const dev = await signedIn(world, "dev");
  const path = authorizePath(application, { response_mode: "form_post", state: `"><b>` });
  const refused = await decide(dev, path, "deny");
  assert.equal(refused.status, 200);
  assert.equal(hiddenFields(refused.text, application.redirectUri).error, "access_denied");
  const allowed = await decide(dev, path);
  assert.equal(allowed.headers.get("location"), null);
  assert.equal(allowed.headers.get("cache-control"), "no-store");
  assert.equal(allowed.headers.get("referrer-policy"), "no-referrer");
  const fields = hiddenFields(allowed.text, application.redirectUri);
  assert.equal(fields.state, "&quot;&gt;&lt;b&gt;");
  assert.equal(fields.iss, world.url);
  assert.equal((await exchange(world, application, fields.code ?? "")).status, 200);
});

test("response_mode=form_post is refused for response_type=token (contract §4, authorize)", async () => {
  const dev = await signedIn(world, "dev");
  const asked = { response_mode: "form_post", response_type: "token" };
  assert.equal(answerOf(await dev.get(authorizePath(application, asked))).error, "invalid_request");
});

test("form_post is refused for redirect URIs that are not http or https (form post response mode §2)", async () => {
  const dev = await signedIn(world, "dev");
  const redirectUris = ["tidewatch://in", "urn:ietf:wg:oauth:2.0:oob"];
  const native = await anApplication(world, { redirectUris });
  const asked = (redirectUri: string) =>
    dev.get(authorizePath({ ...native, redirectUri }, { response_mode: "form_post" }));
  const refused = await asked("tidewatch://in");
  assert.match(refused.headers.get("location") ?? "", /^tidewatch:\/\/in\?error=invalid_request&/);
  const page = await asked("urn:ietf:wg:oauth:2.0:oob");
  assert.deepEqual([page.status, page.headers.get("location")], [400, null]);
  assert.match(page.text, /A form is sent to http and https addresses only/);
});

test("a browser submits the form by itself (form post response mode §2)", async () => {
  let posted = "";
  const site = await clientSite((request, response) => {
    request.on("data", (part) => {
      posted += part;
    });
    request.on("end", () => response.end("arrived"));
  });
  const own = await anApplication(world, { redirectUris: [site.callback] });
  const browser = await launchBrowser();
  const page = await browser.newPage();
  await page.goto(world.url + authorizePath(own, { response_mode: "form_post" }));
  await enter(page, "gus");
  await allow(page);
  await page.waitForURL(site.callback);
  assert.match(new URLSearchParams(posted).get("code") ?? "", /^goc_/);
});
