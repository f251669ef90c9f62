/** Forges tell by signed deliveries what happened (contract-events §3). */
import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { before, test } from "node:test";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { sign } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { boolean, instant, integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

const SECRET = "a secret of sixteen";
const sources = "/api/v4/projects/acme%2Frocket/event_sources";

/** Payloads of many shapes, of which a test reads any member. */
type Payload = Reply["json"];

interface Example {
  name: string;
  examples: Payload[];
}

let world: World;
let url: string;
before(async () => {
  world = await startWorld();
  const made = await world.call(sources, { as: "max", json: { name: "GitHub", secret: SECRET } });
  assert.equal(made.status, 201, made.text);
  url = made.json.url.slice(world.url.length);
});

interface DeliveryOptions {
  to?: string;
  secret?: string;
  id?: string;
  body?: string;
  headers?: Record<string, string>;
}

async function deliver(kind: string, payload: unknown, options: DeliveryOptions = {}) {
  const body = options.body ?? JSON.stringify(payload);
  return world.call(options.to ?? url, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-github-event": kind,
      "x-github-delivery": options.id ?? randomUUID(),
      "x-hub-signature-256": await sign(options.secret ?? SECRET, body),
      ...options.headers,
    },
  });
}

const listed = async (ids: number[]) => {
  const list = await world.call("/api/v4/projects/acme%2Frocket/events?per_page=100", { as: "max" });
  return ids.map((id) => list.json.find((event: { id: number }) => event.id === id));
};

const exampleOf = (kind: string, fits: (payload: Payload) => boolean = () => true) => {
  const found = (examples as unknown as Example[]).find(({ name }) => name === kind)?.examples.find(fits);
  assert.ok(found, kind);
  return structuredClone(found);
};

/** What each kind of GitHub becomes, by the table of the reference (events C2). */
function expected(kind: string, payload: Payload): [string, string | null][] {
  const { action } = payload;
  const issue: Record<string, string> = { opened: "created", closed: "closed", reopened: "reopened" };
  switch (kind) {
    case "push":
      return [["pushed", null]];
    case "issues":
      return issue[action] ? [[issue[action], "Issue"]] : [];
    case "pull_request": {
      if (action === "closed" && payload.pull_request.merged) return [["merged", "MergeRequest"]];
      return issue[action] ? [[issue[action], "MergeRequest"]] : [];
    }
    case "issue_comment":
    case "commit_comment":
      return action === "created" ? [["commented", "Note"]] : [];
    case "pull_request_review_comment":
      return action === "created" ? [["commented", "DiffNote"]] : [];
    case "pull_request_review": {
      const told: [string, string][] = [];
      if (action !== "submitted") return told;
      if (payload.review.state === "approved") told.push(["approved", "MergeRequest"]);
      if (payload.review.body) told.push(["commented", "DiscussionNote"]);
      return told;
    }
    case "milestone": {
      const words: Record<string, string> = {
        created: "created",
        closed: "closed",
        opened: "reopened",
        deleted: "destroyed",
      };
      return words[action] ? [[words[action], "Milestone"]] : [];
    }
    case "member":
      return action === "added" ? [["joined", "Project"]] : action === "removed" ? [["left", "Project"]] : [];
    case "repository":
      return action === "created" ? [["created", "Project"]] : [];
    case "gollum":
      return payload.pages.map((page: { action: string }) => [
        page.action === "created" ? "created" : "updated",
        "WikiPage::Meta",
      ]);
    default:
      return [];
  }
}

test("every example of GitHub's webhooks becomes the events of the mapping, or is ignored with a reason (reference events C2)", async () => {
  let accepted = 0;
  for (const { name, examples: payloads } of examples as unknown as Example[]) {
    for (const payload of payloads) {
      const reply = await deliver(name, payload);
      if (name === "ping") {
        assert.deepEqual([reply.status, reply.json], [200, { status: "pong" }]);
        continue;
      }
      const what = `${name}.${payload.action}`;
      assert.equal(reply.status, 202, `${what}: ${reply.text}`);
      const told = expected(name, payload);
      if (told.length === 0) {
        assert.deepEqual([reply.json.status, reply.json.event_ids], ["ignored", []], what);
        assert.equal(typeof reply.json.reason, "string");
        continue;
      }
      assert.deepEqual([reply.json.status, reply.json.reason], ["accepted", null], what);
      const records = await listed(reply.json.event_ids);
      const shapes = records.map((event) => [event.action, event.target_type]);
      assert.deepEqual(shapes, told, what);
      accepted += told.length;
    }
  }
  assert.ok(accepted >= 30, `only ${accepted} events`);
});

test("a payload that lacks what it is about is ignored, and opens nothing without a number (contract-events §3)", async () => {
  const sender = { login: "someone" };
  for (const [kind, payload] of [
    ["issues", { action: "opened", sender }],
    ["issues", { action: "closed", issue: "x", sender }],
    ["pull_request", { action: "opened", pull_request: { number: -1, title: "T" }, sender }],
    ["milestone", { action: "created", milestone: null, sender }],
    ["issue_comment", { action: "created", comment: { id: 3, body: "b" }, sender }],
  ] as const) {
    const reply = await deliver(kind, payload);
    assert.deepEqual([reply.status, reply.json.status, reply.json.event_ids], [202, "ignored", []], kind);
    assert.match(reply.json.reason, /what it is about/);
  }
});

test("a push is listed with its commits counted and named (spec: Event push_data; reference events C2)", async () => {
  const payload = exampleOf("push", (p) => p.commits.length > 0 || p.head_commit);
  payload.ref = "refs/heads/simple";
  payload.before = "1".repeat(40);
  payload.after = "2".repeat(40);
  payload.commits = [{}, {}];
  payload.head_commit = { message: `${"w".repeat(80)}\nrest` };
  const { json } = await deliver("push", payload);
  const [event] = await listed(json.event_ids);
  assert.equal(event.action_name, "pushed");
  assert.equal(event.target_id, null);
  assert.deepEqual(event.push_data, {
    commit_count: 2,
    action: "pushed",
    ref_type: "branch",
    commit_from: "1".repeat(40),
    commit_to: "2".repeat(40),
    ref: "simple",
    commit_title: `${"w".repeat(67)}...`,
    ref_count: null,
  });
});

test("a removed branch is pushed away, and what is older than two years happened when it was received (contract-events §3)", async () => {
  const payload = exampleOf("push", (p) => p.deleted);
  const sentAt = Date.now();
  const [event] = await listed((await deliver("push", payload)).json.event_ids);
  assert.equal(event.action_name, "deleted");
  assert.equal(event.push_data.commit_to, null);
  assert.ok(Date.parse(event.created_at) >= sentAt - 5000);
  const issue = exampleOf("issues", (p) => p.action === "opened");
  issue.issue.created_at = new Date(sentAt - 86_400_000).toISOString();
  const [opened] = await listed((await deliver("issues", issue)).json.event_ids);
  assert.equal(opened.created_at, issue.issue.created_at);
  assert.deepEqual(
    [opened.target_id, opened.target_iid, opened.target_title],
    [issue.issue.id, issue.issue.number, issue.issue.title],
  );
});

test("an approving review with words is an approval and a comment (contract-events §3)", async () => {
  const payload = exampleOf("pull_request_review", (p) => p.action === "submitted");
  payload.review.state = "approved";
  payload.review.body = "Ship it";
  const [approved, comment] = await listed((await deliver("pull_request_review", payload)).json.event_ids);
  assert.deepEqual([approved.action, approved.target_iid], ["approved", payload.pull_request.number]);
  assert.deepEqual(
    [comment.target_type, comment.note.body, comment.note.noteable_iid, comment.target_title],
    ["DiscussionNote", "Ship it", payload.pull_request.number, payload.pull_request.title],
  );
});

test("an outside person is one placeholder, or the user that the source says (contract-events §3)", async () => {
  const payload = exampleOf("issues", (p) => p.action === "opened");
  payload.sender.login = "Grace.Hopper[bot]";
  const first = (await deliver("issues", payload)).json.event_ids;
  const second = (await deliver("issues", payload)).json.event_ids;
  const [a, b] = await listed([...first, ...second]);
  assert.equal(a.author_id, b.author_id);
  assert.match(a.author_username, /^grace\.hopper-bot-/);
  assert.equal(a.author.name, "Grace.Hopper[bot]");
  const made = await world.call(sources, {
    as: "max",
    json: {
      name: "Mapped",
      type: "github",
      secret: SECRET,
      identities: { "GRACE.hopper[bot]": world.ids.dev },
    },
  });
  assert.deepEqual(made.json.identities, { "grace.hopper[bot]": world.ids.dev });
  const mapped = await deliver("issues", payload, { to: made.json.url.slice(world.url.length) });
  assert.equal((await listed(mapped.json.event_ids))[0].author_username, "dev");
});

test("a login as long as a delivery may be is answered at once: to look for dots at its end from each of them would take half an hour (contract-events §3)", async () => {
  const payload = exampleOf("issues", (p) => p.action === "opened");
  payload.sender.login = `x${".".repeat(5000)}x`;
  const [told] = await listed((await deliver("issues", payload)).json.event_ids);
  assert.match(told.author_username, /^x-[^.]+$/);
  payload.sender.login = `x${".".repeat(1 << 20)}x`;
  const refused = await deliver("issues", payload);
  assert.deepEqual(
    [refused.status, refused.json],
    [400, { message: "A value is out of the range that can be stored" }],
  );
});

test("two at once from a new person make one placeholder (contract-events §3)", async () => {
  const payload = exampleOf("issues", (p) => p.action === "reopened");
  payload.sender.login = "race-person";
  const replies = await Promise.all(Array.from({ length: 8 }, () => deliver("issues", payload)));
  const events = await listed(replies.flatMap(({ json }) => json.event_ids));
  assert.equal(new Set(events.map((event) => event.author_id)).size, 1);
});

test("the same delivery again is told as a duplicate with the first events, even at once (contract-events §3)", async () => {
  const payload = exampleOf("issues", (p) => p.action === "opened");
  const id = randomUUID();
  const replies = await Promise.all(Array.from({ length: 6 }, () => deliver("issues", payload, { id })));
  const accepted = replies.filter(({ json }) => json.status === "accepted");
  assert.equal(accepted.length, 1);
  for (const reply of replies) {
    assert.equal(reply.status, 202);
    assert.deepEqual(reply.json.event_ids, accepted[0]?.json.event_ids);
  }
  const star = exampleOf("star");
  assert.equal((await deliver("star", star, { id: "s1" })).json.status, "ignored");
  assert.equal((await deliver("star", star, { id: "s1" })).json.status, "duplicate");
});

test("no, a wrong or a foreign proof is refused and nothing is kept (contract-events §3)", async () => {
  const payload = exampleOf("issues", (p) => p.action === "opened");
  const body = JSON.stringify(payload);
  const signature = await sign(SECRET, body);
  const flipped = signature.slice(0, -1) + (signature.endsWith("0") ? "1" : "0");
  const list = `${sources}/1/deliveries?per_page=1`;
  const before = (await world.call(list, { as: "max" })).headers.get("x-total");
  const wrong: Record<string, string>[] = [
    { "x-hub-signature-256": flipped },
    { "x-hub-signature-256": "" },
    { "x-hub-signature-256": signature.slice(7) },
    { "x-hub-signature-256": `sha1=${createHmac("sha1", SECRET).update(body).digest("hex")}` },
  ];
  for (const headers of wrong) {
    const reply = await deliver("issues", payload, { headers });
    assert.equal(reply.status, 401);
    assert.deepEqual(reply.json, { message: "401 Unauthorized" });
  }
  const changed = await deliver("issues", payload, {
    body: body.replace("opened", "closed"),
    headers: { "x-hub-signature-256": signature },
  });
  assert.equal(changed.status, 401);
  assert.equal((await deliver("issues", payload, { secret: "another secret of mine" })).status, 401);
  assert.equal((await world.call(url, { method: "POST", body, headers: {} })).status, 401);
  assert.equal((await world.call(list, { as: "max" })).headers.get("x-total"), before);
});

test("unknown and inactive sources are missing, and what is not JSON is refused (contract-events §3)", async () => {
  const payload = exampleOf("issues", (p) => p.action === "opened");
  const made = await world.call(sources, { as: "max", json: { name: "Off" } });
  const { secret, id } = made.json;
  assert.match(secret, /^.{16,}$/);
  const to = made.json.url.slice(world.url.length);
  assert.equal((await deliver("issues", payload, { to, secret })).status, 202);
  await world.call(`${sources}/${id}`, { as: "max", method: "PUT", json: { active: false } });
  assert.equal((await deliver("issues", payload, { to, secret })).status, 404);
  assert.equal((await deliver("issues", payload, { to: `${to}x` })).status, 404);
  for (const body of ["{", "[]", " ", "nul\u0000"]) {
    assert.equal((await deliver("issues", {}, { body })).status, 400, body);
  }
  const strange = { issue: { id: "x", number: -1, title: { a: 1 } }, action: "opened" };
  assert.equal((await deliver("issues", strange)).status, 202);
});

test("GitHub's form encoding is read, its signature over the form (contract-events §3)", async () => {
  const payload = exampleOf("issues", (p) => p.action === "opened");
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const reply = await deliver("issues", payload, { body, headers });
  assert.equal(reply.json.status, "accepted", reply.text);
});

test("a Maintainer makes, reads, changes, re-keys and removes sources, others do not (contract-events §3)", async () => {
  assert.equal((await world.call(sources, { as: "dev", json: { name: "x" } })).status, 403);
  assert.equal((await world.call(sources, { as: "stan", json: { name: "x" } })).status, 404);
  const short = await world.call(sources, { as: "max", json: { name: "x", secret: "short" } });
  assert.equal(short.status, 400);
  const unread = await world.call(sources, { as: "max", json: { name: "x", type: "gogs" } });
  assert.equal(unread.status, 400);
  const nobody = await world.call(sources, { as: "max", json: { name: "x", identities: { a: 99_999 } } });
  assert.equal(nobody.status, 422);
  const made = await world.call(sources, { as: "max", json: { name: "One", type: "github" } });
  assert.deepEqual(Object.keys(made.json), [
    ...["id", "name", "type", "active", "url", "secret", "identities", "created_at", "updated_at"],
  ]);
  const { id, secret } = made.json;
  const read = await world.call(`${sources}/${id}`, { as: "max" });
  const { secret: _, ...shown } = made.json;
  assert.deepEqual(read.json, shown);
  const renamed = await world.call(`${sources}/${id}`, { as: "max", method: "PUT", json: { name: "Two" } });
  assert.equal(renamed.json.name, "Two");
  const rotated = await world.call(`${sources}/${id}/rotate_secret`, { as: "max", method: "POST" });
  assert.notEqual(rotated.json.secret, secret);
  const to = made.json.url.slice(world.url.length);
  const payload = exampleOf("issues", (p) => p.action === "opened");
  assert.equal((await deliver("issues", payload, { to, secret })).status, 401);
  const sent = await deliver("issues", payload, { to, secret: rotated.json.secret, id: "d-1" });
  const deliveries = await world.call(`${sources}/${id}/deliveries`, { as: "max" });
  assert.deepEqual(
    [deliveries.json[0].delivery_id, deliveries.json[0].kind, deliveries.json[0].event_ids],
    ["d-1", "issues", sent.json.event_ids],
  );
  assert.equal((await world.call(`${sources}/${id}`, { as: "max", method: "DELETE" })).status, 204);
  assert.equal((await world.call(`${sources}/${id}`, { as: "max" })).status, 404);
  assert.equal((await deliver("issues", payload, { to, secret: rotated.json.secret })).status, 404);
});

/** What a sender of Standard Webhooks signs with the source's secret, so long ago. */
function standardHeaders(id: string, body: string, secondsAgo = 0) {
  const at = new Date(Date.now() - secondsAgo * 1000);
  return {
    "x-gitlab-event": "Issue Hook",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": `v1,AAAA ${new Webhook(SECRET, { format: "raw" }).sign(id, at, body)}`,
  };
}

test("a signed delivery of GitLab counts for five minutes and once, whatever else stands beside the signature (decision 0144)", async () => {
  const made = await world.call(sources, {
    as: "max",
    json: { name: "Signed", type: "gitlab", secret: SECRET },
  });
  const to = made.json.url.slice(world.url.length);
  const body = JSON.stringify({
    object_kind: "issue",
    user: { username: "grace", name: "Grace" },
    project: { web_url: "https://gitlab.example.org/a/b" },
    object_attributes: { id: 71, iid: 71, title: "Signed", action: "open" },
  });
  const send = (headers: Record<string, string>) =>
    world.call(to, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
  const first = await send({ ...standardHeaders("once", body, 240), "idempotency-key": "k1" });
  assert.deepEqual([first.status, first.json.status], [202, "accepted"], first.text);
  // A retry is signed anew; what is recorded along the way may be sent under another key, which is not signed.
  for (const headers of [
    { ...standardHeaders("once", body), "idempotency-key": "k1" },
    { ...standardHeaders("once", body), "idempotency-key": "k2", "x-gitlab-event-uuid": "other" },
  ]) {
    const again = await send(headers);
    assert.deepEqual([again.status, again.json.status], [202, "duplicate"], again.text);
    assert.deepEqual(again.json.event_ids, first.json.event_ids);
  }
  for (const secondsAgo of [360, 86_400 * 31, -360]) {
    const stale = await send(standardHeaders("fresh", body, secondsAgo));
    assert.deepEqual([stale.status, stale.json], [401, { message: "401 Unauthorized" }], String(secondsAgo));
  }
  const odd = await send({ ...standardHeaders("fresh", body), "webhook-timestamp": "1e9" });
  assert.equal(odd.status, 401);
  const [told] = (await world.call(`${sources}/${made.json.id}/refusals`, { as: "max" })).json;
  assert.match(told.reason, /more than five minutes away from the clock here/);
  const fresh = await send(standardHeaders("fresh", body));
  assert.equal(fresh.json.status, "accepted", fresh.text);
});

test("each forge proves itself in its own way, Gitea before GitHub though it speaks as both (contract-events §3; reference events C1)", async () => {
  const hex = (body: string) => createHmac("sha256", SECRET).update(body).digest("hex");
  const send = (body: string, headers: Record<string, string>) =>
    world.call(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
  const issue = exampleOf("issues", (p) => p.action === "opened");
  const like = JSON.stringify(issue);
  for (const forge of ["gitea", "forgejo"]) {
    const id = randomUUID();
    const headers = {
      "x-github-event": "issues",
      "x-gitea-event": "issues",
      [`x-${forge}-event`]: "issues",
      [`x-${forge}-delivery`]: id,
      "x-hub-signature-256": "sha256=wrong",
      [`x-${forge}-signature`]: hex(like),
    };
    const reply = await send(like, headers);
    assert.deepEqual([reply.status, reply.json.status], [202, "accepted"], reply.text);
    assert.equal((await send(like, headers)).json.status, "duplicate");
    assert.equal((await send(like, { ...headers, [`x-${forge}-signature`]: hex(`${like} `) })).status, 401);
  }
  const payload = JSON.stringify({
    object_kind: "issue",
    event_type: "confidential_issue",
    user: { username: "grace", name: "Grace" },
    project: { web_url: "https://gitlab.example.org/a/b" },
    object_attributes: { id: 70, iid: 7, title: "Hidden", action: "open", confidential: true },
  });
  const asGitlab = {
    "x-gitlab-event": "Issue Hook",
    "x-gitlab-token": SECRET,
    "x-gitlab-event-uuid": randomUUID(),
  };
  const accepted = await send(payload, asGitlab);
  assert.equal(accepted.json.status, "accepted", accepted.text);
  assert.equal((await send(payload, asGitlab)).json.status, "duplicate");
  assert.equal((await send(payload, { ...asGitlab, "x-gitlab-token": `${SECRET}x` })).status, 401);
  const seen = await world.call("/api/v4/projects/acme%2Frocket/events?per_page=100", { as: "gus" });
  assert.ok(!seen.json.some((event: { id: number }) => event.id === accepted.json.event_ids[0]));
  const standard = standardHeaders("m1", payload);
  assert.equal((await send(payload, standard)).json.status, "accepted");
  const later = String(Number(standard["webhook-timestamp"]) + 1);
  assert.equal((await send(payload, { ...standard, "webhook-timestamp": later })).status, 401);
  const gogs = await send(like, { "x-gogs-event": "issues" });
  assert.equal(gogs.status, 422);
});

test("an issue that is made confidential at GitLab is so here at once, with its past, and opens again as it is opened there (reference events A9; decision 0164)", async () => {
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
  // What is older than what is known turns nothing.
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
    sql`select confidential, confidential_at as at from event_targets where source_id = ${events.json.id}`,
  );
  assert.deepEqual([known.confidential, known.at.toISOString()], [true, envelope.time]);
});

test("what a forge renames has its new title in past events at once, without an event of its own (contract-events §1; decision 0164)", async () => {
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
    // What is older than what is known renames nothing, nor does an edit of something else.
    await edited("Older name", minute(2));
    await edited("No name", minute(4), { body: { from: "words" } });
    assert.equal(await title(), "New name", kind);
  }
});

test("a sender of CloudEvents that asks first is told that it may, whether the source exists or not, and a page is still told what it may send (HTTP 1.1 Web Hooks for CloudEvents §4)", async () => {
  const made = await world.call(sources, { as: "max", json: { name: "Asked", type: "cloudevents" } });
  const to: string = made.json.url.slice(world.url.length);
  const names = ["allow", "webhook-allowed-origin", "webhook-allowed-rate", "access-control-allow-methods"];
  const ask = async (path: string, headers: Record<string, string>) => {
    const asked = await world.call(path, { method: "OPTIONS", headers });
    return [asked.status, ...names.map((name) => asked.headers.get(name))];
  };
  const origin = { "webhook-request-origin": "eventgrid.azure.net", "webhook-request-rate": "120" };
  for (const path of [to, to.replace(/[^/]+(?=\/receive)/, "nobody")]) {
    assert.deepEqual(await ask(path, origin), [200, "POST, OPTIONS", "*", "2000", null], path);
  }
  const [status, , allowed, , methods] = await ask(to, { origin: "https://a.example.org" });
  assert.deepEqual([status, allowed], [204, null]);
  assert.match(String(methods), /POST/);
  const [, , elsewhere] = await ask(sources, origin);
  assert.equal(elsewhere, null);
});

test("CloudEvents come structured, binary and in batches, around a forge's payload or an event of ours (contract-events §3)", async () => {
  const made = await world.call(sources, {
    as: "max",
    json: { name: "CE", type: "cloudevents", secret: "s3cret-of-sixteen" },
  });
  const to = made.json.url.slice(world.url.length);
  const send = (json: unknown, headers: Record<string, string> = {}) =>
    world.call(to, {
      method: "POST",
      body: JSON.stringify(json),
      headers: {
        authorization: "Bearer s3cret-of-sixteen",
        "content-type": "application/cloudevents+json; charset=utf-8",
        ...headers,
      },
    });
  const issue = exampleOf("issues", (p) => p.action === "opened");
  const time = new Date(Date.now() - 3_600_000).toISOString();
  const base = { specversion: "1.0", source: "/ci", id: "1", time };
  const structured = await send({ ...base, type: "com.github.issues.opened", data: issue });
  assert.equal(structured.json.status, "accepted", structured.text);
  const [opened] = await listed(structured.json.event_ids);
  assert.deepEqual([opened.target_iid, opened.created_at], [issue.issue.number, time]);
  assert.equal(
    (await send({ ...base, type: "com.github.issues.opened", data: issue })).json.status,
    "duplicate",
  );
  const body = { action: "created", target_type: "Milestone", target_iid: 4, target_title: "M" };
  const binary = await send(body, {
    "content-type": "application/json",
    "ce-specversion": "1.0",
    "ce-id": "2",
    "ce-source": "/ci",
    "ce-type": "gatehouse.event",
  });
  const [milestone] = await listed(binary.json.event_ids);
  assert.deepEqual([milestone.target_type, milestone.author_username], ["Milestone", "max"]);
  const batch = await send(
    [
      { ...base, id: "3", type: "gatehouse.event", data: { ...body, author_username: "dev" } },
      { ...base, id: "1", type: "com.github.issues.opened", data: issue },
      { ...base, id: "4", type: "org.example.unknown", data: {} },
    ],
    { "content-type": "application/cloudevents-batch+json" },
  );
  assert.equal(batch.json.status, "accepted");
  assert.equal(batch.json.event_ids.length, 2);
  assert.equal(batch.json.event_ids[1], opened.id);
  assert.equal((await listed(batch.json.event_ids))[0].author_username, "dev");
  for (const [envelope, status] of [
    [{ ...base, id: "5", type: "gatehouse.event", data: { action: "danced" } }, 400],
    [{ ...base, id: "6", type: "gatehouse.event", data: { action: "merged", target_type: "Issue" } }, 422],
    [{ ...base, id: "7", type: "gatehouse.event", data: { ...body, author_id: 99_999 } }, 422],
    [{ ...base, specversion: "0.3", type: "gatehouse.event", data: body }, 400],
    [{ specversion: "1.0" }, 400],
    [[], 400],
    ["x", 400],
  ] as [unknown, number][]) {
    assert.equal((await send(envelope)).status, status, JSON.stringify(envelope));
  }
  assert.equal(
    (await send({ ...base, id: "8", type: "gatehouse.event", data: body }, { authorization: "Bearer wrong" }))
      .status,
    401,
  );
  const github = await deliver("issues", issue, { to, secret: "s3cret-of-sixteen" });
  assert.equal(github.status, 401, "a source of one type takes no other forge");
});

test("each CloudEvent of a batch is kept by itself, not with the whole batch, and is replayed as what it is; more than 10,000 are refused (contract-events §3)", async () => {
  const made = await world.call(sources, { as: "max", json: { name: "Many", type: "cloudevents" } });
  const { url, secret, id } = made.json;
  const event = (n: number) => ({
    specversion: "1.0",
    source: "/many",
    id: String(n),
    type: "org.example.unknown",
  });
  const send = (list: unknown[]) =>
    world.call(url.slice(world.url.length), {
      method: "POST",
      body: JSON.stringify(list),
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/cloudevents-batch+json; charset=utf-8",
      },
    });
  const list = Array.from({ length: 20 }, (_, n) => ({ ...event(n), data: "x".repeat(1000) }));
  assert.equal((await send(list)).json.status, "ignored");
  const kept = await world.platform.db.many(
    row({ id: integer, deliveryId: text, raw: text }),
    sql`select id, delivery_id, convert_from(raw, 'UTF8') as raw from event_deliveries where source_id = ${id} order by id`,
  );
  assert.deepEqual(
    kept.map(({ raw }) => JSON.parse(raw)),
    list,
  );
  // As if a later version could read what this one passed over.
  const data = { action: "created", target_type: "Milestone", target_iid: 40, target_title: "M" };
  const known = JSON.stringify({ ...event(7), type: "gatehouse.event", data });
  await world.platform.db.run(
    sql`update event_deliveries set raw = convert_to(${known}, 'UTF8') where id = ${kept[7]?.id}`,
  );
  const replay = await world.call(`${sources}/${id}/deliveries/${kept[7]?.id}/replay`, {
    as: "max",
    method: "POST",
  });
  assert.deepEqual([replay.status, replay.json], [201, { status: "accepted", recorded: 1 }]);
  const many = await send(Array.from({ length: 10_001 }, (_, n) => event(n)));
  assert.deepEqual(
    [many.status, many.json],
    [400, { error: "The batch holds more than 10,000 CloudEvents" }],
  );
});

test("JSON within a CloudEvent is no deeper than a delivery may be, and what is deeper is no fault of ours (contract-events §3; decision 0159)", async () => {
  const made = await world.call(sources, { as: "max", json: { name: "Deep", type: "cloudevents" } });
  const send = (levels: number) => {
    const attachment = `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const note = `{"body":"Deep","noteable_type":"Issue","noteable_iid":3,"attachment":${attachment}}`;
    const data = `{"action":"commented","target_type":"Note","target_id":5,"note":${note}}`;
    return world.call(made.json.url.slice(world.url.length), {
      json: {
        ...{ specversion: "1.0", id: `deep-${levels}`, source: "/ci", type: "gatehouse.event" },
        data_base64: Buffer.from(data).toString("base64"),
      },
      headers: {
        authorization: `Bearer ${made.json.secret}`,
        "content-type": "application/cloudevents+json",
      },
    });
  };
  const statuses = await Promise.all([98, 99, 1000, 20_000].map(async (n) => (await send(n)).status));
  assert.deepEqual(statuses, [202, 400, 400, 400]);
});

test("characters that cannot be stored and titles that are cut lose no delivery (contract-events §3)", async () => {
  for (const before of [0, 1]) {
    const payload = exampleOf("issue_comment", ({ action }) => action === "created");
    payload.issue.title = `${"a".repeat(before)}${"😀".repeat(600)}`;
    payload.comment.body = "Nothing \u0000 and half \ud83d of it";
    payload.comment.id += before;
    const reply = await deliver("issue_comment", payload);
    assert.equal(reply.status, 202, reply.text);
    const [event] = await listed(reply.json.event_ids);
    assert.equal(event.note.body, "Nothing \ufffd and half \ufffd of it");
    assert.match(event.target_title, /^a?(😀)+$/u);
  }
});

test("a moment that has not come, or is too old, is not believed: the receipt counts (contract-events §3)", async () => {
  const now = Date.now();
  for (const [index, at] of [now + 3_600_000, now - 3 * 365 * 86_400_000].entries()) {
    const payload = exampleOf("issues", ({ action }) => action === "opened");
    payload.issue.number = 9000 + index;
    payload.issue.created_at = payload.issue.updated_at = new Date(at).toISOString();
    const reply = await deliver("issues", payload);
    assert.equal(reply.status, 202, reply.text);
    const [event] = await listed(reply.json.event_ids);
    assert.ok(Math.abs(Date.parse(event.created_at) - now) < 120_000, event.created_at);
  }
});
