/** The forges whose deliveries are read. */
import type { Forge, ForgeReader } from "../source.ts";
import { cloudevents } from "./cloudevents.ts";
import { forgejo, gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";

/** Contains every type of source: one without a reader would lose its deliveries. */
const READERS: Readonly<Record<Exclude<Forge, "gogs">, ForgeReader>> = {
  github,
  gitlab,
  gitea,
  forgejo,
  cloudevents,
};

/** The reader of a forge; undefined: the forge is recognised by its headers, but not supported. */
export function readerOf(forge: Forge): ForgeReader | undefined {
  return forge === "gogs" ? undefined : READERS[forge];
}
