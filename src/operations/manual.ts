/** The documents of this version that are shown as help, and the targets of their links (decision 0191). */
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** A document for users or operators: its name in the address, its label, and its subject. */
export interface Chapter {
  slug: string;
  label: string;
  about: string;
}

/** In the order of the navigation. */
export const CHAPTERS: readonly Chapter[] = [
  { slug: "alerts", label: "Alerts", about: "Send alerts, control how they are read, and silence them" },
  { slug: "events", label: "Events", about: "Read, record, import and forward events" },
  { slug: "oauth", label: "Applications", about: "Sign people in and use the API for them with OAuth 2" },
  { slug: "secrets", label: "Secrets", about: "Recognize our tokens, and report a leaked one" },
  { slug: "operations", label: "Operations", about: "Install, back up, monitor and troubleshoot" },
  { slug: "security", label: "Security", about: "What is protected, and how" },
  { slug: "asvs", label: "ASVS 5.0", about: "The requirements of a security standard, met or not" },
  { slug: "scale", label: "Beyond one machine", about: "More processes, replicas and larger databases" },
  { slug: "performance", label: "Performance", about: "Measurements, and how to repeat them" },
  { slug: "keyboard", label: "Keyboard", about: "Keyboard shortcuts" },
];

/** The decision records: an index, and a page for each. */
export const DECISIONS = "decisions";

const ROOT = new URL("../../docs/", import.meta.url);
const PREFIX = "/-/help";

let files: ReadonlyMap<string, string> | undefined;

/** All documents by the rest of their address; request paths are only looked up here, never used as file names. */
function known(): ReadonlyMap<string, string> {
  files ??= new Map([
    ...CHAPTERS.map(({ slug }) => [slug, `${slug}.md`] as const),
    [DECISIONS, `${DECISIONS}/README.md`],
    ...namesIn(new URL(`${DECISIONS}/`, ROOT))
      .filter((name) => /^\d{4}-[a-z0-9-]+\.md$/.test(name))
      .map((name) => [`${DECISIONS}/${name.slice(0, -3)}`, `${DECISIONS}/${name}`] as const),
  ]);
  return files;
}

function namesIn(folder: URL): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return unlessMissing(error as NodeJS.ErrnoException) ?? [];
  }
}

/**
 * Returns the Markdown of a document; undefined if there is none of that name, or the program was installed without its
 * documents.
 */
export async function readDocument(slug: string): Promise<string | undefined> {
  const file = known().get(slug);
  return file === undefined ? undefined : readFile(new URL(file, ROOT), "utf8").catch(unlessMissing);
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** The address of a document's page. */
export function documentPath(slug: string): string {
  return `${PREFIX}/${slug}`;
}

/**
 * Returns the target of a document's link on its page: another document, an address of the service, or an outside http address.
 * Undefined: a file that is not shown.
 */
export function linkFrom(slug: string, href: string): string | undefined {
  if (href.startsWith("#")) return href;
  const base = new URL(`http://docs.invalid/docs/${known().get(slug)}`);
  const target = URL.parse(href, base.href);
  if (!target || !/^https?:$/.test(target.protocol)) return undefined;
  if (target.host !== base.host) return target.href;
  if (target.pathname === "/openapi.json") return target.pathname;
  for (const [other, file] of known()) {
    if (target.pathname === `/docs/${file}`) return documentPath(other) + target.hash;
  }
  return undefined;
}
