/** Limits on numbers of records, when several are created concurrently. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { claimIdentity } from "../../src/events/claim-identity.ts";
import { createHook } from "../../src/events/configure-hook.ts";
import { MAX_HOOKS } from "../../src/events/hook.ts";
import { countOf } from "../../src/platform/count-of.ts";
import { Problem } from "../../src/platform/problem.ts";
import { type Sql, sql } from "../../src/platform/sql.ts";
import { meanwhile } from "../support/meanwhile.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const count = (which: Sql) => countOf(world.platform.db, sql`select count(*) as n from ${which}`);
const isRefused = (error: unknown) => error instanceof Problem && error.kind === "unprocessable";

test("when webhooks are created concurrently, those beyond the limit are refused (decision 0109)", async () => {
  const place = { projectId: world.rocket.id, makerId: world.ids.max };
  const make = (n: number) =>
    createHook(world.platform, place, {
      ...{ url: `https://ci.example.org/${n}`, name: "", active: true, confidential: false },
      ...{ actions: [], targetTypes: [] },
    });
  for (let n = 1; n < MAX_HOOKS; n++) await make(n);
  const { rocket } = world;
  const last = `insert into event_hooks (project_id, name, url_sealed, host, secret_sealed, actions, target_types, confidential, active)
    select project_id, name, url_sealed, host, secret_sealed, actions, target_types, confidential, active from event_hooks where project_id = $1 limit 1`;
  await assert.rejects(
    meanwhile(
      world,
      [
        ["select from projects where id = $1 for no key update", rocket.id],
        [last, rocket.id],
      ],
      () => make(MAX_HOOKS),
    ),
    isRefused,
  );
  assert.equal(await count(sql`event_hooks`), MAX_HOOKS);
});

test("when a user claims identities concurrently, those beyond the limit are refused (decision 0118)", async () => {
  const { dev } = world.ids;
  const claim = (n: number) =>
    claimIdentity(
      world.platform.db,
      { id: dev, ip: "127.0.0.1" },
      { host: "github.com", login: `octo-${n}` },
    );
  for (let n = 1; n < 50; n++) await claim(n);
  await assert.rejects(
    meanwhile(
      world,
      [
        ["select pg_advisory_xact_lock(hashtextextended($1, 0))", `gatehouse claims of ${dev}`],
        [
          "insert into event_claims (user_id, host, login, told) values ($1, 'github.com', 'octo-50', '')",
          dev,
        ],
      ],
      () => claim(51),
    ),
    isRefused,
  );
  assert.equal(await count(sql`event_claims`), 50);
});
