/** Identifies an integration by its authorization key, its signature, or both (spec: Authentication 10; decision 0110). */
import { timingSafeEqual } from "node:crypto";
import type { Platform } from "../platform/platform.ts";
import { KeyNeeded, Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import { sharedAnswers } from "../platform/shared-answer.ts";
import type { EndpointAddress } from "./endpoint-address.ts";
import { signatureContext } from "./integration.ts";
import { isSigned, type Signed } from "./signature.ts";
import { type Endpoint, findEndpointByKey, findEndpoints } from "./store-integrations.ts";

/**
 * Returns the active integration behind an endpoint that has this key; one that requires signatures is not returned.
 * @throws Problem forbidden: no such integration, or not active, the same for both and for an unknown project;
 *   unauthenticated: no key or a wrong one
 */
export async function authenticateIntegration(
  platform: Platform,
  address: EndpointAddress,
  key: string | undefined,
): Promise<Endpoint> {
  const unsigned = (await possibleEndpoints(platform, address, key)).find(
    ({ signature }) => signature === null,
  );
  if (!unsigned) throw new KeyNeeded();
  return unsigned;
}

/**
 * Returns the active integrations behind an endpoint that a request may be meant for, as far as can be known without its body:
 * those with the given key, or if there is no key, those that require a signature. A key in the address counts only for an
 * integration that allows it there (decision 0142).
 * @throws Problem forbidden, unauthenticated, as `authenticateIntegration`
 */
export async function possibleEndpoints(
  platform: Platform,
  address: EndpointAddress,
  key: string | undefined,
  { isInAddress = false } = {},
): Promise<[Endpoint, ...Endpoint[]]> {
  const behind = await findEndpointsTogether(platform, address);
  const active = behind.filter((endpoint) => endpoint.active);
  if (active.length === 0) throw new Problem("forbidden", "403 Forbidden");
  const shown = digest(key ?? "");
  // All keys are compared in constant time, even after one has matched.
  const fitting = behind.filter(
    (endpoint) => opens(endpoint, shown) && (endpoint.keyInAddress || !isInAddress),
  );
  const [first, ...others] = active.filter((endpoint) =>
    key === undefined ? endpoint.signature : fitting.includes(endpoint),
  );
  // For the key of an inactive integration, an address that several share answers 403, as the integration's own address would.
  if (!first) throw fitting.length > 0 ? new Problem("forbidden", "403 Forbidden") : new KeyNeeded();
  return [first, ...others];
}

/**
 * Returns the active integration with this key in any project, for services that have one address for all projects.
 * @throws Problem unauthenticated: no key or an unknown one; forbidden: not active
 */
export async function endpointByKey(
  platform: Platform,
  key: string | undefined,
): Promise<[Endpoint, ...Endpoint[]]> {
  const endpoint = key ? await findEndpointByKey(platform.db, digest(key)) : undefined;
  if (!endpoint) throw new KeyNeeded();
  if (!endpoint.active) throw new Problem("forbidden", "403 Forbidden");
  return [endpoint];
}

/**
 * Returns the first candidate that requires no signature or whose signature the request carries.
 * @throws Problem unauthenticated
 */
export function signedEndpoint(
  platform: Platform,
  candidates: readonly [Endpoint, ...Endpoint[]],
  request: Signed,
): Endpoint {
  // All are checked, so that the response time does not reveal which of them nearly matched.
  const right = candidates.filter((endpoint) => {
    const { signature: kind, signatureHeader: header, signatureSealed: sealed } = endpoint;
    if (!kind || !sealed) return true;
    const secret = platform.keys.open(
      sealed,
      signatureContext(`${endpoint.projectId}/${endpoint.identifier}`),
    );
    return isSigned({ kind, header, secret }, request);
  });
  const [endpoint] = right;
  if (!endpoint) throw new KeyNeeded();
  return endpoint;
}

/**
 * Refuses alerts for a project that is archived or marked for deletion. Called after authentication, so that only the
 * project's own senders learn of it.
 * @throws Problem forbidden (decision 0153)
 */
export function checkTakesAlerts({ isReadOnly }: Endpoint): void {
  if (!isReadOnly) return;
  throw new Problem(
    "forbidden",
    "403 Forbidden - The project is archived or marked for deletion and accepts no alerts.",
  );
}

const findTogether = sharedAnswers<Endpoint[]>();

/** Requests to one endpoint share a lookup; a revoked key is refused as soon as its revocation was answered. */
function findEndpointsTogether(platform: Platform, address: EndpointAddress): Promise<Endpoint[]> {
  const name = `${address.projectPath} ${address.isManager ? "/manager" : (address.identifier ?? "/shared")}`;
  return findTogether(platform, name, () => findEndpoints(platform.db, address));
}

function opens({ keyDigest, oldKeyDigest }: Endpoint, shown: Buffer): boolean {
  const isNew = timingSafeEqual(keyDigest, shown);
  const isOld = timingSafeEqual(oldKeyDigest ?? Buffer.alloc(shown.length), shown);
  return isNew || (isOld && oldKeyDigest !== null);
}
