/** The pages of invitations, sign-up and settings in a browser, with mail enabled. */
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { ALL_LOOKS, inLook } from "../support/looks.ts";
import { linkIn, type PostOffice, worldWithMail } from "../support/post-office.ts";
import { signedIn } from "../support/visitor.ts";
import type { World } from "../support/world.ts";

let office: PostOffice;
let world: World;
let browser: Browser;
let invitation: string;
let confirmation: string;

before(async () => {
  office = await worldWithMail({ GATEHOUSE_REGISTRATION: "open" });
  world = office.world;
  browser = await launchBrowser();
  for (const email of ["nia@example.net", "somebody.with.a.very.long.name.indeed@department.example.net"]) {
    await world.call("/api/v4/projects/acme%2Frocket/invitations", {
      as: "max",
      json: { email, access_level: 30 },
    });
  }
  await world.call("/api/v4/invitations", { as: "ada", json: { email: "plain@example.net" } });
  invitation = linkIn(await office.mailTo("nia@example.net"), world);
  const gus = await signedIn(world, "gus");
  await gus.submit("/profile/email", { email: "gus@example.net" }, "/profile");
  confirmation = linkIn(await office.mailTo("gus@example.net"), world);
});

for (const one of ALL_LOOKS) {
  test(`all pages at ${one.size}, ${one.javaScriptEnabled ? "with" : "without"} scripts (ux §4; WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, judge, look }) => {
      await look("sign-in", "/users/sign_in");
      await look("forgot", "/users/password/new");
      await page.fill("#email", "nobody@example");
      await page.click("main button.primary");
      await page.waitForURL(/sign_in/);
      await judge("forgot sent");
      await look("sign up", "/users/sign_up");
      await look("invitation", invitation);
      await page.fill("#name", "Nia");
      await page.fill("#username", "dev");
      await page.fill("#password", "short");
      await page.click("main button.primary");
      await page.waitForSelector("#username-err, #password-err");
      await judge("invitation refused");
      await look("confirmation", confirmation);
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "ada");
      await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
      await look("accept", invitation);
      await look("profile", "/profile");
      await page.fill("#name", " ");
      await page.click("main form[action='/profile'] button.primary");
      await page.waitForSelector("#name-err");
      await judge("profile refused");
      await look("admin invitations", "/admin/invitations");
      await look("admin settings locked", "/admin/settings");
      await look("admin users", "/admin/users");
      await look("admin username", `/admin/users/${world.ids.gus}/username`);
      await page.fill("#username", "max");
      await page.click("main form button.primary");
      await page.waitForSelector("#username-err");
      await judge("admin username refused");
      await look("project invitations", "/acme/rocket/-/invitations");
      await look("members", "/acme/rocket/-/members");
    }));
}
