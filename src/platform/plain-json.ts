/** Sets the media type of the API's JSON. */
import type { FastifyInstance } from "fastify";

/** Sends exactly `application/json`, without a charset: old clients compare it (contract §4, media types). */
export function answersPlainJson(app: FastifyInstance): void {
  app.addHook("onSend", async (_request, reply, payload) => {
    const type = reply.getHeader("content-type");
    if (typeof type === "string" && type.startsWith("application/json;"))
      reply.header("content-type", "application/json");
    return payload;
  });
}
