/** @gitbeaker/rest lists, archives, deletes and restores projects and groups, and understands the responses. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Gitlab } from "@gitbeaker/rest";
import { runJob } from "../support/jobs.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let api: InstanceType<typeof Gitlab>;
before(async () => {
  world = await startWorld();
  await awayFromMidnight();
  api = new Gitlab({ host: world.url, token: await world.tokenOf("olga", "api") });
});

test("gitbeaker lists subgroups, namespaces and a user's projects (GitLab v4 API, GET /groups/:id/subgroups)", async () => {
  const { id } = await api.Groups.create("Pad", "pad", { parentId: (await api.Groups.show("acme")).id });
  assert.deepEqual(
    (await api.Groups.allSubgroups("acme")).map((group) => group.id),
    [id],
  );
  assert.deepEqual(
    (await api.Namespaces.all()).map(({ full_path: path }) => path),
    ["acme", "acme/pad", "free", "olga"],
  );
  const own = await api.Projects.create({ name: "own" });
  assert.deepEqual(
    (await api.Users.allProjects(world.ids.olga)).map((project) => project.id),
    [own.id],
  );
});

test("gitbeaker lists the issues that the caller opened, those of a group, and all (GitLab v4 API, GET /issues; decision 0278)", async () => {
  const dev = new Gitlab({ host: world.url, token: await world.tokenOf("dev", "api") });
  await dev.Issues.create("acme/rocket", "Pump stops");
  await api.Issues.create("acme/open", "Door is shut");
  const titles = async (asked: Promise<unknown>) =>
    ((await asked) as { title: string }[]).map(({ title }) => title);
  assert.deepEqual(await titles(dev.Issues.all()), ["Pump stops"]);
  assert.deepEqual(await titles(dev.Issues.all({ scope: "all", perPage: 1 })), [
    "Door is shut",
    "Pump stops",
  ]);
  const found = await dev.Issues.all({ groupId: "acme", state: "opened", search: "door" });
  assert.deepEqual(
    found.map(({ references: { relative } }) => relative),
    ["open#1"],
  );
});

test("gitbeaker reads one note of an issue, and gets 404 for one that does not exist (GitLab v4 API, GET /projects/:id/issues/:iid/notes/:note_id)", async () => {
  const { iid } = await api.Issues.create("acme/open", "Roof leaks");
  const made = await api.IssueNotes.create("acme/open", iid, "A bucket is under it");
  assert.deepEqual(await api.IssueNotes.show("acme/open", iid, made.id), made);
  await assert.rejects(api.IssueNotes.show("acme/open", iid, made.id + 1), /404 Not found/);
});

test("gitbeaker lists the users of a project (GitLab v4 API, GET /projects/:id/users)", async () => {
  const found = await api.Projects.allUsers("acme/rocket", { search: "dev" });
  assert.deepEqual(
    found.map(({ id, name }) => [id, name]),
    [[world.ids.dev, "Dev Developer"]],
  );
});

test("gitbeaker counts the issues of a project, of a group, and those that the caller opened (GitLab v4 API, GET /issues_statistics; decision 0286)", async () => {
  await api.Issues.create("free/plan", "Plan is lost");
  const { iid } = await api.Issues.create("free/plan", "Plan is found");
  await api.Issues.edit("free/plan", iid, { stateEvent: "close" });
  const counts = { all: 2, closed: 1, opened: 1 };
  assert.deepEqual(await api.IssuesStatistics.all({ projectId: "free/plan" }), { statistics: { counts } });
  assert.deepEqual(await api.IssuesStatistics.all({ groupId: "free" }), { statistics: { counts } });
  const { statistics } = await api.IssuesStatistics.all({ search: "plan is found" });
  assert.deepEqual(statistics.counts, { all: 1, closed: 1, opened: 0 });
});

test("gitbeaker lists the groups of a project, and an administrator a user's memberships (GitLab v4 API, GET /projects/:id/groups, GET /users/:id/memberships; decision 0286)", async () => {
  const around = await api.Projects.allGroups("acme/rocket");
  assert.deepEqual(
    around.map((group) => group.full_path),
    ["acme"],
  );
  const ada = new Gitlab({ host: world.url, token: await world.tokenOf("ada", "read_api") });
  const memberships = await ada.Users.allMemberships(world.ids.dev, { type: "Project" });
  assert.deepEqual(
    memberships.map((each) => [each.source_name, each.access_level]),
    [
      ["Rocket", 30],
      ["Open", 30],
    ],
  );
  await assert.rejects(api.Users.allMemberships(world.ids.dev), /403 Forbidden/);
});

test("gitbeaker creates a project for a user, moves it into a group, and lists the participants of an issue and the activity of users (GitLab v4 API, POST /projects/user/:user_id, POST /groups/:id/projects/:project_id, GET /projects/:id/issues/:iid/participants, GET /user/activities; decision 0286)", async () => {
  const ada = new Gitlab({ host: world.url, token: await world.tokenOf("ada", "api") });
  const made = await ada.Projects.create({ userId: world.ids.olga, name: "Crane" });
  assert.equal(made.path_with_namespace, "olga/crane");
  await api.Groups.transferProject("acme", made.id);
  assert.equal((await api.Projects.show(made.id)).path_with_namespace, "acme/crane");
  const { iid } = await api.Issues.create(made.id, "Crane hangs");
  const people = await api.Issues.allParticipants(made.id, iid);
  assert.deepEqual(
    people.map(({ username }) => username),
    ["olga"],
  );
  const active = await ada.Users.allActivities();
  assert.ok(active.some(({ username }) => username === "olga"));
});

test("gitbeaker reads a user's mail address for an administrator only (GitLab v4 API, GET /users/:id/emails; decision 0286)", async () => {
  const { olga, dev } = world.ids;
  const ada = new Gitlab({ host: world.url, token: await world.tokenOf("ada", "read_user") });
  const known = await ada.Users.show(dev);
  const emails = await ada.UserEmails.all({ userId: dev });
  assert.deepEqual(
    emails.map(({ id, email }) => [id, email]),
    [[dev, known.email]],
  );
  for (const userId of [olga, dev])
    await assert.rejects(api.UserEmails.all({ userId }), /403 Forbidden/, String(userId));
  await assert.rejects(ada.UserEmails.all({ userId: 99_999_999 }), /404 User Not Found/);
});

test("gitbeaker reads the discussions of an issue, and an administrator an issue by its id (GitLab v4 API, GET /projects/:id/issues/:issue_iid/discussions, GET /issues/:id; decision 0293)", async () => {
  const ada = new Gitlab({ host: world.url, token: await world.tokenOf("ada", "read_api") });
  const { id, iid } = await api.Issues.create("acme/open", "Window is stuck");
  const note = await api.IssueNotes.create("acme/open", iid, "It opens inwards");
  const [first, ...others] = await api.IssueDiscussions.all("acme/open", iid);
  assert.ok(first);
  assert.deepEqual([first.individual_note, first.notes, others], [true, [note], []]);
  assert.deepEqual(await api.IssueDiscussions.show("acme/open", iid, first.id), first);
  await assert.rejects(
    api.IssueDiscussions.show("acme/open", iid, "0".repeat(40)),
    /404 Discussion Not Found/,
  );
  assert.equal((await ada.Issues.show(id)).title, "Window is stuck");
  await assert.rejects(api.Issues.show(id), /403 Forbidden/);
});

test("gitbeaker searches for issues everywhere, in a group and in a project (GitLab v4 API, search; decision 0293)", async () => {
  await api.Issues.create("acme/open", "Lamp flickers");
  await api.Issues.create("free/plan", "Lamp is out");
  const found = async (place: object) =>
    (await api.Search.all("issues", "lamp", place)).map(({ title }) => title);
  assert.deepEqual(await found({}), ["Lamp is out", "Lamp flickers"]);
  assert.deepEqual(await found({ groupId: "acme" }), ["Lamp flickers"]);
  assert.deepEqual(await found({ projectId: "free/plan" }), ["Lamp is out"]);
  const projects = await api.Search.all("projects", "open", { groupId: "acme" });
  assert.deepEqual(
    projects.map((project) => project.path_with_namespace),
    ["acme/open"],
  );
});

test("gitbeaker reads a label, and asks whether a namespace exists (GitLab v4 API, GET /projects/:id/labels/:label_id, GET /namespaces/:namespace/exists; decision 0293)", async () => {
  const [label] = await api.ProjectLabels.all("acme/open", { search: "incid" });
  assert.ok(label);
  assert.deepEqual(await api.ProjectLabels.show("acme/open", label.name), label);
  assert.deepEqual(await api.ProjectLabels.show("acme/open", label.id), label);
  await assert.rejects(api.ProjectLabels.show("acme/open", "bug"), /404 Label Not Found/);
  const exists = (path: string, within: { parentId?: string } = {}) => api.Namespaces.exists(path, within);
  assert.deepEqual(await exists("acme"), { exists: true, suggests: ["acme1"] });
  assert.deepEqual(await exists("acme", { parentId: String((await api.Groups.show("acme")).id) }), {
    exists: false,
    suggests: [],
  });
});

test("gitbeaker lists the audit log for an administrator only (GitLab v4 API, GET /audit_events; decision 0293)", async () => {
  const { id } = await api.Projects.create({ name: "logged" });
  await api.Projects.archive(id);
  await api.Projects.unarchive(id);
  const ada = new Gitlab({ host: world.url, token: await world.tokenOf("ada", "read_api") });
  const [, event, ...others] = await ada.AuditEvents.all({ entityType: "Project", entityId: id });
  assert.ok(event);
  assert.deepEqual(
    [event.author_id, event.entity_id, event.details.custom_message, event.details.entity_path, others],
    [world.ids.olga, id, "Archived a project", "olga/logged", []],
  );
  assert.deepEqual(await ada.AuditEvents.show(event.id), event);
  await assert.rejects(api.AuditEvents.all(), /403 Forbidden/);
});

test("gitbeaker archives a project, lists archived projects, and unarchives it (GitLab v4 API, POST /projects/:id/archive)", async () => {
  const { id } = world.rocket;
  assert.equal((await api.Projects.archive(id)).archived, true);
  const archived = await api.Projects.all({ archived: true });
  assert.deepEqual(
    archived.map((project) => project.id),
    [id],
  );
  assert.equal((await api.Projects.unarchive(id)).archived, false);
});

test("gitbeaker deletes a project, restores it, and deletes it permanently (GitLab v4 API, DELETE /projects/:id)", async () => {
  const { id, fullPath } = world.rocket;
  await api.Projects.remove(id);
  const marked = (await api.Projects.show(id)) as { marked_for_deletion_on?: string };
  assert.equal(marked.marked_for_deletion_on, new Date().toISOString().slice(0, 10));
  await api.Projects.restore(id);
  await api.Projects.remove(id);
  await assert.rejects(
    api.Projects.remove(id, { permanentlyRemove: true, fullPath: "acme/open" }),
    /full_path/,
  );
  await api.Projects.remove(id, { permanentlyRemove: true, fullPath });
  await runJob(world, "removals");
  await assert.rejects(api.Projects.show(id), /404 Project Not Found/);
});

test("gitbeaker deletes a group and restores it (GitLab v4 API, DELETE /groups/:id)", async () => {
  await api.Groups.remove("free");
  assert.ok(((await api.Groups.show("free")) as { marked_for_deletion_on?: string }).marked_for_deletion_on);
  await api.Groups.restore("free");
  assert.equal(
    ((await api.Groups.show("free")) as { marked_for_deletion_on?: string }).marked_for_deletion_on,
    null,
  );
});
