import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let olga: Visitor;
before(async () => {
  world = await startWorld();
  olga = await signedIn(world, "olga");
});

test("the path of a page with a trailing slash redirects to the page and keeps the query (decision 0007)", async () => {
  for (const page of [
    "/profile",
    "/profile/applications",
    "/profile/personal_access_tokens?name=CI",
    "/projects?search=a/b?c",
    "/groups",
    "/olga",
    "/acme",
    "/acme/rocket",
    "/acme/rocket/-/alerts?a=/",
    "/groups/acme/-/settings",
  ]) {
    const slashed = page.replace(/(?=\?)|$/, "/");
    const { status, location } = await olga.get(slashed);
    assert.deepEqual([status, location], [301, page], slashed);
    assert.equal((await olga.get(page)).status, 200, page);
  }
});

test("such a redirect never leads to another site, and form submissions are not redirected (RFC 9700 §4.11)", async () => {
  for (const path of [
    "//evil.example/",
    "//evil.example//",
    "/acme//",
    "/\\evil.example/",
    "/acme/..%2f//",
  ]) {
    const { location } = await olga.get(path);
    assert.equal(location, null, path);
  }
  assert.equal((await olga.submit("/profile/", { name: "Olga" }, "/profile")).location, null);
});
