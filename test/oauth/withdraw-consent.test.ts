/** Revoking consent and turning on two-factor sign-in, for an application with many expired tokens. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { whileHeld } from "../support/meanwhile.ts";
import { anApplication, type TestApplication } from "../support/oauth.ts";
import { codeOf } from "../support/two-factor.ts";
import { signedIn } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;
before(async () => {
  world = await startWorld();
  application = await anApplication(world);
});

async function grant(username: Person, scope: string, by = application): Promise<string> {
  const form = { grant_type: "password", username, password: PASSWORD, scope };
  const reply = await world.call("/oauth/token", { form, headers: { authorization: by.basic } });
  assert.equal(reply.status, 200, reply.text);
  return reply.json.access_token;
}
/** Makes everything granted to this person so far two days old. */
async function age(person: Person): Promise<void> {
  const { db } = world.platform;
  const id = world.ids[person];
  await db.run(
    sql`update authorizations set created_at = created_at - interval '2 days' where user_id = ${id}`,
  );
  await db.run(
    sql`update access_tokens set created_at = created_at - interval '2 days', expires_at = expires_at - interval '2 days'
      where user_id = ${id} and kind = 'oauth'`,
  );
}
/** Locks this person's expired tokens and their authorizations. */
const heldOver = (person: Person) =>
  [
    ["select from access_tokens where user_id = $1 and expires_at < now() for update", world.ids[person]],
    [
      "select from authorizations where user_id = $1 and created_at < now() - interval '1 day' for update",
      world.ids[person],
    ],
  ] as const;
const isGood = async (token: string) => (await world.call("/oauth/token/info", { token })).status === 200;

describe("with many expired tokens of the password grant", () => {
  it("revoking ends the valid tokens without waiting for locks on expired ones (decision 0230)", async () => {
    await grant("dev", "api");
    await age("dev");
    const token = await grant("dev", "api");
    const dev = await signedIn(world, "dev");
    const done = await whileHeld(world, heldOver("dev"), () =>
      dev.submit(`/profile/applications/${application.id}/revoke`, {}, "/profile/applications"),
    );
    assert.equal(done.status, 303, done.text);
    assert.equal(await isGood(token), false);
  });

  it("revoking includes expired authorizations, so that their scopes are no longer listed as allowed (contract §4, revocation; decision 0230)", async () => {
    await grant("max", "api");
    await age("max");
    await grant("max", "api");
    const max = await signedIn(world, "max");
    await max.submit(`/profile/applications/${application.id}/revoke`, {}, "/profile/applications");
    await grant("max", "read_user");
    const { text } = await max.get("/profile/applications");
    assert.match(text, /read_user/);
    assert.doesNotMatch(text, />api</);
  });

  it("turning on two-factor sign-in ends the valid tokens without waiting for locks on expired ones (decisions 0009, 0230)", async () => {
    await grant("gus", "api");
    await age("gus");
    const token = await grant("gus", "api");
    const started = await world.call("/api/v4/user/two_factor", { as: "gus", json: { password: PASSWORD } });
    const json = { code: codeOf(started.json.secret) };
    const confirmed = await whileHeld(world, heldOver("gus"), () =>
      world.call("/api/v4/user/two_factor/confirm", { as: "gus", json }),
    );
    assert.equal(confirmed.status, 201, confirmed.text);
    assert.equal(await isGood(token), false);
  });
});

it("revoking affects only this person's tokens of this application (contract §4, revocation; reference oauth D79)", async () => {
  const another = await anApplication(world);
  const [mine, elsewhere, theirs] = [
    await grant("olga", "api"),
    await grant("olga", "api", another),
    await grant("rep", "api"),
  ];
  const olga = await signedIn(world, "olga");
  const path = `/profile/applications/${application.id}/revoke`;
  assert.equal((await olga.submit(path, {}, "/profile/applications")).status, 303);
  assert.deepEqual(await Promise.all([mine, elsewhere, theirs].map(isGood)), [false, true, true]);
});
