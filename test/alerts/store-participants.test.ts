/** Who took part in an incident. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { startWorld, type World } from "../support/world.ts";

const ISSUES = "/api/v4/projects/acme%2Frocket/issues";
let world: World;
before(async () => {
  world = await startWorld();
  assert.equal((await world.call(ISSUES, { as: "rep", json: { title: "Pump stops" } })).status, 201);
});

async function listed(query = ""): Promise<string[]> {
  const { status, json, headers, text } = await world.call(`${ISSUES}/1/participants?${query}`, {
    as: "rep",
  });
  assert.equal(status, 200, text);
  if (query === "") assert.equal(Number(headers.get("x-total")), json.length);
  return json.map((person: { username: string }) => person.username);
}

test("the participants of an incident are who opened it, changed it or wrote a note, each once (GitLab v4 API, GET /projects/:id/issues/:iid/participants; decision 0286)", async () => {
  assert.deepEqual(await listed(), ["rep"]);
  for (const as of ["max", "rep", "max"] as const)
    assert.equal((await world.call(`${ISSUES}/1/notes`, { as, json: { body: "Seen" } })).status, 201);
  const json = { state_event: "close" };
  assert.equal((await world.call(`${ISSUES}/1`, { as: "dev", method: "PUT", json })).status, 200);
  assert.deepEqual(await listed(), ["max", "dev", "rep"]);
  assert.deepEqual(await listed("per_page=1&page=2"), ["dev"]);
});

test("the participants are told to Reporters and above (decision 0037)", async () => {
  const path = `${ISSUES}/1/participants`;
  assert.equal((await world.call(path, { as: "gus" })).status, 403);
  assert.equal((await world.call(path, { as: "stan" })).status, 404);
  assert.equal((await world.call(`${ISSUES}/99/participants`, { as: "rep" })).status, 404);
});
