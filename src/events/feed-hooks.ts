/** Enqueues every event that arrived for the hooks of its project, exactly once even after a crash (decision 0109). */
import { enqueue } from "../outbox/enqueue.ts";
import { OUTBOX_SEAL, type WebhookMessage } from "../outbox/message.ts";
import type { Db } from "../platform/db.ts";
import { logFailure } from "../platform/outage.ts";
import type { Platform } from "../platform/platform.ts";
import type { Event } from "./event.ts";
import { type Hook, purposeOf, seenByHook } from "./hook.ts";
import { readArrivals } from "./read-arrivals.ts";
import { findArrivalState, findUpcoming } from "./store-arrivals.ts";
import { listBehind, lockHook, updatePosition } from "./store-hooks.ts";

const EVENTS_A_TURN = 100;
/** After so many looks without new events, hooks are queried only at every `EVERY_CALM`th look. */
const CALM = 3;
const EVERY_CALM = 30;

/** Builds what is sent of an event: its kind and its body. */
export type HookLetter = (event: Event, publicUrl: string) => Pick<WebhookMessage, "event" | "body">;

/** After so many milliseconds hooks are looked for that have fallen behind meanwhile, and before if few rounds have passed. */
const UNHEARD_MS = 1000;

/**
 * Brings every hook up to the horizon: an event is in the outbox at most two looks after its arrival. The hooks take turns, and
 * those that fall behind meanwhile too, so that one with many events holds up no other (decision 0298).
 */
export async function feedHooks(platform: Platform, letterOf: HookLetter): Promise<void> {
  const { db } = platform;
  const state = await findArrivalState(db);
  if (!(await mayBeNews(db, state))) return;
  const failed = new Set<number>();
  let behind = await idsBehind(db, state.horizon);
  let lookedAt = performance.now();
  for (let round = 1; behind.length > 0; round++) {
    const more = await feedEach(platform, behind, letterOf, failed);
    const isTime = isPowerOfTwo(round) || performance.now() - lookedAt >= UNHEARD_MS;
    if (more.length > 0 && isTime) {
      lookedAt = performance.now();
      behind = await idsBehind(db, (await findArrivalState(db)).horizon);
    } else behind = more;
  }
}

const isPowerOfTwo = (n: number) => (n & (n - 1)) === 0;

async function idsBehind(db: Db, horizon: string): Promise<number[]> {
  return (await listBehind(db.pooled, horizon)).map(({ id }) => id);
}

/** One turn of each of these hooks; returns those that have more. */
async function feedEach(
  platform: Platform,
  ids: readonly number[],
  letterOf: HookLetter,
  failed: Set<number>,
): Promise<number[]> {
  const more: number[] = [];
  for (const id of ids) {
    if (failed.has(id)) continue;
    try {
      if (await feedHook(platform, id, letterOf)) more.push(id);
    } catch (error) {
      failed.add(id);
      logFailure(platform, error, "hook not fed", { hook: id });
    }
  }
  return more;
}

interface Look {
  lastId: number;
  upcoming?: bigint;
  calm: number;
}
const looks = new WeakMap<Db, Look>();

/**
 * Whether there may be new events. Ids are allotted before the commit, so a look without a new id counts as calm only once the
 * transactions of that moment are over.
 */
async function mayBeNews(db: Db, { lastId, horizon }: { lastId: number; horizon: string }): Promise<boolean> {
  const last = looks.get(db);
  if (last?.lastId !== lastId) {
    looks.set(db, { lastId, calm: 0 });
    return true;
  }
  // An id may be allotted shortly before its transaction begins, so the transactions are not read at the first look.
  last.upcoming ??= await findUpcoming(db);
  if (BigInt(horizon) >= last.upcoming) last.calm++;
  return last.calm <= CALM || last.calm % EVERY_CALM === 0;
}

/** One turn of one hook: enqueues events and updates its position in one transaction. Returns whether there is more. */
function feedHook(platform: Platform, id: number, letterOf: HookLetter): Promise<boolean> {
  const { db, config } = platform;
  return db.transaction(async (tx) => {
    const hook = await lockHook(tx, id);
    if (!hook) return false;
    const filter = { action: hook.actions, target: hook.targetTypes };
    const query = { ...seenByHook(hook), filter, limit: EVENTS_A_TURN, offset: 0 };
    const since = { epoch: "", transaction: hook.readIn, id: hook.readId };
    // Reads on the connection of the transaction: the job holds a second one, and the pool has one to spare for each job
    // (`schedule.ts`).
    const { events, next } = await readArrivals(tx, query, since);
    const labels = labelsOf(platform, hook);
    await enqueue(
      tx,
      events.map((event) => ({
        ...labels,
        dedupeKey: String(event.id),
        ...letterOf(event, config.publicUrl),
      })),
    );
    await updatePosition(tx, id, next);
    return events.length === EVENTS_A_TURN;
  });
}

/** The members that all messages of a hook have in common. */
export function labelsOf({ keys }: Pick<Platform, "keys">, hook: Hook) {
  const secrets = keys.open(hook.secretSealed, OUTBOX_SEAL);
  const [secret = ""] = secrets.split(" ");
  return {
    channel: "webhook",
    url: { sealed: hook.urlSealed, host: hook.host },
    secret: keys.seal(hook.signsOld ? secrets : secret, OUTBOX_SEAL),
    projectId: hook.projectId,
    purpose: purposeOf(hook),
  } as const;
}
