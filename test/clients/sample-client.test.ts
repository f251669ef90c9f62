/** The sample client signs a person in, refreshes the token and revokes it, in a real browser. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { launchBrowser } from "../support/browser.ts";
import { whenDone } from "../support/cleanup.ts";
import { allow, enter } from "../support/client-site.ts";
import { anApplication } from "../support/oauth.ts";
import { freePort, startWorld } from "../support/world.ts";

test("the sample client greets the person it signed in, refreshes, and revokes at sign-out (decision 0010)", async () => {
  const world = await startWorld();
  const port = String(await freePort());
  // Registered with another port: the port of a loopback address may differ.
  const application = await anApplication(world, { redirectUris: ["http://127.0.0.1:4000/callback"] });
  const child = spawn(process.execPath, ["examples/sample-client/client.ts"], {
    env: { GATEHOUSE: world.url, CLIENT_ID: application.uid, CLIENT_SECRET: application.secret, PORT: port },
    stdio: ["ignore", "pipe", "inherit"],
  });
  whenDone(async () => {
    child.kill();
  });
  await once(child.stdout, "data");
  const browser = await launchBrowser();
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}`);
  await page.click("text=Sign in with Gatehouse");
  await enter(page, "dev");
  await allow(page);
  await page.waitForSelector("text=Hello Dev Developer (@dev)");
  await page.waitForLoadState();
  // The next page looks the same, so wait for its load.
  const refreshed = page.waitForResponse((reply) => reply.url().endsWith("/refresh"));
  const loadedAgain = page.waitForEvent("load");
  await page.click("text=Refresh the token");
  await Promise.all([refreshed, loadedAgain]);
  await page.waitForSelector("text=Hello Dev Developer (@dev)");
  await page.click("text=Sign out and revoke");
  await page.waitForSelector("text=Nobody is signed in.");
  const list = await world.platform.db.run(
    (await import("../../src/platform/sql.ts"))
      .sql`select from access_tokens where kind = 'oauth' and revoked_at is null`,
  );
  assert.equal(list, 0);
});
