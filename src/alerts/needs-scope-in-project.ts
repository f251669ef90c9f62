/** The guard of routes that change alerts: without a token, a project that is not public is missing (contract-alerts, roles). */
import { anyCallerOf, type Guard, mayHaveScope } from "../accounts/caller.ts";
import { isObject } from "../platform/json-object.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { visibleProject } from "../projects/access.ts";

/** Like `needsScope`, for routes of a project: a request without a token gets 404 if visitors cannot see the project, else 401. */
export function needsScopeInProject(platform: Platform, ...scopes: readonly string[]): Guard {
  const guard = mayHaveScope(platform, ...scopes);
  return {
    config: { scopes },
    onRequest: [
      ...guard.onRequest,
      async (request) => {
        if (anyCallerOf(request)) return;
        const id = isObject(request.params) ? request.params.id : undefined;
        await visibleProject(platform.db, undefined, typeof id === "string" ? id : "");
        throw new Problem("unauthenticated", "401 Unauthorized");
      },
    ],
  };
}
