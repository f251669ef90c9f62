/** Passwords that are made of the words of an account are refused where people choose their own. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { checkContext } from "../../src/accounts/context-words.ts";
import { FieldProblem } from "../../src/platform/problem.ts";
import { linkIn, type PostOffice, worldWithMail } from "../support/post-office.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type World } from "../support/world.ts";

const MAYA = {
  username: "maya.lindqvist",
  name: "Maya Ö. Lindqvist",
  email: "m.lind@acme.example",
  publicUrl: "https://gate.acme.example",
};
const WORDS = /is made of your name, your address or the name of this service/;

let office: PostOffice;
let world: World;
before(async () => {
  office = await worldWithMail({ GATEHOUSE_REGISTRATION: "open" });
  world = office.world;
});

test("a password of nothing but such words, digits and signs is refused, in any case (ASVS 6.1.2, 6.2.11; reference reliability E)", () => {
  for (const password of [
    "Gatehouse2026!",
    "maya.lindqvist1",
    "LINDQVIST-MAYA",
    "acme acme acme 1",
    "gate.acme.example",
    "m.lind@acme.example",
    "gatehouse-maya-01",
  ])
    assert.throws(() => checkContext(password, MAYA), FieldProblem, password);
});

test("a password with anything else in it is accepted, and so is one without such a word (ASVS 6.2.11; contract §4, new users)", () => {
  for (const password of ["gatehouse of cards", "maya's first lock", "123456789 0123", "lindqvistmayax"])
    assert.doesNotThrow(() => checkContext(password, MAYA), password);
});

test("it is refused where people change their password, set one by a link, and create their account, and the link stays valid (ASVS 6.2.11)", async () => {
  const dev = await signedIn(world, "dev");
  const change = { current_password: PASSWORD, password: "dev-dev-dev-123" };
  assert.match((await dev.submit("/profile/password", change)).text, WORDS);

  const stan = new Visitor(world.url);
  await stan.submit("/users/password/new", { email: "stan@example.org" });
  const link = linkIn(await office.mailTo("stan@example.org"), world);
  const token = new URLSearchParams(link.split("?")[1]).get("reset_password_token") ?? "";
  const reset = (password: string) =>
    stan.submit("/users/password", { reset_password_token: token, password }, link);
  assert.match((await reset("stan@example.org 1")).text, WORDS);
  assert.equal((await reset("another sentence")).status, 303);

  const nina = new Visitor(world.url);
  await nina.submit("/users/sign_up", { email: "nina@example.org" });
  const invitation = linkIn(await office.mailTo("nina@example.org"), world);
  const fields = { username: "nina", name: "Nina Nord" };
  assert.match((await nina.submit(invitation, { ...fields, password: "nina.nord.2026" })).text, WORDS);
  assert.equal((await nina.submit(invitation, { ...fields, password: "another sentence" })).status, 303);
});

test("what programs and administrators set is not judged by it (contract §4, new users)", async () => {
  const json = { username: "olaf", name: "Olaf", email: "olaf@example.org", password: "olaf-olaf-olaf" };
  assert.equal((await world.call("/api/v4/users", { as: "ada", json })).status, 201);
});
