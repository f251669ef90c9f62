/** The validation of queries, forms and bodies. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pageParameters } from "../../src/platform/pagination.ts";
import { checkParameters, parseDay } from "../../src/platform/parameters.ts";
import Type from "../../src/platform/schema.ts";

const schema = Type.Object({
  action: Type.Optional(Type.Enum(["pushed", "closed"])),
  title: Type.String({ minLength: 1, maxLength: 10 }),
  before: Type.Optional(Type.String({ format: "date" })),
  level: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  open: Type.Optional(Type.Boolean({ default: true })),
  ids: Type.Optional(Type.Array(Type.Integer())),
  note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  ...pageParameters,
});

const refused: [string, unknown, boolean, string[]][] = [
  ["a missing member", {}, false, ["title is missing"]],
  ["an empty text", { title: " " }, false, ["title is empty"]],
  ["a long text", { title: "x".repeat(11) }, false, ["title is too long (maximum is 10 characters)"]],
  ["an unpaired surrogate", { title: "a\ud800b" }, false, ["title is invalid"]],
  ["a NUL character", { title: "a\0b" }, false, ["title is invalid"]],
  ["a number for a text", { title: 5 }, false, ["title is invalid"]],
  ["a text for a number in JSON", { title: "t", level: "3" }, false, ["level is invalid"]],
  ["an empty text for a number in JSON", { title: "t", level: "" }, false, ["level is invalid"]],
  [
    "a value that is not in the list",
    { title: "t", action: "PUSHED" },
    true,
    ["action does not have a valid value"],
  ],
  ["a date that does not exist", { title: "t", before: "2026-02-30" }, true, ["before is invalid"]],
  ["a repeated parameter", { title: "t", before: ["2026-01-01", "2026-01-02"] }, true, ["before is invalid"]],
  ["a list for one value", { title: "t", "before[]": "2026-01-01" }, true, ["before is invalid"]],
  ["a numbered list for one value", { title: "t", "before[0]": "2026-01-01" }, true, ["before is invalid"]],
  ["a number out of range", { title: "t", level: 9 }, false, ["level does not have a valid value"]],
  ["an unsafe integer", { title: "t", level: 2 ** 53 }, false, ["level is invalid"]],
  ["page zero", { title: "t", page: "0" }, true, ["page does not have a valid value"]],
  ["a page that is not a number", { title: "t", page: "one" }, true, ["page is invalid"]],
  ["zero items per page", { title: "t", per_page: "0" }, true, ["per_page has a value not allowed"]],
  [
    "several faults at once",
    { action: 1, level: [] },
    false,
    ["action does not have a valid value", "title is missing", "level is invalid"],
  ],
  ["a body that is a list", [], false, ["body is invalid"]],
  ["a body that is a text", "title", false, ["body is invalid"]],
];

for (const [what, input, coerce, faults] of refused) {
  test(`refuses ${what} in GitLab's words (reference events A2)`, () => {
    assert.deepEqual(checkParameters(schema, input, { coerce }).faults, faults);
  });
}

test("validates every member of a record, at any depth (house §2.7)", () => {
  const tables = Type.Object({
    tables: Type.Union([Type.Null(), Type.Record(Type.String(), Type.Record(Type.String(), Type.String()))]),
  });
  const faults = (given: unknown) => checkParameters(tables, { tables: given }).faults;
  for (const right of [null, {}, { a: {} }, { a: { b: "c" }, __proto__: null }])
    assert.equal(faults(right), undefined);
  for (const wrong of [
    [],
    "a",
    { a: "b" },
    { a: null },
    { a: { b: 5 } },
    { a: { b: "c" }, d: { e: "\0" } },
  ]) {
    assert.deepEqual(faults(wrong), ["tables is invalid"], JSON.stringify(wrong));
  }
});

test("keeps declared members and drops others (house §2.7)", () => {
  const { value } = checkParameters(schema, { title: "t", trusted: true, __proto__: { admin: 1 } });
  assert.deepEqual(value, { title: "t", open: true, page: 1, per_page: 20 });
});

test("reads numbers, booleans and lists from text only for forms and queries (house §2.7)", () => {
  const form = { title: "t", level: "3", open: "false", "ids[]": ["1", "2"], per_page: "1000" };
  assert.deepEqual(checkParameters(schema, form, { coerce: true }).value, {
    title: "t",
    level: 3,
    open: false,
    ids: [1, 2],
    page: 1,
    per_page: 100,
  });
});

test("reads a number from an enumeration from text only for forms and queries (house §2.7)", () => {
  const roles = Type.Object({ access_level: Type.Enum([10, 30]), size: Type.Optional(Type.Enum(["10"])) });
  assert.deepEqual(checkParameters(roles, { access_level: "30", size: "10" }, { coerce: true }).value, {
    access_level: 30,
    size: "10",
  });
  for (const [level, coerce] of [
    ["30", false],
    ["20", true],
    ["30.0", true],
    [" 30", true],
    ["", true],
  ] as const) {
    assert.ok(checkParameters(roles, { access_level: level }, { coerce }).faults, `${level} ${coerce}`);
  }
});

test("accepts both ends of a range (JSON Schema Validation §6.2)", () => {
  for (const level of [1, 5]) {
    assert.equal(checkParameters(schema, { title: "t", level }).value?.level, level);
  }
});

test("reports at most twenty faults of a list (reference reliability A18)", () => {
  const each = Type.Object({ word: Type.String() }, { nested: true });
  const lists = Type.Object({ rules: Type.Array(each) });
  const rules = Array.from({ length: 1000 }, () => ({}));
  const { faults = [] } = checkParameters(lists, { rules });
  assert.deepEqual([faults.length, faults[19]], [20, "rules[19][word] is missing"]);
});

test("accepts null if the schema allows it (house §2.7)", () => {
  assert.deepEqual(checkParameters(schema, { title: "t", note: null }).value?.note, null);
});

test("lists may have numbered parameters, as some libraries send them, and are sorted by these numbers (contract §2)", () => {
  const asked = (form: object) => checkParameters(schema, { title: "t", ...form }, { coerce: true });
  assert.deepEqual(asked({ "ids[10]": "3", "ids[0]": "1", "ids[2]": "2" }).value?.ids, [1, 2, 3]);
  assert.deepEqual(asked({ "ids[0]": ["1", "2"] }).value?.ids, [1, 2]);
  assert.deepEqual(asked({ "ids[0]": "one" }).faults, ["ids is invalid"]);
  assert.equal(asked({ "ids[x]": "1", "idsx[0]": "1" }).value?.ids, undefined);
});

test("null counts as absent when something is created, and is a fault in changes and for required members (decision 0024)", () => {
  const given = { title: "t", action: null, before: null, level: null, open: null, ids: null, note: null };
  const untouched = checkParameters(schema, { title: "t" }).value;
  assert.equal(untouched?.open, true);
  assert.deepEqual(checkParameters(schema, given, { makesNew: true }).value, { ...untouched, note: null });
  assert.deepEqual(checkParameters(schema, { title: null }, { makesNew: true }).faults, ["title is invalid"]);
  assert.deepEqual(checkParameters(schema, { title: "t", level: null }).faults, ["level is invalid"]);
});

test("for a value that may be text or a list, the fault is that of the type that was sent (reference events A2)", () => {
  const either = Type.Object({
    scopes: Type.Union([
      Type.String({ minLength: 1 }),
      Type.Array(Type.String(), { minItems: 1, maxItems: 2 }),
    ]),
  });
  for (const [scopes, coerce, fault] of [
    ["", false, "scopes is empty"],
    ["", true, "scopes is empty"],
    [[], false, "scopes is empty"],
    [["a", "b", "c"], false, "scopes has too many items (maximum is 2)"],
    [["a", 5], false, "scopes is invalid"],
    [5, false, "scopes is invalid"],
    ["a", false, undefined],
    [["a"], false, undefined],
  ] as const)
    assert.equal(checkParameters(either, { scopes }, { coerce }).faults?.[0], fault, JSON.stringify(scopes));
});

test("counts characters, not UTF-16 units (JSON Schema Validation §6.3.1)", () => {
  const secret = Type.Object({ secret: Type.String({ minLength: 4, maxLength: 10 }) });
  const faults = (given: string) => checkParameters(secret, { secret: given }).faults;
  assert.equal(faults("🚢".repeat(10)), undefined);
  assert.deepEqual(faults("🚢".repeat(11)), ["secret is too long (maximum is 10 characters)"]);
  assert.deepEqual(faults("🚢".repeat(3)), ["secret is too short (minimum is 4 characters)"]);
});

test("never throws, for any input (reference reliability A18)", () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), fc.boolean(), (input, coerce) => {
      const checked = checkParameters(schema, input, { coerce });
      assert.ok(checked.faults ? checked.faults.length > 0 : checked.value);
    }),
  );
});

for (const [raw, day] of [
  ["2016-12-1", "2016-12-01"],
  ["2024-02-29", "2024-02-29"],
  ["2023-02-29", undefined],
  ["2026-01-31T23:59:59+13:00", "2026-01-31"],
  ["0000-00-00", undefined],
  ["0000-05-01", undefined],
  ["20260101", undefined],
  ["", undefined],
] as const) {
  test(`reads the day ${JSON.stringify(raw)} as ${day ?? "no day"} (spec: Events 3)`, () => {
    assert.equal(parseDay(raw), day);
  });
}
