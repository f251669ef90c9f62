/** Who is removed as an owner of a group at that moment changes none of its applications (decision 0322). */
import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { updateOwnerGroup } from "../../src/oauth/store-applications.ts";
import type { Queries } from "../../src/platform/db.ts";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { insertMember } from "../../src/projects/store-members.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { anApplication } from "../support/oauth.ts";
import { type Page, signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const HOME = "/groups/acme/-/settings/applications";
let world: World;
let group: number;
let application: number;
let max: Visitor;

before(async () => {
  world = await startWorld();
  group = (await world.call("/api/v4/groups/acme", { as: "olga" })).json.id;
  application = (await anApplication(world, { owner: null, grantTypes: ["client_credentials"] })).id;
  await updateOwnerGroup(world.platform.db, application, group);
  max = await signedIn(world, "max");
});
beforeEach(becomesOwner);

async function becomesOwner(): Promise<void> {
  await isRemoved(world.platform.db);
  const member = { userId: world.ids.max, accessLevel: 50, expiresAt: null, createdBy: world.ids.olga };
  await insertMember(world.platform.db, { namespaceId: group }, member);
}

const isRemoved = (tx: Queries) =>
  tx.run(sql`delete from members where namespace_id = ${group} and user_id = ${world.ids.max}`);
const isDemoted = (tx: Queries) =>
  tx.run(
    sql`update members set access_level = 40 where namespace_id = ${group} and user_id = ${world.ids.max}`,
  );

async function state(): Promise<string> {
  const { all } = await world.owner.one(
    row({ all: text }),
    sql`select concat_ws(' ', (select jsonb_agg(to_jsonb(a) order by id) from applications a),
      (select jsonb_agg(s.id order by id) from application_secrets s), (select count(*) from audit_entries)) as all`,
  );
  return all;
}

const fields = { name: "Late", redirect_uri: "https://late.example.org/", scopes: "api", confidential: "1" };
const acts: readonly [what: string, act: () => Promise<Page>][] = [
  ["register one", () => max.post(HOME, { ...fields, grant_types: "authorization_code" })],
  ["change one", () => max.post(`${HOME}/${application}`, { ...fields, grant_types: "client_credentials" })],
  ["renew the secret of one", () => max.post(`${HOME}/${application}/renew_secret`, {})],
  ["delete one", () => max.post(`${HOME}/${application}/delete`, {})],
];

describe("an owner of a group who is removed or demoted while a form about its applications is carried out", () => {
  for (const [what, act] of acts) {
    it(`cannot ${what} (contract §4, tokens and roles; decision 0322)`, async () => {
      await max.get(HOME);
      const before = await state();
      for (const loses of [isDemoted, isRemoved]) {
        await becomesOwner();
        const { worked } = await whileDoing(world, loses, act);
        assert.equal(worked.status, 403, worked.text);
      }
      assert.equal(await state(), before);
    });
  }

  it("can as long as they are one (decision 0322)", async () => {
    await max.get(HOME);
    for (const [what, act] of acts) assert.equal((await act()).status, 303, what);
  });
});
