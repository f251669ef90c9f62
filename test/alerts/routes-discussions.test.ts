/** The discussions of an incident, as clients of issues ask for them. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
const ISSUE = "/api/v4/projects/acme%2Frocket/issues/1";
const DISCUSSIONS = `${ISSUE}/discussions`;
type Note = { id: number; body: string; system: boolean };
type Discussion = { id: string; individual_note: boolean; notes: Note[] };

before(async () => {
  world = await startWorld();
  for (const title of ["Pump stops", "Valve leaks"]) {
    const made = await world.call("/api/v4/projects/acme%2Frocket/issues", { as: "dev", json: { title } });
    assert.equal(made.status, 201, made.text);
  }
  await note("dev", "First");
  const closed = { as: "max", method: "PUT", json: { state_event: "close" } } as const;
  assert.equal((await world.call(ISSUE, closed)).status, 200);
  await note("rep", "Last");
});

async function note(as: Person, body: string): Promise<void> {
  const made = await world.call(`${ISSUE}/notes`, { as, json: { body } });
  assert.equal(made.status, 201, made.text);
}

async function listed(query = ""): Promise<Discussion[]> {
  const { status, json, text } = await world.call(DISCUSSIONS + query, { as: "rep" });
  assert.equal(status, 200, text);
  return json;
}

describe("GET /projects/:id/issues/:issue_iid/discussions", () => {
  test("lists every note as a discussion of one note, oldest first, with the records of the list of notes (GitLab v4 API, discussions)", async () => {
    const found = await listed();
    const notes: Note[] = (await world.call(`${ISSUE}/notes?sort=asc`, { as: "rep" })).json;
    assert.deepEqual(
      found.map((each) => each.notes),
      notes.map((each) => [each]),
    );
    assert.deepEqual(
      notes.map(({ body, system }) => [body === "First" || body === "Last", system]),
      [
        [true, false],
        [false, true],
        [true, false],
      ],
    );
    for (const { individual_note } of found) assert.equal(individual_note, true);
  });

  test("gives each discussion an id of 40 hexadecimal digits that stays the same (GitLab v4 API, discussions; decision 0293)", async () => {
    const ids = (await listed()).map(({ id }) => id);
    for (const id of ids) assert.match(id, /^[0-9a-f]{40}$/);
    assert.equal(new Set(ids).size, 3);
    await note("dev", "Another");
    assert.deepEqual(
      (await listed()).slice(0, 3).map(({ id }) => id),
      ids,
    );
  });

  test("is paginated, with the total on every page (contract §4, pages)", async () => {
    const whole = await listed();
    const { json, headers } = await world.call(`${DISCUSSIONS}?per_page=2&page=2`, { as: "rep" });
    assert.deepEqual(json, whole.slice(2, 4));
    assert.deepEqual(
      ["x-total", "x-total-pages", "x-next-page"].map((name) => headers.get(name)),
      [String(whole.length), "2", ""],
    );
    for (const query of ["page=0", "per_page=none"])
      assert.equal((await world.call(`${DISCUSSIONS}?${query}`, { as: "rep" })).status, 400, query);
  });

  test("is visible to Reporters and administrators, forbidden for Guests, and 404 for strangers, like the notes (decision 0037; contract §4, visibility)", async () => {
    const [{ id } = { id: "" }] = await listed();
    for (const path of [DISCUSSIONS, `${DISCUSSIONS}/${id}`]) {
      for (const [as, status] of [
        ["rep", 200],
        ["olga", 200],
        ["ada", 200],
        ["gus", 403],
        ["stan", 404],
      ] as const) {
        assert.equal((await world.call(path, { as })).status, status, `${as} ${path}`);
        assert.equal((await world.call(`${ISSUE}/notes`, { as })).status, status, as);
      }
      assert.equal((await world.call(path)).status, 401);
      const token = await world.tokenOf("rep", "read_user");
      assert.equal((await world.call(path, { token })).status, 403);
    }
    const absent = await world.call("/api/v4/projects/acme%2Frocket/issues/99/discussions", { as: "rep" });
    assert.deepEqual([absent.status, absent.json], [404, { message: "404 Issue Not Found" }]);
  });
});

describe("GET /projects/:id/issues/:issue_iid/discussions/:discussion_id", () => {
  test("returns a discussion as its list does (GitLab v4 API, discussions)", async () => {
    for (const each of await listed()) {
      const { status, json } = await world.call(`${DISCUSSIONS}/${each.id}`, { as: "rep" });
      assert.deepEqual([status, json], [200, each]);
    }
  });

  test("is 404 for an unknown id, for a discussion of another incident, and for what is no id (GitLab v4 API, discussions)", async () => {
    const [first] = await listed();
    assert.ok(first);
    const other = "/api/v4/projects/acme%2Frocket/issues/2/discussions";
    const noteId = String(first.notes[0]?.id);
    for (const path of [
      `${other}/${first.id}`,
      `${DISCUSSIONS}/${"f".repeat(40)}`,
      `${DISCUSSIONS}/${"0".repeat(40)}`,
      `${DISCUSSIONS}/${noteId}`,
      `${DISCUSSIONS}/${first.id.slice(1)}`,
      `${DISCUSSIONS}/${first.id}0`,
    ]) {
      const { status, json } = await world.call(path, { as: "rep" });
      assert.deepEqual([status, json], [404, { message: "404 Discussion Not Found" }], path);
    }
  });
});

test("discussions are not started, answered or changed over the API: 405 (decision 0278)", async () => {
  const json = { body: "A thread" };
  const started = await world.call(DISCUSSIONS, { as: "olga", json });
  assert.equal(started.status, 405, started.text);
  const [{ id } = { id: "" }] = await listed();
  const changed = await world.call(`${DISCUSSIONS}/${id}`, { as: "olga", method: "PUT", json });
  assert.equal(changed.status, 405, changed.text);
});
