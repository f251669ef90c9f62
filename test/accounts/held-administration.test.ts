/** What administrators do to the instance, by token and by page, ends with the role: also what waits at that moment (decisions 0313, 0322). */
import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import type { RemoveGrants } from "../../src/accounts/removal.ts";
import { findUser } from "../../src/accounts/store.ts";
import { updateAdministrator } from "../../src/accounts/store-users.ts";
import { claimIdentity } from "../../src/events/claim-identity.ts";
import { removePersonWith } from "../../src/events/remove-person.ts";
import { removeGrantsOfPerson } from "../../src/oauth/remove-application.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { anApplication } from "../support/oauth.ts";
import { Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
/** An administrator with a token, what they act on, and nobody else's. */
let cea: number;
let token: string;
let application: number;
let tokenOfAda: number;
let invitation: number;
let namespace: number;
let claim: number;

before(async () => {
  world = await startWorld();
  const { ids } = world;
  const as = "ada" as const;
  const post = async (path: string, json: object) => (await world.call(`/api/v4/${path}`, { as, json })).json;
  const person = { username: "cea", name: "Cea", email: "cea@example.org", password: PASSWORD, admin: true };
  cea = (await post("users", person)).id;
  const ofToken = { name: "of an administrator", scopes: ["api"] };
  token = (await post(`users/${cea}/personal_access_tokens`, ofToken)).token;
  tokenOfAda = (await post(`users/${ids.ada}/personal_access_tokens`, ofToken)).id;
  application = (await anApplication(world, { owner: "olga" })).id;
  invitation = (await post("invitations", { email: "iva@example.org" })).id;
  namespace = (await world.call("/api/v4/groups/free", { as })).json.id;
  await world.platform.db.run(
    sql`insert into event_outsiders (host, login, user_id) values ('github.com', 'busy', ${ids.gus})`,
  );
  const identity = { host: "github.com", login: "busy" };
  const claimant = { id: ids.rep, ip: "127.0.0.1" };
  claim = (await claimIdentity(world.platform.db, claimant, identity)).claim.id;
});
beforeEach(() => world.platform.db.run(sql`update users set is_admin = true where id = ${cea}`));

/** Everything that the acts would change. */
async function state(): Promise<string> {
  const { all } = await world.owner.one(
    row({ all: text }),
    sql`select concat_ws(' ',
      (select jsonb_agg(u.username || u.state order by id) from users u where id <> ${cea}),
      (select count(*) from access_tokens where revoked_at is null),
      (select jsonb_agg(a.grant_types order by id) from applications a),
      (select jsonb_agg(i.digest || '' order by id) from invitations i),
      (select jsonb_agg(n.plan order by id) from namespaces n),
      (select count(*) from event_claim_answers), (select count(*) from projects),
      (select to_jsonb(s) from instance_settings s), (select count(*) from audit_entries)) as all`,
  );
  return all;
}

type Answer = { status: number; text: string; location?: string | null };

/** The answer to what arrived before the role is withdrawn, and ends after it. */
async function whileDemoted<T extends Answer>(act: () => Promise<T>): Promise<T> {
  return (await whileDoing(world, (tx) => updateAdministrator(tx, cea, false), act)).worked;
}

const call = (method: string, path: string, json?: object) =>
  world.call(`/api/v4/${path}`, { token, method, ...(json ? { json } : {}) });

describe("an administrator who loses the role during a request by token", () => {
  for (const [what, act, status = 403] of [
    ["remove an account", () => call("DELETE", `users/${world.ids.stan}`)],
    ["delete an application", () => call("DELETE", `applications/${application}`)],
    ["revoke somebody else's token", () => call("DELETE", `personal_access_tokens/${tokenOfAda}`)],
    ["set a plan", () => call("PUT", `namespaces/${namespace}`, { plan: "premium" })],
    ["invite somebody", () => call("POST", "invitations", { email: "late@example.org" })],
    ["send an invitation again", () => call("POST", `invitations/${invitation}/resend`)],
    ["withdraw an invitation", () => call("DELETE", `invitations/${invitation}`)],
    ["approve a claim for all projects", () => call("POST", `outside_identities/${claim}/approve`)],
    ["refuse a claim for all projects", () => call("POST", `outside_identities/${claim}/refuse`)],
    [
      "create a project of somebody",
      () => call("POST", `projects/user/${world.ids.rep}`, { name: "late" }),
      404,
    ],
  ] as const) {
    it(`cannot ${what} (contract §4, tokens and roles; decisions 0313, 0322)`, async () => {
      const before = await state();
      const answer = await whileDemoted(act);
      assert.deepEqual([answer.status, await state()], [status, before], answer.text);
    });
  }
});

describe("an administrator who loses the role while a form is carried out", () => {
  let visitor: Visitor;
  beforeEach(async () => {
    visitor = new Visitor(world.url);
    const page = await visitor.submit("/users/sign_in", { username: "cea", password: PASSWORD });
    assert.equal(page.status, 303, page.text);
    await visitor.get("/admin/users");
  });
  const post = (path: string, fields: Record<string, string> = {}) => visitor.post(`/admin/${path}`, fields);

  for (const [what, act] of [
    ["erase an account", () => post(`users/${world.ids.stan}/erase`)],
    ["rename somebody", () => post(`users/${world.ids.rep}/username`, { username: "late" })],
    ["block somebody", () => post(`users/${world.ids.rep}/block`)],
    ["make somebody an administrator", () => post(`users/${world.ids.rep}/make_admin`)],
    ["make a link for a new password", () => post(`users/${world.ids.rep}/password_link`)],
    ["change the settings", () => post("settings", { allowPassword: "off", "shown.allowPassword": "" })],
    ["change who may register", () => post("settings/registration", { registration: "off" })],
    ["invite somebody", () => post("invitations", { email: "late@example.org" })],
    ["send an invitation again", () => post(`invitations/${invitation}/send`)],
    ["withdraw an invitation", () => post(`invitations/${invitation}/withdraw`)],
    ["delete an application", () => post(`applications/${application}/delete`)],
    ["approve a claim for all projects", () => post(`identities/${claim}/approve`)],
  ] as const) {
    it(`cannot ${what} (contract §4, tokens and roles; decisions 0313, 0322)`, async () => {
      const before = await state();
      const answer = await whileDemoted(act);
      assert.deepEqual([answer.status, answer.location], [302, "/users/sign_in"], answer.text);
      assert.equal(await state(), before);
    });
  }
});

it("an administrator who loses the role during the removal of an account does not end it (decisions 0104, 0322)", async () => {
  const { platform, ids } = world;
  const demotes: RemoveGrants = async () => void (await updateAdministrator(platform.db, cea, false));
  const user = await findUser(platform.db, ids.dev);
  const { id } = (await world.call("/api/v4/personal_access_tokens/self", { token })).json;
  const act = { actorId: cea, ip: "127.0.0.1", by: { tokenId: id, asAdministrator: true } };
  assert.ok(user);
  await assert.rejects(removePersonWith(demotes)(platform, user, false, act), { kind: "forbidden" });
  assert.equal((await world.call(`/api/v4/users/${ids.dev}`, { as: "ada" })).status, 200);
});

it("administrators who administer at once, also each other, wait for each other without a deadlock (decision 0322)", async () => {
  const { ids, platform } = world;
  const everybody = [ids.ada, ids.max, ids.rep, cea];
  const admins = sql`update users set is_admin = true, state = 'active' where id = any (${everybody})`;
  await platform.db.run(admins);
  const aToken = async (id: number) => {
    const json = { name: "more", scopes: ["api"] };
    return (await world.call(`/api/v4/users/${id}/personal_access_tokens`, { as: "ada", json })).json;
  };
  const tokens: { token: string }[] = await Promise.all(everybody.map(aToken));
  const statuses: number[] = [];
  for (let round = 0; round < 5; round++) {
    const spare: { id: number }[] = await Promise.all(everybody.map(aToken));
    const replies = await Promise.all(
      tokens.flatMap(({ token }, turn) => {
        const ask = (method: string, path: string, json?: object) =>
          world.call(`/api/v4/${path}`, { token, method, ...(json ? { json } : {}) });
        const next = (turn + 1 + (round % 3)) % everybody.length;
        return [
          ask("DELETE", `personal_access_tokens/${spare[next]?.id}`),
          ask("PUT", `users/${everybody[next]}`, { admin: round % 2 === 1 }),
          ask("POST", `users/${everybody[next]}/${round % 2 === 0 ? "block" : "unblock"}`),
          ask("PUT", `namespaces/${namespace}`, { plan: round % 2 === 0 ? "free" : "premium" }),
          ask("POST", "invitations", { email: `r${round}t${turn}@example.org` }),
          ask("POST", `outside_identities/${claim}/${turn % 2 === 0 ? "approve" : "refuse"}`),
          ask("POST", `projects/user/${ids.gus}`, { name: `r${round}t${turn}` }),
          ...(round === 4 ? [ask("DELETE", `users/${everybody[next]}`)] : []),
        ];
      }),
    );
    statuses.push(...replies.map(({ status }) => status));
    await platform.db.run(admins);
  }
  assert.deepEqual(
    statuses.filter((status) => status >= 500),
    [],
  );
  assert.ok(statuses.filter((status) => status < 300).length > 30, statuses.join());
  // A session reports at the end of a transaction, at most once in a second.
  await world.owner.run(sql`select pg_sleep(1.2)`);
  await Promise.all(Array.from({ length: 16 }, () => world.call("/api/v4/user", { as: "olga" })));
  await Promise.all(Array.from({ length: 16 }, () => platform.db.transaction((tx) => tx.run(sql`select`))));
  const { deadlocks } = await world.owner.one(
    row({ deadlocks: integer }),
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  );
  assert.equal(deadlocks, 0, statuses.join());
});

it("the removal of an account goes on if the token with which it began ends, also with its applications (decisions 0104, 0322)", async () => {
  const { platform, ids } = world;
  await platform.db.run(sql`update users set is_admin = true, state = 'active' where id = ${ids.ada}`);
  const json = { username: "eve", name: "Eve", email: "eve@example.org", password: PASSWORD };
  const { id } = (await world.call("/api/v4/users", { as: "ada", json })).json;
  await anApplication(world, { owner: null });
  await platform.db.run(sql`update applications set owner_id = ${id}
    where id = (select max(id) from applications)`);
  const path = `/api/v4/users/${ids.ada}/personal_access_tokens`;
  const { id: tokenId } = (await world.call(path, { as: "ada", json: { name: "x", scopes: ["api"] } })).json;
  const ends: RemoveGrants = async (...grants) => {
    await platform.db.run(sql`update access_tokens set revoked_at = now() where id = ${tokenId}`);
    await removeGrantsOfPerson(...grants);
  };
  const user = await findUser(platform.db, id);
  assert.ok(user);
  const act = { actorId: ids.ada, ip: "127.0.0.1", by: { tokenId, asAdministrator: true } };
  await removePersonWith(ends)(platform, user, false, act);
  assert.equal((await world.call(`/api/v4/users/${id}`, { as: "ada" })).status, 404);
});
