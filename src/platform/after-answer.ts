/** Runs work in the background, so that its duration cannot be measured by the caller; a shutdown waits for it. */
import type { FastifyInstance, FastifyRequest } from "fastify";

/** Returns a function that takes such work; a failure is logged with the message `words`. */
export function afterAnswer(
  app: FastifyInstance,
): (request: FastifyRequest, work: Promise<unknown>, words: string) => void {
  const underWay = new Set<Promise<unknown>>();
  app.addHook("onClose", async () => {
    await Promise.all(underWay);
  });
  return (request, work, words) => {
    const done = work
      .catch((error) => request.log.error({ err: error }, words))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
}
