/**
 * Registration without invitation, where it is open: by a link sent to the mail address, revealing nothing about other accounts.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ConfigError, readConfig } from "../../src/platform/config.ts";
import { sql } from "../../src/platform/sql.ts";
import { stopsMeasuring } from "../support/measuring.ts";
import { linkIn, type PostOffice, worldWithMail } from "../support/post-office.ts";
import { Visitor } from "../support/visitor.ts";
import { PASSWORD } from "../support/world.ts";

let office: PostOffice;

before(async () => {
  office = await worldWithMail({
    GATEHOUSE_REGISTRATION: "open",
    GATEHOUSE_REGISTRATION_DOMAINS: "example.org, @Other.example",
  });
});

test("the account is created only with the link from the mail, and the link works once (decision 0111)", async () => {
  const { world } = office;
  const visitor = new Visitor(world.url);
  const asked = await visitor.submit("/users/sign_up", { email: "Self@other.example" });
  assert.equal(asked.location, "/users/sign_in");
  const before = await world.call("/api/v4/users?search=self@other.example", { as: "ada" });
  assert.deepEqual(before.json, []);
  const link = linkIn(await office.mailTo("Self@other.example"), world);
  const made = await visitor.submit(link, { username: "self", name: "Self Made", password: PASSWORD });
  assert.equal(made.location, "/");
  assert.match((await visitor.follow(made)).text, /Welcome, Self Made/);
  assert.equal((await visitor.get(link)).status, 404);
});

test("the response does not reveal existing accounts; their owner is told by mail (reference reliability S62)", async () => {
  const { world } = office;
  const answers = [];
  for (const email of ["dev@example.org", "unknown@example.org"]) {
    const visitor = new Visitor(world.url);
    const asked = await visitor.submit("/users/sign_up", { email });
    const next = await visitor.follow(asked);
    answers.push([
      asked.status,
      asked.location,
      next.text.replaceAll(email, "").replaceAll(visitor.csrfToken, ""),
    ]);
  }
  assert.deepEqual(answers[0], answers[1]);
  assert.match((await office.mailTo("dev@example.org")).text, /belongs to the account @dev/);
  assert.match((await office.mailTo("unknown@example.org")).text, /Finish signing up|choose a name/);
});

test("signing up again within ten minutes sends no second mail (decision 0111)", async () => {
  const { world } = office;
  const ask = () => new Visitor(world.url).submit("/users/sign_up", { email: "often@example.org" });
  await ask();
  const link = linkIn(await office.mailTo("often@example.org"), world);
  await ask();
  await office.settle();
  assert.ok(!office.mails.some(({ to }) => to.includes("often@example.org")));
  assert.equal((await new Visitor(world.url).get(link)).status, 200);
  await world.platform.db.run(sql`update invitations set expires_at = now() - interval '1 second'`);
  assert.equal((await new Visitor(world.url).get(link)).status, 404, "it expires");
});

test("only addresses of the allowed domains can sign up (decision 0111)", async () => {
  const visitor = new Visitor(office.world.url);
  for (const email of ["a@evil.example", "a@sub.example.org", "a@example.org.evil.example"]) {
    const page = await visitor.submit("/users/sign_up", { email });
    assert.equal(page.status, 422);
    assert.match(page.text, /must end in @example\.org or @other\.example/);
  }
});

test("open registration without mail is a configuration error (decision 0111)", () => {
  assert.throws(
    () => readConfig({ GATEHOUSE_REGISTRATION: "open" }),
    (error) => error instanceof ConfigError && /needs mail/.test(error.message),
  );
  assert.equal(readConfig({}).registration, undefined);
});

test("one client address can request ten mails in a minute, and the eleventh request gets 429 (decision 0070)", async () => {
  const limited = await worldWithMail({ GATEHOUSE_REGISTRATION: "open", GATEHOUSE_RATE_LIMITS: "on" });
  const visitor = new Visitor(limited.world.url);
  stopsMeasuring();
  await visitor.get("/users/sign_up");
  const statuses = [];
  for (let n = 0; n < 11; n++) {
    statuses.push((await visitor.post("/users/sign_up", { email: `n${n}@example.org` })).status);
  }
  assert.deepEqual(statuses, [...Array(10).fill(303), 429]);
});
