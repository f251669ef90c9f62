import assert from "node:assert/strict";
import { before, test } from "node:test";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const change = async (path: string, json: object, as: "olga" | "ada" = "olga") => {
  const reply = await world.call(`/api/v4/${path}`, { as, method: "PUT", json });
  assert.equal(reply.status, 200, reply.text);
};

test("no redirect of a page is stored, so that a browser follows a place that gets its former path back (RFC 9110 §15.4.2; decisions 0122, 0140)", async () => {
  const group = (await world.call("/api/v4/groups/acme", { as: "olga" })).json.id;
  await change(`groups/${group}`, { path: "acme-two" });
  await change(`projects/${world.open.id}`, { path: "opened" });
  await change(`users/${world.ids.gus}`, { username: "gustav" }, "ada");
  for (const [from, to] of [
    ["/acme", "/acme-two"],
    ["/acme/open", "/acme-two/opened"],
    ["/acme/open/activity", "/acme-two/opened/activity"],
    ["/groups/acme/-/activity", "/groups/acme-two/-/activity"],
    ["/gus", "/gustav"],
    ["/gus.atom", "/gustav.atom"],
    ["/users/gus/calendar.json", "/users/gustav/calendar.json"],
    ["/gustav/", "/gustav"],
  ] as const) {
    const { status, headers } = await world.call(from);
    const told = [status, headers.get("location"), headers.get("cache-control")];
    assert.deepEqual(told, [301, to, "no-store"], from);
  }
  await change(`groups/${group}`, { path: "acme" });
  await change(`projects/${world.open.id}`, { path: "open" });
  assert.equal((await world.call("/acme/open")).status, 200);
  const back = await world.call("/acme-two/opened");
  assert.deepEqual([back.status, back.headers.get("location")], [301, "/acme/open"]);
});
