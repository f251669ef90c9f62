/** A user with more groups than a select offers: a place is typed, and found by a part of its path. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let olga: Visitor;
before(async () => {
  world = await startWorld();
  await world.platform.db.run(
    sql`with made as (
        insert into namespaces (kind, path, full_path, name, visibility)
        select 'group', 'many-' || n, 'many-' || n, 'Many ' || n, 'public'
        from generate_series(1, 210) n returning id)
      insert into members (namespace_id, user_id, access_level) select id, ${world.ids.olga}, 50 from made`,
  );
  olga = await signedIn(world, "olga");
});

/** The field with this name, and the paths suggested below it. */
function fieldIn(text: string, name: string) {
  const [tag = ""] = new RegExp(`<(input|select)[^>]*name="${name}"[^>]*>`).exec(text) ?? [];
  const [, found = ""] = /These have it in their path or name: (.*?)\.</s.exec(text) ?? [];
  return { tag, found: [...found.matchAll(/>([^<,]+)</g)].map(([, path]) => path) };
}

describe("a user with more than two hundred groups", () => {
  it("types the destination of a move, and a part of a path suggests matching groups (decision 0140)", async () => {
    const page = "/groups/acme/-/settings/move";
    assert.match(fieldIn((await olga.get(page)).text, "place").tag, /^<input/);
    const part = await olga.submit(page, { place: "any-17", confirm: "acme" });
    assert.equal(part.status, 422);
    const { tag, found } = fieldIn(part.text, "place");
    assert.match(tag, /value="any-17"/);
    assert.deepEqual(found, [
      "many-17",
      "many-170",
      "many-171",
      "many-172",
      "many-173",
      "many-174",
      "many-175",
      "many-176",
      "many-177",
      "many-178",
    ]);
    const nothing = await olga.submit(page, { place: "nowhere", confirm: "acme" });
    assert.deepEqual(fieldIn(nothing.text, "place").found, []);
    const own = await olga.submit("/acme/rocket/-/settings/move", { place: "acme", confirm: "acme/rocket" });
    assert.deepEqual(fieldIn(own.text, "place").found, [], "it is there already");
    const moved = await olga.submit(page, { place: "many-17", confirm: "acme" });
    assert.deepEqual([moved.status, moved.location], [303, "/many-17/acme"]);
    const top = await olga.submit("/groups/many-17%2Facme/-/settings/move", {
      place: "",
      confirm: "many-17/acme",
    });
    assert.equal(top.location, "/acme");
  });

  it("types the namespace of a new project or the parent of a new group (decision 0147)", async () => {
    const project = { name: "Late", path: "late", description: "", visibility: "private" };
    assert.match(fieldIn((await olga.get("/projects/new")).text, "namespace").tag, /value="olga"/);
    const given = (await olga.get("/projects/new?namespace=many-201")).text;
    assert.match(fieldIn(given, "namespace").tag, /value="many-201"/);
    const part = await olga.submit("/projects", { ...project, namespace: "y-209" }, "/projects/new");
    assert.deepEqual([part.status, fieldIn(part.text, "namespace").found], [422, ["many-209"]]);
    const made = await olga.submit("/projects", { ...project, namespace: "many-209" }, "/projects/new");
    assert.equal(made.location, "/many-209/late");
    const group = { ...project, name: "Later", path: "later" };
    const unknown = await olga.submit("/groups", { ...group, parent: "y-210" }, "/groups/new");
    assert.deepEqual([unknown.status, fieldIn(unknown.text, "parent").found], [422, ["many-210"]]);
    const within = await olga.submit("/groups", { ...group, parent: "many-210" }, "/groups/new");
    assert.equal(within.location, "/many-210/later");
  });

  it("finds the subgroups that the page of a group does not show (reference ux §7)", async () => {
    await world.platform.db.run(
      sql`insert into namespaces (kind, parent_id, path, full_path, name)
        select 'group', id, 'b' || n, 'free/b' || n, 'Below ' || n from namespaces, generate_series(1, 101) n
        where full_path = 'free'`,
    );
    const page = (await olga.get("/free")).text;
    const [, card = ""] = /id="subgroups"(.*?)<\/section>/s.exec(page) ?? [];
    assert.equal([...card.matchAll(/<li>/g)].length, 100);
    const [, all = ""] = /href="(\/groups\?search=[^"]*)"[^>]*>.*?Find others/s.exec(card) ?? [];
    const found = (await olga.get(all.replaceAll("&amp;", "&"))).text;
    assert.match(found, /free\/b\d+/);
  });
});
