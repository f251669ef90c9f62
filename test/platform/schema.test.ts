/** The JSON Schema builders of the service return the same as those of the library whose types they use. */
import assert from "node:assert/strict";
import { test } from "node:test";
import Library from "typebox";
import Ours from "../../src/platform/schema.ts";

/** One schema of each kind, built by either. */
const shapes: Record<string, (Type: typeof Ours) => unknown> = {
  text: (Type) => Type.String(),
  "text with limits": (Type) => Type.String({ minLength: 1, maxLength: 9, description: "a name" }),
  number: (Type) => Type.Integer({ minimum: 1, default: 20 }),
  boolean: (Type) => Type.Boolean({ default: false }),
  null: (Type) => Type.Null(),
  "any value": (Type) => Type.Unknown({ description: "anything" }),
  "one fixed text": (Type) => Type.Literal("api", { description: "a scope" }),
  "one fixed number": (Type) => Type.Literal(20),
  "an enumeration": (Type) => Type.Enum(["asc", "desc"], { default: "desc" }),
  list: (Type) => Type.Array(Type.String({ minLength: 1 }), { maxItems: 100 }),
  "a union": (Type) => Type.Union([Type.Null(), Type.Integer()], { description: "a number" }),
  object: (Type) =>
    Type.Object(
      { name: Type.String(), path: Type.Optional(Type.String({ description: "its path" })) },
      { additionalProperties: false, description: "a project" },
    ),
  "object with optional members only": (Type) => Type.Object({ name: Type.Optional(Type.String()) }),
  "object of objects": (Type) =>
    Type.Object({ note: Type.Object({ body: Type.String() }), more: Type.Optional(Type.Object({})) }),
  "record with arbitrary names": (Type) =>
    Type.Record(Type.String(), Type.Array(Type.String()), { description: "by name" }),
  "object made partial": (Type) =>
    Type.Partial(
      Type.Object({ a: Type.String(), b: Type.Optional(Type.Integer()) }, { description: "both" }),
    ),
  "type given by the caller": (Type) => Type.Unsafe<unknown>(Type.Record(Type.String(), Type.Unknown())),
};

for (const [words, shape] of Object.entries(shapes)) {
  test(`a schema for ${words} equals that of the library, including the order of its members (decision 0218)`, () => {
    assert.equal(JSON.stringify(shape(Ours)), JSON.stringify(shape(Library as unknown as typeof Ours)));
  });
}

test("IsOptional is true only for the copy that Optional returned (decision 0218)", () => {
  const text = Ours.String();
  const optional = Ours.Optional(text);
  assert.deepEqual(
    [text, optional, undefined, null, "text"].map((schema) => Ours.IsOptional(schema)),
    [false, true, false, false, false],
  );
});
