/** Finds the authorization request for which somebody signs in. */
import type { FastifyRequest } from "fastify";
import { returnPathOf } from "./browser.ts";

/** Returns the authorization request that waits for this sign-in, if there is one. */
export function waitingAuthorization(request: FastifyRequest): URLSearchParams | undefined {
  const [path, query] = returnPathOf(request)?.split("?") ?? [];
  return path === "/oauth/authorize" ? new URLSearchParams(query) : undefined;
}
