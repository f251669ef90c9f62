/** `POST /oauth/register`, and how programs find it that begin at the API (RFC 7591; RFC 9728 §5.1; decision 0196). */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { findSettings } from "./find-settings.ts";
import { registerItself } from "./register-itself.ts";
import { described } from "./wire.ts";
import { REGISTRATION_ANSWERS, registrationBody, registrationReply } from "./wire-registration.ts";

export function registrationRoutes(app: FastifyInstance, platform: Platform): void {
  const body = described(registrationBody, REGISTRATION_ANSWERS, ["application/json"]);
  app.post("/oauth/register", body, async (request, reply) => {
    const made = await registerItself(platform, request.body, request.ip);
    return reply
      .code(201)
      .headers({ "cache-control": "no-store", pragma: "no-cache" })
      .send(registrationReply(made));
  });
}

/**
 * Adds to each challenge of the API where its metadata is, while programs may register themselves: they alone begin there
 * without a word of ours, and clients of old compare the challenge (decision 0195).
 */
export function announcesResource(app: FastifyInstance, platform: Platform): void {
  const told = `resource_metadata="${platform.config.publicUrl}/.well-known/oauth-protected-resource/api/v4"`;
  app.addHook("onSend", async (request, reply, payload) => {
    const challenge = reply.getHeader("www-authenticate");
    if (reply.statusCode !== 401 || typeof challenge !== "string") return payload;
    // A refusal stays one where the switch cannot be read.
    const settings = await findSettings(platform).catch((error) =>
      request.log.warn({ err: error }, "no settings"),
    );
    if (settings?.allowDynamicRegistration) reply.header("www-authenticate", `${challenge}, ${told}`);
    return payload;
  });
}
