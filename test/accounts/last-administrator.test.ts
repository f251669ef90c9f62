/** One administrator who can sign in always remains, whatever request removes another one, also under concurrency. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { meanwhile } from "../support/meanwhile.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  // Creates their tokens beforehand.
  for (const person of ["max", "rep"] as const) await world.tokenOf(person, "api");
});

/** The requests by which one administrator removes another. */
const ACTS: Readonly<Record<string, (as: Person, to: Person) => ReturnType<World["call"]>>> = {
  "is blocked": (as, to) => world.call(`/api/v4/users/${world.ids[to]}/block`, { as, method: "POST" }),
  "loses the role": (as, to) =>
    world.call(`/api/v4/users/${world.ids[to]}`, { as, method: "PUT", json: { admin: false } }),
  "is removed": (as, to) => world.call(`/api/v4/users/${world.ids[to]}`, { as, method: "DELETE" }),
};
const LAST = { message: "There must be another administrator who can sign in." };

/** Makes Max and Rep the only administrators, both able to sign in. */
const twoAdministrators = () =>
  world.platform.db.run(sql`update users set is_admin = (username in ('max', 'rep')), state = 'active',
    password_hash = coalesce(password_hash, (select password_hash from users where username = 'dev'))
    where not is_placeholder`);

for (const [what, act] of Object.entries(ACTS)) {
  describe(`a request by which the last administrator who can sign in ${what}`, () => {
    it("gets 409 if the only other one has no password or is blocked meanwhile, or 401 for the blocked one (decisions 0047, 0313, 0322; reference reliability S54)", async () => {
      await twoAdministrators();
      await world.platform.db.run(sql`update users set password_hash = null where username = 'rep'`);
      const without = await act("rep", "max");
      assert.deepEqual([without.status, without.json], [409, LAST]);
      await twoAdministrators();
      const late = await meanwhile(
        world,
        [["update users set password_hash = null where username = 'rep'"]],
        () => act("rep", "max"),
      );
      assert.deepEqual([late.status, late.json], [409, LAST]);
      await twoAdministrators();
      const blocked = await meanwhile(
        world,
        [["update users set state = 'blocked' where username = 'rep'"]],
        () => act("rep", "max"),
      );
      assert.equal(blocked.status, 401, blocked.text);
      const left = await world.platform.db.run(sql`select 1 from users
        where id = ${world.ids.max} and is_admin and state = 'active'`);
      assert.equal(left, 1);
    });

    it("succeeds only once if two administrators send it against each other (decision 0047)", async () => {
      await twoAdministrators();
      const both = await Promise.all([act("max", "rep"), act("rep", "max")]);
      const statuses = both.map(({ status }) => status);
      assert.equal(statuses.filter((status) => status < 300).length, 1, statuses.join());
    });
  });
}
