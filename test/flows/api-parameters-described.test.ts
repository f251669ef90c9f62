/** The OpenAPI document describes every parameter and every member of a request body (house §2.7). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Json, type Operation, operationsOf } from "../support/described.ts";
import { startWorld, type World } from "../support/world.ts";

type Said = [name: string, description: unknown];

let world: World;
let operations: readonly Operation[];
before(async () => {
  world = await startWorld();
  operations = operationsOf((await world.call("/openapi.json")).json);
});

/** The names of those whose description is not a short phrase: missing, blank, or a sentence that ends with a period. */
function unsaid(all: readonly Said[]): string[] {
  return all.flatMap(([name, description]) =>
    typeof description === "string" && /^\S.*[^\s.]$/s.test(description) ? [] : [name],
  );
}

/** All members of a body, nested ones included, with their path: `changes[].ref`. */
function membersOf(schema: Json, way: string): Said[] {
  const within = (schema.anyOf ?? []).flatMap((one: Json) => membersOf(one, way));
  const items = schema.items ? membersOf(schema.items, `${way}[]`) : [];
  const own = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, member]): Said[] => [
    [`${way}.${name}`, member.description],
    ...membersOf(member, `${way}.${name}`),
  ]);
  return [...own, ...within, ...items];
}

test("every path and query parameter has a description (house §2.7)", () => {
  const all = operations.flatMap(({ name: operation, told: { parameters = [] } }) =>
    parameters.map(
      ({ in: place, name, description, schema }: Json): Said => [
        `${operation}: ${place} ${name}`,
        description ?? schema.description,
      ],
    ),
  );
  assert.ok(all.length > 400);
  assert.deepEqual(unsaid(all), []);
});

test("every member of a request body has a description, nested ones included (house §2.7)", () => {
  const all = operations.flatMap(({ name: operation, told: { requestBody } }) =>
    Object.values<Json>(requestBody?.content ?? {}).flatMap(({ schema }) => membersOf(schema, operation)),
  );
  assert.ok(all.length > 200);
  assert.deepEqual(unsaid(all), []);
});

test("the id in a path is described as the number or the path of a project or group, or the number or username of a user, and both work (contract §3)", async () => {
  const described = (operation: string) => {
    return operations
      .find(({ name }) => name === operation)
      ?.told.parameters.find(({ name }: Json) => name === "id").description;
  };
  const { ids } = world;
  const project = (await world.call("/api/v4/projects/acme%2Frocket", { as: "ada" })).json.id;
  for (const [root, id, name, words] of [
    ["projects", project, "acme%2Frocket", /number of the project, or its full path .*%2F/],
    ["groups", undefined, "acme", /number of the group, or its full path .*%2F/],
    ["users", ids.dev, "dev", /number of the user, or their username/],
  ] as const) {
    assert.match(described(`GET /api/v4/${root}/{id}`), words);
    const named = await world.call(`/api/v4/${root}/${name}`, { as: "ada" });
    assert.equal(named.status, 200, name);
    const numbered = await world.call(`/api/v4/${root}/${id ?? named.json.id}`, { as: "ada" });
    assert.deepEqual(numbered.json, named.json);
  }
  // The address of an event source takes the number only.
  const receives = "POST /api/v4/projects/{id}/event_sources/{identifier}/receive";
  assert.equal(described(receives), "number of the project");
});
