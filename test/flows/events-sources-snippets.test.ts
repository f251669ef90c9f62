/** Comments on GitLab's snippets, of which only the public ones are for everybody. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { type Payload, sources } from "../support/forge.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let source: { url: string; secret: string };
before(async () => {
  world = await startWorld();
  source = (await world.call(sources, { as: "max", json: { name: "GitLab", type: "gitlab" } })).json;
});

/** Delivers a comment on a snippet of this level, and returns the number of its event. */
async function comments(snippet: number, level: number | undefined): Promise<number> {
  const id = snippet * 100 + (level ?? 1);
  const reply = await world.call(source.url.slice(world.url.length), {
    json: {
      object_kind: "note",
      event_type: "note",
      user: { username: "grace", name: "Grace" },
      project: { id: 5, web_url: "https://gitlab.example.org/a/b" },
      object_attributes: { id, note: "The key is 42", noteable_type: "Snippet", action: "create" },
      snippet: { id: snippet, title: "Keys", visibility_level: level },
    },
    headers: {
      "x-gitlab-event": "Note Hook",
      "x-gitlab-token": source.secret,
      "idempotency-key": randomUUID(),
    },
  });
  assert.equal(reply.json.status, "accepted", reply.text);
  return reply.json.event_ids[0];
}

const seenBy = async (as: Person): Promise<number[]> => {
  const list = await world.call("/api/v4/projects/acme%2Frocket/events?per_page=100", { as });
  return list.json.map(({ id }: Payload) => id).sort((a: number, b: number) => a - b);
};

test("comments on a private or internal snippet of GitLab are confidential, those on a public one or without a level are not (reference events A9)", async () => {
  const ids = [
    await comments(1, 0),
    await comments(2, 10),
    await comments(3, 20),
    await comments(4, undefined),
  ];
  assert.deepEqual(await seenBy("rep"), ids);
  assert.deepEqual(await seenBy("gus"), ids.slice(2));
  // Once the snippet is public, so are its earlier comments.
  const open = await comments(1, 20);
  assert.deepEqual(await seenBy("gus"), [ids[0], ids[2], ids[3], open]);
});
