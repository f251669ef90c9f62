import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { environmentNameFault, externalUrlFault, slugOf } from "../../src/projects/environment.ts";
import { parseExpiry } from "../../src/projects/expiry.ts";
import { isAtLeast, roleName } from "../../src/projects/role.ts";

describe("the expiry of a membership", () => {
  it("is the beginning of a day (UTC) or an instant, truncated to milliseconds (contract-events §4, membership)", () => {
    for (const [written, meant] of [
      ["2027-03-01", "2027-03-01T00:00:00.000Z"],
      ["2027-03-01T12:00", "2027-03-01T12:00:00.000Z"],
      ["2027-03-01 12:00:30", "2027-03-01T12:00:30.000Z"],
      ["2027-03-01T12:00:30.123987Z", "2027-03-01T12:00:30.123Z"],
      ["2027-03-01T12:00:00+0530", "2027-03-01T06:30:00.000Z"],
      ["2027-03-01T12:00:00-01:00", "2027-03-01T13:00:00.000Z"],
    ]) {
      assert.equal(parseExpiry(written as string)?.toISOString(), meant);
    }
  });

  it("is undefined for anything that is no valid date or time (its docstring in src/projects/expiry.ts)", () => {
    for (const wrong of [
      "",
      "tomorrow",
      "2027-02-29",
      "2027-13-01",
      "2027-03-01T25:00",
      "2027-3-1T",
      "1",
      "2027-03-01T12:00:00+99:99",
    ]) {
      assert.equal(parseExpiry(wrong), undefined, wrong);
    }
  });
});

describe("roles", () => {
  it("are ordered, and each has a name (reference events B3)", () => {
    assert.ok(isAtLeast(40, "developer") && isAtLeast(30, "developer") && !isAtLeast(20, "developer"));
    assert.deepEqual([10, 15, 20, 30, 40, 50].map(roleName), [
      "Guest",
      "Planner",
      "Reporter",
      "Developer",
      "Maintainer",
      "Owner",
    ]);
    assert.equal(roleName(0), "No access");
  });
});

describe("environments", () => {
  it("have a slug that fits in a host name and differs for different names (GitLab v4 API, environments: slug)", () => {
    assert.equal(slugOf("production"), "production");
    assert.match(slugOf("Production"), /^production-[0-9a-f]{6}$/);
    assert.match(slugOf("review/a-very-long-branch-name-indeed"), /^review-a-very-lon-[0-9a-f]{6}$/);
    assert.notEqual(slugOf("a/b"), slugOf("a b"));
    assert.match(slugOf("1st"), /^env-1st-[0-9a-f]{6}$/);
    assert.ok(slugOf("ü".repeat(255)).length <= 24);
  });

  it("refuse names with control characters and URLs that are not HTTP (GitLab v4 API, environments)", () => {
    assert.equal(environmentNameFault("Prod (EU) {x}/1.2"), undefined);
    for (const wrong of ["", " ", "a\tb", "a<b", "x".repeat(256)])
      assert.ok(environmentNameFault(wrong), wrong);
    assert.equal(externalUrlFault("https://example.org/x"), undefined);
    assert.equal(externalUrlFault(null), undefined);
    for (const wrong of ["ftp://x", "javascript:alert(1)", "example.org", ""])
      assert.ok(externalUrlFault(wrong), wrong);
  });
});
