/** Signed deliveries of Bitbucket, of the Cloud and of the Data Center, are recorded as events (decision 0284). */
import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { type Forge, type Payload, SECRET, sources, startForge } from "../support/forge.ts";
import type { Reply, World } from "../support/world.ts";

let world: World;
let url: string;
let listed: Forge["listed"];
before(async () => {
  ({ world, url, listed } = await startForge());
});

const [from, to, none] = ["1".repeat(40), "2".repeat(40), "0".repeat(40)];
const HOUR = 3_600_000;
/** An hour ago, which is the time of every act below. */
const at = new Date(Math.floor((Date.now() - HOUR) / 1000) * 1000);

/** Sends a delivery, signed over its bytes. */
function deliver(kind: string, payload: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const body = JSON.stringify(payload);
  const signature = createHmac("sha256", SECRET).update(body).digest("hex");
  return world.call(url, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-event-key": kind,
      "x-request-uuid": randomUUID(),
      "x-hub-signature": `sha256=${signature}`,
      ...headers,
    },
  });
}

/** The records of a delivery that must be accepted. */
async function told(kind: string, payload: unknown): Promise<Payload[]> {
  const reply = await deliver(kind, payload);
  assert.deepEqual([reply.status, reply.json.status], [202, "accepted"], `${kind}: ${reply.text}`);
  return listed(reply.json.event_ids);
}

const repository = {
  full_name: "acme/rocket",
  links: { html: { href: "https://bitbucket.org/acme/rocket" } },
};
const actor = {
  type: "user",
  display_name: "Emma Example",
  nickname: "emma",
  account_id: "557058:c0ffee",
  links: { html: { href: "https://bitbucket.org/%7Bc0ffee%7D/" } },
};
/** In the Cloud. */
const cloud = (rest: object) => ({ actor, repository, ...rest });

const self = [{ href: "https://git.example.org/projects/ACME/repos/rocket/browse" }];
const person = {
  name: "Gopher",
  displayName: "Go Pher",
  emailAddress: "g@example.org",
  id: 3,
  slug: "gopher",
};
/** In the Data Center, whose payloads have the time beside what they are about. */
const server = (eventKey: string, rest: object) => ({
  eventKey,
  date: at.toISOString().replace(".000Z", "+0000"),
  actor: person,
  ...rest,
});
const pullRequest = { id: 12, title: "Count berths", toRef: { repository: { links: { self } } } };

test("pull requests of both products are opened, merged, closed, approved and commented on, at the time of the act (decision 0284)", async () => {
  const time = at.toISOString();
  const pullrequest = { id: 11, title: "Late vessels", created_on: time, updated_on: time };
  const note = { id: 77, created_on: time, content: { raw: "Please rename" } };
  const comment = { id: 78, text: "Please rename", createdDate: at.getTime() };
  for (const [kind, payload, action, type] of [
    ["pullrequest:created", cloud({ pullrequest }), "created", "MergeRequest"],
    ["pullrequest:fulfilled", cloud({ pullrequest }), "merged", "MergeRequest"],
    ["pullrequest:rejected", cloud({ pullrequest }), "closed", "MergeRequest"],
    ["pullrequest:approved", cloud({ pullrequest, approval: { date: time } }), "approved", "MergeRequest"],
    ["pullrequest:comment_created", cloud({ pullrequest, comment: note }), "commented", "Note"],
    [
      "pullrequest:comment_created",
      cloud({ pullrequest, comment: { ...note, id: 79, inline: { path: "a" } } }),
      "commented",
      "DiffNote",
    ],
    ["pr:opened", server("pr:opened", { pullRequest }), "created", "MergeRequest"],
    ["pr:merged", server("pr:merged", { pullRequest }), "merged", "MergeRequest"],
    ["pr:declined", server("pr:declined", { pullRequest }), "closed", "MergeRequest"],
    ["pr:reviewer:approved", server("pr:reviewer:approved", { pullRequest }), "approved", "MergeRequest"],
    [
      "pr:comment:added",
      server("pr:comment:added", { pullRequest, comment, commentParentId: 5 }),
      "commented",
      "DiscussionNote",
    ],
  ] as const) {
    const [event] = await told(kind, payload);
    const isServer = kind.startsWith("pr:");
    assert.deepEqual([event.action, event.target_type, event.created_at], [action, type, time], kind);
    assert.equal(event.target_title, isServer ? "Count berths" : "Late vessels", kind);
    assert.equal(
      action === "commented" ? event.note.noteable_iid : event.target_iid,
      isServer ? 12 : 11,
      kind,
    );
    if (event.note) assert.equal(event.note.body, "Please rename");
    assert.equal(event.author.name, isServer ? "Go Pher" : "Emma Example");
    assert.match(event.author_username, isServer ? /^gopher-/ : /^557058-c0ffee-/);
  }
});

test("an issue of the Cloud is closed and opened again by its status, and comments on it and on commits are listed (decision 0284)", async () => {
  const time = at.toISOString();
  const issue = { id: 4, title: "Tide tables", created_on: time, updated_on: time };
  const changed = (before: string, after: string) =>
    cloud({ issue, changes: { status: { old: before, new: after } } });
  for (const [kind, payload, action] of [
    ["issue:created", cloud({ issue }), "created"],
    ["issue:updated", changed("on hold", "wontfix"), "closed"],
    ["issue:updated", changed("closed", "new"), "reopened"],
  ] as const) {
    const [event] = await told(kind, payload);
    assert.deepEqual([event.action, event.target_type, event.target_iid], [action, "Issue", 4]);
  }
  const moved = await deliver("issue:updated", changed("new", "on hold"));
  assert.deepEqual([moved.status, moved.json.status], [202, "ignored"]);
  const comment = { id: 90, created_on: time, content: { raw: "Mine" } };
  const [onIssue] = await told("issue:comment_created", cloud({ issue, comment }));
  assert.deepEqual([onIssue.note.noteable_type, onIssue.note.noteable_iid], ["Issue", 4]);
  const onCommit = { comment: { ...comment, id: 91 }, commit: { hash: to } };
  const [first] = await told("repo:commit_comment_created", cloud(onCommit));
  assert.deepEqual([first.note.noteable_type, first.note.commit_id], ["Commit", to]);
  const [second] = await told(
    "repo:comment:added",
    server("repo:comment:added", { comment: { id: 92, text: "Mine" }, commit: to }),
  );
  assert.deepEqual(
    [second.note.noteable_type, second.note.commit_id, second.note.body],
    ["Commit", to, "Mine"],
  );
});

test("a push of the Cloud is one event a ref, with the commits oldest first (decision 0284; contract-events §1)", async () => {
  const date = at.toISOString();
  const head = { type: "branch", name: "main", target: { hash: to, message: "Newest\n\nmore", date } };
  const old = { type: "branch", name: "main", target: { hash: from } };
  const commits = [
    { hash: to, message: "Newest", date, author: { raw: "Emma <emma@example.org>" } },
    { hash: "3".repeat(40), message: "Older", date, author: { user: { display_name: "Go Pher" } } },
  ];
  const tag = { type: "tag", name: "v1", target: { hash: to, date } };
  const changes = [
    { new: head, old, commits },
    { new: tag, old: null, created: true },
    { new: null, old: { ...old, name: "gone" }, closed: true },
  ];
  const [pushed, created, removed] = await told("repo:push", cloud({ push: { changes } }));
  assert.deepEqual(pushed.push_data, {
    commit_count: 2,
    action: "pushed",
    ref_type: "branch",
    commit_from: from,
    commit_to: to,
    ref: "main",
    commit_title: "Newest",
    ref_count: null,
  });
  assert.equal(pushed.created_at, date);
  const refs = [created, removed].map(({ action_name, push_data: { ref_type, ref } }) => [
    action_name,
    ref_type,
    ref,
  ]);
  assert.deepEqual(refs, [
    ["pushed new", "tag", "v1"],
    ["deleted", "branch", "gone"],
  ]);
  const read = await world.call("/api/v4/projects/acme%2Frocket/events?include=commits&action=pushed", {
    as: "max",
  });
  const { commits: kept } = read.json.find(({ id }: { id: number }) => id === pushed.id);
  assert.deepEqual(
    kept.map(({ title, author_name }: Payload) => [title, author_name]),
    [
      ["Older", "Go Pher"],
      ["Newest", "Emma"],
    ],
  );
});

test("a push of the Cloud has the time of its newest commit, also if a tag for an old one comes first (decision 0284)", async () => {
  const old = new Date(at.getTime() - 300 * 24 * HOUR).toISOString();
  const changes = [
    { new: { type: "tag", name: "v0.1", target: { hash: from, date: old } }, old: null },
    { new: { type: "branch", name: "next", target: { hash: to, date: at.toISOString() } }, old: null },
  ];
  const events = await told("repo:push", cloud({ push: { changes } }));
  assert.deepEqual(
    events.map(({ created_at }) => created_at),
    [at.toISOString(), at.toISOString()],
  );
});

test("a push of the Data Center to more than three branches is one event with their number (decision 0284; contract-events §1)", async () => {
  const change = (name: string, before: string, after: string) => ({
    ref: { id: `refs/heads/${name}`, displayId: name, type: "BRANCH" },
    refId: `refs/heads/${name}`,
    fromHash: before,
    toHash: after,
  });
  const commits = [{ id: to, message: "Newest", authorTimestamp: at.getTime(), author: { name: "Gopher" } }];
  const one = { changes: [change("feature/wip", from, to)], commits, toCommit: commits[0] };
  const [pushed] = await told("repo:refs_changed", server("repo:refs_changed", one));
  assert.equal(pushed.created_at, at.toISOString());
  const { ref, commit_count, commit_title } = pushed.push_data;
  assert.deepEqual([ref, commit_count, commit_title], ["feature/wip", 1, "Newest"]);
  const names = ["a", "b", "c", "refs/heads/d"];
  const many = [...names.map((name) => change(name, none, to)), change("old", from, none)];
  const [created, removed] = await told("repo:refs_changed", server("repo:refs_changed", { changes: many }));
  assert.deepEqual(
    [created.action_name, created.push_data.ref, created.push_data.ref_count, created.push_data.commit_to],
    ["pushed new", null, 4, null],
  );
  assert.deepEqual([removed.action_name, removed.push_data.ref], ["deleted", "old"]);
  const twice = { changes: [change("refs/heads/d", none, to)] };
  const [named] = await told("repo:refs_changed", server("repo:refs_changed", twice));
  assert.equal(named.push_data.ref, "refs/heads/d");
});

test("people of the Cloud are known by account_id, since anybody can take the nickname of another (decision 0284)", async () => {
  const users = await world.call("/api/v4/users?username=dev", { as: "ada" });
  const [dev] = users.json;
  const [source] = (await world.call(sources, { as: "max" })).json;
  const changed = await world.call(`${sources}/${source.id}`, {
    as: "max",
    method: "PUT",
    json: { identities: { "557058:mapped": dev.id } },
  });
  assert.equal(changed.status, 200, changed.text);
  const pullrequest = { id: 30, title: "T" };
  const mapped = { ...actor, account_id: "557058:mapped" };
  const [theirs] = await told("pullrequest:created", { actor: mapped, repository, pullrequest });
  assert.equal(theirs.author_id, dev.id);
  const [other] = await told("pullrequest:created", {
    actor: { ...actor, nickname: "557058:mapped" },
    repository,
    pullrequest,
  });
  assert.notEqual(other.author_id, dev.id);
});

test("a renamed pull request is ignored and renames past events; a ping is answered, other kinds are ignored with a reason (decisions 0164, 0284)", async () => {
  const [event] = await told("pr:opened", server("pr:opened", { pullRequest: { ...pullRequest, id: 40 } }));
  const renamed = {
    pullRequest: { ...pullRequest, id: 40, title: "Renamed" },
    previousTitle: "Count berths",
  };
  const later = { ...server("pr:modified", renamed), date: new Date().toISOString() };
  const ignored = await deliver("pr:modified", later);
  assert.deepEqual([ignored.status, ignored.json.status, ignored.json.event_ids], [202, "ignored", []]);
  assert.equal((await listed([event.id]))[0].target_title, "Renamed");
  const ping = await deliver("diagnostics:ping", { test: true });
  assert.deepEqual([ping.status, ping.json], [200, { status: "pong" }]);
  for (const kind of ["repo:fork", "pullrequest:unapproved", "mirror:repo_synchronized", "constructor"]) {
    const reply = await deliver(kind, cloud({ changes: [] }));
    assert.deepEqual(
      [reply.status, reply.json],
      [
        202,
        { status: "ignored", event_ids: [], reason: `Bitbucket's ${kind} has no counterpart among events` },
      ],
    );
  }
});

test("a delivery without the right signature is refused with a reason for Maintainers, and the same request again is a duplicate (decision 0284)", async () => {
  const payload = cloud({ issue: { id: 50, title: "T" } });
  const headers = { "x-request-uuid": randomUUID() };
  const first = await deliver("issue:created", payload, headers);
  const again = await deliver("issue:created", payload, headers);
  assert.deepEqual([again.json.status, again.json.event_ids], ["duplicate", first.json.event_ids]);
  const forged = await deliver("issue:created", payload, { "x-hub-signature": `sha256=${"0".repeat(64)}` });
  assert.deepEqual([forged.status, forged.json], [401, { message: "401 Unauthorized" }]);
  const [source] = (await world.call(sources, { as: "max" })).json;
  const [refusal] = (await world.call(`${sources}/${source.id}/refusals`, { as: "max" })).json;
  assert.deepEqual([refusal.status, refusal.kind], [401, "issue:created"]);
  assert.match(refusal.reason, /X-Hub-Signature does not fit/);
});
