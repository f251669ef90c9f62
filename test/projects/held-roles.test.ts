/** Nobody gives a role, or makes a place of their own, by a role that they lose at the same moment (decision 0302). */
import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import type { Queries } from "../../src/platform/db.ts";
import { integer, row } from "../../src/platform/row.ts";
import { type Sql, sql } from "../../src/platform/sql.ts";
import { createGroup } from "../../src/projects/create-group.ts";
import { createProject } from "../../src/projects/create-project.ts";
import { insertMember } from "../../src/projects/store-members.ts";
import { lockPlaces, updateNamespaceOfProject } from "../../src/projects/store-moves.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
/** The private group vault of Olga, and the project vault/safe. */
let vault: Awaited<ReturnType<typeof createGroup>>;
let safe: number;

before(async () => {
  world = await startWorld();
  const { db } = world.platform;
  vault = await createGroup(db, { id: world.ids.olga, isAdmin: false }, { path: "vault", name: "Vault" });
  safe = await createProject(db, world.ids.olga, { namespace: vault, path: "safe", name: "Safe" });
});
beforeEach(() =>
  world.platform.db.run(sql`delete from members m where ${here()} and user_id <> ${world.ids.olga}`),
);

const here = (): Sql => sql`(m.project_id = ${safe} or m.namespace_id = ${vault.id})`;
const inSafe = () => ({ projectId: safe });
const inVault = () => ({ namespaceId: vault.id });

const give = (person: Person, place: () => Parameters<typeof insertMember>[1], accessLevel: number) =>
  insertMember(world.platform.db, place(), {
    userId: world.ids[person],
    accessLevel,
    expiresAt: null,
    createdBy: world.ids.olga,
  });

const removesMax = (tx: Queries) =>
  tx.run(sql`delete from members m where ${here()} and m.user_id = ${world.ids.max}`);
const demotesMax = (tx: Queries) =>
  tx.run(sql`update members m set access_level = 10 where ${here()} and m.user_id = ${world.ids.max}`);

/** The status of a request by Max that arrived before the change, and ends after it. */
async function statusWhile(
  change: (tx: Queries) => Promise<unknown>,
  request: () => Promise<{ status: number }>,
): Promise<number> {
  return (await whileDoing(world, change, request)).worked.status;
}

async function levelOf(person: Person): Promise<number> {
  const { level } = await world.platform.db.one(
    row({ level: integer }),
    sql`select coalesce(max(access_level), 0)::integer as level from project_roles
      where project_id = ${safe} and user_id = ${world.ids[person]}`,
  );
  return level;
}

const call = (method: string, path: string, json?: object, as: Person = "max") =>
  world.call(`/api/v4/${path}`, { as, method, ...(json ? { json } : {}) });

for (const [place, own, target, level] of [
  ["a project", inSafe, () => `projects/${safe}`, 40],
  ["a group", inVault, () => `groups/${vault.id}`, 50],
  ["a project, as a member of the group around it,", inVault, () => `projects/${safe}`, 50],
] as const) {
  describe(`somebody who is being removed from ${place}`, () => {
    it("cannot come back as a member (contract §4, tokens and roles; decision 0302)", async () => {
      await give("max", own, level);
      const json = { user_id: world.ids.max, access_level: 40 };
      assert.equal(await statusWhile(removesMax, () => call("POST", `${target()}/members`, json)), 404);
      await give("max", own, level);
      assert.equal(await statusWhile(removesMax, () => call("POST", `${target()}/invitations`, json)), 404);
      assert.equal(await levelOf("max"), 0);
    });

    it("cannot add, change or remove others (contract §4, tokens and roles; decision 0302)", async () => {
      await give("gus", own, 10);
      const gus = () => `${target()}/members/${world.ids.gus}`;
      await give("max", own, level);
      const json = { user_id: world.ids.stan, access_level: 30 };
      assert.equal(await statusWhile(removesMax, () => call("POST", `${target()}/members`, json)), 404);
      await give("max", own, level);
      assert.equal(await statusWhile(removesMax, () => call("PUT", gus(), { access_level: 30 })), 404);
      await give("max", own, level);
      assert.equal(await statusWhile(removesMax, () => call("DELETE", gus())), 404);
      assert.deepEqual([await levelOf("stan"), await levelOf("gus")], [0, 10]);
    });
  });
}

describe("somebody who is being demoted", () => {
  it("cannot take the role back, and gives others no more than the new one allows (contract §4, tokens and roles; decision 0302)", async () => {
    for (const [own, target, level] of [
      [inSafe, `projects/${safe}`, 40],
      [inVault, `groups/${vault.id}`, 50],
    ] as const) {
      await give("max", own, level);
      const back = () => call("PUT", `${target}/members/${world.ids.max}`, { access_level: level });
      assert.equal(await statusWhile(demotesMax, back), 403, target);
      assert.equal(await levelOf("max"), 10, target);
      await removesMax(world.platform.db);
    }
    await give("max", inSafe, 50);
    const lowered = (tx: Queries) =>
      tx.run(sql`update members m set access_level = 40 where ${here()} and m.user_id = ${world.ids.max}`);
    const owner = { user_id: world.ids.stan, access_level: 50 };
    assert.equal(await statusWhile(lowered, () => call("POST", `projects/${safe}/members`, owner)), 403);
  });

  it("cannot do so on the page either, and one who was removed sees it no more (contract §4, tokens and roles; decision 0302)", async () => {
    const max = await signedIn(world, "max");
    await give("max", inSafe, 40);
    await max.get("/vault/safe/-/members");
    const add = () =>
      max.post("/vault/safe/-/members", { username: "stan", access_level: "40", expires_at: "" });
    assert.equal(await statusWhile(removesMax, add), 404);
    assert.equal(await levelOf("stan"), 0);
    await give("max", inSafe, 40);
    const raise = () => max.post(`/vault/safe/-/members/${world.ids.max}`, { access_level: "40" });
    assert.equal(await statusWhile(demotesMax, raise), 303);
    assert.equal(await levelOf("max"), 10);
  });

  it("as an administrator cannot make themselves a member (contract §4, tokens and roles; decision 0302)", async () => {
    const json = { user_id: world.ids.ada, access_level: 50 };
    const withdraws = (tx: Queries) =>
      tx.run(sql`update users set is_admin = false where id = ${world.ids.ada}`);
    const add = () => call("POST", `projects/${safe}/members`, json, "ada");
    assert.equal(await statusWhile(withdraws, add), 404);
    await world.platform.db.run(sql`update users set is_admin = true where id = ${world.ids.ada}`);
    const blocks = (tx: Queries) =>
      tx.run(sql`update users set state = 'blocked' where id = ${world.ids.ada}`);
    assert.equal(await statusWhile(blocks, add), 403);
    await world.platform.db.run(sql`update users set state = 'active' where id = ${world.ids.ada}`);
    assert.equal(await levelOf("ada"), 0);
  });
});

describe("somebody who is being removed from a group", () => {
  it("cannot become the owner of a new group or the maker of a new project in it (contract §4, tokens and roles; decision 0302)", async () => {
    await give("max", inVault, 50);
    const group = { name: "Back", path: "back", parent_id: vault.id };
    assert.equal(await statusWhile(removesMax, () => call("POST", "groups", group)), 404);
    await give("max", inVault, 50);
    const project = { name: "Back", path: "back", namespace_id: vault.id };
    assert.equal(await statusWhile(removesMax, () => call("POST", "projects", project)), 404);
    const max = await signedIn(world, "max");
    await give("max", inVault, 50);
    await max.get("/groups/new");
    const form = { name: "Back", path: "back", description: "", visibility: "private", parent: "vault" };
    assert.equal(await statusWhile(removesMax, () => max.post("/groups", form)), 422);
    for (const path of ["groups/vault%2Fback", "projects/vault%2Fback"]) {
      assert.equal((await call("GET", path, undefined, "olga")).status, 404, path);
    }
  });

  it("cannot become a direct member of a project that is being moved out of it (decisions 0140 and 0302)", async () => {
    const leaving = await createProject(world.platform.db, world.ids.olga, {
      namespace: vault,
      path: "leaving",
      name: "Leaving",
    });
    await give("max", inVault, 50);
    const acme = await world.call("/api/v4/groups/acme", { as: "olga" });
    const moves = async (tx: Queries) => {
      await lockPlaces(tx);
      await updateNamespaceOfProject(tx, leaving, acme.json.id);
    };
    const json = { user_id: world.ids.max, access_level: 40 };
    assert.equal(await statusWhile(moves, () => call("POST", `projects/${leaving}/members`, json)), 404);
  });

  it("lets nobody in by an invitation that is accepted at that moment (decisions 0148 and 0302)", async () => {
    await give("max", inVault, 50);
    const invited = await call("POST", `groups/${vault.id}/invitations`, {
      email: "stan@example.org",
      access_level: 50,
    });
    const link = new URL(invited.json.links["stan@example.org"]).pathname;
    const stan = await signedIn(world, "stan");
    await stan.get(link);
    assert.equal(await statusWhile(removesMax, () => stan.post(link, {})), 404);
    assert.equal(await levelOf("stan"), 0);
    await give("max", inVault, 50);
    assert.equal((await stan.post(link, {})).status, 303, "the invitation was not spent");
    assert.equal(await levelOf("stan"), 50);
  });
});

describe("changes of members at once", () => {
  it("wait for each other without a deadlock (decision 0302)", async () => {
    await give("max", inVault, 50);
    await give("gus", inSafe, 50);
    await give("rep", inSafe, 30);
    const below = await call("POST", "groups", { name: "Below", path: "below", parent_id: vault.id });
    assert.equal(below.status, 201, below.text);
    const { ids } = world;
    const places = [`groups/${vault.id}`, `groups/${below.json.id}`, `projects/${safe}`];
    const people = ["olga", "max", "gus"] as const;
    const statuses: number[] = [];
    for (let round = 0; round < 15; round++) {
      const calls = places.flatMap((place, turn) =>
        people.flatMap((as, index) => {
          const other = ids[people[(index + 1 + (turn % 2)) % 3] as Person];
          const added = [ids.stan, ids.dev];
          const user_id = (index % 2 === 0 ? added : added.toReversed()).join();
          return [
            call("PUT", `${place}/members/${other}`, { access_level: 50 }, as),
            call("POST", `${place}/members`, { user_id, access_level: 10 }, as),
            call("DELETE", `${place}/members/${ids.stan}`, undefined, as),
            call("DELETE", `${place}/members/${ids.dev}`, undefined, as),
          ];
        }),
      );
      const group = { name: "New", path: `new-${round}`, parent_id: vault.id };
      const rename = { name: `Vault ${round}`, path: round % 2 === 0 ? "vault-two" : "vault" };
      const username = round % 2 === 0 ? "stanley" : "stan";
      calls.push(
        call("POST", "groups", group),
        call("PUT", `groups/${vault.id}`, rename, "olga"),
        call("PUT", `users/${ids.stan}`, { username }, "ada"),
        call("POST", `users/${ids.dev}/${round % 2 === 0 ? "block" : "unblock"}`, {}, "ada"),
      );
      statuses.push(...(await Promise.all(calls)).map(({ status }) => status));
    }
    const refused = statuses.filter((status) => ![200, 201, 204, 403, 404, 409].includes(status));
    assert.deepEqual(refused, []);
    assert.ok(statuses.filter((status) => status < 300).length > 100, statuses.join());
    // A session reports at the end of a transaction, at most once in a second.
    await world.owner.run(sql`select pg_sleep(1.2)`);
    const olga = `groups/${vault.id}/members/${ids.olga}`;
    await Promise.all(Array.from({ length: 16 }, () => call("PUT", olga, { access_level: 50 }, "olga")));
    const { deadlocks } = await world.owner.one(
      row({ deadlocks: integer }),
      sql`select deadlocks from pg_stat_database where datname = current_database()`,
    );
    assert.equal(deadlocks, 0);
  });
});
