/** The doors of the stylesheet, the script and the icons: they are the only files that the service gives away. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { assetCacheControl, assetPath, assets } from "../../src/ui/assets.ts";
import { rawStatus } from "../support/attacks.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

test("each file is given under its own name alone, kept for ever, and not sent again to who has it (reference ux 4)", async () => {
  for (const { path, type, etag } of assets) {
    const given = await world.call(path);
    assert.deepEqual([given.status, given.headers.get("content-type")], [200, type]);
    assert.equal(given.headers.get("cache-control"), assetCacheControl);
    assert.equal((await world.call(path, { headers: { "if-none-match": etag } })).status, 304);
    assert.equal((await world.call(path.replace(/[0-9a-f]{12}/, "0".repeat(12)))).status, 404);
  }
});

test("no address leads to another file of the machine: there is no directory behind it (CWE-22; reference reliability S112)", async () => {
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
    // What may be the name of a person or a project leads to the sign-in, and a slash too many to the address without it.
    if (status < 300 || status >= 500) found.push(`${address}: ${status}`);
  }
  assert.deepEqual(found, []);
});
