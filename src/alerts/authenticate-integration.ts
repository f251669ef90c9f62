/** Identifies an integration by its authorization key, its signature, or both (spec: Authentication 10; decision 0110). */
import { timingSafeEqual } from "node:crypto";
import type { Platform } from "../platform/platform.ts";
import { KeyNeeded, Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import type { Door } from "./door.ts";
import { signatureContext } from "./integration.ts";
import { isSigned, type Signed } from "./signature.ts";
import { type Endpoint, findEndpointByKey, findEndpoints } from "./store-integrations.ts";

/**
 * The active integration behind a door whose key this is; one that asks for signatures has none for its key alone.
 * @throws Problem forbidden: no such integration, or not active, the same for both and for an unknown project;
 *   unauthenticated: no key or a wrong one
 */
export async function authenticateIntegration(
  platform: Platform,
  door: Door,
  key: string | undefined,
): Promise<Endpoint> {
  const unsigned = (await possibleEndpoints(platform, door, key)).find(({ signature }) => signature === null);
  if (!unsigned) throw new KeyNeeded();
  return unsigned;
}

/**
 * The active integrations behind a door that a request may be meant for, as far as can be told before its body: those
 * whose key it shows, or without a key those that know it by its signature. A key in the address is only that of an
 * integration which allows it there (decision 0142).
 * @throws Problem forbidden, unauthenticated, as `authenticateIntegration`
 */
export async function possibleEndpoints(
  platform: Platform,
  door: Door,
  key: string | undefined,
  { isInAddress = false } = {},
): Promise<[Endpoint, ...Endpoint[]]> {
  const behind = await findEndpointsTogether(platform, door);
  const active = behind.filter((endpoint) => endpoint.active);
  if (active.length === 0) throw new Problem("forbidden", "403 Forbidden");
  const shown = digest(key ?? "");
  // Every key is compared, each in constant time, whichever of them fits.
  const fitting = behind.filter(
    (endpoint) => opens(endpoint, shown) && (endpoint.keyInAddress || !isInAddress),
  );
  const [first, ...others] = active.filter((endpoint) =>
    key === undefined ? endpoint.signature : fitting.includes(endpoint),
  );
  // Where several share an address, one that is off says so to its own key, as it would alone.
  if (!first) throw fitting.length > 0 ? new Problem("forbidden", "403 Forbidden") : new KeyNeeded();
  return [first, ...others];
}

/**
 * The active integration whose key this is, wherever its project; for services that have one address for all.
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
 * The first of them that asks for no signature or for the one that the request bears.
 * @throws Problem unauthenticated
 */
export function signedEndpoint(
  platform: Platform,
  candidates: readonly [Endpoint, ...Endpoint[]],
  request: Signed,
): Endpoint {
  // Each is checked, so that the time does not tell which of them came near.
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
 * What is accepted is kept, so what rests refuses; asked once the sender is known, for nobody else is told.
 * @throws Problem forbidden (decision 0153)
 */
export function checkTakesAlerts({ rests }: Endpoint): void {
  if (!rests) return;
  throw new Problem(
    "forbidden",
    "403 Forbidden - The project is archived or marked for deletion and takes no alerts.",
  );
}

interface Lookup {
  underWay: Promise<Endpoint[]>;
  /** What those who came meanwhile wait for. */
  next: Promise<Endpoint[]> | undefined;
}

const lookups = new WeakMap<Platform, Map<string, Lookup>>();

/**
 * Requests at one door share a lookup, but never one that was under way when they came: each sees what was committed
 * before it arrived, so a key that was revoked is refused from the answer to the revocation on.
 */
function findEndpointsTogether(platform: Platform, door: Door): Promise<Endpoint[]> {
  const doors = lookups.get(platform) ?? new Map<string, Lookup>();
  lookups.set(platform, doors);
  const name = `${door.projectPath} ${door.isManager ? "/manager" : (door.identifier ?? "/shared")}`;
  const look = (): Promise<Endpoint[]> => {
    const underWay = findEndpoints(platform.db, door).finally(() => {
      if (doors.get(name)?.underWay === underWay) doors.delete(name);
    });
    doors.set(name, { underWay, next: undefined });
    return underWay;
  };
  const before = doors.get(name);
  if (!before) return look();
  before.next ??= before.underWay.then(look, look);
  return before.next;
}

function opens({ keyDigest, oldKeyDigest }: Endpoint, shown: Buffer): boolean {
  const isNew = timingSafeEqual(keyDigest, shown);
  const isOld = timingSafeEqual(oldKeyDigest ?? Buffer.alloc(shown.length), shown);
  return isNew || (isOld && oldKeyDigest !== null);
}
