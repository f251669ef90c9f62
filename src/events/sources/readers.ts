/** The forges whose deliveries are read. */
import type { Forge, ForgeReader } from "../source.ts";
import { bitbucket } from "./bitbucket.ts";
import { cloudevents } from "./cloudevents.ts";
import { forgejo, gitea, gogs } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { repositoryOf } from "./repository.ts";

/** Contains every sender that is recognised: one without a reader would lose its deliveries. */
const READERS: Readonly<Record<Forge, ForgeReader>> = {
  github: withRepository(github),
  gitlab: withRepository(gitlab),
  gitea: withRepository(gitea),
  forgejo: withRepository(forgejo),
  gogs: withRepository(gogs),
  bitbucket: withRepository(bitbucket),
  cloudevents,
};

/** The reader of a forge. */
export function readerOf(forge: Forge): ForgeReader {
  return READERS[forge];
}

/** Adds the repository to each letter; those of CloudEvents have it already, since each has its own. */
function withRepository(reader: ForgeReader): ForgeReader {
  return {
    ...reader,
    letters: (delivery, payload, readBody) =>
      reader
        .letters(delivery, payload, readBody)
        .map((letter) => ({ ...letter, repository: repositoryOf(payload) })),
  };
}
