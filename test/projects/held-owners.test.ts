/** Nobody moves, renames, archives or deletes a place with a right that they lose while their request waits (decisions 0140, 0313). */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Queries } from "../../src/platform/db.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { lockPlaces } from "../../src/projects/store-moves.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { type Person, type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
/** A group of Stan's with a project, and another group of his that is marked for deletion. */
let group: number;
let project: number;
let marked: number;

before(async () => {
  world = await startWorld();
  group = (await call("POST", "groups", { name: "Stans", path: "stans" })).json.id;
  project = (await call("POST", "projects", { name: "P", path: "p", namespace_id: group })).json.id;
  marked = (await call("POST", "groups", { name: "Over", path: "over" })).json.id;
  assert.equal((await call("DELETE", `groups/${marked}`)).status, 202);
});

const call = (method: string, path: string, json?: object, as: Person = "stan"): Promise<Reply> =>
  world.call(`/api/v4/${path}`, { as, method, ...(json ? { json } : {}) });

/** Everything that waits for the lock of moves, by its name. */
const acts = (as: Person): readonly [string, () => Promise<Reply>][] => [
  ["rename", () => call("PUT", `groups/${group}`, { name: "Late" }, as)],
  ["archive", () => call("POST", `projects/${project}/archive`, undefined, as)],
  ["unarchive", () => call("POST", `groups/${group}/unarchive`, undefined, as)],
  ["move of a project", () => call("PUT", `projects/${project}/transfer`, { namespace: as }, as)],
  ["move of a group", () => call("POST", `groups/${group}/transfer`, {}, as)],
  ["mark", () => call("DELETE", `groups/${group}`, undefined, as)],
  ["restoration", () => call("POST", `groups/${marked}/restore`, undefined, as)],
];

/** The statuses of all acts of a person whose account changes while they wait, and changes back afterwards. */
async function statusesWhile(as: Person, change: "state" | "is_admin"): Promise<Record<string, number>> {
  const id = world.ids[as];
  const withdraws = async (tx: Queries) => {
    await lockPlaces(tx);
    await tx.run(
      change === "state"
        ? sql`update users set state = 'blocked' where id = ${id}`
        : sql`update users set is_admin = false where id = ${id}`,
    );
  };
  const statuses: Record<string, number> = {};
  for (const [name, act] of acts(as)) {
    statuses[name] = (await whileDoing(world, withdraws, act)).worked.status;
    await world.platform.db.run(
      sql`update users set state = 'active', is_admin = ${as === "ada"} where id = ${id}`,
    );
  }
  return statuses;
}

const all = (status: number) => Object.fromEntries(acts("stan").map(([name]) => [name, status]));

describe("while a request waits for the lock of moves", () => {
  it("its owner is blocked, and nothing of it is done (contract §4, tokens and roles; decisions 0140, 0313)", async () => {
    assert.deepEqual(await statusesWhile("stan", "state"), all(403));
  });

  it("its administrator loses the role, and nothing of it is done (contract §4, tokens and roles; decisions 0140, 0313)", async () => {
    // Stan's places are private: somebody without a role cannot see them.
    assert.deepEqual(await statusesWhile("ada", "is_admin"), all(404));
    const { json } = await call("GET", `projects/${project}`);
    assert.equal(json.path_with_namespace, "stans/p");
  });
});

it("moves, renames and marks at once wait for each other, for blocks and for new usernames, without a deadlock (decisions 0302, 0313)", async () => {
  const statuses: number[] = [];
  const { ids } = world;
  for (let round = 0; round < 6; round++) {
    const isEven = round % 2 === 0;
    const replies = await Promise.all([
      ...(["stan", "ada"] as const).flatMap((as) => [
        call("PUT", `groups/${group}`, { name: `Stans ${round}`, path: isEven ? "stans-two" : "stans" }, as),
        call("POST", `projects/${project}/${isEven ? "archive" : "unarchive"}`, undefined, as),
        call("PUT", `projects/${project}/transfer`, { namespace: isEven ? "stan" : group }, as),
        call("DELETE", `groups/${group}`, undefined, as),
        call("POST", `groups/${group}/restore`, undefined, as),
      ]),
      call("POST", `groups/${group}/members`, { user_id: ids.dev, access_level: 10 }),
      call("PUT", `users/${ids.stan}`, { username: isEven ? "stanley" : "stan" }, "ada"),
      call("POST", `users/${ids.stan}/block`, undefined, "ada"),
      call("POST", `users/${ids.stan}/unblock`, undefined, "ada"),
    ]);
    statuses.push(...replies.map(({ status }) => status));
    await call("POST", `users/${ids.stan}/unblock`, undefined, "ada");
  }
  assert.deepEqual(
    statuses.filter((status) => status >= 500),
    [],
  );
  assert.ok(statuses.filter((status) => status < 300).length > 20, statuses.join());
  // A session reports at the end of a transaction, at most once in a second.
  await world.owner.run(sql`select pg_sleep(1.2)`);
  await Promise.all(Array.from({ length: 16 }, () => call("GET", "user")));
  await world.owner.run(sql`select pg_sleep(0.1)`);
  const { deadlocks } = await world.owner.one(
    row({ deadlocks: integer }),
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  );
  assert.equal(deadlocks, 0);
});
