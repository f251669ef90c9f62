/** Payloads of forges are turned into drafts of events (reference events C2). */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Reading } from "../../src/events/source.ts";
import { readBitbucket } from "../../src/events/sources/bitbucket.ts";
import { readGitea } from "../../src/events/sources/gitea.ts";
import { readGithub } from "../../src/events/sources/github.ts";
import { readGitlab } from "../../src/events/sources/gitlab.ts";

const told = (reading: Reading) => {
  assert.equal(reading.result, "events", JSON.stringify(reading));
  return reading.result === "events"
    ? reading.events.map(({ draft, author }) => ({ ...draft, by: author }))
    : [];
};
const project = { web_url: "https://git.example.org/a/b" };
const user = { username: "Grace", name: "Grace Hopper" };
const [from, to, none] = ["1".repeat(40), "2".repeat(40), "0".repeat(40)];

test("GitLab's issues, merge requests and milestones keep number, confidentiality and author (reference events C2; contract-events §3)", () => {
  const attributes = { id: 301, iid: 23, title: "T", confidential: true };
  for (const [kind, action, ours, type] of [
    ["issue", "open", "created", "Issue"],
    ["issue", "close", "closed", "Issue"],
    ["issue", "reopen", "reopened", "Issue"],
    ["merge_request", "open", "created", "MergeRequest"],
    ["merge_request", "merge", "merged", "MergeRequest"],
    ["merge_request", "approved", "approved", "MergeRequest"],
    ["merge_request", "approval", "approved", "MergeRequest"],
    ["milestone", "create", "created", "Milestone"],
    ["milestone", "close", "closed", "Milestone"],
  ] as const) {
    const object_attributes = { ...attributes, action, created_at: "2026-01-02 03:04:05 UTC" };
    const [event] = told(readGitlab({ object_kind: kind, user, project, object_attributes }));
    assert.deepEqual(
      [event?.action, event?.targetType, event?.targetId, event?.targetIid, event?.title],
      [ours, type, 301, 23, "T"],
    );
    assert.equal(event?.confidential, type === "Issue" ? true : undefined);
    assert.deepEqual(event?.by, { host: "git.example.org", login: "Grace", name: "Grace Hopper" });
  }
  for (const [action, ours] of [
    ["create", "created"],
    ["close", "closed"],
    ["reopen", "reopened"],
    ["delete", "destroyed"],
  ] as const) {
    // As GitLab sends it: the action next to the attributes, and without a user.
    const sent = { object_kind: "milestone", event_type: "milestone", project, action };
    const [event] = told(readGitlab({ ...sent, object_attributes: { id: 61, iid: 10, title: "v1.0" } }));
    assert.deepEqual([event?.action, event?.targetType, event?.targetIid], [ours, "Milestone", 10]);
  }
  const update = { object_kind: "issue", object_attributes: { ...attributes, action: "update" } };
  assert.equal(readGitlab(update).result, "ignored");
});

test("an incident of GitLab is one whether it is sent as an issue or as a work item; other work items keep their kind (contract-events §3)", () => {
  for (const [kind, type, ours] of [
    ["issue", "Incident", "Incident"],
    ["work_item", "Incident", "Incident"],
    ["issue", "Issue", "Issue"],
    ["work_item", "Task", "WorkItem"],
    ["work_item", "Epic", "WorkItem"],
  ] as const) {
    const object_attributes = { id: 301, iid: 23, title: "T", type, action: "open", confidential: true };
    const [event] = told(readGitlab({ object_kind: kind, user, project, object_attributes }));
    assert.deepEqual([event?.targetType, event?.confidential], [ours, true], `${kind} ${type}`);
  }
});

test("GitLab's comments keep their target; confidential ones are internal unless the issue is confidential (reference events C2, A9)", () => {
  const object_attributes = { id: 9, note: "words", noteable_type: "Issue", action: "create" };
  const issue = { id: 5, iid: 3, title: "T", confidential: false };
  const base = { object_kind: "note", user, project, object_attributes, issue };
  const [open] = told(readGitlab(base));
  assert.deepEqual(
    [open?.targetType, open?.targetId, open?.note?.noteableIid, open?.note?.internal, open?.confidential],
    ["Note", 9, 3, false, false],
  );
  const [internal] = told(readGitlab({ ...base, event_type: "confidential_note" }));
  assert.equal(internal?.note?.internal, true);
  const closed = { ...base, event_type: "confidential_note", issue: { ...issue, confidential: true } };
  const [confidential] = told(readGitlab(closed));
  assert.deepEqual([confidential?.note?.internal, confidential?.confidential], [false, true]);
  const [diff] = told(
    readGitlab({
      ...base,
      object_attributes: { ...object_attributes, type: "DiffNote", noteable_type: "MergeRequest" },
      merge_request: { id: 6, iid: 4, title: "M" },
    }),
  );
  assert.deepEqual(
    [diff?.targetType, diff?.note?.noteableType, diff?.title],
    ["DiffNote", "MergeRequest", "M"],
  );
});

test("GitLab's pushes count all commits and name the last; wiki pages and members are events too (reference events C2; contract-events §3)", () => {
  const commits = [
    { id: "a".repeat(40), message: "Old" },
    { id: to, message: "Head\n\nmore" },
  ];
  const [pushed] = told(
    readGitlab({
      object_kind: "push",
      ref: "refs/heads/main",
      before: from,
      after: to,
      total_commits_count: 40,
      commits,
      user_username: "grace",
      project,
    }),
  );
  assert.deepEqual([pushed?.push?.commitCount, pushed?.push?.commitTitle], [40, "Head\n\nmore"]);
  const [tag] = told(
    readGitlab({ object_kind: "tag_push", ref: "refs/tags/v1", before: none, after: to, project }),
  );
  assert.equal(tag?.push?.action, "created");
  const page = { slug: "home", title: "Home", format: "markdown", action: "delete" };
  const [wiki] = told(readGitlab({ object_kind: "wiki_page", object_attributes: page, user, project }));
  assert.deepEqual([wiki?.action, wiki?.wikiPage?.slug], ["destroyed", "home"]);
  const [joined] = told(readGitlab({ event_name: "user_add_to_team", project_id: 7, user_username: "ada" }));
  assert.deepEqual([joined?.action, joined?.targetType], ["joined", "Project"]);
  assert.deepEqual(joined?.by, { host: "gitlab", login: "ada", name: "ada" });
});

test("Gitea's removed refs are read from delete, reviews from their own event types, and new refs from push (decision 0225)", () => {
  const sender = { login: "Grace", full_name: "Grace Hopper", html_url: "https://gitea.example.org/Grace" };
  const read = (kind: string, payload: object) => readGitea("Gitea", kind, { sender, ...payload });
  assert.equal(read("create", { ref: "x", ref_type: "branch" }).result, "ignored");
  const [removed] = told(read("delete", { ref: "v1", ref_type: "tag" }));
  assert.deepEqual(
    [removed?.push?.action, removed?.push?.ref, removed?.push?.refType],
    ["removed", "v1", "tag"],
  );
  // For a removed tag both are sent: in the web interface and by `git push --delete`.
  assert.deepEqual(read("push", { ref: "refs/tags/v1", before: from, after: none, commits: [] }), {
    result: "ignored",
    reason: "A removed tag is told by delete",
  });
  const [made] = told(read("push", { ref: "refs/tags/v1", before: none, after: to, commits: [] }));
  assert.deepEqual([made?.push?.action, made?.push?.commitTo], ["created", to]);
  assert.deepEqual(removed?.by, { host: "gitea.example.org", login: "Grace", name: "Grace Hopper" });
  const pull_request = { id: 8, number: 2, title: "P" };
  const review = { type: "pull_request_review_approved", content: "Fine" };
  const [approved, words] = told(read("pull_request_approved", { action: "reviewed", pull_request, review }));
  assert.deepEqual([approved?.action, approved?.targetIid], ["approved", 2]);
  assert.deepEqual(
    [words?.targetType, words?.note?.body, words?.note?.noteableIid],
    ["DiscussionNote", "Fine", 2],
  );
  const rejected = { action: "reviewed", pull_request, review: { content: "" } };
  assert.equal(read("pull_request_rejected", rejected).result, "ignored");
  const comment = {
    action: "created",
    is_pull: true,
    issue: { number: 2, title: "P" },
    comment: { id: 4, body: "b" },
  };
  assert.equal(told(read("issue_comment", comment))[0]?.note?.noteableType, "MergeRequest");
  const [pushed] = told(
    read("push", { ref: "refs/heads/main", before: from, after: to, total_commits: 5, commits: [{}] }),
  );
  assert.equal(pushed?.push?.commitCount, 5);
});

test("the commits of Gitea's, Forgejo's and Gogs' pushes, which come newest first, are stored oldest first, and the newest has the title (contract-events §3)", () => {
  const commits = [
    { id: to, message: "Newest" },
    { id: "3".repeat(40), message: "Older" },
  ];
  for (const forge of ["Gitea", "Forgejo", "Gogs"]) {
    const push = { ref: "refs/heads/main", before: from, after: to, commits };
    const [event] = told(readGitea(forge, "push", push));
    assert.deepEqual(
      event?.push?.commits?.map(({ title }) => title),
      ["Older", "Newest"],
      forge,
    );
    assert.deepEqual([event?.push?.commitTitle, event?.push?.commitCount], ["Newest", 2]);
  }
});

test("Gogs reports a new tag by create alone, and a new branch by a push too (decision 0284)", () => {
  const read = (payload: object) => readGitea("Gogs", "create", { sender: { login: "alice" }, ...payload });
  const [tag] = told(read({ ref: "v1", ref_type: "tag", sha: to }));
  assert.deepEqual(
    [tag?.push?.action, tag?.push?.refType, tag?.push?.ref, tag?.push?.commitTo],
    ["created", "tag", "v1", to],
  );
  const reason = "A new branch is told by a push";
  assert.deepEqual(read({ ref: "x", ref_type: "branch" }), { result: "ignored", reason });
});

test("if the URL in a payload has an invalid host, the author gets the default host of the forge (contract-events §3)", () => {
  const thing = { id: 1, iid: 1, number: 1, title: "T", action: "open" };
  // URL.canParse accepts this one.
  for (const address of [`https://${"Z".repeat(20_000)}/a`, "https://", "a/b"]) {
    const lab = { object_kind: "issue", user, object_attributes: thing, project: { web_url: address } };
    assert.deepEqual(told(readGitlab(lab))[0]?.by, { host: "gitlab", login: "Grace", name: "Grace Hopper" });
    const sender = { login: "grace", html_url: address };
    const hub = { action: "opened", sender, issue: thing };
    const [issue] = told(readGithub("issues", hub));
    assert.deepEqual(issue?.by, { host: "github.com", login: "grace", name: "grace" });
  }
});

test("no payload, however strange, makes a reader throw (contract-events §3)", () => {
  const words = fc.constantFrom(
    ...[
      "push",
      "issues",
      "issue_comment",
      "pull_request",
      "pull_request_review",
      "milestone",
      "member",
      "gollum",
    ],
    ...["repository", "note", "issue", "merge_request", "wiki_page", "wiki", "delete", "commit_comment"],
    ...[
      "pull_request_approved",
      "constructor",
      "__proto__",
      "toString",
      "opened",
      "closed",
      "created",
      "open",
    ],
    ...["repo:push", "repo:refs_changed", "pullrequest:created", "pr:modified", "issue:updated"],
    ...["pr:comment:added", "repo:commit_comment_created"],
  );
  const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), words, fc.constant(from));
  const members = fc.constantFrom(
    ...[
      "action",
      "object_kind",
      "object_attributes",
      "issue",
      "comment",
      "review",
      "pull_request",
      "milestone",
    ],
    ...[
      "ref",
      "before",
      "after",
      "commits",
      "head_commit",
      "pages",
      "sender",
      "repository",
      "member",
      "user",
    ],
    ...["event_name", "project", "content", "page", "noteable_type"],
    ...["push", "changes", "new", "old", "target", "hash", "actor", "pullRequest", "date", "status", "links"],
  );
  const payload = fc.dictionary(members, fc.oneof(value, fc.dictionary(members, value)));
  fc.assert(
    fc.property(words, payload, (kind, given) => {
      for (const reading of [
        readGithub(kind, given),
        readGitea("Gitea", kind, given),
        readGitea("Gogs", kind, given),
        readGitlab({ object_kind: kind, ...given }),
        readBitbucket(kind, given),
      ]) {
        assert.ok(["events", "ignored", "pong"].includes(reading.result));
        if (reading.result === "events")
          for (const { draft } of reading.events) assert.equal(typeof draft.action, "string");
      }
    }),
    { numRuns: 3000 },
  );
});
