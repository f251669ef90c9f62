/** Knows an integration by its authorization key (spec: Authentication 10; reference alerts A2). */
import { timingSafeEqual } from "node:crypto";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import type { Door } from "./door.ts";
import { type Endpoint, findEndpoints } from "./store-integrations.ts";

/**
 * The active integration behind a door whose key this is.
 * @throws Problem forbidden: no such integration, or not active, the same for both and for an unknown project;
 *   unauthenticated: no key or a wrong one
 */
export async function authenticateIntegration(
  platform: Platform,
  door: Door,
  key: string | undefined,
): Promise<Endpoint> {
  const behind = await findEndpoints(platform.db, door);
  const active = behind.filter((endpoint) => endpoint.active);
  if (active.length === 0) throw new Problem("forbidden", "403 Forbidden");
  const shown = digest(key ?? "");
  // Every key is compared, each in constant time, whichever of them fits.
  const fitting = active.filter((endpoint) => opens(endpoint, shown));
  const [endpoint] = fitting;
  if (key === undefined || !endpoint) throw new Problem("unauthenticated", "401 Unauthorized");
  return endpoint;
}

function opens({ keyDigest, oldKeyDigest }: Endpoint, shown: Buffer): boolean {
  const isNew = timingSafeEqual(keyDigest, shown);
  const isOld = timingSafeEqual(oldKeyDigest ?? Buffer.alloc(shown.length), shown);
  return isNew || (isOld && oldKeyDigest !== null);
}
