/** Answers known addresses with an unknown method by 405 and the methods that they have. */
import type { FastifyInstance, HTTPMethods, RouteOptions } from "fastify";
import { Problem } from "./problem.ts";

const METHODS: readonly HTTPMethods[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Watches the routes of a door. Call `fill` when all are registered: every address gets its missing methods;
 * OPTIONS stays free for preflights.
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
      for (const [path, methods] of [...known]) {
        const allow = [...methods].join(", ");
        const missing = METHODS.filter((method) => !methods.has(method));
        if (missing.length === 0) continue;
        app.route({
          method: missing,
          url: path.slice(app.prefix.length) || "/",
          config: { undocumented: true },
          handler: async (_request, reply) => {
            reply.header("allow", allow);
            throw new Problem("not_allowed", "405 Not Allowed");
          },
        });
      }
    },
  };
}
