/** Events about confidential targets, and internal comments, are visible only to those who may see them (contract-events §1). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const post = (json: unknown, as: "dev" | "max" = "dev") =>
  world.call("/api/v4/projects/acme%2Frocket/events", { as, json });

test("comments that arrive while their issue becomes confidential are hidden with it (decision 0021)", async () => {
  const at = (n: number) => new Date(Date.now() - 500 + n).toISOString();
  for (let round = 0; round < 5; round++) {
    const target_iid = 4000 + round;
    await post({ action: "created", target_type: "Issue", target_iid, created_at: at(0) });
    const writes = Array.from({ length: 12 }, (_, n) =>
      n === 5
        ? post({ action: "updated", target_type: "Issue", target_iid, confidential: true, created_at: at(9) })
        : post({
            action: "commented",
            target_type: "Note",
            note: { body: "x", noteable_type: "Issue", noteable_iid: target_iid },
          }),
    );
    for (const { status } of await Promise.all(writes)) assert.equal(status, 201);
    const list = (as: "gus" | "dev") =>
      world.call("/api/v4/projects/acme%2Frocket/events?per_page=100", { as });
    const ofIssue = (events: { target_iid: number; note?: { noteable_iid: number } }[]) =>
      events.filter((event) => (event.note?.noteable_iid ?? event.target_iid) === target_iid).length;
    assert.equal(ofIssue((await list("dev")).json), 13);
    assert.equal(ofIssue((await list("gus")).json), 0);
  }
});

test("an internal comment stays hidden when its target becomes confidential and public again (contract-events §1)", async () => {
  const open = "/api/v4/projects/acme%2Fopen/events";
  const write = async (json: unknown) => {
    const reply = await world.call(open, { as: "max", json });
    assert.equal(reply.status, 201, reply.text);
    return reply.json.id as number;
  };
  for (const [type, noteable_type, seer, blind] of [
    ["Issue", "Issue", "rep", "gus"],
    ["MergeRequest", "MergeRequest", "rep", "stan"],
  ] as const) {
    const target = { target_type: type, target_iid: 4711, target_title: "Flips" };
    await write({ ...target, action: "created" });
    const note = { noteable_type, noteable_iid: 4711 };
    const internal = await write({
      action: "commented",
      target_type: "Note",
      note: { ...note, body: "Among us", internal: true },
    });
    const plain = await write({
      action: "commented",
      target_type: "Note",
      note: { ...note, body: "To all" },
    });
    const seenBy = async (as: "rep" | "gus" | "stan") => {
      const { json } = await world.call(`${open}?action=commented&per_page=100`, { as });
      return [internal, plain].map((id) => json.some((event: { id: number }) => event.id === id));
    };
    assert.deepEqual(
      [await seenBy(blind), await seenBy(seer)],
      [
        [false, true],
        [true, true],
      ],
      type,
    );
    await write({ ...target, action: "updated", confidential: true });
    assert.deepEqual(
      [await seenBy(blind), await seenBy(seer)],
      [
        [false, false],
        [true, true],
      ],
      type,
    );
    await write({ ...target, action: "updated", confidential: false });
    assert.deepEqual(
      [await seenBy(blind), await seenBy(seer)],
      [
        [false, true],
        [true, true],
      ],
      type,
    );
  }
});

test("the earliest creator of a confidential target sees it, in whatever order the events arrive (contract-events §1)", async () => {
  const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const target = { action: "created", target_type: "issue", target_iid: 815, confidential: true };
  const ids: number[] = [];
  // Sent in another order than they happened: the middle one first, then the earliest, then the latest.
  for (const [author, days] of [
    ["dev", 5],
    ["gus", 9],
    ["max", 2],
  ] as const) {
    const reply = await post({ ...target, author_id: world.ids[author], created_at: at(days) }, "max");
    assert.equal(reply.status, 201, reply.text);
    ids.push(reply.json.id);
  }
  const list = await world.call("/api/v4/projects/acme%2Frocket/events?per_page=100", { as: "gus" });
  const seen = list.json.map(({ id }: { id: number }) => id);
  assert.deepEqual(
    ids.map((id) => seen.includes(id)),
    [true, true, true],
  );
});
