/** Runs the guards of routes again for requests whose body came late (decision 0313). */
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";

/** Methods whose bodies are not read, so that nothing waits for them. */
const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Whether a part of the body is still to come. Requests that were injected, not received, do not tell: they are complete. */
export function awaitsBody({ raw }: Pick<FastifyRequest, "raw">): boolean {
  return raw.complete === false;
}

/**
 * Guards judge the headers of a request, and its body may come as much later as a request may last, after a block or a
 * revocation was answered. So what a route has in `onRequest` runs once more after the body was read, unless the whole body had
 * come when it ended. Must be registered before the routes; each such hook must be one that may run twice.
 */
export function guardsLateBodies(app: FastifyInstance): void {
  const late = new WeakSet<FastifyRequest>();
  app.addHook("onRoute", (route: RouteOptions) => {
    const guards = [route.onRequest ?? []].flat();
    if (guards.length === 0 || [route.method].flat().every((method) => READS.has(method))) return;
    route.onRequest = [
      ...guards,
      async (request) => {
        if (awaitsBody(request)) late.add(request);
      },
    ];
    // Before the body is validated: 401 comes before 400.
    route.preValidation = [
      ...guards.map((guard) => onlyFor(late, guard)),
      ...[route.preValidation ?? []].flat(),
    ];
  });
}

type Guard = Exclude<NonNullable<RouteOptions["onRequest"]>, unknown[]>;

function onlyFor(late: WeakSet<FastifyRequest>, guard: Guard): Guard {
  return function (request, reply, done) {
    if (late.has(request)) return guard.call(this, request, reply, done);
    done();
  };
}
