/** What Maintainers see of a claim that an administrator approved for all projects (decision 0118). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Forge, startForge } from "../support/forge.ts";
import { signedIn } from "../support/visitor.ts";
import type { World } from "../support/world.ts";

let world: World;
let deliver: Forge["deliver"];
before(async () => {
  ({ world, deliver } = await startForge());
});

const OF_PROJECT = "/api/v4/projects/acme%2Frocket/outside_identities";
const states = async () =>
  (await world.call(OF_PROJECT, { as: "max" })).json.map(({ state }: { state: string }) => state);
/** The row of the claim on the page of event sources. */
const shown = async () => {
  const page = (await (await signedIn(world, "max")).get("/acme/rocket/-/settings/sources")).text;
  return page.split("<tr").find((row) => row.includes("duck")) ?? "";
};

test("an approval for all is shown to Maintainers as one, and only until their project decides (decision 0118)", async () => {
  const issue = { id: 1, number: 1, title: "Late vessels" };
  const repository = { id: 9, html_url: "https://github.com/acme/rocket" };
  const told = {
    action: "opened",
    issue,
    repository,
    sender: { login: "duck", html_url: "https://github.com/duck" },
  };
  assert.equal((await deliver("issues", told)).json.status, "accepted");
  const made = await world.call("/api/v4/user/outside_identities", {
    as: "dev",
    json: { host: "github.com", username: "duck" },
  });
  assert.deepEqual(await states(), ["asked"]);
  assert.match(await shown(), /Asked[\s\S]*Approve/);

  const answer = (path: string, as: "ada" | "max") => world.call(path, { as, method: "POST" });
  await answer(`/api/v4/outside_identities/${made.json.id}/approve`, "ada");
  assert.deepEqual(await states(), ["granted"]);
  const row = await shown();
  assert.match(row, /Approved for all[\s\S]*Refuse here/);
  assert.doesNotMatch(row, /They get its events/);

  assert.equal((await answer(`${OF_PROJECT}/${made.json.id}/refuse`, "max")).status, 204);
  assert.deepEqual(await states(), ["refused"]);
  assert.match(await shown(), /Refused[\s\S]*Approve/);
});
