/**
 * Checks that every member which the OpenAPI document describes occurs in responses: those that never occurred are reported
 * at the end.
 */
import assert from "node:assert/strict";
import { type Json, type Operation, successesOf, whole } from "./described.ts";
import { startReceiver } from "./receivers.ts";
import { type Reply, startWorld, type World } from "./world.ts";

/** A world, its OpenAPI document, and the address of a receiver to which it may send. */
export async function aDescribedWorld(): Promise<{ world: World; document: Json; hook: string }> {
  const { url: hook } = await startReceiver();
  const world = await startWorld({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(hook).host });
  return { world, document: (await world.call("/openapi.json")).json, hook };
}

/** Collects the responses of operations. */
export class Answers {
  private readonly document: Json;
  private readonly asked = new Set<string>();
  /** The records received, by the name that `kindOf` returns. */
  private readonly records = new Map<string, Json[]>();

  constructor(document: Json) {
    this.document = document;
  }

  /** @throws AssertionError if the reply is no success of the operation, or lacks headers that this one names */
  add({ name, told }: Operation, reply: Reply): void {
    const said = new Map(successesOf(told)).get(String(reply.status));
    assert.ok(said, `${name}: ${reply.status} ${reply.text}`);
    for (const header of Object.keys(said.headers ?? {}))
      assert.ok(reply.headers.has(header), `${name} ${header}`);
    this.asked.add(name);
    const kind = kindOf(`${name} ${reply.status}`, said);
    if (!kind) return;
    const records = kind.isList ? reply.json : [reply.json];
    this.records.set(kind.name, [...(this.records.get(kind.name) ?? []), ...records]);
  }

  /** @throws AssertionError if an operation was not called, or a member of its success responses never occurred */
  assertComplete(operations: readonly Operation[]): void {
    const names = operations.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => !this.asked.has(name)),
      [],
      "operations that nobody asked",
    );
    const never = operations.flatMap(({ name, told }) =>
      successesOf(told).flatMap(([status, said]) => {
        const kind = kindOf(`${name} ${status}`, said);
        if (!kind) return [];
        const members = membersOf(whole(kind.schema, this.document), this.records.get(kind.name) ?? []);
        return members.flatMap(([member, values]) => (values.length > 0 ? [] : [`${kind.name}${member}`]));
      }),
    );
    assert.deepEqual([...new Set(never)], [], "members that no answer has");
  }
}

/** The kind of record in a response: records of one schema are the same kind wherever they occur, alone or in a list. */
function kindOf(answer: string, said: Json): { name: string; schema: Json; isList: boolean } | undefined {
  const [content] = Object.values<Json>(said.content ?? {});
  if (!content) return undefined;
  const { schema } = content;
  const isList = schema.items?.$ref !== undefined;
  const record = isList ? schema.items : schema;
  return { name: record.$ref ?? answer, schema: record, isList };
}

/** The members that a resolved schema names, each with its values in these records. */
export function membersOf(schema: Json, values: readonly Json[], at = ""): [name: string, values: Json[]][] {
  const kinds: Json[] = schema.anyOf ?? [schema];
  const records = values.filter((one) => one !== null && typeof one === "object" && !Array.isArray(one));
  return kinds.flatMap(({ items, properties = {}, patternProperties = {} }) => {
    const listed = items ? membersOf(items, values.filter(Array.isArray).flat(), `${at}[]`) : [];
    const named = Object.entries<Json>(properties).flatMap(([name, inner]): [string, Json[]][] => {
      const found = records.map((one) => one[name]).filter((one) => one !== undefined);
      return [[`${at}.${name}`, found], ...membersOf(inner, found, `${at}.${name}`)];
    });
    const keyed = Object.values<Json>(patternProperties).flatMap((inner) =>
      membersOf(inner, records.flatMap(Object.values), `${at}{}`),
    );
    return [...listed, ...named, ...keyed];
  });
}
