/** Rate limit buckets: their size, refill and eviction, and the key of an address. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBuckets, partyOf } from "../../src/platform/rate-limit.ts";

describe("a bucket of 60 a minute", () => {
  it("allows 60 requests at once, then one a second (decision 0070)", () => {
    const buckets = createBuckets(60);
    for (let i = 0; i < 60; i++) {
      assert.equal(buckets.look("a", 100).waitSeconds, 0, `request ${i}`);
      buckets.take("a", 100);
    }
    assert.deepEqual(buckets.look("a", 100), { limit: 60, remaining: 0, resetSeconds: 60, waitSeconds: 1 });
    assert.equal(buckets.look("a", 100.5).waitSeconds, 1);
    assert.equal(buckets.look("a", 101).waitSeconds, 0);
    assert.equal(buckets.look("a", 130).remaining, 30);
    assert.equal(buckets.look("a", 1000).remaining, 60);
  });

  it("is separate for each key (decision 0070)", () => {
    const buckets = createBuckets(60);
    buckets.take("a", 0, 60);
    assert.ok(buckets.look("a", 0).waitSeconds > 0);
    assert.equal(buckets.look("b", 0).remaining, 60);
  });

  it("is overdrawn by at most its own size, however much was taken at once (its docstring in src/platform/rate-limit.ts)", () => {
    const buckets = createBuckets(60);
    buckets.take("a", 0, 10_000);
    assert.equal(buckets.look("a", 0).waitSeconds, 61);
  });

  it("takes back a charge, but never exceeds its size (decision 0200)", () => {
    const buckets = createBuckets(60);
    buckets.take("a", 0, 2);
    assert.equal(buckets.take("a", 0, -1).remaining, 59);
    assert.deepEqual(buckets.take("a", 0, -5), { limit: 60, remaining: 60, resetSeconds: 0, waitSeconds: 0 });
  });

  it("is dropped first if its key was idle for the longest time and there are too many (decision 0070)", () => {
    const buckets = createBuckets(60, { most: 2 });
    for (const key of ["a", "b", "a", "c"]) buckets.take(key, 0, 20);
    assert.deepEqual(
      ["a", "b", "c"].map((key) => buckets.look(key, 0).remaining),
      [20, 60, 40],
    );
  });
});

describe("the rate limit key", () => {
  for (const [address, party] of [
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002:ffff::", "2001:db8:1:2::/64"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:1::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ] as const) {
    it(`of ${address} is ${party} (decision 0070)`, () => {
      assert.equal(partyOf(address), party);
    });
  }
});
