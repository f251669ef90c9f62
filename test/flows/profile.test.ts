/** What users change about themselves: name, time zone, what is shown, and the mail address. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { offeredBy } from "../support/page-forms.ts";
import { linkIn, type PostOffice, worldWithMail } from "../support/post-office.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let office: PostOffice;
let world: World;

before(async () => {
  office = await worldWithMail();
  world = office.world;
});

const me = async (as: "dev" | "rep") => (await world.call("/api/v4/user", { as })).json;

test("name, time zone and the public mail address are saved and take effect at once (decision 0112)", async () => {
  const dev = await signedIn(world, "dev");
  assert.equal((await me("dev")).public_email, "");
  const fields = { name: "Devi D’Eloper", time_zone: "Europe/Berlin", shows_email: "yes" };
  assert.equal((await dev.submit("/profile", fields)).location, "/profile");
  const page = await dev.get("/profile");
  assert.match(page.text, /value="Devi D’Eloper"/);
  assert.match(page.text, /<option value="Europe\/Berlin" selected>/);
  const { name, public_email } = await me("dev");
  assert.deepEqual([name, public_email], ["Devi D’Eloper", "dev@example.org"]);
  const seen = await world.call(`/api/v4/users/${world.ids.dev}`, { as: "rep" });
  assert.equal(seen.json.public_email, "dev@example.org");
});

test("the effect of the time zone is explained where it is chosen and on the calendar, whose days it determines (decision 0112; ux §5, dates)", async () => {
  const dev = await signedIn(world, "dev");
  const fields = { name: "Dev", time_zone: "America/New_York" };
  await dev.submit("/profile", fields);
  const { text } = await dev.get("/profile");
  assert.match(
    text,
    /The calendar on your page counts days in it\. Other times are in UTC, or as chosen at the foot of a page\./,
  );
  assert.doesNotMatch(text, /how you see times/, "no other page uses it");
  assert.match((await dev.get("/dev")).text, /No active days yet\. Days are those of America\/New York\./);
});

test("a time zone that the runtime does not list any more stays when something else is saved (decision 0246)", async () => {
  const gus = await signedIn(world, "gus");
  const unlisted = "Europe/Kyiv";
  assert.equal(Intl.supportedValuesOf("timeZone").includes(unlisted), false, "or take another name");
  await world.platform.db.run(sql`update users set time_zone = ${unlisted} where id = ${world.ids.gus}`);
  const { text } = await gus.get("/profile");
  const chosen = /<option value="([^"]*)" selected>/.exec(text)?.[1];
  assert.equal(chosen, unlisted, "a browser submits the first of the list if none is chosen");
  const fields = {
    ...offeredBy(text).find(({ action }) => action === "/profile")?.fields,
    name: "Gus",
    time_zone: unlisted,
  };
  assert.equal((await gus.post("/profile", fields)).status, 303);
  assert.match((await gus.get("/profile")).text, /<option value="Europe\/Kyiv" selected>/);
});

test("an invalid name or time zone is refused with an error on the field, and the name and the choices are kept (reference ux 2)", async () => {
  const dev = await signedIn(world, "dev");
  const fields = { name: "a\u202eb", time_zone: "Mars/Olympus", private_profile: "yes" };
  const page = await dev.submit("/profile", fields);
  assert.equal(page.status, 422);
  assert.match(page.text, /<input[^>]* name="name"[^>]* value="a\u202eb"/);
  assert.match(page.text, /name="private_profile"[^>]* checked/);
  assert.doesNotMatch(page.text, /name="shows_email"[^>]* checked/);
  assert.match(page.text, /Name cannot contain control or invisible characters\./);
  assert.match(page.text, /Time zone is not known\./);
});

test("when any form of the page is refused, the focus goes to a summary that links to the field (ux §5; WCAG 3.3.1)", async () => {
  const dev = await signedIn(world, "dev");
  for (const [path, fields, field] of [
    ["/profile", { name: "", time_zone: "Europe/Berlin" }, "name"],
    ["/profile/about", { pronouns: "\u202e" }, "pronouns"],
    ["/profile/username", { username: "a b" }, "username"],
    ["/profile/email", { email: "nobody" }, "email"],
  ] as const) {
    const page = await dev.submit(path, fields, "/profile");
    assert.equal(page.status, 422, path);
    const heads = page.text.match(/<div class="msg bad[^>]* role="alert"[^>]*autofocus>.*?<\/div>/g) ?? [];
    assert.equal(heads.length, 1, `${path}: ${heads.join()}`);
    assert.match(heads[0] ?? "", new RegExp(`One thing needs fixing: <a href="#${field}">`), path);
  }
});

test("a new mail address takes effect once it is confirmed, and the old address is notified (decision 0112)", async () => {
  const rep = await signedIn(world, "rep");
  assert.equal((await rep.submit("/profile/email", { email: "rep@new.example" }, "/profile")).status, 303);
  assert.match((await rep.get("/profile")).text, /We wait for rep@new\.example to be confirmed/);
  assert.equal((await me("rep")).email, "rep@example.org");
  const soon = await rep.submit("/profile/email", { email: "rep@newer.example" }, "/profile");
  assert.equal(soon.status, 422);
  assert.match(soon.text, /<title>Error: Profile/);
  assert.match(
    soon.text,
    /<input[^>]* name="email"[^>]* value="rep@newer\.example"[^>]* aria-invalid="true"/,
  );
  assert.match(
    soon.text,
    /id="email-err">.*Email was not changed: A link was sent a moment ago\. Wait a minute/,
  );
  const link = linkIn(await office.mailTo("rep@new.example"), world);
  const anybody = new Visitor(world.url);
  await anybody.get(link);
  assert.equal((await me("rep")).email, "rep@example.org", "opening the link changes nothing");
  assert.equal((await anybody.post(link, {})).location, "/users/sign_in");
  assert.equal((await me("rep")).email, "rep@new.example");
  assert.match((await office.mailTo("rep@example.org")).text, /no longer the address of your account/);
  assert.equal((await anybody.get(link)).status, 404);
  const again = new Visitor(world.url);
  const back = await again.submit("/users/sign_in", { username: "rep@new.example", password: PASSWORD });
  assert.equal(back.status, 303);
});

test("the mail and the page behind its link name the account, and whoever is signed in to another one cannot confirm it (decisions 0112 and 0149)", async () => {
  const stan = await signedIn(world, "stan");
  await stan.submit("/profile/email", { email: "olga@corp.example" }, "/profile");
  const mail = await office.mailTo("olga@corp.example");
  assert.match(mail.text, /asked to use this address for the account @stan at/);
  const link = linkIn(mail, world);
  const olga = await signedIn(world, "olga");
  const page = await olga.get(link);
  assert.equal(page.status, 200);
  assert.match(page.text, /makes olga@corp\.example the address of @stan, and you are signed in as @olga/);
  assert.doesNotMatch(page.text, /action="\/users\/confirmation/);
  await olga.get("/profile");
  const refused = await olga.post(link, {});
  assert.deepEqual([refused.status, /This link belongs to @stan\./.test(refused.text)], [403, true]);
  const seen = async () => (await world.call("/api/v4/users/stan", { as: "ada" })).json.email;
  assert.equal(await seen(), "stan@example.org");
  const anybody = await new Visitor(world.url).get(link);
  assert.match(anybody.text, /olga@corp\.example becomes the address of the account @stan\./);
  const own = await stan.submit(link, {});
  assert.match((await stan.follow(own)).text, /olga@corp\.example is the address of @stan now\./);
  assert.equal(await seen(), "olga@corp.example");
});

test("requesting the address of another account does not reveal that it is taken, and confirming it is refused (reference reliability S62)", async () => {
  const dev = await signedIn(world, "dev");
  const taken = await dev.submit("/profile/email", { email: "max@example.org" }, "/profile");
  assert.match((await dev.follow(taken)).text, /A link is on its way to max@example\.org/);
  const link = linkIn(await office.mailTo("max@example.org"), world);
  const refused = await dev.submit(link, {});
  assert.equal(refused.status, 409);
  assert.equal((await me("dev")).email, "dev@example.org");
});

test("a new address requires re-authentication if the user signed in 20 minutes ago (decision 0047)", async () => {
  const gus = await signedIn(world, "gus");
  await world.platform.db.run(
    sql`update sessions set authenticated_at = now() - interval '20 minutes' where user_id = ${world.ids.gus}`,
  );
  const asked = await gus.submit("/profile/email", { email: "thief@example.net" }, "/profile");
  assert.match(asked.location ?? "", /^\/users\/prove/);
  await office.settle();
  assert.ok(!office.mails.some(({ to }) => to.includes("thief@example.net")));
});

test("without mail delivery the address changes at once, unless it is taken (decision 0112)", async () => {
  const quiet = await startWorld();
  const dev = await signedIn(quiet, "dev");
  const taken = await dev.submit("/profile/email", { email: "MAX@example.org" }, "/profile");
  assert.equal(taken.status, 422);
  assert.match(taken.text, /Email has already been taken\./);
  assert.equal((await dev.post("/profile/email", { email: "dev@new.example" })).status, 303);
  const user = (await quiet.call("/api/v4/user", { as: "dev" })).json;
  assert.deepEqual([user.email, user.confirmed_at], ["dev@new.example", null], "it is not confirmed");
  const token = await quiet.tokenOf("dev", "openid", "email");
  const told = (await quiet.call("/oauth/userinfo", { token })).json;
  assert.deepEqual([told.email, told.email_verified], ["dev@new.example", false], "(decision 0149)");
  const json = { email: "dev@new.example" };
  await quiet.call(`/api/v4/users/${quiet.ids.dev}`, { as: "ada", method: "PUT", json });
  assert.equal(
    (await quiet.call("/oauth/userinfo", { token })).json.email_verified,
    true,
    "an administrator has set it",
  );
});

test("the confirmation link of a blocked user does nothing, and works again after unblocking (reference reliability S54)", async () => {
  const gus = await signedIn(world, "gus");
  await gus.submit("/profile/email", { email: "gus@new.example" }, "/profile");
  const link = linkIn(await office.mailTo("gus@new.example"), world);
  const anybody = new Visitor(world.url);
  assert.equal((await anybody.get(link)).status, 200);
  const turn = (verb: "block" | "unblock") =>
    world.call(`/api/v4/users/${world.ids.gus}/${verb}`, { as: "ada", method: "POST" });
  await turn("block");
  assert.equal((await anybody.post(link, {})).status, 404);
  assert.equal((await anybody.get(link)).status, 404);
  const seen = async () => (await world.call("/api/v4/users/gus", { as: "ada" })).json.email;
  assert.equal(await seen(), "gus@example.org");
  await turn("unblock");
  const age = (by: string) =>
    world.platform.db.run(sql`update email_changes set expires_at = expires_at - ${by}::interval`);
  await age("1 day");
  assert.equal((await anybody.get(link)).status, 404, "it is valid for a day (decision 0112)");
  await age("-1 minute");
  assert.equal((await anybody.submit(link, {})).status, 303);
  assert.equal(await seen(), "gus@new.example");
});

test("users add details about themselves to their profile and remove them (decision 0157)", async () => {
  const max = await signedIn(world, "max");
  const said = {
    bio: "<b>Bold</b>",
    website_url: "https://max.example/?a=1&b=2",
    job_title: "Pilot",
    github: "max",
  };
  assert.equal((await max.submit("/profile/about", said, "/profile")).location, "/profile");
  assert.match((await max.get("/profile")).text, /name="job_title"[^>]* value="Pilot"/);
  const shown = (await new Visitor(world.url).get("/max")).text;
  assert.match(shown, /&lt;b&gt;Bold&lt;\/b&gt;/);
  assert.match(shown, /href="https:\/\/max\.example\/\?a=1&amp;b=2"/);
  const wrong = await max.submit("/profile/about", { ...said, website_url: "ftp://max.example" }, "/profile");
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /Website is not a valid URL\./);
  assert.match(wrong.text, /value="ftp:\/\/max\.example"/);
  assert.match(wrong.text, /<input[^>]*name="name"[^>]* value="Max Maintainer"/);
  await max.submit("/profile/about", { ...said, bio: "", website_url: "" }, "/profile");
  const record = (await world.call("/api/v4/user", { as: "max" })).json;
  assert.deepEqual([record.bio, record.website_url, record.job_title], ["", "", "Pilot"]);
});

test("concurrent changes of the mail address of one user all succeed, and one of them stays (decision 0112)", async () => {
  const quiet = await startWorld();
  const rep = await signedIn(quiet, "rep");
  await rep.get("/profile");
  const addresses = Array.from({ length: 6 }, (_, number) => `rep@${number}.example`);
  const changed = await Promise.all(addresses.map((email) => rep.post("/profile/email", { email })));
  assert.deepEqual(
    changed.map(({ status }) => status),
    addresses.map(() => 303),
  );
  const now = (await quiet.call("/api/v4/user", { as: "rep" })).json.email;
  assert.ok(addresses.includes(now), now);
});

test("pages call the address of a person's mails and that of an integration by one term each (ux §8, one term each)", async () => {
  const max = await signedIn(world, "max");
  const json = { type: "http", name: "Sensors", active: true };
  const made = await world.call("/api/v4/projects/acme%2Frocket/alert_integrations", { as: "max", json });
  assert.equal(made.status, 201, made.text);
  const profile = await max.get("/profile");
  assert.match(profile.text, />Email address<\/h2>/);
  assert.doesNotMatch(profile.text, /\bmail address/i);
  const { text } = await max.get(`/acme/rocket/-/settings/operations/integrations/${made.json.id}`);
  assert.match(text, />Address</);
  assert.doesNotMatch(text, /webhook url/i);
});
