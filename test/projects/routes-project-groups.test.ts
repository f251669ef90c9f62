/** The groups that contain a project. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let ids: { acme: number; pad: number; crane: number };
before(async () => {
  world = await startWorld();
  const acme = (await world.call("/api/v4/groups/acme", { as: "olga" })).json.id;
  const json = { name: "Launch Pad", path: "pad", parent_id: acme, visibility: "private" };
  const pad = (await world.call("/api/v4/groups", { as: "olga", json })).json.id;
  const project = { name: "crane", namespace_id: pad };
  const crane = (await world.call("/api/v4/projects", { as: "olga", json: project })).json.id;
  ids = { acme, pad, crane };
});

async function listed(query: string, as?: Person, project: string | number = ids.crane): Promise<string[]> {
  const path = `/api/v4/projects/${encodeURIComponent(project)}/groups?${query}`;
  const { status, json, headers, text } = await world.call(path, as && { as });
  assert.equal(status, 200, text);
  assert.equal(Number(headers.get("x-total")), json.length);
  return json.map((group: { full_path: string }) => group.full_path);
}

test("the groups of a project are the ones that contain it, the newest first (GitLab v4 API, GET /projects/:id/groups; decision 0286)", async () => {
  const { json } = await world.call(`/api/v4/projects/${ids.crane}/groups`, { as: "olga" });
  assert.deepEqual(json[0], {
    id: ids.pad,
    web_url: `${world.url}/acme/pad`,
    name: "Launch Pad",
    avatar_url: null,
    full_name: `${json[1].name} / Launch Pad`,
    full_path: "acme/pad",
  });
  assert.deepEqual(await listed("", "olga"), ["acme/pad", "acme"]);
  assert.deepEqual(await listed("", "olga", "acme/open"), ["acme"]);
});

test("the groups of a project can be searched, and skip_groups leaves out some (GitLab v4 API, GET /projects/:id/groups; decision 0286)", async () => {
  assert.deepEqual(await listed("search=LAUNCH", "olga"), ["acme/pad"]);
  assert.deepEqual(await listed(`skip_groups=${ids.pad}`, "olga"), ["acme"]);
  assert.deepEqual(await listed(`skip_groups[]=${ids.pad}&search=pad`, "olga"), []);
});

test("a project of a person is in no group (decision 0286)", async () => {
  const { json } = await world.call("/api/v4/projects", { as: "stan", json: { name: "kite" } });
  assert.deepEqual(await listed("", "stan", json.id), []);
});

test("the groups of a project are told to everybody who sees it (contract §4, visibility)", async () => {
  const member = { user_id: world.ids.gus, access_level: 10 };
  const added = await world.call(`/api/v4/projects/${ids.crane}/members`, { as: "olga", json: member });
  assert.equal(added.status, 201, added.text);
  assert.deepEqual(await listed("", "gus"), ["acme/pad", "acme"]);
  assert.deepEqual(await listed("", undefined, "acme/open"), ["acme"]);
  for (const asker of [{}, { as: "stan" }] as const)
    assert.equal((await world.call(`/api/v4/projects/${ids.crane}/groups`, asker)).status, 404);
});
