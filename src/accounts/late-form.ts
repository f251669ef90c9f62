/** Which values of an expired form may be offered again, with the form token of the current session. */
import type { FastifyRequest } from "fastify";
import { holdsPrivateKey } from "../platform/jwt.ts";
import type { Platform } from "../platform/platform.ts";
import { isForeign } from "./foreign-form.ts";
import { ownPath } from "./session.ts";

/** A form as it was sent: where to, and everything but the old token, in its order. */
export interface LateForm {
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
}

/** What pages never send back; `id_token_…` are settings of applications. */
const SECRET = /password|secret|token$|passkey|^code$/;

/**
 * The form of a refused request (reference ux §7, 403; decision 0008); undefined where sending it again must not be offered:
 * the browser does not vouch that a page of ours sent it, it holds a secret, or it answers a question of OAuth, which belongs
 * to the session that was asked.
 */
export function lateFormOf(platform: Platform, request: FastifyRequest): LateForm | undefined {
  const action = ownPath(request.url);
  if (!action || action.startsWith("/oauth/") || !isVouchedFor(platform, request)) return undefined;
  const fields = Object.entries((request.body ?? {}) as Record<string, unknown>)
    .filter(([name]) => name !== "csrf_token")
    .flatMap(([name, value]) => [value].flat().map((one: unknown) => [name, one] as const));
  // Pages send text alone; JSON may hold what cannot be written as one.
  if (fields.length === 0 || !fields.every(isText) || fields.some(isSecret)) return undefined;
  return { action, fields };
}

function isText(field: readonly [name: string, value: unknown]): field is LateForm["fields"][number] {
  return typeof field[1] === "string";
}

/** Where public keys of an application belong somebody may have pasted the private ones (decision 0206). */
function isSecret([name, value]: LateForm["fields"][number]): boolean {
  return SECRET.test(name) || (name === "jwks" && holdsPrivateKey(value));
}

/** Stricter than for what is done at once: a page that offers to send what another site wrote would be its accomplice. */
function isVouchedFor(platform: Platform, request: FastifyRequest): boolean {
  const { origin } = request.headers;
  return (origin ?? request.headers["sec-fetch-site"]) !== undefined && !isForeign(platform, request);
}
