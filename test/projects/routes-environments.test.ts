import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { whileHeld } from "../support/meanwhile.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

describe("environments", () => {
  const root = "/api/v4/projects/acme%2Frocket/environments";
  it("can be written by Developers and read by Reporters (contract §3)", async () => {
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

  it("are refused with invalid values or without the role (decision 0040; contract §4, visibility; GitLab v4 API, environments)", async () => {
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

  it("have an address of at most 255 characters, as the OpenAPI document says (house §2.7)", async () => {
    const address = `https://example.org/${"a".repeat(235)}`;
    const stored = await world.call(root, { as: "dev", json: { name: "long", external_url: address } });
    assert.deepEqual([stored.status, stored.json.external_url], [201, address]);
    const { status } = await world.call(root, {
      as: "dev",
      json: { name: "x", external_url: `${address}a` },
    });
    assert.equal(status, 400);
    const { paths } = JSON.parse(readFileSync("openapi.json", "utf8"));
    for (const operation of [
      paths["/api/v4/projects/{id}/environments"].post,
      paths["/api/v4/projects/{id}/environments/{environment_id}"].put,
    ]) {
      const { properties } = operation.requestBody.content["application/json"].schema;
      assert.deepEqual(properties.external_url.anyOf[0], { type: "string", maxLength: address.length });
    }
  });

  it("can be deleted while their alerts are locked; the alerts then have no environment (decision 0229)", async () => {
    const environment = await world.call(root, { as: "dev", json: { name: "staging" } });
    const project = root.replace("environments", "");
    const json = { name: "Sensors", type: "http" };
    const made = await world.call(`${project}alert_integrations`, { as: "max", json });
    const { url, authorization_key: token } = made.json;
    const payload = { title: "Pump is dry", environment: "staging" };
    const [{ iid }] = (await world.call(new URL(url).pathname, { token, json: payload })).json;
    const alert = `${project}alert_management_alerts/${iid}`;
    assert.equal((await world.call(alert, { as: "dev" })).json.environment.name, "staging");
    const held = [
      "select from alerts where project_id = $1 and iid = $2 for update",
      world.rocket.id,
      iid,
    ] as const;
    const deleted = await whileHeld(world, [held], () =>
      world.call(`${root}/${environment.json.id}`, { as: "dev", method: "DELETE" }),
    );
    assert.equal(deleted.status, 204, deleted.text);
    assert.equal((await world.call(alert, { as: "dev" })).json.environment, null);
    assert.equal((await world.call(root, { as: "dev", json: { name: "staging" } })).status, 201);
    assert.equal(
      (await world.call(alert, { as: "dev" })).json.environment,
      null,
      "nor in a new one with this name",
    );
  });
});
