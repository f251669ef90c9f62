/** Nobody changes what a project sends, receives or keeps, or whom it invites, by a role that they lose at the same moment (decision 0322). */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Queries } from "../../src/platform/db.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { insertMember } from "../../src/projects/store-members.ts";
import { fullProject } from "../support/full-project.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
/** Olga's project ship/hull, and what is in it, by the last part of its address. */
let hull: number;
const parts: Record<string, number> = {};

before(async () => {
  world = await startWorld();
  await fullProject(world);
  const get = async (path: string) =>
    (await world.call(`/api/v4/projects/ship%2Fhull${path}`, { as: "olga" })).json;
  hull = (await get("")).id;
  for (const kind of KINDS) parts[kind] = (await get(`/${kind}`))[0].id;
});

const KINDS = [
  "hooks",
  "event_sources",
  "outside_identities",
  "alert_channels",
  "alert_integrations",
  "alert_heartbeats",
  "alert_silences",
  "incident_templates",
  "environments",
] as const;

/** Gives Max a role in the project. */
async function becomes(accessLevel: number): Promise<void> {
  await world.platform.db.run(
    sql`delete from members where project_id = ${hull} and user_id = ${world.ids.max}`,
  );
  const member = { userId: world.ids.max, accessLevel, expiresAt: null, createdBy: world.ids.olga };
  await insertMember(world.platform.db, { projectId: hull }, member);
}
const isRemoved = (tx: Queries) =>
  tx.run(sql`delete from members where project_id = ${hull} and user_id = ${world.ids.max}`);
const isDemoted = (level: number) => (tx: Queries) =>
  tx.run(
    sql`update members set access_level = ${level} where project_id = ${hull} and user_id = ${world.ids.max}`,
  );

/** Everything that the acts would change. */
async function state(): Promise<string> {
  const tables = [
    "event_hooks",
    "event_sources",
    "event_claim_answers",
    "alert_channels",
    "alert_integrations",
    "alert_heartbeats",
    "alert_silences",
    "incident_templates",
    "environments",
    "alert_settings",
    "invitations",
    "audit_entries",
  ];
  const found = await Promise.all(
    tables.map((table) =>
      world.owner.one(
        row({ all: text }),
        sql`select coalesce(md5(query_to_xml(${`select * from ${table} order by 1`}, true, true, '')::text), '') as all`,
      ),
    ),
  );
  const days = await world.owner.one(
    row({ days: integer }),
    sql`select coalesce(event_retention_days, 0) as days from projects where id = ${hull}`,
  );
  return [...found.map(({ all }, index) => `${tables[index]} ${all}`), days.days].join("\n");
}

const call = (method: string, path: string, json?: object): Promise<Reply> =>
  world.call(`/api/v4/projects/${hull}/${path}`, { as: "max", method, ...(json ? { json } : {}) });
const change = (kind: (typeof KINDS)[number], json: object) => () =>
  call("PUT", `${kind}/${parts[kind]}`, json);
const remove = (kind: (typeof KINDS)[number]) => () => call("DELETE", `${kind}/${parts[kind]}`);
const elsewhere = { url: "https://elsewhere.example.org/in" };
const matchers = [{ field: "title", operator: "contains", value: "a" }];

const acts: readonly [what: string, lower: number, act: () => Promise<Reply>][] = [
  ["send the events elsewhere", 30, change("hooks", elsewhere)],
  ["remove a hook", 30, remove("hooks")],
  ["switch an event source off", 30, change("event_sources", { active: false })],
  ["remove an event source", 30, remove("event_sources")],
  ["approve a claim", 30, () => call("POST", `outside_identities/${parts.outside_identities}/approve`)],
  ["refuse a claim", 30, () => call("POST", `outside_identities/${parts.outside_identities}/refuse`)],
  ["send the alerts elsewhere", 30, change("alert_channels", elsewhere)],
  ["remove a channel", 30, remove("alert_channels")],
  ["change an integration", 30, change("alert_integrations", { name: "Late" })],
  ["remove an integration", 30, remove("alert_integrations")],
  ["change a heartbeat", 30, change("alert_heartbeats", { name: "Late" })],
  ["remove a heartbeat", 30, remove("alert_heartbeats")],
  ["add a template", 30, () => call("POST", "incident_templates", { name: "Late", content: "Late" })],
  ["change a template", 30, change("incident_templates", { content: "Late" })],
  ["remove a template", 30, remove("incident_templates")],
  ["change the settings of alerts", 30, () => call("PUT", "alert_settings", { create_incident: true })],
  ["shorten how long events are kept", 30, () => call("PUT", "", { event_retention_days: 1 })],
  ["invite somebody", 30, () => call("POST", "invitations", { email: "x@example.org", access_level: 30 })],
  ["raise an invitation", 30, () => call("PUT", "invitations/new@ship.example", { access_level: 40 })],
  ["send an invitation again", 30, () => call("POST", "invitations/new@ship.example/resend")],
  ["withdraw an invitation", 30, () => call("DELETE", "invitations/new@ship.example")],
  [
    "silence alerts",
    20,
    () => call("POST", "alert_silences", { comment: "Late", ends_at: "2999-01-01T00:00:00Z", matchers }),
  ],
  ["change a silence", 20, change("alert_silences", { comment: "Late" })],
  ["end a silence", 20, remove("alert_silences")],
  ["add an environment", 20, () => call("POST", "environments", { name: "late" })],
  ["change an environment", 20, change("environments", { external_url: "https://late.example.org" })],
  ["remove an environment", 20, remove("environments")],
];

describe("somebody who loses the role in a project while a request by token is carried out", () => {
  for (const [what, lower, act] of acts) {
    it(`cannot ${what} (contract §4, tokens and roles; decision 0322)`, async () => {
      const before = await state();
      for (const [loses, status] of [
        [isRemoved, 404],
        [isDemoted(lower), 403],
      ] as const) {
        await becomes(40);
        const { worked } = await whileDoing(world, loses, act);
        assert.equal(worked.status, status, worked.text);
      }
      assert.equal(await state(), before);
    });
  }

  it("cannot invite on the page either (contract §4, tokens and roles; decision 0322)", async () => {
    const max = await signedIn(world, "max");
    const before = await state();
    await becomes(40);
    await max.get("/ship/hull/-/invitations");
    const form = { email: "late@example.org", access_level: "30", expires_at: "" };
    const invite = () => max.post("/ship/hull/-/invitations", form);
    assert.equal((await whileDoing(world, isRemoved, invite)).worked.status, 404);
    await becomes(40);
    const { worked } = await whileDoing(world, isDemoted(30), invite);
    assert.equal(worked.status, 422, worked.text);
    assert.equal(await state(), before);
  });
});

it("changes by many roles at once, with changes of members, blocks and moves, wait for each other without a deadlock (decisions 0302, 0322)", async () => {
  await fullProject(world, { owner: "olga", member: "dev", group: "dock", project: "gate", login: "tern" });
  const root = "/api/v4/projects/dock%2Fgate";
  const get = async (path: string) => (await world.call(root + path, { as: "olga" })).json;
  const { id, namespace: group } = await get("");
  const ids = new Map<string, number>();
  for (const kind of KINDS) ids.set(kind, (await get(`/${kind}`))[0].id);
  await world.call(`${root}/members`, { as: "olga", json: { user_id: world.ids.max, access_level: 40 } });
  const statuses: number[] = [];
  for (let round = 0; round < 6; round++) {
    const at = (path: string) => `/api/v4/projects/${id}/${path}`;
    const of = (kind: string) => at(`${kind}/${ids.get(kind)}`);
    const put = (as: Person, path: string, json: object) => world.call(path, { as, method: "PUT", json });
    const post = (as: Person, path: string, json = {}) => world.call(path, { as, method: "POST", json });
    const name = `Round ${round}`;
    const calls = (["olga", "max"] as const).flatMap((as) => [
      put(as, of("hooks"), { name }),
      put(as, of("event_sources"), { name }),
      put(as, of("alert_channels"), { name }),
      put(as, of("alert_integrations"), { name }),
      put(as, of("alert_heartbeats"), { name }),
      put(as, of("alert_silences"), { comment: name }),
      put(as, of("incident_templates"), { content: name }),
      put(as, of("environments"), { external_url: `https://e.example.org/${round}` }),
      put(as, at("alert_settings"), { create_incident: round % 2 === 0 }),
      put(as, `/api/v4/projects/${id}`, { event_retention_days: 100 + round }),
      post(as, at("invitations"), { email: `${as}${round}@example.org`, access_level: 30 }),
      post(as, `${of("outside_identities")}/${round % 2 === 0 ? "approve" : "refuse"}`),
      put(as, at(`members/${world.ids.dev}`), { access_level: 20 + 10 * (round % 2) }),
    ]);
    calls.push(
      put("olga", at(`members/${world.ids.max}`), { access_level: round % 2 === 0 ? 30 : 40 }),
      post("ada", `/api/v4/users/${world.ids.dev}/${round % 2 === 0 ? "block" : "unblock"}`),
      put("olga", `/api/v4/groups/${group.id}`, { name, path: round % 2 === 0 ? "docks" : "dock" }),
      ...(round === 5 ? [post("olga", at("archive"))] : []),
      post("dev", at("alert_silences"), { comment: name, ends_at: "2999-01-01T00:00:00Z", matchers }),
    );
    statuses.push(...(await Promise.all(calls)).map(({ status }) => status));
  }
  assert.deepEqual(
    statuses.filter((status) => status >= 500),
    [],
  );
  assert.ok(statuses.filter((status) => status < 300).length > 60, statuses.join());
  // A session reports at the end of a transaction, at most once in a second.
  await world.owner.run(sql`select pg_sleep(1.2)`);
  const { db } = world.platform;
  await Promise.all(Array.from({ length: 16 }, () => db.transaction((tx) => tx.run(sql`select`))));
  const { deadlocks } = await world.owner.one(
    row({ deadlocks: integer }),
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  );
  assert.equal(deadlocks, 0, statuses.join());
});
