/** Signed deliveries of forges are recorded as events (contract-events §3). */
import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { sign } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import {
  exampleOf,
  type Forge,
  githubExamples,
  type Payload,
  SECRET,
  sources,
  startForge,
} from "../support/forge.ts";
import type { World } from "../support/world.ts";

let world: World;
let url: string;
let deliver: Forge["deliver"];
let listed: Forge["listed"];
before(async () => {
  ({ world, url, deliver, listed } = await startForge());
});

/** The events expected for each kind of GitHub webhook, by the table of the reference (events C2). */
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

test("every example of GitHub's webhooks is recorded as the events of the mapping, or ignored with a reason (reference events C2)", async () => {
  let accepted = 0;
  for (const { name, examples: payloads } of githubExamples) {
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

test("a payload without a usable target is ignored, with a reason, and makes no event (contract-events §3)", async () => {
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

test("a push is listed with its commit count and the title of its newest commit (spec: Event push_data; reference events C2)", async () => {
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

test("a removed branch is listed as deleted; events older than two years get the time of receipt, and others keep their time (contract-events §3)", async () => {
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

test("an approving review with a body is an approval and a comment (contract-events §3)", async () => {
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

test("an account on the forge gets one placeholder user, or the user that the source maps its login to, in any case (contract-events §3)", async () => {
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
  assert.deepEqual(made.json.identities, { "GRACE.hopper[bot]": world.ids.dev });
  const read = await world.call(`${sources}/${made.json.id}`, { as: "max" });
  assert.deepEqual(read.json.identities, made.json.identities);
  const mapped = await deliver("issues", payload, { to: made.json.url.slice(world.url.length) });
  assert.equal((await listed(mapped.json.event_ids))[0].author_username, "dev");
});

const tooLong = (length: number) =>
  `The login of who did it (sender.login, user.username or user_username) has ${length} characters, which cannot be kept. Send at most 255.`;

test("a login with many dots is handled without quadratic time, and one of a megabyte is refused (contract-events §3; reference reliability S120)", async () => {
  const payload = exampleOf("issues", (p) => p.action === "opened");
  payload.sender.login = `x${".".repeat(5000)}x`;
  const [told] = await listed((await deliver("issues", payload)).json.event_ids);
  assert.match(told.author_username, /^x-[^.]+$/);
  payload.sender.login = `x${".".repeat(1 << 20)}x`;
  const refused = await deliver("issues", payload);
  assert.deepEqual([refused.status, refused.json], [400, { message: tooLong(2 + (1 << 20)) }]);
});

test("a login or host that is too long is refused with the field's name and the maximum (contract-events §3)", async () => {
  const payload = exampleOf("issues", (p) => p.action === "opened");
  payload.sender.login = Array.from({ length: 900 }, (_, n) => (n * n * 7919).toString(36)).join("");
  const { login } = payload.sender;
  const refused = await deliver("issues", payload);
  assert.deepEqual([refused.status, refused.json], [400, { message: tooLong(login.length) }]);
  payload.sender.login = "short";
  payload.sender.html_url = `https://${login}.example.org/short`;
  const from = await deliver("issues", payload);
  assert.equal(from.status, 400);
  assert.match(from.json.message, /^The host of the forge, .* has \d+ characters, which cannot be kept/);
});

test("concurrent deliveries by a new account create one placeholder user (contract-events §3)", async () => {
  const payload = exampleOf("issues", (p) => p.action === "reopened");
  payload.sender.login = "race-person";
  const replies = await Promise.all(Array.from({ length: 8 }, () => deliver("issues", payload)));
  const events = await listed(replies.flatMap(({ json }) => json.event_ids));
  assert.equal(new Set(events.map((event) => event.author_id)).size, 1);
});

test("a repeated delivery is answered as a duplicate with the first event ids, also when sent concurrently (contract-events §3)", async () => {
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

test("a missing or invalid signature is refused with 401, and the delivery is not stored (contract-events §3)", async () => {
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

test("an unknown or disabled source is 404, and a body that is not a JSON object is refused with 400 (contract-events §3)", async () => {
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

test("GitHub's form encoding is accepted, with the signature computed over the form (contract-events §3)", async () => {
  const payload = exampleOf("issues", (p) => p.action === "opened");
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const reply = await deliver("issues", payload, { body, headers });
  assert.equal(reply.json.status, "accepted", reply.text);
});

test("the form encoding of Gitea, Forgejo and Gogs is accepted, with the signature computed over the payload in it (contract-events §3)", async () => {
  const payload = JSON.stringify(exampleOf("issues", (p) => p.action === "opened"));
  // Its own, since a source keeps ten refusals a minute.
  const made = await world.call(sources, { as: "max", json: { name: "Forms", secret: SECRET } });
  const to = made.json.url.slice(world.url.length);
  const sign256 = (text: string) => createHmac("sha256", SECRET).update(text).digest("hex");
  const send = (forge: string, body: string, signature: string) =>
    world.call(to, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        [`x-${forge}-event`]: "issues",
        [`x-${forge}-delivery`]: randomUUID(),
        [`x-${forge}-signature`]: signature,
      },
    });
  for (const forge of ["gitea", "forgejo", "gogs"]) {
    const body = new URLSearchParams({ payload }).toString();
    const reply = await send(forge, body, sign256(payload));
    assert.equal(reply.json.status, "accepted", `${forge}: ${reply.text}`);
    for (const [other, signature] of [
      // As Gitea sends it if the webhook has no secret.
      [body, ""],
      [body, sign256(`${payload} `)],
      // A second payload would be read in place of the signed one.
      [`${body}&${body}`, sign256(payload)],
      ["payload=%", sign256("%")],
    ] as const) {
      assert.equal((await send(forge, other, signature)).status, 401);
    }
  }
  const refusals = (await world.call(`${sources}/${made.json.id}/refusals`, { as: "max" })).json;
  const reasons = refusals.map(({ reason }: Payload) => reason).join("\n");
  assert.match(reasons, /bears no X-Gitea-Signature: the webhook has no secret/);
});

test("the test delivery of Gitea, Forgejo and Gogs, a push of the newest commit onto itself, is ignored and makes no event (decision 0285)", async () => {
  const id = "4".repeat(40);
  const payload = JSON.stringify({
    ref: "refs/heads/main",
    before: id,
    after: id,
    commits: [{ id, message: "An old commit" }],
    total_commits: 1,
    sender: { login: "grace" },
  });
  for (const forge of ["gitea", "forgejo", "gogs"]) {
    const reply = await world.call(url, {
      method: "POST",
      body: payload,
      headers: {
        "content-type": "application/json",
        [`x-${forge}-event`]: "push",
        [`x-${forge}-delivery`]: randomUUID(),
        [`x-${forge}-signature`]: createHmac("sha256", SECRET).update(payload).digest("hex"),
      },
    });
    const reason = "A test: a push that changes nothing";
    assert.deepEqual([reply.status, reply.json], [202, { status: "ignored", event_ids: [], reason }]);
  }
});

test("Maintainers create, read, change and delete sources and rotate their secrets; others cannot create them (contract-events §3)", async () => {
  assert.equal((await world.call(sources, { as: "dev", json: { name: "x" } })).status, 403);
  assert.equal((await world.call(sources, { as: "stan", json: { name: "x" } })).status, 404);
  const short = await world.call(sources, { as: "max", json: { name: "x", secret: "short" } });
  assert.equal(short.status, 400);
  const unread = await world.call(sources, { as: "max", json: { name: "x", type: "gogs" } });
  assert.equal(unread.status, 400);
  const nobody = await world.call(sources, { as: "max", json: { name: "x", identities: { a: 99_999 } } });
  assert.equal(nobody.status, 422);
  const { dev, rep } = world.ids;
  const twice = await world.call(sources, {
    as: "max",
    json: { name: "x", identities: { Octo: dev, octo: rep } },
  });
  assert.deepEqual([twice.status, twice.json.message], [422, "identities names a login twice"]);
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

/** The headers of a sender of Standard Webhooks, signed with the source's secret that long ago. */
function standardHeaders(id: string, body: string, secondsAgo = 0) {
  const at = new Date(Date.now() - secondsAgo * 1000);
  return {
    "x-gitlab-event": "Issue Hook",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": `v1,AAAA ${new Webhook(SECRET, { format: "raw" }).sign(id, at, body)}`,
  };
}

test("a signed delivery of GitLab is valid for five minutes and recorded once, whatever unsigned headers it has (decision 0144)", async () => {
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
  // A retry has a new signature; someone who records a delivery could resend it with another key, since the key is not signed.
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

test("a member of a GitLab system hook, whose server is named in a header only, is the same person as in pushes from there (contract-events §3)", async () => {
  const send = async (payload: object, headers: Record<string, string> = {}) => {
    const reply = await world.call(url, {
      json: payload,
      headers: { "x-gitlab-event": "System Hook", "x-gitlab-token": SECRET, ...headers },
    });
    assert.equal(reply.status, 202, reply.text);
    return (await listed(reply.json.event_ids))[0];
  };
  const person = { user_username: "rosa", user_name: "Rosa Harbour" };
  const [before, after] = ["1".repeat(40), "2".repeat(40)];
  const project = { web_url: "https://git.example.net:8443/a/b" };
  const pushed = await send({
    object_kind: "push",
    ref: "refs/heads/main",
    before,
    after,
    project,
    ...person,
  });
  const member = { event_name: "user_add_to_team", project_id: 74, project_name: "B", ...person };
  const joined = await send(member, { "x-gitlab-instance": "https://git.example.net:8443" });
  assert.deepEqual([joined.action, joined.author_id], ["joined", pushed.author_id]);
  const elsewhere = await send(
    { ...member, project_id: 75 },
    { "x-gitlab-instance": "https://other.example.net" },
  );
  assert.notEqual(elsewhere.author_id, pushed.author_id);
});

test("each forge is authenticated in its own way, and a Gitea delivery by Gitea's signature though it has GitHub's headers too (contract-events §3; reference events C1)", async () => {
  const hex = (body: string) => createHmac("sha256", SECRET).update(body).digest("hex");
  const send = (body: string, headers: Record<string, string>) =>
    world.call(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
  const issue = exampleOf("issues", (p) => p.action === "opened");
  const like = JSON.stringify(issue);
  for (const forge of ["gitea", "forgejo", "gogs"]) {
    const id = randomUUID();
    const headers = {
      "x-github-event": "issues",
      // Gogs, from which the other two descend, does not know them.
      ...(forge !== "gogs" && { "x-gitea-event": "issues" }),
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
});

test("deliveries with characters that cannot be stored, or with long titles, are accepted with replacements and whole characters (contract-events §3)", async () => {
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

test("a comment on a commit with an invalid hash is recorded without the hash (contract-events §3)", async () => {
  const payload = exampleOf("commit_comment", ({ action }) => action === "created");
  payload.comment.commit_id = "no hash".repeat(200);
  const reply = await deliver("commit_comment", payload);
  assert.equal(reply.status, 202, reply.text);
  const [event] = await listed(reply.json.event_ids);
  assert.deepEqual([event.note.noteable_type, event.note.commit_id], ["Commit", undefined]);
});

test("an event dated in the future or more than two years ago gets the time of receipt (contract-events §3)", async () => {
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
