/**
 * Two owners who cannot see each other's things, each with a private group, a project in it and one of every kind of thing.
 */
import assert from "node:assert/strict";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { fullProject, type Ownership } from "./full-project.ts";
import { anApplication, authorizePath, decide, signedIn as signedInForConsent } from "./oauth.ts";
import { signedIn, type Visitor } from "./visitor.ts";
import { type Person, startWorld, type World } from "./world.ts";

/** Every kind of thing that an address can name, with a value that belongs to nothing. */
export const ABSENT = {
  group: "99999999",
  groupPath: "no-such",
  project: "99999999",
  projectPath: "no/such",
  alert: "99999999",
  image: "99999999",
  incident: "99999999",
  incidentImage: "99999999",
  note: "99999999",
  discussion: "f".repeat(40),
  silence: "99999999",
  channel: "99999999",
  message: "99999999",
  heartbeat: "99999999",
  template: "99999999",
  environment: "99999999",
  integration: "99999999",
  receipt: "00000000-0000-7000-8000-000000000000",
  source: "99999999",
  delivery: "99999999",
  refusal: "99999999",
  hook: "99999999",
  hookMessage: "99999999",
  claimed: "99999999",
  member: "99999999",
  invitation: "99999999",
  invited: "nobody@example.org",
  groupInvitation: "99999999",
  groupApplication: "99999999",
  application: "99999999",
  allowed: "99999999",
  token: "99999999",
  session: "0".repeat(24),
  passkey: "99999999",
  claim: "99999999",
} as const;
export type Thing = keyof typeof ABSENT;
export type Estate = Readonly<Record<Thing, string>>;

export interface Estates {
  world: World;
  /** Stan's browser. */
  stan: Visitor;
  /** Stan's, who makes the requests; Rep works there. */
  mine: Estate;
  /** Olga's; Dev works there. Its ids are large, also those of its last alert and incident. */
  theirs: Estate;
}

const DOCK: Ownership = { owner: "stan", member: "rep", group: "dock", project: "crane", login: "egret" };
const SHIP: Ownership = { owner: "olga", member: "dev", group: "ship", project: "hull", login: "heron" };

export async function startEstates(): Promise<Estates> {
  const world = await startWorld();
  const stan = await signedIn(world, "stan");
  await fullProject(world, DOCK);
  // So that an id of hers does not occur in responses as the id of something else.
  await world.owner.many(
    row({ at: integer }),
    sql`select setval(format('%I.%I', schemaname, sequencename), 70000000) as at from pg_sequences`,
  );
  await fullProject(world, SHIP);
  await world.platform.db.run(sql`update project_counters set last = 70000000`);
  const [source] = (await world.call("/api/v4/projects/ship%2Fhull/alert_integrations", { as: "olga" })).json;
  const sent = { token: source.authorization_key, json: { title: "Anchor drags" } };
  assert.equal((await world.call(new URL(source.url).pathname, sent)).status, 200);
  const mine = await estateOf(world, DOCK);
  const theirs = await estateOf(world, SHIP);
  for (const [thing, value] of Object.entries(mine)) assert.notEqual(theirs[thing as Thing], value, thing);
  return { world, stan, mine, theirs };
}

async function estateOf(world: World, { owner, member, group, project }: Ownership): Promise<Estate> {
  const api = `/api/v4/projects/${group}%2F${project}`;
  const read = async (path: string, as: Person = owner) => {
    const reply = await world.call(path, { as });
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    return reply.json;
  };
  const idOf = async (path: string, name = "id") => {
    const [found] = await read(path);
    assert.ok(found, path);
    return String(found[name]);
  };
  const [channel, hook, source] = [
    await idOf(`${api}/alert_channels`),
    await idOf(`${api}/hooks`),
    await idOf(`${api}/event_sources`),
  ];
  await refused(world, await read(`${api}/event_sources/${source}`));
  // Waiting deliveries cannot be resent, so these are marked as given up.
  await world.platform.db.run(
    sql`update outbox_deliveries set state = 'dead', finished_at = now() where state = 'waiting'`,
  );
  const place = {
    project: String((await read(api)).id),
    group: String((await read(`/api/v4/groups/${group}`)).id),
  };
  const incident = await idOf(`${api}/issues`, "iid");
  const note = await world.call(`${api}/issues/${incident}/notes`, { as: owner, json: { body: "Seen." } });
  const invitations: { id: number; project_id: number | null; group_id: number | null }[] = await read(
    "/api/v4/invitations?per_page=100",
    "ada",
  );
  const invitationTo = (kind: "project_id" | "group_id", id: string) =>
    String(invitations.find((one) => String(one[kind]) === id)?.id);
  return {
    ...place,
    groupPath: group,
    projectPath: `${group}/${project}`,
    alert: await idOf(`${api}/alert_management_alerts?sort=created_at_desc`, "iid"),
    image: await idOf(`${api}/alert_management_alerts/3/metric_images`),
    incident,
    note: String(note.json.id),
    discussion: await idOf(`${api}/issues/${incident}/discussions`),
    incidentImage: await idOf(`${api}/issues/3/metric_images`),
    silence: await idOf(`${api}/alert_silences`),
    channel,
    message: await idOf(`${api}/alert_channels/${channel}/deliveries`),
    heartbeat: await idOf(`${api}/alert_heartbeats`),
    template: await idOf(`${api}/incident_templates`),
    environment: await idOf(`${api}/environments`),
    integration: await idOf(`${api}/alert_integrations`),
    receipt: await idOf(`${api}/alert_receipts`),
    source,
    delivery: await idOf(`${api}/event_sources/${source}/deliveries`),
    refusal: await idOf(`${api}/event_sources/${source}/refusals`),
    hook,
    hookMessage: await idOf(`${api}/hooks/${hook}/events`),
    claimed: await idOf(`${api}/outside_identities`),
    member: String(world.ids[member]),
    invitation: invitationTo("project_id", place.project),
    invited: `new@${group}.example`,
    groupInvitation: invitationTo("group_id", place.group),
    ...(await belongings(world, owner, place.group)),
  };
}

/** A delivery that the source refuses, because its signature is wrong. */
async function refused(world: World, { url }: { url: string }): Promise<void> {
  const headers = { "x-github-event": "issues", "x-hub-signature-256": `sha256=${"0".repeat(64)}` };
  const reply = await world.call(new URL(url).pathname, { method: "POST", headers, json: {} });
  assert.equal(reply.status, 401, reply.text);
}

/** Things of a person or their group that belong to no project. */
async function belongings(world: World, owner: Person, groupId: string) {
  const { db } = world.platform;
  const own = await anApplication(world, { owner, name: `Own of ${owner}` });
  const ofGroup = await anApplication(world, { owner, name: `Group of ${owner}` });
  await db.run(
    sql`update applications set owner_id = null, owner_group_id = ${Number(groupId)} where id = ${ofGroup.id}`,
  );
  const allowed = await anApplication(world, { owner: "ada", name: `Allowed by ${owner}` });
  await decide(await signedInForConsent(world, owner), authorizePath(allowed));
  const claim = { host: "gitlab.com", username: owner };
  const claimed = await world.call("/api/v4/user/outside_identities", { as: owner, json: claim });
  const visitor = await signedIn(world, owner);
  // Added last, because a person with one is asked for it at the next sign-in.
  await db.run(sql`insert into passkeys (user_id, credential_id, public_key, name)
    values (${world.ids[owner]}, ${Buffer.from(owner)}, ${Buffer.from("key")}, 'Key')`);
  const sessions = await visitor.get("/profile/sessions");
  const [, session = ""] = /\/profile\/sessions\/([0-9a-f]{24})\/end/.exec(sessions.text) ?? [];
  const passkeys = await visitor.get("/profile/two_factor");
  const [, passkey = ""] = /\/passkeys\/(\d+)\/remove/.exec(passkeys.text) ?? [];
  const token = await world.call("/api/v4/personal_access_tokens/self", {
    token: await world.tokenOf(owner, "read_user", "read_api"),
  });
  const things = {
    groupApplication: String(ofGroup.id),
    application: String(own.id),
    allowed: String(allowed.id),
    token: String(token.json.id),
    session,
    passkey,
    claim: String(claimed.json.id),
  };
  for (const [name, value] of Object.entries(things)) assert.match(value, /^(\d+|[0-9a-f]{24})$/, name);
  return things;
}
