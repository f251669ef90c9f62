/** A membership with an expiry works until then, and grants nothing afterwards on any route, even before it is deleted. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { anApplication, authorizePath, tokenCall } from "../support/oauth.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
/** Routes and pages, each with a check whether it grants what the role allows. */
let doors: Readonly<Record<string, () => Promise<boolean>>>;

before(async () => {
  world = await startWorld();
  const { ids, platform } = world;
  const made = async (path: string, json: object, as: Person = "olga") => {
    const reply = await world.call(`/api/v4/${path}`, { as, json });
    assert.equal(reply.status, 201, reply.text);
    return reply.json;
  };
  // Stan owns a private group, and Gus is a guest of a project far below it.
  const vault = await made("groups", { name: "Vault", path: "vault", visibility: "private" });
  const inner = await made("groups", { name: "Inner", path: "inner", parent_id: vault.id });
  const safe = await made("projects", { name: "Safe", path: "safe", namespace_id: inner.id });
  await made(`groups/${vault.id}/members`, { user_id: ids.stan, access_level: 50 });
  await made(`projects/${safe.id}/members`, { user_id: ids.gus, access_level: 10 });
  // Both are also members of a public group or project, where others can see their roles.
  await made("groups/acme/members", { user_id: ids.stan, access_level: 20 });
  const email = "nia@example.org";
  const invited = await made(`groups/${vault.id}/invitations`, { email, access_level: 10 }, "stan");
  const link = new URL(invited.links[email]).pathname;
  const robot = await anApplication(world, {
    name: "Night Deploy",
    grantTypes: ["client_credentials", "authorization_code"],
    owner: null,
  });
  await platform.db.run(sql`update applications set owner_group_id = ${vault.id} where id = ${robot.id}`);
  const issued = await tokenCall(world, { grant_type: "client_credentials" }, { authorization: robot.basic });
  const account = (await world.call("/api/v4/user", { token: issued.json.access_token })).json;

  const opens = (as: Person, path: string) => async () => {
    const { status } = await world.call(`/api/v4/${path}`, { as });
    assert.ok(status === 200 || status === 404, `${path}: ${status}`);
    return status === 200;
  };
  const lists = (as: Person, path: string, member: string, value: unknown) => async () => {
    const { json, headers } = await world.call(`/api/v4/${path}?per_page=100`, { as });
    assert.equal(Number(headers.get("x-total")), json.length, path);
    return json.some((one: Record<string, unknown>) => one[member] === value);
  };
  const shows = async (as: Person, path: string, words: RegExp) => {
    const visitor = await signedIn(world, as);
    return async () => words.test((await visitor.get(path)).text);
  };
  const level = (as: Person, of: "project_access" | "group_access") => async () =>
    (await world.call("/api/v4/projects/acme%2Fopen", { as })).json.permissions[of] !== null;
  const application = `/groups/vault/-/settings/applications/${robot.id}`;
  doors = {
    "reading the group": opens("stan", "groups/vault"),
    "reading a subgroup": opens("stan", "groups/vault%2Finner"),
    "reading the namespace": opens("stan", "namespaces/vault"),
    "the list of groups": lists("stan", "groups", "full_path", "vault"),
    "reading a project in the subgroup": opens("stan", "projects/vault%2Finner%2Fsafe"),
    "the list of projects": lists("stan", "projects", "path_with_namespace", "vault/inner/safe"),
    "reading the project as its guest": opens("gus", "projects/vault%2Finner%2Fsafe"),
    "reading the subgroup as a guest of the project": opens("gus", "groups/vault%2Finner"),
    "reading the top group as a guest of the project": opens("gus", "groups/vault"),
    "group_access in another project": level("stan", "group_access"),
    "project_access in another project": level("gus", "project_access"),
    "the members of a group": lists("olga", "groups/vault/members", "id", ids.stan),
    "the members of a project": lists("olga", `projects/${safe.id}/members`, "id", ids.gus),
    "the direct members in the list of all members": lists(
      "olga",
      `projects/${safe.id}/members/all`,
      "id",
      ids.gus,
    ),
    "the inherited members in the list of all members": lists(
      "olga",
      `projects/${safe.id}/members/all`,
      "id",
      ids.stan,
    ),
    "the usage of an application of the group": opens("stan", `applications/${robot.id}/usage`),
    "the page of the account of the application": await shows(
      "stan",
      `/${account.username}`,
      new RegExp(`"${application}"`),
    ),
    "the application in search results": await shows(
      "stan",
      "/search?q=Night",
      new RegExp(`"${application}"`),
    ),
    "the owner on the consent page, for a group owner": await shows(
      "stan",
      authorizePath(robot),
      /Made by the group <a href="\/vault"/,
    ),
    "the owner on the consent page, for a guest of a project": await shows(
      "gus",
      authorizePath(robot),
      /Made by the group <a href="\/vault"/,
    ),
    "an invitation by the group owner": async () => (await new Visitor(world.url).get(link)).status === 200,
  };
});

for (const [when, time, isGiven] of [
  ["before its expiry", "1 hour", true],
  ["no longer once it has expired", "0", false],
] as const) {
  test(`a role counts ${when}, on every route and page (contract-events §4, membership; reference reliability S82)`, async () => {
    await world.platform.db.run(
      sql`update members set expires_at = now() + ${time}::interval
        where user_id in (${world.ids.stan}, ${world.ids.gus})`,
    );
    for (const [door, isOpen] of Object.entries(doors)) assert.equal(await isOpen(), isGiven, door);
  });
}
