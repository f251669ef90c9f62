import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { routedAddress } from "../../src/platform/receiver-address.ts";

describe("the address by which a request is routed", () => {
  it("leads every shape of a receiver's address inside (contract-alerts, doors)", () => {
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

  it("leaves pages, the API and reads where they are", () => {
    for (const path of [
      "/acme/rocket/-/alerts/notify.json",
      "/api/v4/projects/1/alerts/notify.json",
      "/acme/rocket",
    ]) {
      assert.equal(routedAddress("POST", path), path);
    }
    for (const path of ["/acme/rocket/alerts/notify", "/a/b/alerts/notify/web-shop"]) {
      assert.equal(routedAddress("GET", path), path, "a project may be called so");
    }
  });

  it("leads whoever does not post to be told so (contract-alerts, order of refusal)", () => {
    for (const path of ["/acme/rocket/alerts/notify.json", "/a/b/rocket/alertmanager/api/v2/alerts"]) {
      for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE"]) {
        assert.equal(routedAddress(method, path), `/-/receive${path}`, method);
      }
    }
    assert.equal(routedAddress("PUT", "/acme/rocket/alerts/notify"), "/-/receive/acme/rocket/alerts/notify");
  });

  it("leads a program to be told where a heartbeat's identifier is none, and a browser to the page (decision 0098)", () => {
    for (const path of ["/acme/rocket/heartbeats/null", "/a/b/rocket/heartbeats/0123/"]) {
      for (const method of ["GET", "HEAD"]) {
        assert.equal(routedAddress(method, path, "*/*"), `/-/receive${path}`, method);
        assert.equal(routedAddress(method, path, "text/html,*/*;q=0.8"), path, "a project may be called so");
      }
    }
    assert.equal(routedAddress("GET", "/acme/heartbeats/rocket", "*/*"), "/acme/heartbeats/rocket");
  });

  it("is found at once in an address of millions of letters, whatever it nearly is (reference reliability S120)", () => {
    for (const piece of ["/alerts/notify/", "/alerts/notify", "/alertmanager/api/v1/", "/heartbeats/", "/"]) {
      const address = `/acme/rocket${piece.repeat(5_000_000 / piece.length)}!`;
      assert.equal(routedAddress("GET", address), address, piece);
      assert.ok(routedAddress("GET", `${address}/`, "*/*").endsWith("!/"), piece);
    }
  });

  it("lets nobody in by the inner address, however it is spelled", () => {
    for (const path of ["/-/receive/acme/rocket", "/-/receive", "/%2d/rec%65ive/x", "/-/receive?x"]) {
      assert.equal(routedAddress("POST", path), "/-/", path);
      assert.equal(routedAddress("GET", path), "/-/", path);
    }
    assert.equal(routedAddress("GET", "/-/%zz"), "/-/%zz");
  });
});
