/** Queries, bodies and forms that refer by id or path to things of another person. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { ABSENT, type Estate, type Estates, startEstates, type Thing } from "../support/estates.ts";
import { operationsOf } from "../support/operations.ts";
import { contentOf } from "../support/rows.ts";
import { told } from "../support/told.ts";

/** What Stan sends to refer to a thing by this id or path; a string is requested with GET. */
type Naming = (named: string, mine: Estate) => string | Sent;
interface Sent {
  method?: "PUT";
  path: string;
  json?: unknown;
  form?: Record<string, string>;
}
type Row = readonly [Thing, Naming];

const API = "/api/v4";
const projectOf = (mine: Estate) => `${API}/projects/${mine.project}`;
const pageOf = (mine: Estate) => `/${mine.projectPath}/-`;
const ofGroup = (pathOf: (mine: Estate) => string): Row => [
  "group",
  (named, mine) => `${pathOf(mine)}?group_id=${named}`,
];
const ofIntegration = (list: string): Row => [
  "integration",
  (named, mine) => `${projectOf(mine)}/${list}?integration_id=${named}`,
];
const EVENTS: Readonly<Record<string, (mine: Estate) => string>> = {
  "/events": () => `${API}/events`,
  "/users/{id}/events": () => `${API}/users/stan/events`,
  "/groups/{id}/events": (mine) => `${API}/groups/${mine.group}/events`,
  "/projects/{id}/events": (mine) => `${projectOf(mine)}/events`,
};
const ALERTS = "/projects/{id}/alert_management_alerts";
const CHANNELS = "/projects/{id}/alert_channels";

/** By operation and member. A new member that refers to a thing needs a row here. */
const OPERATIONS: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(
    Object.entries(EVENTS).flatMap(([path, pathOf]) => [
      [`GET ${path} group_id`, ofGroup(pathOf)],
      [`GET ${path}/export group_id`, ofGroup((mine) => `${pathOf(mine)}/export`)],
    ]),
  ),
  [`GET ${ALERTS} integration_id`]: ofIntegration("alert_management_alerts"),
  [`GET ${ALERTS}/export integration_id`]: ofIntegration("alert_management_alerts/export"),
  [`GET ${ALERTS}/counts integration_id`]: ofIntegration("alert_management_alerts/counts"),
  "GET /projects/{id}/alert_receipts integration_id": ofIntegration("alert_receipts"),
  "GET /projects/{id}/alert_receipts alert_iid": [
    "alert",
    (named, mine) => `${projectOf(mine)}/alert_receipts?alert_iid=${named}`,
  ],
  "GET /namespaces/{id}/exists parent_id": [
    "group",
    (named) => `${API}/namespaces/deck/exists?parent_id=${named}`,
  ],
  "POST /projects namespace_id": [
    "group",
    (named) => ({ path: `${API}/projects`, json: { name: "Boat", namespace_id: Number(named) } }),
  ],
  "POST /groups parent_id": [
    "group",
    (named) => ({ path: `${API}/groups`, json: { name: "Pier", path: "pier", parent_id: Number(named) } }),
  ],
  "PUT /projects/{id}/transfer namespace": [
    "group",
    (named, mine) => ({
      method: "PUT",
      path: `${projectOf(mine)}/transfer`,
      json: { namespace: Number(named) },
    }),
  ],
  "POST /groups/{id}/transfer group_id": [
    "group",
    (named, mine) => ({
      path: `${API}/groups/${mine.group}/transfer`,
      json: { group_id: Number(named) },
    }),
  ],
  [`POST ${CHANNELS} integration_ids`]: [
    "integration",
    (named, mine) => ({
      path: `${projectOf(mine)}/alert_channels`,
      json: {
        kind: "webhook",
        name: "Bell",
        url: "https://hooks.example.org",
        integration_ids: [Number(named)],
      },
    }),
  ],
  [`PUT ${CHANNELS}/{channel_id} integration_ids`]: [
    "integration",
    (named, mine) => ({
      method: "PUT",
      path: `${projectOf(mine)}/alert_channels/${mine.channel}`,
      json: { integration_ids: [Number(named)] },
    }),
  ],
  [`PUT ${ALERTS}/{iid} assignee_ids`]: [
    "member",
    (named, mine) => ({
      method: "PUT",
      path: `${projectOf(mine)}/alert_management_alerts/${mine.alert}`,
      json: { assignee_ids: [Number(named)] },
    }),
  ],
};
/**
 * Members that refer to people, whom everybody can see, to what does not exist here (decision 0304), to senders' own identifiers, to
 * applications, and for administrators.
 */
const NO_THINGS =
  / ((not\[)?(author|assignee|reviewer|merge_user|milestone|iteration|epic|source_project)_id\]?|(not\[)?(approver|approved_by)_ids\]?|topic_id|user_ids?|target_i?id|external_id|client_id|saml_provider_id)$|^POST \/projects\/\{id\}\/events assignee_ids$|^GET \/audit_events entity_id$/;

/** References in rows of a batch, in page addresses and in forms. */
const ELSEWHERE: readonly Row[] = [
  [
    "project",
    (named) => ({
      path: `${API}/events/bulk`,
      json: [{ project_id: Number(named), action: "created", target_type: "Issue" }],
    }),
  ],
  ["alert", (named, mine) => `${pageOf(mine)}/silences/new?alert=${named}`],
  ["template", (named, mine) => `${pageOf(mine)}/incidents/new?template=${named}`],
  ["integration", (named, mine) => `${pageOf(mine)}/alerts?integration=${named}`],
  ["integration", (named, mine) => `${pageOf(mine)}/settings/operations/receipts?integration=${named}`],
  ["alert", (named, mine) => `${pageOf(mine)}/settings/operations/receipts?alert=${named}`],
  ["groupPath", (named) => `/projects/new?namespace=${named}`],
  ["groupPath", (named) => `/groups/new?parent=${named}`],
  ["groupPath", (named) => ({ path: "/projects", form: { name: "Raft", path: "raft", namespace: named } })],
  ["groupPath", (named) => ({ path: "/groups", form: { name: "Quay", path: "quay", parent: named } })],
  [
    "groupPath",
    (named, mine) => ({
      path: `${pageOf(mine)}/settings/move`,
      form: { place: named, confirm: mine.projectPath },
    }),
  ],
  [
    "groupPath",
    (named, mine) => ({
      path: `/groups/${mine.groupPath}/-/settings/move`,
      form: { place: named, confirm: mine.groupPath },
    }),
  ],
  [
    "integration",
    (named, mine) => ({
      path: `${pageOf(mine)}/settings/operations/test`,
      form: { integration_id: named, payload: "{}" },
    }),
  ],
  [
    "integration",
    (named, mine) => ({
      path: `${pageOf(mine)}/settings/operations/channels/${mine.channel}`,
      form: { name: "Bell", integration_ids: named },
    }),
  ],
  [
    "message",
    (named, mine) => ({
      path: `${pageOf(mine)}/settings/operations/channels/${mine.channel}/resend`,
      form: { delivery_id: named },
    }),
  ],
  [
    "alert",
    (named, mine) => ({
      path: `${pageOf(mine)}/alerts`,
      form: { "iids[]": named, action: "assign", assignee: mine.member },
    }),
  ],
  [
    "member",
    (named, mine) => ({
      path: `${pageOf(mine)}/alerts/${mine.alert}`,
      form: { action: "assign", assignee: named },
    }),
  ],
];

let estates: Estates;

before(async () => {
  estates = await startEstates();
  const { world, mine, theirs } = estates;
  for (const [as, { group }] of [
    ["stan", mine],
    ["olga", theirs],
  ] as const) {
    const json = { name: "Deck", path: "deck", parent_id: Number(group) };
    assert.equal((await world.call(`${API}/groups`, { as, json })).status, 201);
  }
});

/** The response to Stan when he refers to this thing, besides his own things. */
async function ask([thing, naming]: Row, its: Estate): Promise<string> {
  const { world, stan, mine } = estates;
  const asked = naming(its[thing], mine);
  const { path, form, json, method } = typeof asked === "string" ? ({ path: asked } as Sent) : asked;
  if (path.startsWith(API))
    return told(
      await world.call(path, { as: "stan", ...(method ? { method } : {}), ...(json ? { json } : {}) }),
      its[thing],
    );
  const page = await (form ? stan.post(path, form) : stan.get(path));
  const next = page.status === 303 ? await stan.get((page.location ?? "").replace(/#.*/, "")) : undefined;
  return told(page, its[thing], next);
}

describe("a reference to a thing outside the path", () => {
  it("is in this table if the OpenAPI document has it (reference reliability S79)", async () => {
    const members = (await operationsOf(estates.world.app))
      .filter(({ path }) => path.startsWith(`${API}/`))
      .flatMap(({ method, path, parameters, members }) =>
        [...parameters.filter((one) => one.in === "query").map(({ name }) => name), ...members].map(
          (name) => `${method} ${path.slice(API.length)} ${name}`,
        ),
      );
    const naming = members.filter((name) => /(_i?ids?\]?| namespace)$/.test(name) && !NO_THINGS.test(name));
    assert.deepEqual([...new Set(naming)].sort(), Object.keys(OPERATIONS).sort());
  });

  it("to another person's thing gets the same response as one to a missing thing, and changes nothing (contract §4, visibility; reference reliability S79)", async () => {
    const { world, stan, mine, theirs } = estates;
    await stan.get("/projects");
    const rows = Object.entries({ ...OPERATIONS, ...Object.fromEntries(ELSEWHERE.entries()) });
    const before = await contentOf(world);
    const found: string[] = [];
    for (const [name, row] of rows)
      if ((await ask(row, theirs)) !== (await ask(row, ABSENT))) found.push(`${name}: ${row[1]}`);
    assert.deepEqual(found, []);
    const after = await contentOf(world);
    for (const [table, was] of Object.entries(before)) assert.equal(after[table], was, table);
    const missed: string[] = [];
    for (const [name, row] of rows)
      if ((await ask(row, mine)) === (await ask(row, ABSENT))) missed.push(`${name}: ${row[1]}`);
    assert.deepEqual(missed, [], "one's own things are found");
  });
});
