/** Exchanges metrics between the workers of a service, so that each can return those of all (decision 0291). */
import cluster, { type Worker } from "node:cluster";
import type { Family } from "./metrics.ts";

/** How long the other workers may take; one that hangs is missing from the response. */
const PATIENCE_MS = 1000;

/** What primary and workers send each other; `number` is that of the request in the worker `asker`. */
type Message =
  | { metrics: "wanted"; number: number }
  | { metrics: "expected"; number: number; workers: number }
  | { metrics: "asked"; number: number; asker: number }
  | { metrics: "told"; number: number; asker: number; families: Family[] };

/** Called in the primary, which alone has a channel to each worker: passes requests for metrics and the responses on. */
export function relayMetrics(): void {
  cluster.on("message", (from: Worker, message: unknown) => {
    if (!isOurs(message)) return;
    if (message.metrics === "told") return send(cluster.workers?.[message.asker], message);
    if (message.metrics !== "wanted") return;
    const { number } = message;
    const others = Object.values(cluster.workers ?? {}).filter((one) => one && one.id !== from.id);
    send(from, { metrics: "expected", number, workers: others.length });
    for (const other of others) send(other, { metrics: "asked", number, asker: from.id });
  });
}

interface Asked {
  families: Family[];
  /** How many workers have not responded yet; undefined until the primary has said it. */
  left: number | undefined;
  done(families: Family[]): void;
}

/**
 * Returns a function for the metrics of all other workers; in a process that has none it returns nothing.
 * @param own the metrics of this process, for the others
 */
export function exchangeMetrics(own: () => Family[]): () => Promise<Family[]> {
  const me = cluster.worker;
  if (!me) return async () => [];
  const waiting = new Map<number, Asked>();
  me.on("message", (message: unknown) => {
    if (!isOurs(message)) return;
    if (message.metrics === "asked") return send(me, { ...message, metrics: "told", families: own() });
    const asked = waiting.get(message.number);
    if (!asked) return;
    if (message.metrics === "expected") asked.left = message.workers;
    if (message.metrics === "told") {
      asked.families.push(...message.families);
      asked.left = (asked.left ?? 1) - 1;
    }
    if (asked.left === 0) asked.done(asked.families);
  });
  let last = 0;
  return () =>
    new Promise((resolve) => {
      const number = ++last;
      const late = setTimeout(() => asked.done(asked.families), PATIENCE_MS);
      const done = (families: Family[]) => {
        clearTimeout(late);
        waiting.delete(number);
        resolve(families);
      };
      const asked: Asked = { families: [], left: undefined, done };
      waiting.set(number, asked);
      send(me, { metrics: "wanted", number });
    });
}

/** A worker that has just ended, or whose primary has, is not told any more. */
function send(worker: Worker | undefined, message: Message): void {
  if (worker?.isConnected()) worker.send(message, () => {});
}

function isOurs(message: unknown): message is Message {
  return typeof message === "object" && message !== null && "metrics" in message;
}
