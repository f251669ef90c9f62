/** Old accounts with many tokens, audit entries and expired rows. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { listAuditEntries, listEarlierSignIns } from "../../src/accounts/store-audit.ts";
import { countSentLately } from "../../src/accounts/store-invitations.ts";
import { deleteOtherSessions, deleteSessionsOfUser } from "../../src/accounts/store-sessions.ts";
import { countPersonalTokens, listPersonalTokens } from "../../src/accounts/store-tokens.ts";
import { sweepAccounts } from "../../src/accounts/sweep.ts";
import { buildApp } from "../../src/app.ts";
import type { Db, Queries } from "../../src/platform/db.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { rowsHandled } from "../support/plans.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** Returns the plan of a statement with sequential scans avoided where possible. */
async function planOf(statement: Sql): Promise<string> {
  return world.platform.db.transaction(async (tx) => {
    await tx.run(sql`set local enable_seqscan = off`);
    const lines = await tx.many(row({ "QUERY PLAN": text }), sql`explain ${statement}`);
    return lines.map((line) => line["QUERY PLAN"]).join("\n");
  });
}

/** Returns the statement that a store function would send. */
async function statementOf(ask: (db: Queries) => Promise<unknown>): Promise<Sql> {
  let sent: Sql | undefined;
  const keep = async (statement: Sql) => {
    sent = statement;
    return 0;
  };
  const keepRows = async (_: unknown, statement: Sql) => {
    sent = statement;
    return [];
  };
  await ask({ run: keep, many: keepRows, find: keepRows, one: keepRows } as unknown as Queries);
  return sent as Sql;
}

it("all of a user's tokens are listed on their page, twenty at a time (reference ux §7)", async () => {
  const max = await signedIn(world, "max");
  await world.platform.db.run(
    sql`insert into access_tokens (digest, kind, user_id, scopes, name)
      select sha256(n::text::bytea), 'personal', ${world.ids.max}, '{api}', 'old ' || n from generate_series(1, 220) n`,
  );
  const names = new Set<string>();
  for (let page = 1; page <= 11; page++) {
    const { text } = await max.get(`/profile/personal_access_tokens?page=${page}`);
    for (const [, name = ""] of text.matchAll(/>(old \d+)</g)) names.add(name);
  }
  assert.equal(names.size, 220);
});

it("listing personal access tokens does not scan the tokens of applications (reference reliability S122)", async () => {
  const { pooled } = world.platform.db;
  await pooled.run(
    sql`insert into access_tokens (digest, kind, user_id, scopes, expires_at)
      select sha256(('o' || n)::bytea), 'oauth', ${world.ids.dev}, '{api}', now() + interval '1 hour'
      from generate_series(1, 20000) n`,
  );
  await world.owner.run(sql`analyze access_tokens`);
  const page = { limit: 20, offset: 0, order: "created_desc" } as const;
  for (const ask of [
    (db: Queries) => listPersonalTokens(db, {}, page),
    (db: Queries) => countPersonalTokens(db, {}).catch(() => 0),
  ]) {
    const read = await rowsHandled(world, ask);
    assert.ok(read >= 20 && read < 1000, `${read} rows`);
  }
});

it("lists of all users and tokens are read through the pool, so that single statements do not wait for them (decision 0051)", async () => {
  const { db } = world.platform;
  const alone: string[] = [];
  const watched = new Proxy(db, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "pooled" || typeof value !== "function") return value;
      return (...given: unknown[]) => {
        for (const one of given) if (one instanceof Sql) alone.push(one.statement.text);
        return value.apply(target, given);
      };
    },
  });
  const app = await buildApp({ ...world.platform, db: watched });
  const headers = { authorization: `Bearer ${await world.tokenOf("ada", "api")}` };
  for (const url of ["/api/v4/users?search=o", "/api/v4/users", "/api/v4/personal_access_tokens"]) {
    assert.equal((await app.inject({ url, headers })).statusCode, 200);
  }
  await app.close();
  assert.ok(alone.length > 0);
  assert.deepEqual(
    alone.filter((statement) => /count\(\*\)|limit \$/.test(statement)),
    [],
  );
});

describe("ending the sessions of one user", () => {
  for (const [what, ask] of [
    ["all", (db: Queries) => deleteSessionsOfUser(db, 1)],
    ["all but one", (db: Queries) => deleteOtherSessions(db, 1, Buffer.from("x"))],
  ] as const) {
    it(`does not scan other users' sessions: ${what} (reference reliability S122)`, async () => {
      const plan = await planOf(await statementOf(ask));
      assert.doesNotMatch(plan, /Seq Scan on sessions/, plan);
    });
  }
});

describe("the sweep of accounts", () => {
  const count = async () =>
    Object.values(
      await world.platform.db.one(
        row({ sessions: integer, failures: integer }),
        sql`select (select count(*) from sessions where user_agent = 'old') as sessions,
          (select count(*) from sign_in_failures where login = 'old') as failures`,
      ),
    );

  it("deletes expired rows in batches through the pool, so that single statements do not wait for it (decision 0051)", async () => {
    const { db } = world.platform;
    await db.pooled.run(
      sql`with s as (insert into sessions (digest, user_agent, expires_at)
          select sha256(('s' || n)::bytea), 'old', now() - interval '1 minute' from generate_series(1, 12000) n)
        insert into sign_in_failures (login, network, failed_at)
        select 'old', 'x', now() - interval '25 hours' from generate_series(1, 12000)`,
    );
    await db.run(
      sql`insert into sign_in_failures (login, network, failed_at) values ('old', 'x', now() - interval '23 hours')`,
    );
    let most = 0;
    const watched = {
      pooled: {
        run: async (statement: Sql) => {
          const touched = await db.pooled.run(statement);
          most = Math.max(most, touched);
          return touched;
        },
      },
      run: () => assert.fail("must not use the connection of single statements"),
    } as unknown as Db;
    await sweepAccounts({ ...world.platform, db: watched });
    assert.deepEqual(await count(), [0, 1]);
    assert.ok(most <= 5000, `${most} in one batch`);
  });
});

describe("the audit log", () => {
  before(async () => {
    const { pooled } = world.platform.db;
    await pooled.run(
      sql`insert into audit_entries (id, at, action, actor_id, actor, user_id, person, hash)
        select 1000 + n, now(), 'token_created', n % 7 + 1, 'p' || n % 7, n % 7 + 1, 'p' || n % 7, '\\x00'
        from generate_series(1, 20000) n`,
    );
    await world.owner.run(sql`analyze audit_entries`);
  });

  const filters = [
    { userId: 999 },
    { userId: 999, before: 5 },
    { action: "user_erased" },
    { name: "Nobody" },
    { name: "nobody", action: "sign_in", before: 10 },
  ];
  for (const filter of filters) {
    it(`is not scanned for a few matching entries, filtered by ${Object.keys(filter).join(", ")} (reference reliability S122)`, async () => {
      const read = await rowsHandled(world, (db) => listAuditEntries(db, filter, 50));
      assert.ok(read < 100, `${read} rows`);
    });
  }

  it("finds earlier sign-ins of a user without scanning other entries about the account (decision 0193; reference reliability S122)", async () => {
    const { pooled } = world.platform.db;
    // The user's own sign-ins are 900 and 99999; others sign in very often, and the account has many other entries.
    await pooled.run(
      sql`insert into audit_entries (id, at, action, user_id, details, hash)
        select n, now(), case when n < 60000 or n = 99999 then 'sign_in' else 'token_created' end,
          case when n between 40000 and 60000 then 6 else 5 end, '{"device": "curl"}', '\\x00'
        from (select 900 union all select generate_series(40000, 80000) union all select 99999) as all_of_them (n)`,
    );
    await world.owner.run(sql`analyze audit_entries`);
    const read = await rowsHandled(world, (db) => listEarlierSignIns(db, [99999]));
    assert.ok(read >= 1 && read < 100, `${read} rows`);
    const found = await listEarlierSignIns(pooled, [99999]);
    assert.deepEqual(
      found.map(({ device }) => device),
      ["curl"],
    );
  });

  it("counts all invitations that somebody sent in a day, whatever else they did since, without scanning it (decision 0111; reference reliability S122)", async () => {
    const { pooled } = world.platform.db;
    await pooled.run(
      sql`insert into audit_entries (id, at, action, actor_id, hash)
        select 200000 + n, now() - case when n <= 40 then interval '25 hours' else interval '23 hours' end,
          case when n <= 100 then 'invitation_sent' else 'project_changed' end, 7777, '\\x00'
        from generate_series(1, 5000) n`,
    );
    await world.owner.run(sql`analyze audit_entries`);
    assert.equal(await countSentLately(pooled, 7777, 100), 60);
    assert.equal(await countSentLately(pooled, 7777, 50), 50, "no more than are asked about");
    const read = await rowsHandled(world, (db) => countSentLately(db, 7777, 100));
    assert.ok(read < 200, `${read} rows`);
  });

  it("returns the same entries by page as a full scan (reference ux §7)", async () => {
    const { pooled } = world.platform.db;
    for (const filter of [{ userId: 3 }, { name: "P2" }, { name: "p2", action: "token_created" }, {}]) {
      const ids: number[] = [];
      for (let before: number | undefined; ids.length < 120; before = ids.at(-1)) {
        ids.push(...(await listAuditEntries(pooled, { ...filter, before }, 50)).map(({ id }) => id));
      }
      const fits = "userId" in filter || "name" in filter ? sql`user_id = 3 or actor_id = 3` : sql`true`;
      const all = await pooled.many(
        row({ id: integer }),
        sql`select id from audit_entries where ${fits} order by id desc limit 150`,
      );
      assert.deepEqual(
        ids.slice(0, 150),
        all.map(({ id }) => id),
      );
    }
  });
});
