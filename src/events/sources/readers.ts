/** The forges whose deliveries are read. */
import type { Forge, ForgeReader } from "../source.ts";
import { bitbucket } from "./bitbucket.ts";
import { cloudevents } from "./cloudevents.ts";
import { forgejo, gitea, gogs } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";

/** Contains every sender that is recognised: one without a reader would lose its deliveries. */
const READERS: Readonly<Record<Forge, ForgeReader>> = {
  github,
  gitlab,
  gitea,
  forgejo,
  gogs,
  bitbucket,
  cloudevents,
};

/** The reader of a forge. */
export function readerOf(forge: Forge): ForgeReader {
  return READERS[forge];
}
