/** Which values of a form that was not acted on may be offered again, with the form token of the current session. */
import type { FastifyRequest } from "fastify";
import { holdsPrivateKey } from "../platform/jwt.ts";
import type { Platform } from "../platform/platform.ts";
import type { SentForm } from "../platform/sent-form.ts";
import { isForeign } from "./foreign-form.ts";
import { ownPath } from "./session.ts";

/** Fields that pages never send back; `id_token_…` are settings of applications. */
const SECRET = /password|secret|token$|passkey|^code$/;

/**
 * Returns the form of a refused request (reference ux §7, 403; decision 0008); undefined if nothing was typed into it, or it must
 * not be offered again.
 */
export function lateFormOf(platform: Platform, request: FastifyRequest): SentForm | undefined {
  const form = sentFormOf(platform, request);
  return form && form.fields.length > 0 ? form : undefined;
}

/**
 * Returns the form of a request that needs a proof first (decision 0289), even if it is only a button; undefined if it must not
 * be offered again, or a script sent it.
 */
export function waitingFormOf(platform: Platform, request: FastifyRequest): SentForm | undefined {
  if (request.method !== "POST" || request.headers["sec-fetch-dest"] === "empty") return undefined;
  return sentFormOf(platform, request);
}

/**
 * A form must not be offered again if the browser does not confirm that one of our pages sent it, it contains a secret, or it
 * answers an OAuth request, which belongs to the session that it was made in.
 */
function sentFormOf(platform: Platform, request: FastifyRequest): SentForm | undefined {
  const action = ownPath(request.url);
  if (!action || action.startsWith("/oauth/") || !isVouchedFor(platform, request)) return undefined;
  const fields = Object.entries((request.body ?? {}) as Record<string, unknown>)
    .filter(([name]) => name !== "csrf_token")
    .flatMap(([name, value]) => [value].flat().map((one: unknown) => [name, one] as const));
  // Pages send text only; JSON may contain values that cannot be written as text.
  if (!fields.every(isText) || fields.some(isSecret)) return undefined;
  return { action, fields };
}

function isText(field: readonly [name: string, value: unknown]): field is SentForm["fields"][number] {
  return typeof field[1] === "string";
}

/** Somebody may have pasted private keys where the public keys of an application belong (decision 0206). */
function isSecret([name, value]: SentForm["fields"][number]): boolean {
  return SECRET.test(name) || (name === "jwks" && holdsPrivateKey(value));
}

/** Stricter than for a form that is acted on: without proof of origin, the page would offer to submit what another site wrote. */
function isVouchedFor(platform: Platform, request: FastifyRequest): boolean {
  const { origin } = request.headers;
  return (origin ?? request.headers["sec-fetch-site"]) !== undefined && !isForeign(platform, request);
}
