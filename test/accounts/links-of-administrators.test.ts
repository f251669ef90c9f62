/** A link for a new password ends with the role of the administrator to whom it was shown (decisions 0148, 0322). */
import assert from "node:assert/strict";
import { before, beforeEach, it } from "node:test";
import { createPasswordLink } from "../../src/accounts/create-password-link.ts";
import { updateAdministrator } from "../../src/accounts/store-users.ts";
import type { Queries } from "../../src/platform/db.ts";
import { sql } from "../../src/platform/sql.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { type Page, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let bea: number;
before(async () => {
  world = await startWorld();
});
beforeEach(async () => {
  await world.platform.db.run(sql`delete from users where username = 'bea'`);
  const json = { username: "bea", name: "Bea", email: "bea@example.org", password: PASSWORD, admin: true };
  bea = (await world.call("/api/v4/users", { as: "ada", json })).json.id;
});

/** Bea makes a link for Ada. */
async function aLink(): Promise<string> {
  const link = new URL(await createPasswordLink(world.platform, world.ids.ada, { actorId: bea, ip: "::1" }));
  return link.pathname + link.search;
}

async function opened(link: string): Promise<{ shown: number; set: () => Promise<Page> }> {
  const visitor = new Visitor(world.url);
  const { status } = await visitor.get(link);
  const [, secret = ""] = link.split("=");
  const fields = { reset_password_token: secret, password: "a passphrase that Bea has chosen" };
  return { shown: status, set: () => visitor.post("/users/password", fields) };
}

const user =
  (path: string, method = "POST", json?: object) =>
  () =>
    world.call(`/api/v4/users/${bea}${path}`, { as: "ada", method, ...(json ? { json } : {}) });

for (const [what, ends] of [
  ["is demoted", () => user("", "PUT", { admin: false })()],
  ["is blocked", () => user("/block")()],
  ["is removed", () => user("", "DELETE")()],
] as const) {
  it(`an administrator who ${what} cannot take an account over by a link made before (contract §4, tokens and roles; decisions 0148, 0322)`, async () => {
    const link = await aLink();
    const before = await opened(link);
    assert.equal(before.shown, 200);
    const ended = await ends();
    assert.ok(ended.status < 300, ended.text);
    assert.equal((await before.set()).status, 404);
    assert.equal((await opened(link)).shown, 404);
  });
}

it("nor at the very moment of the demotion (decisions 0148, 0322)", async () => {
  const { set } = await opened(await aLink());
  const demotes = (tx: Queries) => updateAdministrator(tx, bea, false);
  assert.equal((await whileDoing(world, demotes, set)).worked.status, 404);
});

it("a link lives as long as its maker administers, and one from the console or by mail belongs to its reader (decisions 0046, 0237)", async () => {
  const { ids, platform } = world;
  assert.equal((await (await opened(await aLink())).set()).status, 303);
  const { pathname, search } = new URL(
    await createPasswordLink(platform, ids.rep, { actorId: null, ip: "console" }),
  );
  assert.equal((await opened(pathname + search)).shown, 200);
});
