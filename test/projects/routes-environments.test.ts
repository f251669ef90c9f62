import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

describe("environments", () => {
  const root = "/api/v4/projects/acme%2Frocket/environments";
  it("are written by Developers and read by Reporters (contract §3)", async () => {
    const made = await world.call(root, {
      as: "dev",
      json: { name: "Production/EU", external_url: "https://eu.example.org" },
    });
    assert.equal(made.status, 201);
    assert.deepEqual(Object.keys(made.json), [
      "id",
      "name",
      "slug",
      "external_url",
      "state",
      "created_at",
      "updated_at",
    ]);
    assert.match(made.json.slug, /^production-eu-[0-9a-f]{6}$/);
    const listed = await world.call(`${root}?search=eu`, { as: "rep" });
    assert.deepEqual(
      [listed.status, listed.json[0].name, listed.headers.get("x-total")],
      [200, "Production/EU", "1"],
    );
    const one = `${root}/${made.json.id}`;
    assert.equal((await world.call(one, { as: "rep" })).json.id, made.json.id);
    const changed = await world.call(one, { as: "dev", method: "PUT", json: { external_url: null } });
    assert.deepEqual(
      [changed.status, changed.json.external_url, changed.json.name],
      [200, null, "Production/EU"],
    );
    assert.equal((await world.call(root, { as: "dev", json: { name: "Production/EU" } })).status, 400);
    assert.equal((await world.call(one, { as: "rep", method: "DELETE" })).status, 403);
    assert.equal((await world.call(one.replace("rocket", "open"), { as: "dev" })).status, 404);
    assert.equal((await world.call(one, { as: "dev", method: "DELETE" })).status, 204);
    assert.equal((await world.call(one, { as: "dev" })).status, 404);
  });

  it("refuse what cannot be, and whoever may not", async () => {
    for (const json of [
      {},
      { name: "" },
      { name: 1 },
      { name: "a\nb" },
      { name: "x", external_url: "javascript:alert(1)" },
    ]) {
      assert.equal((await world.call(root, { as: "dev", json })).status, 400, JSON.stringify(json));
    }
    assert.equal((await world.call(root, { as: "rep", json: { name: "x" } })).status, 403);
    assert.equal((await world.call(root, { as: "gus" })).status, 403);
    assert.equal((await world.call(root, { as: "stan" })).status, 404);
    assert.equal((await world.call(root)).status, 401);
  });
});
