/** A thousand random lives of tokens on the real service and database, each step compared with a model. */
import { before, test } from "node:test";
import { hash } from "@node-rs/argon2";
import fc from "fast-check";
import { anyApplication, type Step, TokenLife } from "../support/token-life.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const RUNS = 1000;
const TOGETHER = 8;

let world: World;
let cheapHash: string;
let other: Awaited<ReturnType<typeof anyApplication>>;

before(async () => {
  world = await startWorld();
  cheapHash = await hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 });
  other = await anyApplication(world);
});

const which = fc.nat({ max: 7 });
const by = fc.oneof(
  { weight: 5, arbitrary: fc.constant("own" as const) },
  { weight: 1, arbitrary: fc.constant("other" as const) },
);
const scopes = fc.nat({ max: 3 });
const maybeScopes = fc.option(scopes, { nil: undefined, freq: 3 });
const word = <W extends string>(...words: W[]) => fc.constantFrom(...words);
const answer = fc.oneof({ weight: 6, arbitrary: word("allow") }, { weight: 1, arbitrary: word("deny") });
const allow = fc.record({ do: word("authorize"), scopes, answer });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: allow },
  { weight: 2, arbitrary: fc.record({ do: word("implicit"), scopes, answer }) },
  { weight: 8, arbitrary: fc.record({ do: word("redeem"), which, by }) },
  { weight: 9, arbitrary: fc.record({ do: word("refresh"), which, by, scopes: maybeScopes }) },
  { weight: 2, arbitrary: fc.record({ do: word("revoke access", "revoke refresh"), which, by }) },
  { weight: 3, arbitrary: fc.record({ do: word("password"), scopes: maybeScopes }) },
  { weight: 3, arbitrary: fc.record({ do: word("reduce scopes"), to: fc.nat({ max: 2 }) }) },
  { weight: 4, arbitrary: fc.record({ do: word("time"), passes: fc.nat({ max: 3 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: word("withdraw", "block", "unblock", "unblock", "renew secret", "delete", "two-factor"),
    }),
  },
);

async function live(steps: readonly Step[]): Promise<void> {
  const life = await TokenLife.begin(world, other, cheapHash);
  for (const one of steps) await life.step(one);
}

const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 11 }), (steps) =>
  live([{ do: "authorize", scopes: 0, answer: "allow" }, ...steps]),
);

test("1,000 random lives of codes and tokens go as the model says (contract §4, token type and lifetimes, code, refresh)", async (t) => {
  const seed = Number(process.env.GATEHOUSE_TEST_SEED ?? Date.now() % 2 ** 31);
  t.diagnostic(`GATEHOUSE_TEST_SEED=${seed}`);
  await Promise.all(
    Array.from({ length: TOGETHER }, (_, index) =>
      fc.assert(property, { seed: seed + index, numRuns: RUNS / TOGETHER, endOnFailure: false }),
    ),
  );
});
