import assert from "node:assert/strict";
import { test } from "node:test";
import { tagOf, toldBy } from "../../src/events/list-tag.ts";
import { matchesTag } from "../../src/platform/entity-tag.ts";

test("an entity tag depends on its parts, on the data returned with it and on the version of the service (decision 0094)", () => {
  const tag = tagOf(["/api/v4/events", 3], "12");
  assert.equal(tagOf(["/api/v4/events", 3], "12"), tag);
  for (const other of [
    tagOf(["/api/v4/events", 4], "12"),
    tagOf(["/api/v4/events", 3], "13"),
    tagOf(["/api/v4/events", 3]),
    tagOf(["/api/v4/events", 3], "12", "999.0.0"),
  ]) {
    assert.notEqual(other, tag);
    assert.equal(matchesTag(other, tag), false);
  }
  assert.equal(matchesTag(`"other", ${tag}`, tag), true);
  assert.equal(toldBy(tag, ["/api/v4/events", 3]), "12");
  assert.equal(toldBy(tagOf(["/api/v4/events", 3], "12", "999.0.0"), ["/api/v4/events", 3]), undefined);
});
