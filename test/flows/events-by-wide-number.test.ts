/** Events about a confidential issue are hidden with it, whether they name it by id or by iid, in any order (decision 0188). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { recordEvents } from "../../src/events/record.ts";
import type { Queries } from "../../src/platform/db.ts";
import { about, comment } from "../support/events.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const EVENTS = "/api/v4/projects/acme%2Frocket/events";
let world: World;
before(async () => {
  world = await startWorld();
});

let last = 0;
/** The iid and the id of an issue without events so far. */
const fresh = () => ({ iid: 100 + ++last, id: 70_000 + last });

async function post(json: object): Promise<number> {
  const reply = await world.call(EVENTS, { as: "max", json });
  assert.equal(reply.status, 201, reply.text);
  return reply.json.id;
}

const issue = (target: object, more: object = {}) => ({
  action: "created",
  target_type: "Issue",
  ...target,
  ...more,
});
const note = (noteable: object, more: object = {}) => ({
  action: "commented",
  target_type: "Note",
  note: { body: "Not for everybody", noteable_type: "Issue", ...noteable },
  ...more,
});

/** Which of these events a person sees. */
async function seen(as: Person, ids: readonly number[]): Promise<boolean[]> {
  const { json } = await world.call(`${EVENTS}?per_page=100`, { as });
  return ids.map((id) => json.some((event: { id: number }) => event.id === id));
}

test("a comment that names a confidential issue by noteable_id only is hidden with it, whichever came first, and shown when the issue opens (decision 0188)", async () => {
  for (const isFirst of [true, false]) {
    const { iid, id } = fresh();
    const comments: number[] = [];
    if (isFirst) comments.push(await post(note({ noteable_id: id })));
    assert.deepEqual(await seen("gus", comments), comments.map(Boolean));
    const made = await post(issue({ target_iid: iid, target_id: id }, { confidential: true }));
    comments.push(
      await post(note({ noteable_id: id })),
      await post(note({ noteable_iid: id, noteable_id: id })),
    );
    const ids = [made, ...comments];
    assert.deepEqual(
      await seen("gus", ids),
      ids.map(() => false),
    );
    assert.deepEqual(await seen("rep", ids), ids.map(Boolean));
    const open = issue({ target_iid: iid }, { action: "updated", confidential: false, target_title: "Open" });
    await post(open);
    assert.deepEqual(await seen("gus", ids), ids.map(Boolean));
    const { json } = await world.call(`${EVENTS}?per_page=100`, { as: "gus" });
    for (const one of comments) {
      assert.equal(json.find((event: { id: number }) => event.id === one).target_title, "Open");
    }
    // A comment can also make the issue confidential, by either number.
    await post(note({ noteable_id: id }, { confidential: true }));
    assert.deepEqual(
      await seen("gus", ids),
      ids.map(() => false),
    );
    await post({ ...open, assignee_ids: [world.ids.gus] });
    await post({ ...open, confidential: true });
    assert.deepEqual(await seen("gus", ids), ids.map(Boolean));
  }
});

test("an issue known only by its id and a comment known only by its iid are linked once an event names both numbers (decision 0188)", async () => {
  const { iid, id } = fresh();
  const made = await post(issue({ target_id: id }, { confidential: true, author_id: world.ids.dev }));
  const comment = await post(note({ noteable_iid: iid }));
  assert.deepEqual(await seen("gus", [made, comment]), [false, true]);
  const both = await post(note({ noteable_iid: iid, noteable_id: id }));
  assert.deepEqual(await seen("gus", [made, comment, both]), [false, false, false]);
});

test("the author and the assignees of a confidential issue see comments that name it by its id only (reference events A9; decision 0188)", async () => {
  for (const [more, isLater] of [
    [{ author_id: "gus" }, false],
    [{ assignee_ids: ["gus"] }, false],
    [{ author_id: "gus" }, true],
  ] as const) {
    const { iid, id } = fresh();
    const named = JSON.parse(JSON.stringify(more).replaceAll('"gus"', String(world.ids.gus)));
    const told = issue({ target_iid: iid, target_id: id }, { confidential: true, ...named });
    const ids: number[] = [];
    if (!isLater) ids.push(await post(told));
    ids.push(await post(note({ noteable_id: id })));
    if (isLater) ids.push(await post(told));
    assert.deepEqual(await seen("gus", ids), [true, true], JSON.stringify(more));
    if ("author_id" in more) continue;
    await post(issue({ target_iid: iid }, { action: "updated", assignee_ids: [] }));
    assert.deepEqual(await seen("gus", ids), [false, false]);
  }
});

test("an id that the service assigned to an issue identifies the issue when it is sent back alone (decision 0022; decision 0188)", async () => {
  const { iid } = fresh();
  const reply = await world.call(EVENTS, {
    as: "max",
    json: issue({ target_iid: iid }, { confidential: true }),
  });
  const comment = await post(note({ noteable_id: reply.json.target_id }));
  assert.deepEqual(await seen("gus", [reply.json.id, comment]), [false, false]);
  // Also once the sender has named an id of its own.
  await post(issue({ target_iid: iid, target_id: 81_000 + iid }, { action: "updated" }));
  const later = [
    await post(note({ noteable_id: reply.json.target_id })),
    await post(note({ noteable_id: 81_000 + iid })),
  ];
  assert.deepEqual(await seen("gus", later), [false, false]);
});

test("a batch that names an issue by its id, its iid and both links them, in either order of the rows (contract-events §2; decision 0188)", async () => {
  for (const isFirst of [true, false]) {
    const { iid, id } = fresh();
    const comments = [note({ noteable_id: id }), note({ noteable_iid: iid })];
    const told = issue({ target_iid: iid, target_id: id }, { confidential: true });
    const rows = isFirst ? [...comments, told] : [told, ...comments];
    const reply = await world.call("/api/v4/events/bulk", {
      as: "max",
      json: rows.map((row) => ({ ...row, project_id: "acme/rocket" })),
    });
    const ids = reply.json.results.map((result: { id: number }) => result.id);
    assert.deepEqual(await seen("gus", ids), [false, false, false], reply.text);
  }
});

test("a comment that a source reports by the issue's id only is hidden with the issue (contract-events §3; decision 0188)", async () => {
  const made = await world.call("/api/v4/projects/acme%2Frocket/event_sources", {
    as: "max",
    json: { name: "CE", type: "cloudevents" },
  });
  const { iid, id } = fresh();
  let sent = 0;
  const tell = async (type: string, data: object) => {
    const reply = await world.call(made.json.url.slice(world.url.length), {
      method: "POST",
      body: JSON.stringify({ specversion: "1.0", id: `wide${++sent}`, source: "/wide", type, data }),
      headers: {
        authorization: `Bearer ${made.json.secret}`,
        "content-type": "application/cloudevents+json",
      },
    });
    assert.equal(reply.status, 202, reply.text);
    return reply.json.event_ids[0] as number;
  };
  const comment = await tell("gatehouse.event", note({ noteable_id: id }));
  assert.deepEqual(await seen("gus", [comment]), [true]);
  // GitLab's change of the issue makes no event, and hides the comment nevertheless (decision 0164).
  const moment = new Date().toISOString();
  const turn = { id, iid, action: "update", confidential: true, created_at: moment, updated_at: moment };
  await tell("com.gitlab.issue", { object_kind: "issue", object_attributes: turn });
  const later = await tell("gatehouse.event", note({ noteable_id: id }));
  assert.deepEqual(await seen("gus", [comment, later]), [false, false]);
});

test("an issue and a comment by its id that two processes record at the same time are linked, whichever is first (decision 0188)", async () => {
  const [projectId, authorId] = [world.rocket.id, world.ids.max];
  for (const isCommentFirst of [true, false]) {
    const { iid, id } = fresh();
    const told = { ...about("created", "Issue", iid), targetId: id, confidential: true, projectId, authorId };
    const byId = { ...comment("Issue", 0, { noteableIid: null, noteableId: id }), projectId, authorId };
    const { first, worked } = await whileDoing(
      world,
      (tx: Queries) => recordEvents(tx, [isCommentFirst ? byId : told], 0),
      () =>
        post(
          isCommentFirst
            ? issue({ target_iid: iid, target_id: id }, { confidential: true })
            : note({ noteable_id: id }),
        ),
    );
    assert.deepEqual(await seen("gus", [first[0]?.id ?? 0, worked]), [false, false], String(isCommentFirst));
  }
});

test("an ambiguous number, one issue's id and another's iid, hides what may be about either, and nothing else (decision 0188)", async () => {
  const { iid } = fresh();
  const other = 200 + iid;
  // An issue whose iid is the id of the confidential one.
  const open = await post(issue({ target_iid: other, target_id: 90_000 + iid }));
  const unclear = await post(note({ noteable_id: other }));
  const ofOther = await post(note({ noteable_iid: other }));
  assert.deepEqual(await seen("gus", [open, unclear, ofOther]), [true, true, true]);
  const closed = await post(issue({ target_iid: iid, target_id: other }, { confidential: true }));
  const later = await post(note({ noteable_id: other }));
  assert.deepEqual(await seen("gus", [open, unclear, ofOther, closed, later]), [
    true,
    false,
    true,
    false,
    false,
  ]);
  // That the other issue becomes confidential does not hide this one.
  await post(issue({ target_iid: iid }, { action: "updated", confidential: false }));
  await post(issue({ target_iid: other }, { action: "updated", confidential: true }));
  assert.deepEqual(await seen("gus", [open, unclear, ofOther, closed, later]), [
    false,
    true,
    false,
    true,
    true,
  ]);
});

test("if two issues have the same id, it stays with the first (decision 0188)", async () => {
  const { iid, id } = fresh();
  await post(issue({ target_iid: iid, target_id: id }, { confidential: true }));
  await post(issue({ target_iid: 500 + iid, target_id: id }));
  const comment = await post(note({ noteable_id: id }));
  assert.deepEqual(await seen("gus", [comment]), [false]);
});

test("a merge request named by its id only appears once in the list of merge requests (decision 0188)", async () => {
  const { iid, id } = fresh();
  await post({
    action: "commented",
    target_type: "Note",
    note: { body: "x", noteable_type: "MergeRequest", noteable_id: id },
  });
  await post({
    action: "created",
    target_type: "MergeRequest",
    target_iid: iid,
    target_id: id,
    target_title: "Wide",
  });
  const { json } = await world.call("/api/v4/projects/acme%2Frocket/merge_requests?per_page=100", {
    as: "max",
  });
  const named = json.filter(
    (one: { iid: number; id: number }) => [iid, id].includes(one.iid) || one.id === id,
  );
  assert.deepEqual(
    named.map((one: { iid: number }) => one.iid),
    [iid],
  );
});

test("the numbers that one tool gives its issues, merge requests and the like, from 1 up, are none that were assigned to those of another tool (contract-events §1; decision 0308)", async () => {
  const types = ["Issue", "MergeRequest", "Milestone", "Snippet"];
  const mine = (target_type: string, target_title: string, more: object) => ({
    ...issue({ target_title, confidential: target_type === "Issue" }, more),
    target_type,
  });
  const secret: number[] = [];
  for (const type of types) {
    secret.push(
      await post(mine(type, "By its iid", { target_iid: 40_000 })),
      await post(mine(type, "Unnumbered", {})),
    );
  }
  const numbers = Array.from({ length: 200 }, (_, n) => n + 1);
  for (const name of ["target_id", "target_iid"]) {
    for (const type of types) {
      const rows = numbers.map((n) => mine(type, "Typo", { [name]: n, confidential: false }));
      const json = rows.map((row) => ({ ...row, project_id: "acme/rocket" }));
      const reply = await world.call("/api/v4/events/bulk", { as: "max", json });
      assert.equal(reply.json.created, rows.length, reply.text);
    }
  }
  const { json } = await world.call(`${EVENTS}?per_page=100&search=by+its+iid`, { as: "max" });
  const unnumbered = await world.call(`${EVENTS}?per_page=100&search=unnumbered`, { as: "max" });
  const kept = [...json, ...unnumbered.json].map(({ id }: { id: number }) => id);
  assert.deepEqual(kept.sort(), secret.sort());
  for (const search of ["by+its+iid", "unnumbered"]) {
    const seenByGus = await world.call(`${EVENTS}?search=${search}&target_type=issue`, { as: "gus" });
    assert.deepEqual(seenByGus.json, []);
  }
});
