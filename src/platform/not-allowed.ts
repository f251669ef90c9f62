/** Answers known addresses with an unsupported method by 405, with the methods that they have. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from "fastify";
import { Problem } from "./problem.ts";

const METHODS: readonly HTTPMethods[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Records the routes of a group. Call `fill` after all are registered, including those of plugins, which come first: it adds the
 * missing methods of every address, whose bodies are not read. OPTIONS stays free for preflights.
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
  // An endless GET may have no HEAD; elsewhere the framework adds one.
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
