/** Where signing in leads: to the page that was asked for, and to no other site. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
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
    await world.platform.db.run(sql`update sessions set return_to = ${kept} where user_id is null`);
    const entered = await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
    assert.equal(entered.location, "/", kept);
  }
});
