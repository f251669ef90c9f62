/** Checks the database: connection, clock, schema, partitions for events, expired rows, administrators. */
import { findClock } from "../platform/clock-mark.ts";
import { connectionsFor } from "../platform/connections-for.ts";
import type { Db } from "../platform/db.ts";
import { readMigrations } from "../platform/migrate.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { checkReadiness } from "../platform/readiness.ts";
import {
  bad,
  type Finding,
  judgeClock,
  judgeConnections,
  judgeMark,
  judgeMigrations,
  judgeSealed,
  ok,
  warn,
} from "./finding.ts";
import { countSealed } from "./reseal.ts";
import {
  countAdministrators,
  countExpired,
  findConnectionLimit,
  findMonthsAhead,
  findServer,
  listMigrations,
  writeMuch,
} from "./store-doctor.ts";
import { findHeldSeconds, hasForeignNumbers } from "./store-event-numbers.ts";

const OLDEST_SERVER = 15;
/** Sweeps run at least hourly, so more expired rows mean that they do not run. */
const MAX_EXPIRED = 10_000;
/** Our own transactions are shorter, except migrations. */
const MAX_HELD_SECONDS = 300;

/**
 * A check that fails becomes a finding and does not stop the others.
 * @param workers the processes that serve, by the configuration
 */
export async function examineDatabase(
  { db, keys }: Pick<Platform, "db" | "keys">,
  workers = 1,
): Promise<Finding[]> {
  const unreached =
    "Check DATABASE_URL and that the server accepts connections from here; then check its log.";
  const findings = [await findingOf("database", () => examineServer(db), unreached)];
  if (findings[0]?.state === "bad") return findings;
  findings.push(await findingOf("durability", () => examineDurability(db)));
  findings.push(await findingOf("connections", () => examineConnections(db, workers)));
  findings.push(await findingOf("clock", () => examineClock(db)));
  const migrations = await findingOf("migrations", async () =>
    judgeMigrations(await listMigrations(db), await readMigrations()),
  );
  findings.push(migrations);
  // The other checks read tables that an incomplete schema may lack.
  if (migrations.state !== "ok") return findings;
  findings.push(
    await findingOf(
      "write",
      () => examineWrite(db),
      "Free space on the disk of the database, or check its log.",
    ),
    await findingOf("administrators", () => examineAdministrators(db)),
    await findingOf("event months", () => examineMonths(db)),
    await findingOf("event numbers", () => examineNumbers(db)),
    await findingOf("event arrivals", () => examineArrivals(db)),
    await findingOf("sweeps", () => examineSweeps(db)),
    await findingOf("clock mark", async () => judgeMark(await findClock(db))),
    await findingOf("sealed secrets", async () => judgeSealed(await countSealed(db, keys))),
  );
  return findings;
}

async function findingOf(
  name: string,
  look: () => Promise<Finding>,
  remedy = "Check the log of the database.",
): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    const detail = error instanceof Problem ? (error.log ?? error.message) : (error as Error).message;
    return bad(name, detail, remedy);
  }
}

async function examineServer(db: Db): Promise<Finding> {
  const { version, major } = await findServer(db);
  return major >= OLDEST_SERVER
    ? ok("database", `PostgreSQL ${version}`)
    : bad("database", `PostgreSQL ${version} is too old`, `Use PostgreSQL ${OLDEST_SERVER} or newer.`);
}

async function examineDurability(db: Db): Promise<Finding> {
  const { fsync, waits } = await findServer(db);
  if (fsync && waits) return ok("durability", "Commits are durable on disk");
  const off = [...(fsync ? [] : ["fsync"]), ...(waits ? [] : ["synchronous_commit"])].join(" and ");
  return bad(
    "durability",
    `The server runs with ${off} off`,
    `Turn ${off} on: acknowledged data must survive a crash.`,
  );
}

async function examineConnections(db: Db, workers: number): Promise<Finding> {
  const { connections } = await findConnectionLimit(db);
  return judgeConnections(connections, connectionsFor(workers));
}

async function examineClock(db: Db): Promise<Finding> {
  const before = Date.now();
  const { nowMilliseconds } = await findServer(db);
  // The database read its clock between the request and the response.
  const here = (before + Date.now()) / 2;
  return judgeClock((here - nowMilliseconds) / 1000);
}

async function examineWrite(db: Db): Promise<Finding> {
  await checkReadiness(db);
  // On a full disk there is still room for rows within the files that exist.
  await writeMuch(db);
  return ok("write", "The database accepts writes");
}

async function examineAdministrators(db: Db): Promise<Finding> {
  const { active, users } = await countAdministrators(db);
  if (active > 0) return ok("administrators", `${active} of ${users} users`);
  return warn(
    "administrators",
    "There is no administrator",
    "Run gatehouse setup-link, or gatehouse admin create.",
  );
}

async function examineMonths(db: Db): Promise<Finding> {
  const { months, waiting } = await findMonthsAhead(db);
  const remedy = "Keep the service running: it creates the partitions of the coming months every hour.";
  const text = `Partitions for this month and ${Math.max(0, months - 1)} more`;
  if (months < 2 || waiting)
    return warn(
      "event months",
      waiting ? `${text}; later events are in the default partition` : text,
      remedy,
    );
  return ok("event months", text);
}

async function examineNumbers(db: Db): Promise<Finding> {
  if (!(await hasForeignNumbers(db.pooled)))
    return ok("event numbers", "New events come after all others in the order of arrival");
  return bad(
    "event numbers",
    "The events have transaction numbers of another server: new ones reach neither webhooks nor clients that follow events",
    "Start the service anew, or run gatehouse events new-epoch: both renumber them.",
  );
}

async function examineArrivals(db: Db): Promise<Finding> {
  const seconds = await findHeldSeconds(db.pooled);
  if (seconds < MAX_HELD_SECONDS) return ok("event arrivals", "No transaction holds up new events");
  return warn(
    "event arrivals",
    `A transaction on the database server, of this or another database, has held up new events for ${Math.floor(seconds / 60)} minutes: webhooks, streams and since do not have them`,
    "End it: the oldest one of pg_stat_activity or pg_prepared_xacts (docs/operations.md, A PostgreSQL of your own).",
  );
}

async function examineSweeps(db: Db): Promise<Finding> {
  const { rows } = await countExpired(db);
  const text = `${rows} rows should have been deleted more than a day ago`;
  if (rows <= MAX_EXPIRED) return ok("sweeps", text);
  return warn("sweeps", text, "Keep the service running, and look for 'job failed' in its log.");
}
