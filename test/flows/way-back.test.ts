/** Where signing in leads: to the page that was asked for, and to no other site. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sealWay } from "../../src/accounts/kept-way.ts";
import { sql } from "../../src/platform/sql.ts";
import { Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

// In a world of its own: thirty sign-ins a minute must pass, not many more (contract §4).
let world: World;
before(async () => {
  world = await startWorld();
});

test("signing in leads nowhere else by a way back that was kept, whatever it says (RFC 9700 §4.11)", async () => {
  for (const kept of ["//evil.example/x", "/\\evil.example", "https://evil.example"]) {
    const visitor = new Visitor(world.url);
    await visitor.get("/projects/new");
    const sealed = sealWay(world.platform, kept);
    await world.platform.db.run(sql`update sessions set return_to = ${sealed} where user_id is null`);
    const entered = await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
    assert.equal(entered.location, "/", kept);
  }
});

test("a way back that was kept before ways were sealed leads to the start page (reference reliability A8)", async () => {
  const visitor = new Visitor(world.url);
  await visitor.get("/projects/new");
  await world.platform.db.run(sql`update sessions set return_to = '/projects/new' where user_id is null`);
  const entered = await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
  assert.equal(entered.location, "/");
});

test("of several tabs that wait at the sign-in form each goes on to the page that it was shown for (ux §7, sign in)", async () => {
  const visitor = new Visitor(world.url);
  const tab = async (page: string) => {
    await visitor.get(page);
    const { text } = await visitor.get("/users/sign_in");
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";
    assert.doesNotMatch(text, new RegExp(page), "the way is not readable in the form");
    return { csrf_token: field("csrf_token"), back: field("back"), username: "max", password: PASSWORD };
  };
  const first = await tab("/profile/applications");
  const second = await tab("/profile/sessions");
  const third = await tab("/projects/new");

  const wrong = await visitor.post("/users/sign_in", { ...second, password: "wrong" });
  assert.equal(wrong.status, 422);
  assert.equal((await visitor.post("/users/sign_in", first)).location, "/profile/applications");
  assert.equal((await visitor.post("/users/sign_in", second)).location, "/profile/sessions");
  const elsewhere = { origin: "https://evil.example" };
  const foreign = await visitor.post("/users/sign_in", third, elsewhere);
  assert.deepEqual([foreign.status, foreign.location], [403, null]);
  for (const back of ["", "x", Buffer.from("https://evil.example").toString("base64url")]) {
    const { status, location } = await visitor.post("/users/sign_in", { ...third, back });
    assert.deepEqual([status, location], [403, null], back);
  }
});

test("whoever is asked to sign in for a page learns that it waits, and whoever came for the first page reads nothing of it (ux §7, sign in)", async () => {
  const visitor = new Visitor(world.url);
  const waits = /to open the page that you asked for/;
  await visitor.get("/");
  assert.doesNotMatch((await visitor.get("/users/sign_in")).text, waits);
  await visitor.get("/projects/new");
  assert.match((await visitor.get("/users/sign_in")).text, waits);
  const wrong = await visitor.submit("/users/sign_in", { username: "max", password: "wrong" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, waits);
});

test("a browser that sends no cookie is told so, and not that the page is too old (ux §8)", async () => {
  const { text } = await new Visitor(world.url).get("/users/sign_in");
  const csrf_token = /name="csrf_token" value="([^"]*)"/.exec(text)?.[1] ?? "";
  const other = new Visitor(world.url);
  const fields = { csrf_token, username: "max", password: PASSWORD };
  const bare = await other.post("/users/sign_in", fields);
  assert.equal(bare.status, 403);
  assert.match(bare.text, /Your browser sent no cookie/);
  const late = await other.post("/users/sign_in", fields);
  assert.match(late.text, /was open for too long/);
});
