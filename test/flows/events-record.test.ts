/** The record of an event, by kind of event and list (spec: Event). */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { about, comment, push, record } from "../support/events.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

type Json = Reply["json"];

let world: World;
let onProject: Json[];
let onUser: Json[];
before(async () => {
  world = await startWorld();
  const who = { projectId: world.rocket.id, authorId: world.ids.dev };
  await record(world, [
    { ...about("created", "Issue", 7), ...who },
    { ...comment("Issue", 7, { attachment: null }), ...who, targetId: 501 },
    { ...push, ...who },
    { ...about("closed", "Milestone", 2), ...who, targetId: 77 },
    { action: "joined", ...who },
  ]);
  onProject = (await world.call("/api/v4/projects/acme%2Frocket/events", { as: "dev" })).json.reverse();
  onUser = (await world.call("/api/v4/users/dev/events?sort=asc", { as: "dev" })).json;
});

test("event ids, project ids and author ids are integers, and title is null (spec: Event id; spec: Event title; spec: Event project_id; spec: Event author_id; spec: Event author_username)", () => {
  for (const event of [...onProject, ...onUser]) {
    assert.ok(Number.isSafeInteger(event.id));
    assert.equal(event.title, null);
    assert.equal(event.project_id, world.rocket.id);
    assert.equal(event.author_id, world.ids.dev);
    assert.equal(event.author_username, "dev");
  }
});

test("action_name is the displayed wording, and action the value used in filters (spec: Event action_name; contract §4)", () => {
  assert.deepEqual(
    onProject.map((event) => [event.action_name, event.action]),
    [
      ["opened", "created"],
      ["commented on", "commented"],
      ["pushed", "pushed"],
      ["closed", "closed"],
      ["joined", "joined"],
    ],
  );
});

test("events name their target with id, type and title, and pushes have none (spec: Event target_id; spec: Event target_iid; spec: Event target_type; spec: Event target_title; spec: GET /projects/:project_id/events response)", () => {
  const targets = (events: Json[]) =>
    events.map((event) => [event.target_type, event.target_iid, event.target_title]);
  const expected = [
    ["Issue", 7, "Issue 7"],
    ["Note", 501, "Issue 7"],
    [null, null, null],
    ["Milestone", 2, "Milestone 2"],
    [null, null, null],
  ];
  assert.deepEqual(targets(onProject), expected);
  assert.deepEqual(targets(onUser), expected);
  assert.equal(onProject[1].target_id, 501);
  assert.equal(onProject[3].target_id, 77);
  assert.equal(onProject[2].target_id, null);
});

test("times are ISO 8601 in UTC with milliseconds (spec: Event created_at)", () => {
  for (const event of onProject) assert.match(event.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.match(onProject[1].note.created_at, /\.\d{3}Z$/);
});

test("data is null in a project's list and absent in others (spec: Event data)", () => {
  for (const event of onProject) assert.equal(event.data, null);
  for (const event of onUser) assert.ok(!("data" in event));
});

test("every event has the full record of its author (spec: Event author; spec: States 6)", () => {
  for (const { author } of onProject) {
    assert.deepEqual(
      [author.id, author.name, author.username, author.state, author.web_url],
      [world.ids.dev, "Dev Developer", "dev", "active", `${world.url}/dev`],
    );
    assert.match(author.avatar_url, /^http/);
  }
});

test("only a comment has a note, which names what it is on, and only a push has push_data (spec: Event note; spec: Events 5)", () => {
  for (const events of [onProject, onUser]) {
    const { note } = events[1];
    assert.deepEqual(
      [note.id, note.type, note.body, note.attachment, note.system, note.noteable_type, note.noteable_iid],
      [501, null, "words", null, false, "Issue", 7],
    );
    assert.equal(note.noteable_id, events[0].target_id);
    assert.equal(note.author.username, "dev");
    assert.equal(note.project_id, world.rocket.id);
    assert.ok(events.every((event: Json) => "note" in event === (event.action === "commented")));
    assert.ok(events.every((event: Json) => "push_data" in event === (event.action === "pushed")));
  }
});

test("a webhook signed with the shell commands of the manual is accepted (contract-events §3)", async () => {
  const manual = readFileSync(new URL("../../docs/events.md", import.meta.url), "utf8");
  const example = /What GitHub does then, by hand:\n\n```sh\n([\s\S]*?)```/.exec(manual)?.[1] ?? "";
  const made = await world.call("/api/v4/projects/acme%2Frocket/event_sources", {
    as: "max",
    json: { name: "GitHub", identities: { octocat: world.ids.rep } },
  });
  const env = { ...process.env, SECRET: made.json.secret, SOURCE_URL: made.json.url };
  // The service runs in this process, which must not block while the shell runs.
  const output = await new Promise<string>((resolve, reject) => {
    execFile("sh", ["-c", example], { env }, (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
  const { status, event_ids: ids } = JSON.parse(output);
  assert.equal(status, "accepted");
  const [newest] = (await world.call("/api/v4/projects/acme%2Frocket/events?per_page=1", { as: "max" })).json;
  assert.deepEqual([newest.id, newest.author_username, newest.target_title], [ids[0], "rep", "Late vessels"]);
});
