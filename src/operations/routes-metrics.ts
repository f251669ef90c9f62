/** `GET /-/metrics`: the metrics of the service, for clients on this machine and for administrators (decision 0071). */
import cluster from "node:cluster";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { callerOf, needsScope, passGuard } from "../accounts/caller.ts";
import { outboxLoad } from "../outbox/outbox-load.ts";
import {
  countUp,
  familiesOf,
  type Gauge,
  metricsText,
  observe,
  processFamilies,
} from "../platform/metrics.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { RECEIVER_PREFIX } from "../platform/receiver-address.ts";
import { VERSION } from "../platform/version.ts";
import { exchangeMetrics } from "../platform/worker-metrics.ts";
import { findHeldSeconds } from "./store-event-numbers.ts";

/** Names of the receiver's statuses (contract-alerts, answers). */
const RECEIVED: Readonly<Record<number, string>> = {
  200: "accepted",
  201: "accepted",
  202: "accepted",
  400: "unreadable",
  401: "wrong key",
  403: "inactive",
  404: "unknown",
  409: "removed meanwhile",
  413: "too large",
  415: "unreadable",
  422: "untitled",
  429: "throttled",
  503: "overload",
};

/** How long the database may take: Prometheus waits for ten seconds in all. */
const PATIENCE_MS = 3000;

/** Counts and times every request by its route, never by its address. */
export function measuresRequests(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "-";
    const door = doorOf(route);
    const { method } = request;
    countUp("gatehouse_http_requests_total", { door, route, method, status: reply.statusCode });
    observe("gatehouse_http_request_seconds", reply.elapsedTime / 1000, { door });
    // Other methods deliver nothing: pings by GET, queries about a request.
    if (door === "receiver" && method === "POST") {
      countUp("gatehouse_alert_deliveries_total", { result: RECEIVED[reply.statusCode] ?? "failed" });
    }
  });
}

/** `GET /-/metrics` in the text format of Prometheus. */
export function metricsRoutes(app: FastifyInstance, platform: Platform): void {
  const guard = needsScope(platform, "read_api", "api");
  const onRequest = async (request: FastifyRequest) => {
    if (isOfThisMachine(request)) return;
    await passGuard(guard, request);
    if (!callerOf(request).isAdmin) throw new Problem("not_found", "404 Not Found");
  };
  // A series that begins with its first request has no increase then, which alert rules would miss.
  for (const result of new Set([...Object.values(RECEIVED), "failed"])) {
    countUp("gatehouse_alert_deliveries_total", { result }, 0);
  }
  // Each worker counts for itself; the label distinguishes their series.
  const common = cluster.worker ? { worker: cluster.worker.id } : {};
  const own = () => [...processFamilies(common), ...familiesOf(databaseGauges(platform), common)];
  const others = exchangeMetrics(own);
  app.get("/-/metrics", { config: { undocumented: true }, onRequest }, async (_request, reply) => {
    const [gauges, told] = await Promise.all([installationGauges(platform), others()]);
    return reply
      .headers({ "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" })
      .send(metricsText([...own(), ...told, ...familiesOf(gauges)]));
  });
}

/** Values that are the same for all workers. */
async function installationGauges(platform: Platform): Promise<Gauge[]> {
  const labels = { version: VERSION, node: process.version };
  const work = await Promise.race([workGauges(platform), pause(PATIENCE_MS, [], { ref: false })]);
  return [
    { name: "gatehouse_build_info", help: "Version of the running service.", value: 1, labels },
    {
      name: "gatehouse_database_up",
      help: "Whether the database answers (1) or not (0).",
      value: work.length > 0 ? 1 : 0,
    },
    ...work,
  ];
}

function databaseGauges({ db }: Platform): Gauge[] {
  const { open, idle, waiting, pipelined } = db.load();
  return [
    { name: "gatehouse_db_connections_open", help: "Pooled connections to the database.", value: open },
    { name: "gatehouse_db_connections_idle", help: "Idle pooled connections.", value: idle },
    { name: "gatehouse_db_waiting", help: "Transactions waiting for a connection.", value: waiting },
    {
      name: "gatehouse_db_pipelined",
      help: "Pipelined statements without a response yet.",
      value: pipelined,
    },
  ];
}

/** Nothing if the database is not available: the other metrics are needed most then. */
async function workGauges({ db }: Platform): Promise<Gauge[]> {
  const found = await Promise.all([outboxLoad(db.pooled), findHeldSeconds(db.pooled)]).catch(unlessAway);
  if (!found) return [];
  const [load, held] = found;
  return [
    {
      name: "gatehouse_events_held_seconds",
      help: "Seconds since when a transaction on the database server has held up streams, webhooks and since.",
      value: held,
    },
    { name: "gatehouse_outbox_waiting", help: "Messages not delivered yet.", value: load.waiting },
    { name: "gatehouse_outbox_dead", help: "Messages given up in the last 30 days.", value: load.dead },
    {
      name: "gatehouse_outbox_late_seconds",
      help: "Seconds by which the oldest undelivered message is overdue.",
      value: load.lateSeconds,
    },
  ];
}

function unlessAway(error: unknown): undefined {
  if (!(error instanceof Problem && error.kind === "unavailable")) throw error;
}

/** Whether the client is on this machine; a request through a proxy may come from anywhere. */
function isOfThisMachine(request: FastifyRequest): boolean {
  const { headers, ip } = request;
  if (headers.forwarded ?? headers["x-forwarded-for"] ?? headers["x-real-ip"] ?? headers.via) return false;
  return ip === "::1" || /^(::ffff:)?127\./.test(ip);
}

const DOORS: readonly (readonly [prefix: string, door: string])[] = [
  ["/api/v4", "api"],
  ["/oauth/authorize", "pages"],
  ["/oauth/", "oauth"],
  ["/.well-known/", "oauth"],
  [RECEIVER_PREFIX, "receiver"],
  ["/v2/", "receiver"],
  ["/generic/", "receiver"],
  ["/opsgenie/", "receiver"],
  ["/-/", "service"],
  ["/assets/", "assets"],
];

function doorOf(route: string): string {
  return DOORS.find(([prefix]) => route.startsWith(prefix))?.[1] ?? "pages";
}
