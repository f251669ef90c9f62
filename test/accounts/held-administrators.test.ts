/** Administrators act by token only as long as they are some, also if the role is withdrawn while their request waits (decision 0313). */
import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { meanwhile } from "../support/meanwhile.ts";
import { anApplication } from "../support/oauth.ts";
import { PASSWORD, type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
/** An administrator, their token, and an application of the instance. */
let cea: number;
let token: string;
let application: number;

before(async () => {
  world = await startWorld();
  const json = { username: "cea", name: "Cea", email: "cea@example.org", password: PASSWORD, admin: true };
  cea = (await world.call("/api/v4/users", { as: "ada", json })).json.id;
  token = await aToken(cea);
  application = (await anApplication(world, { owner: null })).id;
});
beforeEach(() => world.platform.db.run(sql`update users set is_admin = true where id = ${cea}`));

async function aToken(userId: number): Promise<string> {
  const json = { name: "of an administrator", scopes: ["api"] };
  return (await world.call(`/api/v4/users/${userId}/personal_access_tokens`, { as: "ada", json })).json.token;
}

const call = (method: string, path: string, json?: object): Promise<Reply> =>
  world.call(`/api/v4/${path}`, { token, method, ...(json ? { json } : {}) });

const acts: readonly [what: string, act: () => Promise<Reply>][] = [
  [
    "create an administrator",
    () =>
      call("POST", "users", {
        username: "dea",
        name: "Dea",
        email: "dea@example.org",
        password: PASSWORD,
        admin: true,
      }),
  ],
  ["make somebody an administrator", () => call("PUT", `users/${world.ids.rep}`, { admin: true })],
  ["set a password", () => call("PUT", `users/${world.ids.rep}`, { password: "other words of theirs" })],
  ["rename somebody", () => call("PUT", `users/${world.ids.rep}`, { name: "Late" })],
  ["block somebody", () => call("POST", `users/${world.ids.rep}/block`)],
  ["unblock somebody", () => call("POST", `users/${world.ids.rep}/unblock`)],
  [
    "create a token for an administrator",
    () => call("POST", `users/${world.ids.ada}/personal_access_tokens`, { name: "late", scopes: ["api"] }),
  ],
  [
    "register an application",
    () =>
      call("POST", "applications", {
        name: "Late",
        redirect_uri: "https://late.example.org/",
        scopes: "api",
        grant_types: ["authorization_code"],
        trusted: true,
      }),
  ],
  ["trust an application", () => call("PUT", `applications/${application}`, { trusted: true })],
  ["renew a secret", () => call("POST", `applications/${application}/renew-secret`, {})],
];

/** Everything that the acts would change. */
async function state(): Promise<unknown> {
  const people = await world.owner.many(
    row({ id: integer, version: integer }),
    sql`select id, (case when is_admin then 1 else 0 end + case when state = 'blocked' then 2 else 0 end
        + length(name) * 4 + length(coalesce(password_hash, '')) * 1000)::integer as version
      from users where id <> ${cea} order by id`,
  );
  const counts = await world.owner.one(
    row({ tokens: integer, audits: integer }),
    sql`select (select count(*) from access_tokens)::integer as tokens,
      (select count(*) from audit_entries)::integer as audits`,
  );
  return { people, counts };
}

describe("an administrator who loses the role during a request by token", () => {
  for (const [what, act] of acts) {
    it(`cannot ${what} (contract §4, tokens and roles; decision 0313)`, async () => {
      const before = await state();
      const demoted = ["update users set is_admin = false where id = $1", cea] as const;
      const reply = await meanwhile(world, [demoted], act);
      assert.equal(reply.status, 403, reply.text);
      assert.deepEqual(await state(), before);
    });
  }

  it("cannot rotate somebody else's token, but their own (contract §4, tokens and roles; decision 0313)", async () => {
    const [own, other] = [await aToken(cea), await aToken(world.ids.ada)];
    const idOf = async (secret: string) =>
      (await world.call("/api/v4/personal_access_tokens/self", { token: secret })).json.id;
    for (const [secret, status] of [
      [other, 403],
      [own, 200],
    ] as const) {
      await world.platform.db.run(sql`update users set is_admin = true where id = ${cea}`);
      const id = await idOf(secret);
      const demoted = ["update users set is_admin = false where id = $1", cea] as const;
      const reply = await meanwhile(world, [demoted], () =>
        call("POST", `personal_access_tokens/${id}/rotate`),
      );
      assert.ok(status === 403 ? reply.status === 403 : reply.status < 300, reply.text);
    }
  });
});

it("administrators who change each other's accounts at once wait for each other without a deadlock (decisions 0047, 0313)", async () => {
  const { ids } = world;
  const everybody = [ids.ada, ids.max, ids.rep, cea];
  await world.platform.db.run(sql`update users set is_admin = true where id = any (${everybody})`);
  const tokens = await Promise.all(everybody.map(aToken));
  const statuses: number[] = [];
  for (let round = 0; round < 6; round++) {
    const replies = await Promise.all(
      tokens.flatMap((secret, turn) => {
        const ask = (method: string, path: string, json?: object) =>
          world.call(`/api/v4/${path}`, { token: secret, method, ...(json ? { json } : {}) });
        const next = everybody[(turn + 1 + (round % 3)) % everybody.length];
        return [
          ask("PUT", `users/${next}`, { admin: round % 2 === 1, name: `Round ${round}` }),
          ask("POST", `users/${next}/${round % 2 === 0 ? "block" : "unblock"}`),
          ask("PUT", `users/${ids.gus}`, { username: `gus-${round}-${turn}` }),
          ask("POST", `users/${next}/personal_access_tokens`, { name: "more", scopes: ["api"] }),
          ask("POST", `projects/${world.rocket.id}/members`, { user_id: ids.stan, access_level: 10 }),
        ];
      }),
    );
    statuses.push(...replies.map(({ status }) => status));
    await world.platform.db.run(
      sql`update users set is_admin = true, state = 'active' where id = any (${everybody})`,
    );
  }
  assert.deepEqual(
    statuses.filter((status) => status >= 500),
    [],
  );
  // A session reports at the end of a transaction, at most once in a second.
  await world.owner.run(sql`select pg_sleep(1.2)`);
  await Promise.all(Array.from({ length: 16 }, () => call("PUT", `users/${ids.dev}`, { name: "Dev" })));
  const { deadlocks } = await world.owner.one(
    row({ deadlocks: integer }),
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  );
  assert.equal(deadlocks, 0);
});
