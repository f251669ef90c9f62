/** The OpenAPI document says of everything that may be asked with what it means (house §2.7). */
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

/** Those whose description is no short phrase: nothing, a blank, a sentence with its dot. */
function unsaid(all: readonly Said[]): string[] {
  return all.flatMap(([name, description]) =>
    typeof description === "string" && /^\S.*[^\s.]$/s.test(description) ? [] : [name],
  );
}

/** Every member of a body, and of what is in it, by the way to it: `changes[].ref`. */
function membersOf(schema: Json, way: string): Said[] {
  const within = (schema.anyOf ?? []).flatMap((one: Json) => membersOf(one, way));
  const items = schema.items ? membersOf(schema.items, `${way}[]`) : [];
  const own = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, member]): Said[] => [
    [`${way}.${name}`, member.description],
    ...membersOf(member, `${way}.${name}`),
  ]);
  return [...own, ...within, ...items];
}

test("every parameter in a path or a query says what it means (house §2.7)", () => {
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

test("every member of a body says what it means, inner ones too (house §2.7)", () => {
  const all = operations.flatMap(({ name: operation, told: { requestBody } }) =>
    Object.values<Json>(requestBody?.content ?? {}).flatMap(({ schema }) => membersOf(schema, operation)),
  );
  assert.ok(all.length > 200);
  assert.deepEqual(unsaid(all), []);
});

test("the number in an address is said to be that of a project, a group or a user as it is read (contract §3)", async () => {
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
  // The address of an event source bears the number alone.
  const receives = "POST /api/v4/projects/{id}/event_sources/{identifier}/receive";
  assert.equal(described(receives), "number of the project");
});
