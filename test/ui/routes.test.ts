/** The routes of the stylesheet, the scripts and the icons, the only files that the service serves. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { assetCacheControl, assetPath, assets } from "../../src/ui/assets.ts";
import { rawStatus } from "../support/attacks.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

test("each asset is served only under its hashed name, with immutable caching, and as 304 to those who have it (reference ux 4)", async () => {
  for (const { path, type, etag } of assets) {
    const given = await world.call(path);
    assert.deepEqual([given.status, given.headers.get("content-type")], [200, type]);
    assert.equal(given.headers.get("cache-control"), assetCacheControl);
    // A proxy that compresses makes the tag weak (RFC 9110 §13.1.2).
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`])
      assert.equal((await world.call(path, { headers: { "if-none-match": known } })).status, 304);
    assert.equal((await world.call(path.replace(/[0-9a-f]{12}/, "0".repeat(12)))).status, 404);
  }
});

test("no path serves another file of the machine, whatever path traversal it contains (CWE-22; reference reliability S112)", async () => {
  const css = assetPath("app.css");
  const folder = css.slice(0, css.lastIndexOf("/"));
  const up = [
    "..",
    "%2e%2e",
    ".%2e",
    "%2e%2e%2f",
    "..%5c",
    "..\\",
    "%252e%252e",
    "..;",
    "....//",
    "%c0%ae%c0%ae",
    "..%00",
  ];
  const files = ["package.json", "etc/passwd", ".env", "data/master.key", ".git/config", "src/main.ts"];
  const addresses = [
    ...up.flatMap((each) => files.map((file) => `${folder}/${`${each}/`.repeat(4)}${file}`)),
    ...files.flatMap((file) => [`/${file}`, `${folder}/${file}`, `//${file}`]),
    ...["app.css", "app.js.map", ".htaccess", ".DS_Store", "", "%00"].map((name) => `${folder}/${name}`),
    ...[`${css}.map`, `${css}/`, `${css}%00`, `${css}~`, `${css}/../app.js`, `/-/assets`, `/-/receive${css}`],
  ];
  const found: string[] = [];
  for (const address of addresses) {
    const status = await rawStatus(world, [`GET ${address} HTTP/1.1`, "Host: x", "Connection: close"]);
    // Names that could be a user or project lead to the sign-in, and extra slashes to the path without them.
    if (status < 300 || status >= 500) found.push(`${address}: ${status}`);
  }
  assert.deepEqual(found, []);
});
