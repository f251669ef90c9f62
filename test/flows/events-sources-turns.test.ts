/** Changes that a forge reports also apply to past events: confidentiality and titles (decision 0164). */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { boolean, instant, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { type Forge, sources, startForge } from "../support/forge.ts";
import type { World } from "../support/world.ts";

let world: World;
let deliver: Forge["deliver"];
let listed: Forge["listed"];
before(async () => {
  ({ world, deliver, listed } = await startForge());
});

test("an issue that becomes confidential at GitLab is hidden with its past events, and shown again when it becomes public there (reference events A9; decision 0164)", async () => {
  const made = await world.call(sources, { as: "max", json: { name: "GitLab", type: "gitlab" } });
  const to = made.json.url.slice(world.url.length);
  const minute = (n: number) => new Date(Date.now() - (60 - n) * 60_000).toISOString();
  const tell = (action: string, confidential: boolean, at: string) =>
    world.call(to, {
      json: {
        object_kind: "issue",
        event_type: confidential ? "confidential_issue" : "issue",
        user: { username: "grace", name: "Grace" },
        project: { web_url: "https://gitlab.example.org/a/b" },
        object_attributes: {
          id: 9700,
          iid: 97,
          title: "Turns",
          action,
          confidential,
          created_at: at,
          updated_at: at,
        },
      },
      headers: {
        "x-gitlab-event": "Issue Hook",
        "x-gitlab-token": made.json.secret,
        "idempotency-key": randomUUID(),
      },
    });
  const opened = await tell("open", false, minute(1));
  assert.equal(opened.json.status, "accepted", opened.text);
  const isSeen = async () =>
    (await world.call("/api/v4/projects/acme%2Frocket/events?per_page=100", { as: "gus" })).json.some(
      ({ id }: { id: number }) => id === opened.json.event_ids[0],
    );
  assert.equal(await isSeen(), true);
  const closed = await tell("update", true, minute(2));
  assert.deepEqual([closed.status, closed.json.status, closed.json.event_ids], [202, "ignored", []]);
  assert.equal(await isSeen(), false);
  // A report older than the latest one changes nothing.
  await tell("update", false, minute(1));
  assert.equal(await isSeen(), false);
  await tell("update", false, minute(3));
  assert.equal(await isSeen(), true);
  const envelope = {
    specversion: "1.0",
    id: "turn",
    source: "/gitlab",
    type: "com.gitlab.issue",
    time: minute(4),
  };
  const events = await world.call(sources, { as: "max", json: { name: "CE", type: "cloudevents" } });
  const data = {
    object_kind: "issue",
    object_attributes: { id: 9700, iid: 97, action: "update", confidential: true },
  };
  const wrapped = await world.call(events.json.url.slice(world.url.length), {
    method: "POST",
    body: JSON.stringify({ ...envelope, data }),
    headers: {
      authorization: `Bearer ${events.json.secret}`,
      "content-type": "application/cloudevents+json",
    },
  });
  assert.equal(wrapped.json.status, "ignored", wrapped.text);
  const known = await world.platform.db.one(
    row({ confidential: boolean, at: instant }),
    sql`select confidential, confidential_at as at from event_targets where same_as is null and source_id = ${events.json.id}`,
  );
  assert.deepEqual([known.confidential, known.at.toISOString()], [true, envelope.time]);
});

test("past events get the new title of a renamed target at once, and the change makes no event (contract-events §1; decision 0164)", async () => {
  const minute = (n: number) => new Date(Date.now() - (60 - n) * 60_000).toISOString();
  const thing = { id: 8800, iid: 88, number: 88, title: "Old name", created_at: minute(1) };
  const renamed = (title: string, at: string) => ({ ...thing, title, updated_at: at });
  const changes = { title: { from: "Old name", previous: "Old name" } };
  const hub = (kind: string, member: string) => ({
    opened: () => deliver(kind, { action: kind === "milestone" ? "created" : "opened", [member]: thing }),
    edited: (title: string, at: string, how: object = changes) =>
      deliver(kind, { action: "edited", changes: how, [member]: renamed(title, at) }),
  });
  const made = await world.call(sources, { as: "max", json: { name: "Renaming GitLab", type: "gitlab" } });
  const lab = (kind: string) => {
    const send = (attributes: object, more: object = {}) =>
      world.call(made.json.url.slice(world.url.length), {
        json: { object_kind: kind, object_attributes: attributes, ...more },
        headers: {
          "x-gitlab-event": "Hook",
          "x-gitlab-token": made.json.secret,
          "idempotency-key": randomUUID(),
        },
      });
    return {
      opened: () => send({ ...thing, action: "open" }),
      edited: (title: string, at: string, how: object = changes) =>
        send({ ...renamed(title, at), action: "update" }, { changes: how }),
    };
  };
  const things = {
    issues: hub("issues", "issue"),
    pull_request: hub("pull_request", "pull_request"),
    milestone: hub("milestone", "milestone"),
    issue: lab("issue"),
    merge_request: lab("merge_request"),
  };
  for (const [kind, { opened, edited }] of Object.entries(things)) {
    const first = await opened();
    assert.equal(first.json.status, "accepted", first.text);
    const title = async () => (await listed(first.json.event_ids))[0].target_title;
    assert.equal(await title(), "Old name", kind);
    const second = await edited("New name", minute(3));
    assert.deepEqual([second.json.status, second.json.event_ids], ["ignored", []], kind);
    assert.equal(await title(), "New name", kind);
    // Neither an older report nor a change of something else changes the title.
    await edited("Older name", minute(2));
    await edited("No name", minute(4), { body: { from: "words" } });
    assert.equal(await title(), "New name", kind);
  }
});
