/** `GET /version` and `GET /metadata`: the GitLab v4 release that the API resembles, and the version (decision 0131). */
import type { FastifyInstance } from "fastify";
import { needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import type { Platform } from "../platform/platform.ts";
import { VERSION } from "../platform/version.ts";
import { METADATA_ANSWERS } from "./wire-answers.ts";

/** The release whose records ours match; releases there have a suffix too (`-ee`). */
const LIKE = "17.2.0-gatehouse";

/** Both return the same, to every token with read access (decision 0131). */
export function versionRoutes(app: FastifyInstance, platform: Platform): void {
  const reads = answering(needsScope(platform, "read_user", "read_api", "api"), METADATA_ANSWERS);
  const kas = { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null };
  const metadata = { version: LIKE, revision: VERSION, kas, enterprise: false };
  for (const path of ["/version", "/metadata"]) app.get(path, reads, async () => metadata);
}
