/** The labels of a project: the one that all incidents have. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { startWorld, type World } from "../support/world.ts";

let world: World;
const LABELS = "/api/v4/projects/acme%2Frocket/labels";
before(async () => {
  world = await startWorld();
});

test("a label is read by its id or name, as the list has it (GitLab v4 API, GET /projects/:id/labels/:label_id; decision 0293)", async () => {
  const [label, ...others] = (await world.call(LABELS, { as: "gus" })).json;
  assert.deepEqual([label.name, others], ["incident", []]);
  for (const named of [label.id, label.name]) {
    const { status, json } = await world.call(`${LABELS}/${named}`, { as: "gus" });
    assert.deepEqual([status, json], [200, label], named);
  }
  for (const named of ["2", "bug", "Incident", "01", "incident%2F"]) {
    const { status, json } = await world.call(`${LABELS}/${named}`, { as: "gus" });
    assert.deepEqual([status, json], [404, { message: "404 Label Not Found" }], named);
  }
});

test("search= selects labels by a part of their name, and X-Total counts them (GitLab v4 API, GET /projects/:id/labels)", async () => {
  for (const [query, total] of [
    ["search=CID", 1],
    ["search=incident", 1],
    ["search=", 1],
    ["search=bug", 0],
    ["search=incident.", 0],
    ["search=inc&page=2", 1],
  ] as const) {
    const { status, json, headers } = await world.call(`${LABELS}?${query}`, { as: "gus" });
    assert.deepEqual([status, headers.get("x-total")], [200, String(total)], query);
    assert.equal(json.length, query.includes("page=2") ? 0 : total, query);
  }
  const long = await world.call(`${LABELS}?search=${"x".repeat(256)}`, { as: "gus" });
  assert.equal(long.status, 400, long.text);
});

test("labels are there for whoever sees the project (contract §4, visibility)", async () => {
  const open = LABELS.replace("rocket", "open");
  for (const path of ["", "/1", "/incident"]) {
    for (const as of ["ada", "olga", "gus"] as const)
      assert.equal((await world.call(LABELS + path, { as })).status, 200, `${as} ${path}`);
    for (const options of [{ as: "stan" as const }, {}]) {
      const hidden = await world.call(LABELS + path, options);
      assert.deepEqual([hidden.status, hidden.json], [404, { message: "404 Project Not Found" }], path);
      assert.equal((await world.call(open + path, options)).status, 200, path);
    }
    const token = await world.tokenOf("gus", "read_user");
    assert.equal((await world.call(LABELS + path, { token })).status, 403, path);
  }
});
