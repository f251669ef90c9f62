/** Work whose duration must tell the asker nothing: it begins with the answer, and a stop waits for it. */
import type { FastifyInstance, FastifyRequest } from "fastify";

/** Returns how to hand such work over; what fails is logged with these words. */
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
