/** Answers known addresses with an unknown method by 405 and the methods that they have. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from "fastify";
import { Problem } from "./problem.ts";

const METHODS: readonly HTTPMethods[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Watches the routes of a door. Call `fill` when all are registered, those of plugins too, which come before it:
 * every address gets its missing methods, whose bodies are not read; OPTIONS stays free for preflights.
 */
export function watchMethods(app: FastifyInstance): { fill(): void } {
  const known = new Map<string, Set<string>>();
  app.addHook("onRoute", (route: RouteOptions) => {
    const methods = known.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    known.set(route.url, methods);
  });
  return {
    fill() {
      app.register(async (rest) => {
        for (const [path, methods] of [...known]) refuseOthers(rest, path, methods);
      });
    },
  };
}

function refuseOthers(app: FastifyInstance, path: string, methods: ReadonlySet<string>): void {
  const allow = [...methods].join(", ");
  const missing = METHODS.filter((method) => !methods.has(method));
  // A GET that goes on for long may have no HEAD; elsewhere one comes with the GET.
  if (methods.has("GET") && !methods.has("HEAD")) missing.push("HEAD");
  if (missing.length === 0) return;
  const refuse = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header("allow", allow);
    throw new Problem("not_allowed", "405 Not Allowed");
  };
  app.route({
    method: missing,
    url: path.slice(app.prefix.length) || "/",
    config: { undocumented: true },
    onRequest: refuse,
    handler: refuse,
  });
}
