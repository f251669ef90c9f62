/** A source that several repositories report to keeps their issues apart, though their numbers are equal (decision 0294). */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { archived, fileOf, importFile, linesOf } from "../support/files.ts";
import { type Forge, type Payload, sources, startForge } from "../support/forge.ts";
import type { World } from "../support/world.ts";

let world: World;
let deliver: Forge["deliver"];
before(async () => {
  ({ world, deliver } = await startForge());
});

const sender = { login: "grace" };
const HELLO = { id: 501, name: "hello" };
const OTHER = { id: 502, name: "other" };

/** The titles of the targets of these events, as a guest of the project sees them; undefined: the event is hidden. */
async function titlesOf(replies: readonly Payload[], as: "gus" | "max" = "gus") {
  const list = await world.call("/api/v4/projects/acme%2Frocket/events?per_page=100", { as });
  return replies.map(({ json }) => {
    assert.equal(json.status, "accepted", JSON.stringify(json));
    const event = list.json.find(({ id }: Payload) => id === json.event_ids[0]);
    return event && [event.note?.noteable_iid ?? event.target_iid, event.target_title];
  });
}

const ofProject = (id: number) => ({
  project_id: id,
  project: { id, web_url: "https://gitlab.example.org/a/b" },
});

/** A source for GitLab, and how GitLab delivers to it. */
async function aGitlabSource() {
  const made = await world.call(sources, { as: "max", json: { name: "GitLab", type: "gitlab" } });
  assert.equal(made.status, 201, made.text);
  const to = made.json.url.slice(world.url.length);
  return (kind: "issue" | "work_item" | "note", project: object, payload: object) =>
    world.call(to, {
      json: { object_kind: kind, user: { username: "grace", name: "Grace" }, ...project, ...payload },
      headers: {
        "x-gitlab-event": { issue: "Issue Hook", work_item: "Work Item Hook", note: "Note Hook" }[kind],
        "x-gitlab-token": made.json.secret,
        "x-gitlab-instance": "https://gitlab.example.org",
        "idempotency-key": randomUUID(),
      },
    });
}

test("a confidential issue of one repository stays hidden, also when an open one of another repository has its number (reference events A9; decision 0294)", async () => {
  const report = await aGitlabSource();
  const issue = (projectId: number, title: string, confidential: boolean) =>
    report("issue", ofProject(projectId), {
      object_attributes: { id: projectId * 10, iid: 500, title, action: "open", confidential },
    });
  const comment = (projectId: number, title: string) =>
    report("note", ofProject(projectId), {
      object_attributes: { id: projectId * 100, note: "Seen", noteable_type: "Issue", action: "create" },
      issue: { id: projectId * 10, iid: 500, title },
    });
  const told = [
    await issue(71, "The leak", true),
    await comment(71, "The leak"),
    await issue(72, "The colour", false),
    await comment(72, "The colour"),
  ];
  const [leak, colour] = [
    [500, "The leak"],
    [500, "The colour"],
  ];
  assert.deepEqual(await titlesOf(told, "max"), [leak, leak, colour, colour]);
  assert.deepEqual(await titlesOf(told), [undefined, undefined, colour, colour]);
  // Nor does the confidential one hide the open one, whichever came last.
  const again = await issue(71, "The leak", true);
  assert.deepEqual(await titlesOf([...told, again]), [undefined, undefined, colour, colour, undefined]);
});

test("an epic of a group neither shows nor renames the confidential issue of a project that has its number, nor another group's epic (reference events A9; decision 0294)", async () => {
  const report = await aGitlabSource();
  const told = async (kind: "issue" | "work_item", project: object, attributes: object) =>
    report(kind, project, { object_attributes: { action: "open", ...attributes } });
  const issue = { id: 8001, iid: 600, title: "The leak", confidential: true };
  const epic = { id: 9001, iid: 600, title: "Harbours", confidential: false, project_id: null };
  const secret = { id: 9002, iid: 600, title: "Takeover", confidential: true, project_id: null };
  const replies = [
    await told("issue", ofProject(81), issue),
    await told("work_item", { project: null, project_id: undefined }, epic),
    await told("work_item", { project: null, project_id: undefined }, secret),
    await report(
      "note",
      { project: null, project_id: undefined },
      {
        object_attributes: { id: 9101, note: "Soon", noteable_type: "WorkItem", action: "create" },
        issue: { id: 9002, iid: 600, title: "Takeover" },
      },
    ),
    await told("issue", ofProject(81), { ...issue, action: "close" }),
  ];
  const leak = [600, "The leak"];
  const takeover = [9002, "Takeover"];
  const all = [leak, [9001, "Harbours"], takeover, takeover, leak];
  assert.deepEqual(await titlesOf(replies, "max"), all);
  assert.deepEqual(await titlesOf(replies), [undefined, all[1], undefined, undefined, undefined]);
});

test("requests and wiki pages of several repositories keep their own titles, a rename reaches its own one, and each request is listed (decisions 0164, 0294)", async () => {
  const request = (repository: object, title: string, more: object = {}) =>
    deliver("pull_request", {
      action: "opened",
      pull_request: { id: 0, number: 31, title, updated_at: new Date().toISOString() },
      repository,
      sender,
      ...more,
    });
  const page = (repository: object, title: string) =>
    deliver("gollum", { pages: [{ page_name: "Home", title, action: "edited" }], repository, sender });
  const told = [
    await request(HELLO, "Greet"),
    await request(OTHER, "Another"),
    await page(HELLO, "Welcome"),
    await page(OTHER, "Start"),
  ];
  const renamed = await request(OTHER, "Another one", {
    action: "edited",
    changes: { title: { from: "x" } },
  });
  assert.equal(renamed.json.status, "ignored", renamed.text);
  const titles = (await titlesOf(told, "max")).map((found) => found?.[1]);
  assert.deepEqual(titles, ["Greet", "Another one", "Welcome", "Start"]);
  const list = await world.call("/api/v4/projects/acme%2Frocket/merge_requests", { as: "max" });
  const shown = list.json.filter(({ iid }: Payload) => iid === 31).map(({ title }: Payload) => title);
  assert.deepEqual(shown.sort(), ["Another one", "Greet"]);
});

test("a repository that is renamed, and a delivery that names none, keep the numbers of the first repository (decision 0294)", async () => {
  const issue = (title: string, repository: object | undefined) =>
    deliver("issues", { action: "opened", issue: { number: 61, title }, repository, sender });
  const told = [
    await issue("First", HELLO),
    await issue("Second", { ...HELLO, name: "goodbye" }),
    await issue("Third", undefined),
  ];
  const last = [61, "Third"];
  assert.deepEqual(await titlesOf(told), [last, last, last]);
});

test("lines of GitHub's archive about another repository than that of the project's source are targets of their own (decisions 0103, 0294)", async () => {
  await deliver("issues", {
    action: "opened",
    issue: { number: 81, title: "Own" },
    repository: HELLO,
    sender,
  });
  const line = (id: number, repo: { id: number }, title: string) =>
    archived(
      id,
      "IssuesEvent",
      { action: "closed", issue: { number: 81, title } },
      {
        repo: { ...repo, name: "grace/any" },
        created_at: new Date(Date.now() - 60_000).toISOString(),
      },
    );
  const file = fileOf(
    "both.ndjson",
    linesOf([line(9001, HELLO, "Own, before"), line(9002, OTHER, "Foreign")]),
  );
  const { code, stderr } = await importFile(world, [file, "--project", "acme/rocket"]).ended;
  assert.equal(code, 0, stderr);
  const list = await world.call("/api/v4/projects/acme%2Frocket/events?per_page=100", { as: "max" });
  const about = list.json.filter(({ target_iid }: Payload) => target_iid === 81);
  assert.deepEqual(about.map((event: Payload) => `${event.action_name} ${event.target_title}`).sort(), [
    "closed Foreign",
    "closed Own",
    "opened Own",
  ]);
});
