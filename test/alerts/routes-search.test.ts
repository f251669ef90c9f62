/** The search for incidents over the API, in the instance, in a group and in a project (decision 0293). */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { PEOPLE, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
const API = "/api/v4";
const everyone = Object.keys(PEOPLE) as Person[];
const ROCKET = "/projects/acme%2Frocket";
const PLACES = ["", "/groups/acme", ROCKET] as const;

before(async () => {
  world = await startWorld();
  for (const [as, project, title, description] of [
    ["dev", "acme/rocket", "Pump stops", "No water"],
    ["max", "acme/rocket", "Valve leaks", "Water beside the pump"],
    ["rep", "acme/rocket", "Crane hangs", ""],
    ["olga", "acme/open", "Pump hums", ""],
    ["olga", "free/plan", "Plan of the pump is lost", ""],
  ] as const) {
    const json = { title, description };
    const made = await world.call(`${API}/projects/${encodeURIComponent(project)}/issues`, { as, json });
    assert.equal(made.status, 201, made.text);
  }
  const closing = { as: "dev", method: "PUT", json: { state_event: "close" } } as const;
  assert.equal((await world.call(`${API}${ROCKET}/issues/2`, closing)).status, 200);
});

async function found(place: string, query: string, as: Person): Promise<string[]> {
  const reply = await world.call(`${API}${place}/search?scope=issues&${query}`, { as });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get("x-total"), String(reply.json.length), query);
  return reply.json.map(({ title }: { title: string }) => title);
}

const IN_ROCKET = ["Valve leaks", "Pump stops"];
const IN_ACME = ["Pump hums", ...IN_ROCKET];
const EVERYWHERE = ["Plan of the pump is lost", ...IN_ACME];

describe("GET /search, /groups/:id/search and /projects/:id/search with scope=issues", () => {
  test("find incidents by title and description, newest first (GitLab v4 API, search; decision 0293)", async () => {
    for (const [n, titles] of [EVERYWHERE, IN_ACME, IN_ROCKET].entries()) {
      const place = PLACES[n] ?? "";
      assert.deepEqual(await found(place, "search=PUMP", "olga"), titles, place);
      assert.deepEqual(await found(place, "search=pump&sort=asc", "olga"), titles.toReversed(), place);
      assert.deepEqual(await found(place, "search=no+such", "olga"), []);
    }
  });

  test("find what the lists of incidents with search= have, for everybody (decisions 0278, 0293)", async () => {
    for (const as of everyone) {
      for (const [searched, listed] of [
        ["/search", "/issues?scope=all&"],
        ["/groups/acme/search", "/groups/acme/issues?"],
        [`${ROCKET}/search`, `${ROCKET}/issues?`],
        ["/projects/acme%2Fopen/search", "/projects/acme%2Fopen/issues?"],
      ] as const) {
        const reply = await world.call(`${API}${searched}?scope=issues&search=pump`, { as });
        const list = await world.call(`${API}${listed}search=pump`, { as });
        assert.deepEqual([reply.status, reply.json], [list.status, list.json], `${as} ${searched}`);
      }
    }
  });

  test("find nothing for whoever is no Reporter: Guests get 403 from a project, strangers 404 (decision 0037; contract §4, visibility)", async () => {
    for (const as of ["gus", "stan"] as const) {
      assert.deepEqual(await found("", "search=pump", as), []);
      assert.deepEqual(await found("/groups/acme", "search=pump", as), []);
    }
    for (const [as, project, status] of [
      ["gus", "rocket", 403],
      ["gus", "open", 403],
      ["stan", "open", 403],
      ["stan", "rocket", 404],
      ["ada", "rocket", 200],
    ] as const) {
      for (const path of ["search", "-/search"]) {
        const address = `${API}/projects/acme%2F${project}/${path}?scope=issues&search=pump`;
        assert.equal((await world.call(address, { as })).status, status, `${as} ${address}`);
      }
    }
    assert.deepEqual(await found("", "search=pump", "ada"), EVERYWHERE);
    assert.deepEqual(await found("", "search=pump", "rep"), IN_ACME);
  });

  test("have the filters state and confidential (GitLab v4 API, search)", async () => {
    for (const place of PLACES) {
      assert.deepEqual(await found(place, "search=valve&state=closed", "rep"), ["Valve leaks"]);
      assert.deepEqual(await found(place, "search=valve&state=opened", "rep"), []);
      assert.deepEqual(await found(place, "search=valve&state=all&order_by=created_at", "rep"), [
        "Valve leaks",
      ]);
      assert.deepEqual(await found(place, "search=valve&confidential=false", "rep"), ["Valve leaks"]);
      assert.deepEqual(await found(place, "search=valve&confidential=true", "rep"), []);
      for (const [query, error] of [
        ["search=valve&state=late", "state does not have a valid value"],
        ["search=valve&order_by=title", "order_by does not have a valid value"],
        ["search=valve&page=0", "page does not have a valid value"],
        [`search=${"x".repeat(256)}`, "search is too long (maximum is 255 characters)"],
        ["search=", "search is empty"],
        ["", "search is missing"],
      ] as const) {
        const reply = await world.call(`${API}${place}/search?scope=issues&${query}`, { as: "rep" });
        assert.deepEqual([reply.status, reply.json], [400, { error }], place + query);
      }
    }
  });

  test("are paginated, with the total on every page (contract §4, pages)", async () => {
    for (const place of PLACES) {
      const path = `${API}${place}/search?scope=issues&search=s&per_page=1`;
      const total = place === "" ? "5" : place === ROCKET ? "3" : "4";
      const seen = new Set<number>();
      for (let page = 1; page <= Number(total); page++) {
        const { json, headers } = await world.call(`${path}&page=${page}`, { as: "olga" });
        assert.equal(headers.get("x-total"), total);
        seen.add(json[0].id);
      }
      assert.equal(seen.size, Number(total), place);
    }
  });

  test("leave out archived projects, except where one is searched by itself (decisions 0153, 0278)", async () => {
    const change = async (path: string) => {
      const reply = await world.call(`${API}/projects/acme%2Fopen/${path}`, { as: "olga", method: "POST" });
      assert.equal(reply.status, 201, reply.text);
    };
    await change("archive");
    assert.deepEqual(await found("", "search=hums", "olga"), []);
    assert.deepEqual(await found("/groups/acme", "search=hums", "olga"), []);
    assert.deepEqual(await found("/projects/acme%2Fopen", "search=hums", "olga"), ["Pump hums"]);
    await change("unarchive");
  });
});
