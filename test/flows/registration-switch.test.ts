/** Who may register: chosen by administrators on a page, or fixed by the environment. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { linkIn, type PostOffice, worldWithMail } from "../support/post-office.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const HOME = "/admin/settings";
const FORM = `${HOME}/registration`;
const SIGN_UP = "/users/sign_up";
let office: PostOffice;
let world: World;
let ada: Visitor;

before(async () => {
  office = await worldWithMail();
  world = office.world;
  ada = await signedIn(world, "ada");
});

const choose = (registration: string, registration_domains = "") =>
  ada.submit(FORM, { registration, registration_domains }, HOME);
const signUp = (email: string) => new Visitor(world.url).submit(SIGN_UP, { email });

test("registration is by invitation by default; off lets only administrators invite, immediately (decision 0121)", async () => {
  assert.match((await ada.get(HOME)).text, /value="invited" checked/);
  assert.equal((await signUp("a@example.org")).status, 403);
  const saved = await choose("off");
  assert.match((await ada.follow(saved)).text, /Registration saved/);
  const invite = (as: "max" | "ada") =>
    world.call("/api/v4/projects/acme%2Frocket/invitations", {
      as,
      json: { email: `${as}-asks@example.net`, access_level: 30 },
    });
  assert.equal((await invite("max")).status, 403);
  assert.equal((await invite("ada")).status, 201);
  await choose("invited");
  assert.equal((await invite("max")).status, 201);
  const changes = async () =>
    (await ada.get("/admin/audit?action=settings_changed")).text.split(
      '<span class="title">Changed the settings of the instance',
    ).length - 1;
  const before = await changes();
  assert.ok(before >= 2);
  await choose("invited");
  assert.equal(await changes(), before, "saving the same choice is not logged as a change");
});

test("open lets everybody with an address of an allowed domain sign up; closing invalidates the links already sent (decision 0121)", async () => {
  await choose("open", "Example.org, @other.example\nexample.org");
  assert.match((await ada.get(HOME)).text, /value="example\.org, other\.example"/);
  assert.equal((await signUp("a@evil.example")).status, 422);
  assert.equal((await signUp("new@other.example")).status, 303);
  const link = linkIn(await office.mailTo("new@other.example"), world);
  assert.equal((await new Visitor(world.url).get(link)).status, 200);
  await choose("invited");
  assert.equal((await new Visitor(world.url).get(link)).status, 404);
  assert.equal((await signUp("new@other.example")).status, 403);
  await choose("open");
  assert.equal((await new Visitor(world.url).get(link)).status, 404, "opening again does not restore it");
});

test("a sign-up link is valid only while the domain of its address is allowed (decision 0121)", async () => {
  await choose("open", "example.org, left.example");
  await signUp("new@left.example");
  const link = linkIn(await office.mailTo("new@left.example"), world);
  const visitor = new Visitor(world.url);
  assert.equal((await visitor.get(link)).status, 200);
  await choose("open", "example.org");
  assert.equal((await visitor.get(link)).status, 404);
  const fields = { name: "Late", username: "late", password: PASSWORD };
  assert.equal((await visitor.submit(link, fields, "/users/sign_in")).status, 404);
  await choose("invited");
});

test("an invalid choice is refused with an error on the field and the form keeps what was chosen (reference ux 2)", async () => {
  const wrong = await choose("open", "nonsense");
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /Mail domains must list domains such as example\.org, and nonsense is none\./);
  assert.match(wrong.text, /value="open" checked/);
  assert.equal((await choose("everybody")).status, 422);
  const domains = (n: number) => Array.from({ length: n }, (_, i) => `d${i}.example`).join(", ");
  assert.match((await choose("invited", domains(101))).text, /Mail domains are at most 100\./);
  assert.equal((await choose("invited", domains(100))).status, 303);
  await choose("invited");
  assert.equal((await signUp("b@example.org")).status, 403, "nothing was changed");
});

test("only administrators can change registration, with recent authentication (decision 0047)", async () => {
  const max = await signedIn(world, "max");
  await max.get("/profile");
  assert.equal((await max.post(FORM, { registration: "open" })).status, 404);
  await world.platform.db.run(sql`update sessions set authenticated_at = now() - interval '20 minutes'`);
  assert.match((await choose("open")).location ?? "", /^\/users\/prove/);
  ada = await signedIn(world, "ada");
});

test("values from the environment take precedence, the page shows them, and no form changes them (decision 0121)", async () => {
  const locked = await startWorld({
    GATEHOUSE_REGISTRATION: "off",
    GATEHOUSE_REGISTRATION_DOMAINS: "a.example",
  });
  const admin = await signedIn(locked, "ada");
  const page = await admin.get(HOME);
  assert.match(page.text, /Set by <code>GATEHOUSE_REGISTRATION<\/code>/);
  assert.doesNotMatch(page.text, /action="\/admin\/settings\/registration"/);
  assert.equal((await admin.post(FORM, { registration: "invited" })).status, 422);
  await locked.platform.db.run(sql`update instance_settings set registration = 'invited'`);
  assert.match((await new Visitor(locked.url).get(SIGN_UP)).text, /Ask an administrator of this Gatehouse/);
});

test("domains set by the environment do not overwrite the stored ones (decision 0121)", async () => {
  const held = await worldWithMail({ GATEHOUSE_REGISTRATION_DOMAINS: "a.example" });
  const admin = await signedIn(held.world, "ada");
  await held.world.platform.db.run(
    sql`update instance_settings set registration_domains = array['before.example']`,
  );
  const form = { registration: "open", registration_domains: "typed.example" };
  assert.equal((await admin.submit(FORM, form, HOME)).status, 303);
  const kept = sql`select 1 from instance_settings where registration = 'open' and registration_domains = array['before.example']`;
  assert.equal(await held.world.platform.db.run(kept), 1);
  const at = (email: string) => new Visitor(held.world.url).submit(SIGN_UP, { email });
  assert.deepEqual([(await at("x@typed.example")).status, (await at("x@a.example")).status], [422, 303]);
});

test("who may register, set by the environment, leaves the mail domains to the administrators (decision 0312)", async () => {
  const held = await worldWithMail({ GATEHOUSE_REGISTRATION: "open" });
  const { db } = held.world.platform;
  await db.run(sql`update instance_settings set registration_domains = array['before.example']`);
  const at = async (email: string) => (await new Visitor(held.world.url).submit(SIGN_UP, { email })).status;
  assert.deepEqual([await at("x@else.example"), await at("x@before.example")], [422, 303]);
  const admin = await signedIn(held.world, "ada");
  const page = (await admin.get(HOME)).text;
  assert.match(page, /Set by <code>GATEHOUSE_REGISTRATION<\/code>/);
  assert.match(page, /value="before\.example"/);
  assert.doesNotMatch(page, /type="radio" name="registration"|name="registration"[^>]*type="radio"/);
  const save = (registration: string) =>
    admin.submit(FORM, { registration, registration_domains: "after.example" }, HOME);
  assert.equal((await save("invited")).status, 422, "the form changes no mode that the environment sets");
  const link = linkIn(await held.mailTo("x@before.example"), held.world);
  assert.equal((await save("open")).status, 303);
  assert.deepEqual([await at("y@before.example"), await at("y@after.example")], [422, 303]);
  assert.equal((await new Visitor(held.world.url).get(link)).status, 404);
  const later = linkIn(await held.mailTo("y@after.example"), held.world);
  assert.equal(
    (await admin.submit(FORM, { registration: "open", registration_domains: "" }, HOME)).status,
    303,
  );
  assert.equal((await new Visitor(held.world.url).get(later)).status, 200, "registration is still open");
  const untouched = sql`select 1 from instance_settings where registration is null and registration_domains = '{}'`;
  assert.equal(await db.run(untouched), 1);
});

test("open registration is not offered without mail, and is treated as by invitation if mail is no longer configured (decision 0121)", async () => {
  const silent = await startWorld();
  const admin = await signedIn(silent, "ada");
  assert.match((await admin.get(HOME)).text, /Open registration needs mail/);
  const asked = await admin.post(FORM, { registration: "open" });
  assert.equal(asked.status, 422);
  assert.match(asked.text, /needs mail: set GATEHOUSE_SMTP_URL/);
  await silent.platform.db.run(sql`update instance_settings set registration = 'open'`);
  assert.equal((await new Visitor(silent.url).submit(SIGN_UP, { email: "a@example.org" })).status, 403);
  const json = { email: "c@example.net", access_level: 30 };
  const asks = await silent.call("/api/v4/projects/acme%2Frocket/invitations", { as: "max", json });
  assert.equal(asks.status, 201);
});
