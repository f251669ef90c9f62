/** An environment of a project: a name to which alert payloads may refer. */
import { createHash } from "node:crypto";
import { isLongerThan } from "../platform/character-count.ts";
import { instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";

export const ENVIRONMENT_STATES = ["available", "stopped"] as const;

export const EnvironmentRow = row({
  id: integer,
  projectId: integer,
  name: text,
  slug: text,
  externalUrl: nullable(text),
  state: oneOf(ENVIRONMENT_STATES),
  createdAt: instant,
  updatedAt: instant,
});
export type Environment = RowOf<typeof EnvironmentRow>;

/** What is wrong with a name, as the rest of a sentence about it; undefined if it is valid. */
export function environmentNameFault(name: string): string | undefined {
  if (name.trim() === "") return "can't be blank";
  if (isLongerThan(name, 255)) return "is too long (maximum is 255 characters)";
  return /^[\p{L}\p{N}_ /.${}()-]+$/u.test(name)
    ? undefined
    : "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '(', ')' and spaces";
}

/** What is wrong with the address of an environment; undefined if it is valid or absent. */
export function externalUrlFault(url: string | null): string | undefined {
  if (url === null) return undefined;
  if (url.length > 255) return "is too long (maximum is 255 characters)";
  return /^https?:$/.test(URL.parse(url)?.protocol ?? "")
    ? undefined
    : "is blocked: Only allowed schemes are http, https";
}

/** A name for host names: lower case, at most 24 characters, and with a part of a hash if anything had to be changed. */
export function slugOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  const slug = /^[a-z]/.test(plain) ? plain : `env-${plain}`;
  if (slug === name && slug.length <= 24) return slug;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 6);
  return `${slug.slice(0, 17).replace(/-+$/, "")}-${hash}`;
}
