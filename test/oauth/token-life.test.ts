/** A thousand random token histories on the real service and database, each step compared with a model. */
import { before, test } from "node:test";
import { hash } from "@node-rs/argon2";
import fc from "fast-check";
import { TokenLife } from "../support/token-life.ts";
import { anyApplication, type Step } from "../support/token-life-parts.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const RUNS = 1000;
const TOGETHER = 8;

let world: World;
let hashes: readonly string[];
let other: Awaited<ReturnType<typeof anyApplication>>;

before(async () => {
  world = await startWorld();
  const cheap = () => hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 });
  hashes = [await cheap(), await cheap()];
  other = await anyApplication(world);
});

/** Counted back from the newest, which is chosen most often. */
const which = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat({ max: 7 }) },
);
const by = fc.oneof(
  { weight: 7, arbitrary: fc.constant("own" as const) },
  { weight: 1, arbitrary: fc.constant("other" as const) },
);
const scopes = fc.nat({ max: 3 });
const maybeScopes = fc.option(scopes, { nil: undefined, freq: 3 });
const word = <W extends string>(...words: W[]) => fc.constantFrom(...words);
const answer = fc.oneof({ weight: 6, arbitrary: word("allow") }, { weight: 1, arbitrary: word("deny") });
const to = fc.nat({ max: 3 });

const authorize = fc.record({ do: word("authorize"), scopes, answer });
const implicit = fc.record({ do: word("implicit"), scopes, answer });
const ask = fc.record({ do: word("ask"), flow: word("code", "token"), scopes });
const late = fc.record({ do: word("answer"), which, answer });
const redeem = fc.record({ do: word("redeem"), which, by });
const refresh = fc.record({ do: word("refresh"), which, by, scopes: maybeScopes });
/** Repeats the refresh before the newest, as a client does that received no response. */
const again = refresh.map((one) => ({ ...one, which: 1 }));
const revoke = fc.record({ do: word("revoke access", "revoke refresh"), which, by });
const alone = fc.record({ do: word("password", "client"), scopes: maybeScopes });
const decision = fc.oneof(answer, word("none"));
const device = fc.record({ do: word("device"), scopes, answer: decision });
const poll = fc.record({ do: word("poll"), which, by });
const renew = fc.record({ do: word("renew secret"), to });
const narrow = fc.record({ do: word("scopes"), to });
const time = fc.record({ do: word("time"), passes: fc.nat({ max: 3 }) });
const once = <W extends Step["do"]>(...words: W[]) => fc.record({ do: word(...words) }) as fc.Arbitrary<Step>;
const trust = once("trust");
const mistrust = once("no trust");

/** Any event that affects the person or the application between two steps. */
const change: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: time },
  { weight: 3, arbitrary: fc.record({ do: word("scopes", "flows", "flows", "callback"), to }) },
  { weight: 1, arbitrary: renew },
  { weight: 1, arbitrary: revoke },
  { weight: 4, arbitrary: once("withdraw", "block", "new password", "end sessions", "two-factor") },
  { weight: 2, arbitrary: once("unblock", "one factor", "trust", "no trust") },
  { weight: 1, arbitrary: once("delete") },
);
const any: fc.Arbitrary<Step> = fc.oneof(change, authorize, implicit, redeem, refresh, poll, late, alone);

const begun = fc.oneof(ask, device, authorize);
const finished = fc.oneof(late, poll, redeem);

/** Steps that belong together, with others in between: drawn one by one they would hardly ever occur in this order. */
const scene: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(authorize, any, redeem, any, refresh, refresh) },
  { weight: 2, arbitrary: fc.tuple(authorize, redeem, refresh, time, refresh, refresh) },
  { weight: 1, arbitrary: fc.tuple(authorize, redeem, refresh, narrow, again, refresh) },
  { weight: 2, arbitrary: fc.tuple(implicit, alone, change, any) },
  { weight: 2, arbitrary: fc.tuple(ask, change, late, redeem) },
  { weight: 2, arbitrary: fc.tuple(device, change, poll, any, poll) },
  { weight: 1, arbitrary: fc.tuple(device, poll, change, refresh) },
  { weight: 1, arbitrary: fc.tuple(begun, once("block"), any, once("unblock"), finished, refresh) },
  { weight: 1, arbitrary: fc.tuple(trust, authorize, change, mistrust, authorize) },
  { weight: 1, arbitrary: fc.tuple(renew, renew, change, time) },
  { weight: 1, arbitrary: fc.tuple(alone, change, alone, change, alone) },
);

async function live(steps: readonly Step[]): Promise<void> {
  const life = await TokenLife.begin(world, other, hashes);
  for (const one of steps) await life.step(one);
}

const property = fc.asyncProperty(fc.array(scene, { minLength: 1, maxLength: 2 }), (scenes) =>
  live(scenes.flat()),
);

test("1,000 random histories of codes and tokens match the model (contract §4, token type and lifetimes, code, refresh)", async (t) => {
  const seed = Number(process.env.GATEHOUSE_TEST_SEED ?? Date.now() % 2 ** 31);
  t.diagnostic(`GATEHOUSE_TEST_SEED=${seed}`);
  await Promise.all(
    Array.from({ length: TOGETHER }, (_, index) =>
      fc.assert(property, { seed: seed + index, numRuns: RUNS / TOGETHER, endOnFailure: false }),
    ),
  );
});
