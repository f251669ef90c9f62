/** The forges whose deliveries are read. */
import type { Forge, ForgeReader, SourceType } from "../source.ts";
import { forgejo, gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";

const READERS: Partial<Readonly<Record<Forge, ForgeReader>>> = { github, gitlab, gitea, forgejo };

/** How a forge is understood; undefined: not yet. */
export function readerOf(forge: Forge): ForgeReader | undefined {
  return READERS[forge];
}

/** Whether a source can be fixed to this type: what nobody reads would be lost in silence. */
export function isReadable(type: SourceType): boolean {
  return type === "auto" || READERS[type] !== undefined;
}
