/** Checks the public address from outside: whether it leads here, how long its certificate lasts, and its cookies. */
import { once } from "node:events";
import { connect } from "node:tls";
import { sessionCookieName } from "../accounts/session.ts";
import type { Config } from "../platform/config.ts";
import { bad, type Finding, judgeCertificate, judgeCookie, ok, warn } from "./finding.ts";

/** How long the service's own address may take to respond. */
const PATIENCE_MS = 5000;

export async function examineAddress(config: Config): Promise<Finding[]> {
  const way = await examineReachability(config);
  const certificate = config.secure ? [await examineCertificate(config.publicUrl)] : [];
  return [way, ...certificate, ...(way.state === "ok" ? [await examineCookie(config)] : [])];
}

/** Whether the certificate is trusted is shown by the health request. */
async function examineCertificate(publicUrl: string): Promise<Finding> {
  const { hostname, port } = new URL(publicUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket = connect({
    host,
    port: Number(port || 443),
    rejectUnauthorized: false,
    timeout: PATIENCE_MS,
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
  });
  socket.on("timeout", () => socket.destroy(new Error("no answer")));
  try {
    await once(socket, "secureConnect");
    return judgeCertificate(new Date(socket.getPeerCertificate().valid_to), new Date());
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const text = `${publicUrl} presents none (${code ?? message})`;
    return warn("certificate", text, "Configure TLS for the public URL in the reverse proxy.");
  } finally {
    socket.destroy();
  }
}

async function examineCookie({ publicUrl, secure }: Config): Promise<Finding> {
  const page = await fetch(`${publicUrl}/users/sign_in`, {
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => undefined);
  return judgeCookie(page?.headers.getSetCookie() ?? [], { name: sessionCookieName(secure), secure });
}

/** Requests the health of the service by its public and by its local address. */
async function examineReachability({ publicUrl, host, port }: Config): Promise<Finding> {
  const local = `http://${/^(0\.0\.0\.0|::)$/.test(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host}:${port}`;
  const [outside, inside] = await Promise.all([healthOf(publicUrl), healthOf(local)]);
  if (outside === "ok" && inside === "ok" && (await areDifferentServices(publicUrl, local))) {
    const text = `${publicUrl} leads to another Gatehouse than the one at ${local}`;
    return bad("public address", text, `${LEAD_HERE} PORT selects which one is meant.`);
  }
  if (outside === "ok") return ok("public address", `${publicUrl} answers`);
  if (isForeign(inside)) {
    const text = `Another program than Gatehouse answers at ${local} (${inside})`;
    return bad("public address", text, "Stop it, or set PORT to a free port, then start the service.");
  }
  if (inside !== "ok") {
    return warn(
      "public address",
      `Nothing answers at ${local} (${inside})`,
      "Start the service, then run this again.",
    );
  }
  const text = `${publicUrl} does not lead here (${outside}), while ${local} answers`;
  return bad("public address", text, LEAD_HERE);
}

const LEAD_HERE = "Check GATEHOUSE_PUBLIC_URL, the name's DNS entry, the proxy and its certificate.";

/**
 * Whether the addresses publish different keys for identity tokens, which are the same within one installation, even behind a
 * cache.
 */
async function areDifferentServices(one: string, other: string): Promise<boolean> {
  const [keys, others] = await Promise.all([keysOf(one), keysOf(other)]);
  return keys.length > 0 && others.length > 0 && !keys.some((kid) => others.includes(kid));
}

/** The ids of the public keys that it publishes; empty if it does not respond. */
async function keysOf(origin: string): Promise<readonly unknown[]> {
  const reply = await fetch(`${origin}/oauth/discovery/keys`, {
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => undefined);
  const set = (await reply?.json().catch(() => undefined)) as { keys?: unknown } | undefined;
  return Array.isArray(set?.keys) ? set.keys.map((key) => key?.kid) : [];
}

const FOREIGN = "something else answers";

/** A status of 5xx, or no response, may come from a service of ours in trouble. */
function isForeign(health: string): boolean {
  return health === FOREIGN || /^status (?!5)/.test(health);
}

async function healthOf(origin: string): Promise<string> {
  try {
    const reply = await fetch(`${origin}/-/liveness`, {
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const body = (await reply.json().catch(() => undefined)) as { status?: unknown } | undefined;
    if (reply.status !== 200) return `status ${reply.status}`;
    return body?.status === "ok" ? "ok" : FOREIGN;
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return cause?.code ?? message;
  }
}
