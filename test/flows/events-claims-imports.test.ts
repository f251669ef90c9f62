/** Claims answered during an import: in the end every imported event belongs to whom the last answer says (decision 0118). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { countsAreExact } from "../support/event-counts.ts";
import { archived, importFile, linesOf } from "../support/files.ts";
import { isWaitedFor } from "../support/meanwhile.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

let ids = 0;
/** A line of GitHub's archive: this user opened an issue. */
const opened = (login: string, number: number) =>
  archived(
    ++ids,
    "IssuesEvent",
    { action: "opened", issue: { id: 5000 + number, number, title: `Issue ${number}` } },
    { actor: { login } },
  );
/** Enough lines to fill a batch, so that it is written before the next one is read (20,000 lines). */
const filling = linesOf(
  Array.from({ length: 20_000 }, () => archived(++ids, "WatchEvent", { action: "started" })),
);

/** The iids of the issues that a user opened; `outsider`: those of people on the forge without an account here. */
async function openedBy(userId: number | "outsider"): Promise<number[]> {
  const found = await world.platform.db.many(
    row({ n: integer }),
    userId === "outsider"
      ? sql`select e.target_iid as n from events e join event_outsiders o on o.user_id = e.author_id
          where e.told_as is null order by 1`
      : sql`select target_iid as n from events where author_id = ${userId} and told_as is not null order by 1`,
  );
  return found.map(({ n }) => n);
}

async function claimOf(login: string): Promise<number> {
  const made = await world.call("/api/v4/user/outside_identities", {
    as: "gus",
    json: { host: "github.com", username: login },
  });
  assert.equal(made.status, 201, made.text);
  return made.json.id;
}

const answer = (id: number, word: "approve" | "refuse") =>
  world.call(`/api/v4/projects/acme%2Frocket/outside_identities/${id}/${word}`, {
    as: "max",
    method: "POST",
  });

test("lines read after an approval or its revocation belong to whom the answer says, though the import saw the person before (decision 0118)", async () => {
  const gus = world.ids.gus;
  const id = await claimOf("heron");
  async function* lines() {
    yield linesOf([opened("heron", 1)]) + filling;
    await until(async () => (await openedBy("outsider")).includes(1));
    assert.equal((await answer(id, "approve")).status, 204);
    yield linesOf([opened("Heron", 2)]) + filling;
    await until(async () => (await openedBy(gus)).includes(2));
    assert.deepEqual(await openedBy(gus), [1, 2]);
    assert.equal((await answer(id, "refuse")).status, 204);
    yield linesOf([opened("heron", 3)]);
  }
  const { code, stderr } = await importFile(world, ["-", "--project", "acme/rocket"], lines()).ended;
  assert.equal(code, 0, stderr);
  assert.deepEqual(await openedBy("outsider"), [1, 2, 3]);
  assert.deepEqual(await openedBy(gus), []);
  await countsAreExact(world);
});

test("an approval cannot be revoked while an import is writing a batch with the person's lines (decision 0118)", async () => {
  const { db } = world.platform;
  const id = await claimOf("stork");
  const first = await importFile(world, ["-"], linesOf([opened("stork", 11)])).ended;
  assert.equal(first.code, 0, first.stderr);
  assert.equal((await answer(id, "approve")).status, 204);
  assert.deepEqual(await openedBy(world.ids.gus), [11]);
  const waitsForImport = sql`select from pg_locks where not granted and locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`;
  const [imported, taken] = await db.transaction(async (tx) => {
    // Holds the row of the issue, so that the import waits after it has looked up the author.
    await tx.run(sql`update event_targets set title = 'Held' where key = '11' and kind = 'issue'`);
    const run = importFile(world, ["-"], linesOf([opened("stork", 11), opened("stork", 12)])).ended;
    await until(() => isWaitedFor(tx));
    const answered = answer(id, "refuse");
    await until(async () => (await tx.run(waitsForImport)) > 0);
    return [run, answered] as const;
  });
  assert.equal((await imported).code, 0);
  assert.equal((await taken).status, 204);
  assert.deepEqual(await openedBy(world.ids.gus), []);
  assert.deepEqual((await openedBy("outsider")).slice(-3), [11, 11, 12]);
  await countsAreExact(world);
});
