/** Hands every event that arrived to the hooks of its project, each once, whoever crashes when (decision 0109). */
import { enqueue } from "../outbox/enqueue.ts";
import { OUTBOX_SEAL, type WebhookMessage } from "../outbox/message.ts";
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import type { Event } from "./event.ts";
import { type Hook, purposeOf, seenByHook } from "./hook.ts";
import { readArrivals } from "./read-arrivals.ts";
import { findArrivalState, findUpcoming } from "./store-arrivals.ts";
import { listBehind, lockHook, updatePosition } from "./store-hooks.ts";

const EVENTS_A_TURN = 100;
/** Looks without news after which only every so-many-th look asks about each hook. */
const CALM = 3;
const EVERY_CALM = 30;

/** What is sent of an event: its kind and its body. */
export type HookLetter = (event: Event, publicUrl: string) => Pick<WebhookMessage, "event" | "body">;

/** Brings every hook up to the horizon: what arrives is in the outbox within two looks. */
export async function feedHooks(platform: Platform, letterOf: HookLetter): Promise<void> {
  const { db, log } = platform;
  const state = await findArrivalState(db);
  if (!(await mayBeNews(db, state))) return;
  for (const { id } of await listBehind(db.pooled, state.horizon)) {
    try {
      for (let more = true; more; ) more = await feedHook(platform, id, letterOf);
    } catch (error) {
      log.error({ err: error, hook: id }, "hook not fed");
    }
  }
}

interface Look {
  lastId: number;
  upcoming?: bigint;
  calm: number;
}
const looks = new WeakMap<Db, Look>();

/** Numbers are given out before the commit, so it is calm once the transactions of that moment are over. */
async function mayBeNews(db: Db, { lastId, horizon }: { lastId: number; horizon: string }): Promise<boolean> {
  const last = looks.get(db);
  if (last?.lastId !== lastId) {
    looks.set(db, { lastId, calm: 0 });
    return true;
  }
  // A number may be given out shortly before its transaction, hence not at the first look.
  last.upcoming ??= await findUpcoming(db);
  if (BigInt(horizon) >= last.upcoming) last.calm++;
  return last.calm <= CALM || last.calm % EVERY_CALM === 0;
}

/** One turn of one hook: its events and its new position are written together. Answers whether there is more. */
function feedHook(platform: Platform, id: number, letterOf: HookLetter): Promise<boolean> {
  const { db, config } = platform;
  return db.transaction(async (tx) => {
    const hook = await lockHook(tx, id);
    if (!hook) return false;
    const filter = { action: hook.actions, target: hook.targetTypes };
    const query = { ...seenByHook(hook), filter, limit: EVENTS_A_TURN, offset: 0 };
    const since = { epoch: "", transaction: hook.readIn, id: hook.readId };
    // On its own connection: the job that feeds holds another, and of each of them the pool has one for it (`schedule.ts`).
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

/** What every message of a hook carries. */
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
