/**
 * The only way to send HTTP requests: checks where an address leads, and connects to exactly what was checked (decision 0049).
 */
import { lookup as systemLookup } from "node:dns/promises";
import type { ClientRequestArgs, IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type TcpNetConnectOpts } from "node:net";
import { errorCode } from "../platform/error-code.ts";
import { allowanceOf, isPublicAddress, portFault } from "./public-address.ts";
import { resolveName } from "./resolve-name.ts";

// An import would evaluate all exports of the module, one of which is a whole client of WebSockets: 13 MiB (decision 0052).
const { request: httpRequest } = process.getBuiltinModule("node:http");

/** Milliseconds for a whole request, from resolving the name to the end of the answer. */
const MAX_MS = 5000;
/** Most milliseconds for an address to accept if there are others: enough for a far target, and for one lost packet. */
const MAX_TO_ACCEPT_MS = 2000;
/** Bytes of an answer that are read. */
const MAX_BYTES = 64 * 1024;

/** The request. Redirects are not followed: they are returned as the reply. */
export interface SafeRequest {
  url: string;
  /** `GET` unless a body is given. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** The answer, whatever its status. */
export interface SafeReply {
  status: number;
  headers: IncomingMessage["headers"];
  /** The first 64 KiB. */
  body: Buffer;
  /** Whether there was more. */
  isCut: boolean;
  /** The address that was connected to. */
  address: string;
}

/** The request was not sent, or no answer came; the message says why and may be shown to whoever set the address. */
export class RequestFailed extends Error {
  /** False: the address itself is refused, and no later try will succeed until it changes. */
  readonly mayRecover: boolean;
  constructor(message: string, mayRecover: boolean) {
    super(message);
    this.mayRecover = mayRecover;
  }
}

/** Resolves a host name; tests of DNS rebinding pass their own. */
export type Resolve = (host: string) => Promise<readonly { address: string }[]>;

/** Where requests may go besides public addresses. */
export interface RequestPolicy {
  /** `config.allowPrivateTargets`. */
  allowPrivateTargets: readonly string[];
  resolve?: Resolve;
}

const resolveBySystem: Resolve = (host) => systemLookup(host, { all: true, verbatim: true });

/** The longest possible host name (RFC 1035 §2.3.4). */
const LONGEST_HOST = 253;

/**
 * Why an address may not be stored as a target, judged by its text alone, or undefined. For forms: what a name resolves to is
 * checked anew at every request.
 */
export function targetFault(
  given: string,
  policy: Pick<RequestPolicy, "allowPrivateTargets">,
): string | undefined {
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol)) return "must be an http or https address";
  if (url.username || url.password) return "must not hold a username or password";
  const { host, port, literal } = placeOf(url);
  if (host.length > LONGEST_HOST) return `must not name a host of more than ${LONGEST_HOST} characters`;
  const allowance = allowanceOf(policy.allowPrivateTargets);
  if (allowance.namesTarget(host, port)) return undefined;
  if (literal !== undefined && allowance.holdsAddress(literal)) return undefined;
  if (literal !== undefined && !isPublicAddress(literal)) return "must not lead into a private network";
  if (/(^|\.)(localhost|localdomain|local|internal)\.?$/i.test(host))
    return "must not lead into a private network";
  return portFault(port);
}

/**
 * Sends one request and follows no redirect. A name is resolved once; all its addresses must be public or allowed, and the
 * connection goes to the first of them that accepts it in time, even if the name resolves otherwise a moment later (S125, S126).
 * @throws RequestFailed
 */
export async function safeRequest(asked: SafeRequest, policy: RequestPolicy): Promise<SafeReply> {
  const fault = targetFault(asked.url, policy);
  if (fault) throw new RequestFailed(`The address ${fault}.`, false);
  const url = new URL(asked.url);
  const signal = AbortSignal.timeout(MAX_MS);
  const endsAt = performance.now() + MAX_MS;
  const addresses = await within(signal, checkedAddresses(url, policy, signal));
  const acceptMs = Math.min(MAX_TO_ACCEPT_MS, (endsAt - performance.now()) / addresses.length);
  // The signal aborts the request by itself; `within` makes sure that the promise settles whatever the other side does.
  return within(signal, exchange(url, asked, { addresses, acceptMs }, signal));
}

async function checkedAddresses(url: URL, policy: RequestPolicy, signal: AbortSignal): Promise<string[]> {
  const { host, port, literal } = placeOf(url);
  if (literal !== undefined) return [literal];
  const allowance = allowanceOf(policy.allowPrivateTargets);
  const isNamed = allowance.namesTarget(host, port);
  // Names that an operator allows, and those without a dot, may be known to other services than DNS.
  const bySystem = isNamed || !/.\../.test(host);
  const resolve = policy.resolve ?? (bySystem ? resolveBySystem : (name) => resolveName(name, signal));
  let found: readonly { address: string }[];
  try {
    found = await resolve(host);
  } catch {
    throw new RequestFailed("The name does not resolve.", true);
  }
  if (found.length === 0) throw new RequestFailed("The name does not resolve.", true);
  const addresses = found.map(({ address }) => address);
  const isFine = isNamed || addresses.every((one) => isPublicAddress(one) || allowance.holdsAddress(one));
  // Names change, and a wrong answer of a resolver may be corrected by the next try.
  if (!isFine) throw new RequestFailed("The name resolves to a private address.", true);
  return addresses;
}

function exchange(
  url: URL,
  asked: SafeRequest,
  { addresses, acceptMs }: { addresses: readonly string[]; acceptMs: number },
  signal: AbortSignal,
): Promise<SafeReply> {
  const isTls = url.protocol === "https:";
  const options: ClientRequestArgs & Pick<TcpNetConnectOpts, "autoSelectFamilyAttemptTimeout"> = {
    method: asked.method ?? (asked.body === undefined ? "GET" : "POST"),
    headers: {
      ...asked.headers,
      host: url.host,
      ...(asked.body === undefined ? {} : { "content-length": Buffer.byteLength(asked.body) }),
    },
    // A new connection: one kept open for a name might lead to an address that was checked for another.
    agent: false,
    signal,
    maxHeaderSize: 16 * 1024,
    // The last address has all the time that is left. One of which nothing comes leaves time for the others.
    autoSelectFamilyAttemptTimeout: Math.max(1, Math.floor(acceptMs)),
    // The name is used in Host and TLS; the socket connects to the addresses that were checked, one after the other until one
    // accepts the connection (`autoSelectFamily` of Node.js).
    lookup: (_host, { all }, done) => {
      const checked = addresses.map((address) => ({ address, family: isIP(address) }));
      const [first] = checked;
      if (all || !first) done(null, checked);
      else done(null, first.address, first.family);
    },
  };
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(failureOf(error, signal));
    try {
      const request = (isTls ? httpsRequest : httpRequest)(url, options, (reply) => {
        const address = reply.socket.remoteAddress ?? "";
        reply.on("error", fail);
        readCapped(reply).then(
          ({ body, isCut }) =>
            resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body, isCut, address }),
          fail,
        );
      });
      request.on("error", fail);
      // No other protocol was requested. Without a listener the connection would end and the promise would never settle.
      request.on("upgrade", (_reply, socket) => {
        socket.destroy();
        reject(new RequestFailed("The response switches to another protocol.", true));
      });
      request.end(asked.body);
    } catch (error) {
      fail(error as Error);
    }
  });
}

async function readCapped(reply: IncomingMessage): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of reply) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    // Leaving the loop destroys the stream and its connection.
    if (bytes > MAX_BYTES) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, MAX_BYTES), isCut: bytes > MAX_BYTES };
}

function failureOf(error: Error, signal: AbortSignal): RequestFailed {
  if (error instanceof RequestFailed) return error;
  if (signal.aborted) return new RequestFailed("No response within 5 seconds.", true);
  const code = errorCode(error) ?? "";
  if (/^(ERR_INVALID_CHAR|ERR_INVALID_HTTP_TOKEN)$/.test(code)) {
    return new RequestFailed("A header cannot be sent.", false);
  }
  return new RequestFailed(FAILURES[code] ?? tlsFailure(code) ?? "The connection failed.", true);
}

/** In our own words: an error of the other side may contain what should not be shown. */
const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was closed unexpectedly.",
  EPIPE: "The connection was closed unexpectedly.",
  ETIMEDOUT: "No answer.",
  EHOSTUNREACH: "The host cannot be reached.",
  ENETUNREACH: "The network cannot be reached.",
};

function tlsFailure(code: string): string | undefined {
  if (code.startsWith("HPE_")) return "The response is not HTTP.";
  return /CERT|TLS|SSL|ISSUER|SIGNATURE/.test(code) ? `TLS failed (${code}).` : undefined;
}

function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new RequestFailed("No response within 5 seconds.", true)));
    work.then(resolve, reject);
  });
}

/** The place to which a URL leads; URL parsing has already normalised decimal, octal and hexadecimal spellings of an address. */
function placeOf(url: URL): { host: string; port: number; literal: string | undefined } {
  const host = url.hostname;
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return { host, port, literal: isIP(bare) > 0 ? bare : undefined };
}
