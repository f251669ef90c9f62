/** The public keys of an application in the API and in forms (RFC 7517 §5; decision 0206). */
import type { FastifyRequest } from "fastify";
import { nullable, unnamed } from "../platform/answer-shapes.ts";
import { formText } from "../platform/form-text.ts";
import { holdsPrivateKey } from "../platform/jwt.ts";
import Type from "../platform/schema.ts";
import { ASSERTION_TYPE } from "./assertion.ts";
import { keptKeys, MAX_KEYS, type SetKeys } from "./public-keys.ts";

/** The parameters of authentication with a key instead of a secret (RFC 7521 §4.2). */
export const assertionBody = {
  client_assertion_type: Type.Optional(
    Type.String({ description: `${ASSERTION_TYPE}, with client_assertion` }),
  ),
  client_assertion: Type.Optional(
    Type.String({
      description: "a JWT signed with a key of the application, instead of other credentials (RFC 7523)",
    }),
  ),
};

export const keysBody = {
  jwks: Type.Optional(
    Type.Union(
      [
        Type.Object({
          keys: Type.Array(Type.Object({}), { maxItems: MAX_KEYS, description: "each a JWK (RFC 7517)" }),
        }),
        // For forms; so a private key is also recognised in every kind of body.
        Type.String({ description: "the same as a string, for forms; empty: none" }),
        Type.Null(),
      ],
      {
        description:
          "public keys for `private_key_jwt` as a JWK Set: RSA from 2048 bits, EC with P-256 or P-384, Ed25519; null: none",
      },
    ),
  ),
  only_by_key: Type.Optional(
    Type.Boolean({ description: "it authenticates by a key alone; its secrets are not accepted" }),
  ),
};

export const keysAnswers = {
  jwks: nullable(
    unnamed({
      keys: Type.Array(
        unnamed({
          kty: Type.String(),
          n: Type.Optional(Type.String()),
          e: Type.Optional(Type.String()),
          crv: Type.Optional(Type.String()),
          x: Type.Optional(Type.String()),
          y: Type.Optional(Type.String()),
          kid: Type.Optional(Type.String()),
          alg: Type.Optional(Type.String()),
        }),
      ),
    }),
  ),
  only_by_key: Type.Boolean({ description: "it authenticates by a key alone; its secrets are not accepted" }),
};

export function keysRecord({ jwks, onlyByKey }: SetKeys) {
  return {
    jwks: jwks === "" ? null : (JSON.parse(jwks) as { keys: Record<string, string>[] }),
    only_by_key: onlyByKey,
  };
}

/** The keys in a validated body. */
export function keysOfBody(body: { jwks?: unknown; only_by_key?: boolean }): SetKeys {
  const { jwks, only_by_key: onlyByKey = false } = body;
  const isText = typeof jwks === "string";
  return { jwks: isText ? jwks : jwks === undefined || jwks === null ? "" : JSON.stringify(jwks), onlyByKey };
}

/** The keys in a posted form. */
export function keysOfForm(request: FastifyRequest): SetKeys {
  return { jwks: formText(request, "jwks").trim(), onlyByKey: formText(request, "only_by_key") !== "" };
}

/** The keys in an address that prefills a form. */
export function keysOfQuery(text: (name: string) => string): SetKeys {
  return { jwks: text("jwks"), onlyByKey: text("only_by_key") === "true" };
}

const LONGEST_PREFILLED = 3000;

/** For an address that prefills a form: only valid keys, if they are short enough. */
export function prefilledKeys({ jwks, onlyByKey }: SetKeys): Record<string, string> {
  const kept = keptKeys(jwks);
  const short = kept === "" ? "" : JSON.stringify(JSON.parse(kept));
  return {
    ...(short === "" || short.length > LONGEST_PREFILLED ? {} : { jwks: short }),
    ...(onlyByKey ? { only_by_key: "true" } : {}),
  };
}

/** For a form that is shown again: what was typed, unless it contains a private key. */
export function shownKeys(jwks: string): string {
  return holdsPrivateKey(jwks) ? "" : jwks;
}
