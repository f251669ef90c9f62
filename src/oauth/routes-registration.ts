/** `POST /oauth/register`, and how programs find it that begin at the API (RFC 7591; RFC 9728 §5.1; decision 0196). */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { findSettings, lastSettings } from "./find-settings.ts";
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

/** How long a process goes by what it knows of the switch: a refusal asks no database (reference reliability S52). */
const KNOWN_MS = 60_000;

/**
 * Adds to each challenge of the API where its metadata is, while programs may register themselves: they alone begin there
 * without a word of ours, and clients of old compare the challenge (decision 0195). A process that has read the switch for nobody
 * yet may leave it out for a minute: such clients look at the place by themselves then (RFC 9728 §3).
 */
export function announcesResource(app: FastifyInstance, platform: Platform): void {
  const told = `resource_metadata="${platform.config.publicUrl}/.well-known/oauth-protected-resource/api/v4"`;
  let lookedAt = Date.now();
  const look = () => {
    lookedAt = Date.now();
    // A refusal stays one where the switch cannot be read.
    return findSettings(platform).catch((error) => void platform.log.warn({ err: error }, "no settings"));
  };
  app.addHook("onSend", async (_request, reply, payload) => {
    const challenge = reply.getHeader("www-authenticate");
    if (reply.statusCode !== 401 || typeof challenge !== "string") return payload;
    if (Date.now() - lookedAt > KNOWN_MS) void look();
    const last = lastSettings(platform);
    const settings = last === "changed" ? await look() : last;
    if (settings?.allowDynamicRegistration) reply.header("www-authenticate", `${challenge}, ${told}`);
    return payload;
  });
}
