/** The navigation of a project contains the pages that its viewer may open, and is the same on every page. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const ALL = [
  "/-/alerts",
  "/-/incidents",
  "/-/environments",
  "/-/settings/general",
  "/-/members",
  "/-/settings/hooks",
  "/-/settings/retention",
  "/-/settings/operations",
];
const SEEN = {
  gus: [],
  rep: ["/-/incidents"],
  dev: ["/-/alerts", "/-/incidents", "/-/environments", "/-/settings/operations"],
  max: ALL,
} as const;

for (const [person, seen] of Object.entries(SEEN)) {
  test(`the navigation shows ${person} the links of exactly those pages that ${person} may open (decision 0102)`, async () => {
    const visitor = await signedIn(world, person as keyof typeof SEEN);
    for (const path of ALL) {
      const { status } = await visitor.get(`/acme/rocket${path}`);
      assert.equal(status, (seen as readonly string[]).includes(path) ? 200 : 403, path);
    }
    for (const page of ["", "/activity", ...seen]) {
      const { text } = await visitor.get(`/acme/rocket${page}`);
      const nav = /<nav[^>]*aria-label="Project"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? "";
      const shown = ALL.filter((path) => nav.includes(`href="/acme/rocket${path}"`));
      assert.deepEqual(shown, seen, page);
    }
  });
}

test("the page that refuses somebody in a project leads to the project's overview, and one without a project to the start page (reference ux §8; WCAG 3.3.3)", async () => {
  const gus = await signedIn(world, "gus");
  const wayOf = async (path: string, answering = gus.get(path)) => {
    const { status, text } = await answering;
    assert.equal(status, 403, path);
    return /<a [^>]*href="([^"]*)"[^>]*>Go to the (overview|start page)</.exec(text)?.slice(1);
  };
  const overview = ["/acme/rocket", "overview"];
  assert.deepEqual(await wayOf("/acme/rocket/-/alerts"), overview);
  assert.deepEqual(await wayOf("/acme/rocket/-/settings/operations?from=/elsewhere/-/x"), overview);
  const stale = gus.post("/profile/password?path=/acme/rocket/-/alerts", { csrf_token: "not this one" });
  assert.deepEqual(await wayOf("a form with a stale token", stale), ["/", "start page"]);
  assert.equal((await gus.get("/acme/rocket")).status, 200);
});
