/** Posts JSON or a form to an external address, and judges the answer by its status alone. */
import type { Platform } from "../platform/platform.ts";
import type { Outcome, Taken } from "./delivery.ts";
import { OUTBOX_SEAL } from "./message.ts";
import { RequestFailed, type SafeReply, safeRequest } from "./safe-request.ts";

/** The address of a delivery, unsealed if it is sealed. */
export function urlOf({ keys }: Platform, { sealedUrl }: Taken, open: string | undefined): string {
  return sealedUrl ? keys.open(sealedUrl, OUTBOX_SEAL) : (open ?? "");
}

/** Posts JSON. */
export function postJson(
  platform: Platform,
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Outcome> {
  return post(platform, url, body, { "content-type": "application/json", ...headers });
}

/** Posts parameters as a form. */
export function postParameters(
  platform: Platform,
  url: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const body = new URLSearchParams(parameters).toString();
  return post(platform, url, body, { "content-type": "application/x-www-form-urlencoded" });
}

/** Any 2xx is a success; 410 means never again (Standard Webhooks); 429 and 503 may say how long to wait. */
async function post(
  { config }: Platform,
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const own = { "user-agent": "Gatehouse", accept: "*/*" };
  try {
    const reply = await safeRequest({ url, body, headers: { ...own, ...headers } }, config);
    const { status } = reply;
    if (status >= 200 && status < 300) return { isSent: true, status, error: "" };
    if (status >= 300 && status < 400) {
      return { isSent: false, status, error: "The response is a redirect, which is not followed." };
    }
    if (status === 410) return { isSent: false, isFinal: true, status, error: "The target is gone." };
    const asked = status === 429 || status === 503 ? secondsAsked(reply.headers) : 0;
    const retryAfterSeconds = Number.isFinite(asked) && asked > 0 ? asked : undefined;
    return { isSent: false, status, error: `The response had status ${status}.`, retryAfterSeconds };
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    return { isSent: false, isFinal: !error.mayRecover, status: null, error: error.message };
  }
}

/** `Retry-After`, in seconds or as a date by the other side's own clock (RFC 9110 §10.2.3); NaN: invalid. */
function secondsAsked({ "retry-after": said = "", date = "" }: SafeReply["headers"]): number {
  if (!/GMT\s*$/.test(said)) return Number(said);
  return Math.ceil((Date.parse(said) - (Date.parse(date) || Date.now())) / 1000);
}
