/** Whether a path is taken, as clients ask before they create a group or user (decision 0293). */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { listTaken } from "../../src/projects/store-groups.ts";
import { rowsRead } from "../support/plans.ts";
import { type CallOptions, PEOPLE, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
/** Ids of groups: acme, which is public, and Olga's private ones below it and at the top level. */
const ids = { acme: 0, vault: 0, "acme/pad": 0 };

before(async () => {
  world = await startWorld();
  ids.acme = (await world.call("/api/v4/groups/acme", { as: "olga" })).json.id;
  ids.vault = await aGroup({ path: "vault" });
  ids["acme/pad"] = await aGroup({ path: "pad", parent_id: ids.acme });
  await aGroup({ path: "deck", parent_id: ids.acme, visibility: "public" });
});

async function aGroup(fields: { path: string; parent_id?: number; visibility?: string }): Promise<number> {
  const json = { name: fields.path, ...fields };
  const made = await world.call("/api/v4/groups", { as: "olga", json });
  assert.equal(made.status, 201, made.text);
  return made.json.id;
}

const ask = (path: string, options: CallOptions = { as: "stan" }) =>
  world.call(`/api/v4/namespaces/${path}`, options);

async function suggested(path: string, as: Person = "stan"): Promise<string[] | false> {
  const { status, json, text } = await ask(path, { as });
  assert.equal(status, 200, text);
  assert.deepEqual(Object.keys(json), ["exists", "suggests"]);
  if (!json.exists) assert.deepEqual(json.suggests, []);
  return json.exists && json.suggests;
}

describe("GET /namespaces/:namespace/exists", () => {
  test("tells whether a user or group has the path, and suggests one that is free (GitLab v4 API, namespaces; decision 0293)", async () => {
    await aGroup({ path: "acme1", visibility: "public" });
    for (const [path, suggests] of [
      ["acme", ["acme2"]],
      ["ACME", ["ACME2"]],
      ["stan", ["stan1"]],
      ["free", ["free1"]],
      ["new", false],
      ["rocket", false],
      ["acme%2Fdeck", false],
      [String(ids.acme), false],
      ["no%20path", false],
    ] as const)
      assert.deepEqual(await suggested(`${path}/exists`), suggests, path);
  });

  test("tells everybody of a private group at the top level, as creating one does (decision 0293)", async () => {
    for (const as of Object.keys(PEOPLE) as Person[])
      assert.deepEqual(await suggested("vault/exists", as), ["vault1"], as);
    const json = { name: "Vault", path: "vault" };
    const refused = await world.call("/api/v4/groups", { as: "stan", json });
    assert.deepEqual(refused.json, { message: { path: ["has already been taken"] } });
  });

  test("with parent_id tells of the groups in it that the caller may see, and of none in a parent that the caller may not see (contract §4, visibility; decision 0293)", async () => {
    await aGroup({ path: "deep", parent_id: ids["acme/pad"] });
    for (const [as, pad, deep] of [
      ["olga", ["pad1"], ["deep1"]],
      ["ada", ["pad1"], ["deep1"]],
      ["gus", false, false],
      ["stan", false, false],
    ] as const) {
      assert.deepEqual(await suggested(`deck/exists?parent_id=${ids.acme}`, as), ["deck1"], as);
      assert.deepEqual(await suggested(`pad/exists?parent_id=${ids.acme}`, as), pad, as);
      assert.deepEqual(await suggested(`deep/exists?parent_id=${ids["acme/pad"]}`, as), deep, as);
      assert.equal(await suggested(`deck/exists?parent_id=${ids.vault}`, as), false, as);
      assert.equal(await suggested("deck/exists?parent_id=99999999", as), false, as);
      assert.equal(await suggested("deck/exists", as), false, as);
      assert.equal(await suggested(`acme/exists?parent_id=${ids.acme}`, as), false, as);
    }
  });

  test("tells of the former path of a group, which stays taken (decision 0122)", async () => {
    const id = await aGroup({ path: "early" });
    const json = { path: "late" };
    assert.equal((await world.call(`/api/v4/groups/${id}`, { as: "olga", method: "PUT", json })).status, 200);
    assert.deepEqual(await suggested("early/exists"), ["early1"]);
    assert.deepEqual(await suggested("late/exists"), ["late1"]);
  });

  test("suggests nothing where no longer path is possible (GitLab v4 API, namespaces)", async () => {
    const path = "x".repeat(255);
    await aGroup({ path });
    assert.deepEqual(await suggested(`${path}/exists`), []);
  });

  test("reads only the namespaces that have one of the paths (decision 0169)", async () => {
    await world.owner.run(sql`insert into namespaces (kind, path, full_path, name)
      select 'group', 'many-' || n, 'many-' || n, 'Many' from generate_series(1, 5000) n`);
    await world.owner.run(sql`analyze namespaces, namespace_redirects, group_roles`);
    const asker = { id: world.ids.stan, isAdmin: false };
    const paths = Array.from({ length: 51 }, (_, n) => `many-${n}`);
    const read = await rowsRead(world, "namespaces", (db) => listTaken(db, asker, undefined, paths));
    assert.ok(read >= 50 && read <= 200, `${read} rows`);
  });

  test("requires a token that may read the API, and refuses a parent_id that is no number (contract §4, tokens)", async () => {
    assert.equal((await ask("acme/exists", {})).status, 401);
    for (const [scope, status] of [
      ["read_user", 403],
      ["read_api", 200],
    ] as const) {
      const token = await world.tokenOf("stan", scope);
      assert.equal((await ask("acme/exists", { token })).status, status, scope);
    }
    for (const wrong of ["acme", "0", "-1", "1.5"]) {
      const { status, json } = await ask(`acme/exists?parent_id=${wrong}`);
      assert.equal(status, 400, wrong);
      assert.match(json.error, /^parent_id /);
    }
  });
});
