/** `POST /oauth/register`, and how programs that start at the API find it (RFC 7591; RFC 9728 §5.1; decision 0196). */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { findSettings, lastSettings } from "./find-settings.ts";
import { registerItself } from "./register-itself.ts";
import { REGISTRATION_ANSWERS, registrationBody, registrationReply } from "./wire-registration.ts";

export function registrationRoutes(app: FastifyInstance, platform: Platform): void {
  const registers = {
    config: { answers: REGISTRATION_ANSWERS },
    schema: { body: registrationBody, consumes: ["application/json"] },
    // Refused with the errors of RFC 7591 §3.2.2.
    validatorCompiler: () => () => true,
  };
  app.post("/oauth/register", registers, async (request, reply) => {
    const made = await registerItself(platform, request.body, request.ip);
    return reply
      .code(201)
      .headers({ "cache-control": "no-store", pragma: "no-cache" })
      .send(registrationReply(made));
  });
}

/** How long a process uses the setting that it has read: a refusal must not query the database (reference reliability S52). */
const KNOWN_MS = 60_000;

/**
 * Adds the address of the metadata to each challenge of the API while programs may register themselves: only they start there
 * without any configuration, and older clients compare the challenge literally (decision 0195). A process that has not read the
 * setting yet may omit it for a minute: then such clients try the well-known address by themselves (RFC 9728 §3).
 */
export function announcesResource(app: FastifyInstance, platform: Platform): void {
  const metadata = `resource_metadata="${platform.config.publicUrl}/.well-known/oauth-protected-resource/api/v4"`;
  let readAt = Date.now();
  const readSettings = () => {
    readAt = Date.now();
    // The refusal is sent even if the setting cannot be read.
    return findSettings(platform).catch((error) => void platform.log.warn({ err: error }, "no settings"));
  };
  app.addHook("onSend", async (_request, reply, payload) => {
    const challenge = reply.getHeader("www-authenticate");
    if (reply.statusCode !== 401 || typeof challenge !== "string") return payload;
    if (Date.now() - readAt > KNOWN_MS) void readSettings();
    const last = lastSettings(platform);
    const settings = last === "changed" ? await readSettings() : last;
    if (settings?.allowDynamicRegistration) reply.header("www-authenticate", `${challenge}, ${metadata}`);
    return payload;
  });
}
