import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { routedAddress } from "../../src/platform/receiver-address.ts";

describe("the internal path of a request", () => {
  it("is set for every form of an alert endpoint (contract-alerts, doors)", () => {
    for (const path of [
      "/acme/rocket/alerts/notify.json",
      "/acme/rocket/alerts/notify",
      "/acme/rocket/alerts/notify/",
      "/a/b/c/rocket/alerts/notify/web-shop/0123456789abcdef.json?x=/-/",
      "/acme/rocket/prometheus/alerts/notify.json",
      "/acme/rocket/alertmanager/api/v2/alerts",
      "/acme/rocket/alertmanager/api/v2/silences",
    ]) {
      assert.equal(routedAddress("POST", path), `/-/receive${path}`);
    }
  });

  it("is not set for pages, API paths and GET requests to possible project paths (decision 0007)", () => {
    for (const path of [
      "/acme/rocket/-/alerts/notify.json",
      "/api/v4/projects/1/alerts/notify.json",
      "/acme/rocket",
    ]) {
      assert.equal(routedAddress("POST", path), path);
    }
    for (const path of ["/acme/rocket/alerts/notify", "/a/b/alerts/notify/web-shop"]) {
      assert.equal(routedAddress("GET", path), path, "a project may have this path");
    }
  });

  it("is set for other methods too, so that they get the right error (contract-alerts, order of refusal)", () => {
    for (const path of ["/acme/rocket/alerts/notify.json", "/a/b/rocket/alertmanager/api/v2/alerts"]) {
      for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE"]) {
        assert.equal(routedAddress(method, path), `/-/receive${path}`, method);
      }
    }
    assert.equal(routedAddress("PUT", "/acme/rocket/alerts/notify"), "/-/receive/acme/rocket/alerts/notify");
  });

  it("is set for a heartbeat path with an invalid identifier, except for browsers, which get the page (decision 0098)", () => {
    for (const path of ["/acme/rocket/heartbeats/null", "/a/b/rocket/heartbeats/0123/"]) {
      for (const method of ["GET", "HEAD"]) {
        assert.equal(routedAddress(method, path, "*/*"), `/-/receive${path}`, method);
        assert.equal(
          routedAddress(method, path, "text/html,*/*;q=0.8"),
          path,
          "a project may have this path",
        );
      }
    }
    assert.equal(routedAddress("GET", "/acme/heartbeats/rocket", "*/*"), "/acme/heartbeats/rocket");
  });

  it("is found at once in a path of millions of characters (reference reliability S120)", () => {
    for (const piece of ["/alerts/notify/", "/alerts/notify", "/alertmanager/api/v1/", "/heartbeats/", "/"]) {
      const address = `/acme/rocket${piece.repeat(5_000_000 / piece.length)}!`;
      assert.equal(routedAddress("GET", address), address, piece);
      assert.ok(routedAddress("GET", `${address}/`, "*/*").endsWith("!/"), piece);
    }
  });

  it("cannot be requested directly, in any spelling (decision 0007)", () => {
    for (const path of ["/-/receive/acme/rocket", "/-/receive", "/%2d/rec%65ive/x", "/-/receive?x"]) {
      assert.equal(routedAddress("POST", path), "/-/", path);
      assert.equal(routedAddress("GET", path), "/-/", path);
    }
    assert.equal(routedAddress("GET", "/-/%zz"), "/-/%zz");
  });
});
