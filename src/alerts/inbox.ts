/** Gathers deliveries that arrive at the same time into one transaction; each is answered after its own commit. */
import { isConflict, isLockTimeout } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Delivery, Outcome } from "./delivery.ts";
import { createGatherings } from "./gathering.ts";
import { recordBatch } from "./record-batch.ts";
import type { Waits } from "./store-batch.ts";

/** Concurrent transactions, no two of the same project; those that wait for another process's lock do not count. */
const MAX_IN_FLIGHT = 2;
/** The most deliveries, reports and bytes in one transaction. */
const MAX_BATCH = 128;
const MAX_BATCH_REPORTS = 2000;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** How many deliveries wait at most; beyond that, senders are told to retry. */
const MAX_WAITING = 2000;
/** The bodies of all deliveries that wait or are under way; once parsed, a body takes several times its size. */
const MAX_HELD_BYTES = 48 * 1024 * 1024;

export interface Inbox {
  /**
   * Resolves once the delivery is committed.
   * @throws Problem unavailable: the database cannot be reached, or too much waits already
   */
  submit(delivery: Delivery): Promise<Outcome>;
}

type RecordBatch = (platform: Platform, deliveries: readonly Delivery[], waits: Waits) => Promise<Outcome[]>;

interface Waiting {
  delivery: Delivery;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Creates the inbox of a process. */
export function createInbox(platform: Platform, record: RecordBatch = recordBatch): Inbox {
  const waiting: Waiting[] = [];
  let heldBytes = 0;
  let inFlight = 0;
  const busyProjects = new Set<number>();
  const gatherings = createGatherings();

  /** Ends a batch: after a pause its projects may be in the next one. */
  const release = (batch: readonly Waiting[], projects: ReadonlySet<number>, beganAt: number): void => {
    const tookMs = performance.now() - beganAt;
    for (const { delivery } of batch) heldBytes -= sizeOf(delivery);
    const here = waiting.filter(({ delivery }) => projects.has(delivery.projectId)).length;
    gatherings.begin({ projects, answered: batch.length, here, tookMs }, () => {
      for (const id of projects) busyProjects.delete(id);
      pump();
    });
  };

  const recordPart = async (part: readonly Waiting[], projectId: number): Promise<void> => {
    const beganAt = performance.now();
    await settle(platform, record, part, "long");
    release(part, new Set([projectId]), beganAt);
  };

  const pump = (): void => {
    while (inFlight < MAX_IN_FLIGHT) {
      const batch = takeBatch(waiting, busyProjects);
      if (batch.length === 0) return;
      const byProject = Map.groupBy(batch, ({ delivery }) => delivery.projectId);
      const projects = new Set(byProject.keys());
      for (const id of projects) busyProjects.add(id);
      inFlight++;
      const beganAt = performance.now();
      void settle(platform, record, batch, "shortly").then((isSettled) => {
        inFlight--;
        if (isSettled) release(batch, projects, beganAt);
        // Another process holds the lock of one of the projects: each project goes on alone, and only that one waits.
        else for (const [projectId, part] of byProject) void recordPart(part, projectId);
        // Other projects can start now.
        pump();
      });
    }
  };
  let isPumping = false;

  return {
    submit: (delivery) => {
      if (waiting.length >= MAX_WAITING || heldBytes + sizeOf(delivery) > MAX_HELD_BYTES) {
        throw new Problem("unavailable", "503 Service Unavailable: too many alerts at once.", {
          retryAfterSeconds: 5,
        });
      }
      return new Promise((resolve, reject) => {
        waiting.push({ delivery, resolve, reject });
        heldBytes += sizeOf(delivery);
        gatherings.arrived(delivery.projectId);
        // After the requests that arrived in the same turn of the event loop have joined.
        if (isPumping) return;
        isPumping = true;
        setImmediate(() => {
          isPumping = false;
          pump();
        });
      });
    },
  };
}

/**
 * Removes the next batch from those that wait, in their order. A project that has a batch under way is passed over: its
 * alerts change one batch after another, and a second transaction would only hold a connection while it waits.
 */
function takeBatch(waiting: Waiting[], busyProjects: ReadonlySet<number>): Waiting[] {
  let reports = 0;
  let size = 0;
  const batch: Waiting[] = [];
  const left: Waiting[] = [];
  let isFull = false;
  for (const one of waiting) {
    const { reading, projectId } = one.delivery;
    if (isFull || busyProjects.has(projectId)) {
      left.push(one);
      continue;
    }
    reports += reading.reports.length;
    size += sizeOf(one.delivery);
    // The first one is always taken, however large it is.
    isFull =
      batch.length > 0 &&
      (batch.length >= MAX_BATCH || reports > MAX_BATCH_REPORTS || size > MAX_BATCH_BYTES);
    (isFull ? left : batch).push(one);
  }
  if (batch.length > 0) waiting.splice(0, waiting.length, ...left);
  return batch;
}

/** The bytes of a delivery in memory: those of its inflated body, from which its payload was parsed. */
function sizeOf({ raw, inflatedBytes }: Delivery): number {
  return Math.max(raw.length, inflatedBytes ?? 0);
}

/**
 * Records a batch and answers its deliveries; if it fails, but not because the database is unavailable, each delivery is
 * recorded alone. Returns false if it `waits` shortly and another process held the lock of one of its projects for longer:
 * then nothing was recorded or answered.
 */
async function settle(
  platform: Platform,
  record: RecordBatch,
  batch: readonly Waiting[],
  waits: Waits,
): Promise<boolean> {
  try {
    const outcomes = await record(
      platform,
      batch.map(({ delivery }) => delivery),
      waits,
    );
    batch.forEach(({ resolve }, index) => {
      resolve(outcomes[index] as Outcome);
    });
  } catch (error) {
    if (waits === "shortly" && isLockTimeout(error)) return false;
    const [only] = batch;
    const isAway = error instanceof Problem && error.kind === "unavailable" && !isConflict(error);
    if (batch.length === 1 || isAway || !only) {
      for (const { reject } of batch) reject(error);
      return true;
    }
    platform.log.warn({ err: error, deliveries: batch.length }, "a batch of alerts failed; one by one");
    for (const one of batch) await settle(platform, record, [one], "long");
  }
  return true;
}
