/** The rule for names that users choose, which is the same for everything that has a name. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const PROJECT = "/api/v4/projects/acme%2Frocket";
const FAULT = "cannot contain control or invisible characters";
const NAMES = ["Build\u202e", "Bu\u200bild", "Bu\u0007ild"];

let world: World;
before(async () => {
  world = await startWorld({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: "127.0.0.1" });
});

/** Everything that has a name, and what else is needed to create it. */
const NAMED: readonly [as: Person, path: string, more: object][] = [
  [
    "ada",
    "/api/v4/users",
    { username: "newcomer", email: "new@example.org", password: "long enough a word" },
  ],
  ["olga", "/api/v4/groups", { path: "named" }],
  ["olga", "/api/v4/projects", { path: "named" }],
  ["ada", "/api/v4/users/ada/personal_access_tokens", { scopes: ["read_api"] }],
  ["ada", "/api/v4/applications", { redirect_uri: "https://a.example/", scopes: "read_user" }],
  ["max", `${PROJECT}/alert_integrations`, { type: "http" }],
  ["max", `${PROJECT}/alert_heartbeats`, { interval_seconds: 60 }],
  ["max", `${PROJECT}/alert_channels`, { kind: "webhook", url: "http://127.0.0.1:9/" }],
  ["max", `${PROJECT}/incident_templates`, { content: "What we do" }],
  ["max", `${PROJECT}/event_sources`, {}],
  ["max", `${PROJECT}/hooks`, { url: "http://127.0.0.1:9/" }],
];

test("names cannot contain control, invisible or bidirectional characters, but may contain joiners where the script needs them (decision 0184)", async () => {
  for (const [as, path, more] of NAMED) {
    for (const name of NAMES) {
      const refused = await world.call(path, { as, json: { ...more, name } });
      assert.ok([400, 422].includes(refused.status), `${path}: ${refused.status} ${refused.text}`);
      assert.ok(refused.text.includes(FAULT), `${path}: ${refused.text}`);
    }
    const name = "علی\u200cرضا ශ්\u200dරී 👩\u200d💻";
    const made = await world.call(path, { as, json: { ...more, name } });
    assert.equal(made.status, 201, `${path}: ${made.text}`);
    assert.equal(made.json.name ?? made.json.application_name, name);
  }
});

test("the maximum length of a name counts code points, not UTF-16 units (JSON Schema Validation §6.3.1)", async () => {
  for (const [as, path, more] of NAMED) {
    const most = path.endsWith("/alert_heartbeats") ? 100 : 255;
    const own = path.endsWith("/users")
      ? { username: "shipper", email: "ship@example.org" }
      : { path: "ships" };
    const body = { ...more, ...("path" in more || "username" in more ? own : {}) };
    const refused = await world.call(path, { as, json: { ...body, name: "🚢".repeat(most + 1) } });
    assert.match(refused.text, new RegExp(`is too long \\(maximum is ${most} characters\\)`), path);
    const name = "🚢".repeat(most);
    const made = await world.call(path, { as, json: { ...body, name } });
    assert.equal(made.status, 201, `${path}: ${made.text}`);
    assert.equal(made.json.name ?? made.json.application_name, name);
  }
});

test("usernames and paths have at most 255 characters, and a longer one is refused with an error on the field (GitLab v4 API; contract §3)", async () => {
  const person = { name: "Long", email: "long@example.org", password: "long enough a word" };
  const made: readonly [as: Person, path: string, field: string, more: object][] = [
    ["ada", "/api/v4/users", "username", person],
    ["olga", "/api/v4/groups", "path", { name: "Long" }],
    ["olga", "/api/v4/projects", "path", { name: "Long" }],
  ];
  for (const [as, path, field, more] of made) {
    const [first, second] = ["a", "b"].map((end) => path.slice(8).padEnd(254, "-") + end);
    const refused = await world.call(path, { as, json: { ...more, [field]: `${first}a` } });
    assert.match(refused.text, /is too long \(maximum is 255 characters\)/, path);
    const answer = await world.call(path, { as, json: { ...more, [field]: first } });
    assert.deepEqual([answer.status, answer.json[field]], [201, first], answer.text);
    const at = `${path}/${answer.json.id}`;
    const changed = await world.call(at, { as, method: "PUT", json: { [field]: second } });
    assert.deepEqual([changed.status, changed.json[field]], [200, second], changed.text);
  }
});

test("forms show the error at the name and keep what was typed (decision 0184; reference ux 2)", async () => {
  const max = await signedIn(world, "max");
  for (const [path, fields, form = path] of [
    ["/profile/personal_access_tokens", { name: "Turn\u202eed", "scopes[]": "read_api" }],
    ["/acme/rocket/-/settings/sources", { name: "Turn\u202eed", type: "auto" }],
    ["/acme/rocket/-/settings/hooks", { name: "Turn\u202eed", url: "http://127.0.0.1:9/" }],
  ] as const) {
    const { text } = await max.submit(path, fields, form);
    assert.match(text, new RegExp(`Name ${FAULT}\\.`), path);
    assert.match(text, /name="name"[^>]*value="Turn\u202eed"/, path);
  }
  const alerts = "/acme/rocket/-/alerts";
  const back = await max.submit(`${alerts}/views`, { action: "save", name: "Turn\u202eed" }, alerts);
  assert.match((await max.follow(back)).text, new RegExp(`The name of a view ${FAULT}\\.`));
});

test("a record whose name is older than the rule can still be changed, but not be given another such name (decision 0184)", async () => {
  const old = "Ol\u200bd";
  for (const [path, table] of [
    [`${PROJECT}/alert_integrations`, sql`alert_integrations`],
    [`${PROJECT}/alert_heartbeats`, sql`alert_heartbeats`],
    [`${PROJECT}/alert_channels`, sql`alert_channels`],
    [`${PROJECT}/incident_templates`, sql`incident_templates`],
    [`${PROJECT}/event_sources`, sql`event_sources`],
    [`${PROJECT}/hooks`, sql`event_hooks`],
  ] as const) {
    const [one] = (await world.call(path, { as: "max" })).json;
    await world.platform.db.run(sql`update ${table} set name = ${old} where id = ${one.id}`);
    const change = (json: object) => world.call(`${path}/${one.id}`, { as: "max", method: "PUT", json });
    const same = await change({ name: old, active: false, content: "Other" });
    assert.equal(same.status, 200, `${path}: ${same.text}`);
    assert.equal(same.json.name, old);
    const other = await change({ name: "Ol\u200dd" });
    assert.ok(other.text.includes(FAULT), `${path}: ${other.status} ${other.text}`);
  }
});

test("a user whose name is older than the rule can still change the rest of the profile, but not choose another such name (decision 0184)", async () => {
  const max = await signedIn(world, "max");
  const old = "Ma\u200bx";
  await world.platform.db.run(sql`update users set name = ${old} where username = 'max'`);
  const saved = await max.submit("/profile", { name: old, time_zone: "Europe/Paris" }, "/profile");
  assert.match((await max.follow(saved)).text, /Your profile is saved\./);
  const { text } = await max.submit("/profile", { name: "Ma\u200dx", time_zone: "Europe/Paris" }, "/profile");
  assert.match(text, new RegExp(`Name ${FAULT}\\.`));
});
