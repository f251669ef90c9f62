/** The forges whose deliveries are read. */
import type { Forge, ForgeReader } from "../source.ts";
import { cloudevents } from "./cloudevents.ts";
import { forgejo, gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";

/** Every type that a source can be fixed to is here, or it would lose its deliveries. */
const READERS: Readonly<Record<Exclude<Forge, "gogs">, ForgeReader>> = {
  github,
  gitlab,
  gitea,
  forgejo,
  cloudevents,
};

/** How a forge is understood; undefined: it is known by its headers and not read. */
export function readerOf(forge: Forge): ForgeReader | undefined {
  return forge === "gogs" ? undefined : READERS[forge];
}
