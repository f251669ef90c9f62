/** Verifies the signatures of requests, of several kinds (decision 0110). */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Standard Webhooks; a bare HMAC as GitHub and many others send it; Sentry's; Grafana's. */
export const SIGNATURES = ["standard_webhooks", "hmac_sha256", "sentry", "grafana"] as const;
export type SignatureKind = (typeof SIGNATURES)[number];

/** The default header of each kind. */
const HEADERS: Readonly<Record<SignatureKind, string>> = {
  standard_webhooks: "webhook-signature",
  hmac_sha256: "x-hub-signature-256",
  sentry: "sentry-hook-signature",
  grafana: "x-grafana-alerting-signature",
};
const GRAFANA_TIME = "x-grafana-alerting-timestamp";
/** How far a sender's clock may differ from ours (Standard Webhooks: five minutes). */
const TOLERANCE_SECONDS = 300;

export interface Signing {
  kind: SignatureKind;
  /** Null: the default of the kind. */
  header: string | null;
  secret: string;
}

/** The signed parts of a request. */
export interface Signed {
  raw: Buffer;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  nowSeconds: number;
}

/** Whether the request has a valid signature of its body, with a recent timestamp if its kind has one. */
export function isSigned({ kind, header, secret }: Signing, { raw, headers, nowSeconds }: Signed): boolean {
  const given = headers[header ?? HEADERS[kind]];
  if (typeof given !== "string" || given.length > 4096) return false;
  if (kind === "standard_webhooks") {
    const id = headers["webhook-id"];
    const time = headers["webhook-timestamp"];
    if (typeof id !== "string" || typeof time !== "string" || !isFresh(time, nowSeconds)) return false;
    const right = hmac(webhookKey(secret), `${id}.${time}.`, raw);
    // While a sender rotates its secret, it signs with both.
    return given
      .split(" ")
      .some((one) => one.startsWith("v1,") && same(Buffer.from(one.slice(3), "base64"), right));
  }
  const time = kind === "grafana" ? headers[GRAFANA_TIME] : undefined;
  if (time !== undefined && (typeof time !== "string" || !isFresh(time, nowSeconds))) return false;
  const hex = given.trim().replace(/^sha256=/i, "");
  if (!/^[0-9a-f]{64}$/i.test(hex)) return false;
  return same(Buffer.from(hex, "hex"), hmac(secret, time === undefined ? "" : `${time}:`, raw));
}

/** Returns what is wrong with a secret for this kind, or undefined. */
export function signatureSecretFault(kind: SignatureKind, secret: string): string | undefined {
  if (secret.length > 512) return "is too long (maximum is 512 characters)";
  if (kind === "standard_webhooks") {
    const isBase64 = /^(whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(secret);
    if (!isBase64 || webhookKey(secret).length < 16) return "must be whsec_ and at least 16 bytes in Base64";
    return undefined;
  }
  return secret.length < 16 ? "is too short (minimum is 16 characters)" : undefined;
}

/** Returns what is wrong with the name of a header, or undefined. */
export function signatureHeaderFault(name: string): string | undefined {
  if (!/^[a-z0-9-]{1,64}$/.test(name)) return "must be the name of a header";
  return name === "authorization" ? "cannot be Authorization" : undefined;
}

function webhookKey(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}

function isFresh(time: string, nowSeconds: number): boolean {
  return /^\d{1,12}$/.test(time) && Math.abs(nowSeconds - Number(time)) <= TOLERANCE_SECONDS;
}

function hmac(key: string | Buffer, before: string, raw: Buffer): Buffer {
  return createHmac("sha256", key).update(before).update(raw).digest();
}

function same(given: Buffer, right: Buffer): boolean {
  return given.length === right.length && timingSafeEqual(given, right);
}
