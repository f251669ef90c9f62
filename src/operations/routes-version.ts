/** `GET /version` and `GET /metadata`: which release of the GitLab v4 API this is like, and what runs (decision 0131). */
import type { FastifyInstance } from "fastify";
import { needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import type { Platform } from "../platform/platform.ts";
import { VERSION } from "../platform/version.ts";
import { METADATA_ANSWERS } from "./wire-answers.ts";

/** The release whose records ours have the members of; a suffix follows it there too (`-ee`). */
const LIKE = "17.2.0-gatehouse";

/** Both tell the same, to everybody with a token that reads (decision 0131). */
export function versionRoutes(app: FastifyInstance, platform: Platform): void {
  const reads = answering(needsScope(platform, "read_user", "read_api", "api"), METADATA_ANSWERS);
  const kas = { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null };
  const metadata = { version: LIKE, revision: VERSION, kas, enterprise: false };
  for (const path of ["/version", "/metadata"]) app.get(path, reads, async () => metadata);
}
