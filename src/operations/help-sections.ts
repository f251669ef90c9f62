/** Searches the help: the sections of its chapters, and the titles of the decisions. */
import type { Token } from "marked";
import { DECISIONS, documentPath } from "./manual.ts";

/** A part of the help below a heading, with its words. */
export interface Section {
  href: string;
  /** The title of its page. */
  page: string;
  heading: string;
  text: string;
}

/** A section that contains all words, and what stands around the first of them. */
export interface FoundSection extends Section {
  excerpt: string;
}

const DECISIONS_PAGE = "Decisions";
const MAX_WORDS = 10;
const BEFORE = 60;
const EXCERPT = 220;

/** The title of a document, and its headings as its page shows them, in its order. */
interface Shown {
  title: string;
  headings: readonly { id: string; text: string }[];
}

/** The sections of a document, in its order. */
export function sectionsOf(slug: string, tokens: readonly Token[], shown: Shown): Section[] {
  const page = shown.title;
  const headings = shown.headings.values();
  const sections: Section[] = [{ href: documentPath(slug), page, heading: page, text: "" }];
  for (const token of tokens) {
    if (token.type === "heading" && token.depth > 1) {
      const next = headings.next().value;
      if (next)
        sections.push({ href: `${documentPath(slug)}#${next.id}`, page, heading: next.text, text: "" });
    } else if (token.type !== "heading") {
      const last = sections.at(-1);
      if (last) last.text = `${last.text} ${plainText(token.raw)}`.trim();
    }
  }
  return sections;
}

/** The decisions in the list of their index. */
export function decisionSections(index: string): Section[] {
  return [...index.matchAll(/^- \[\d+\]\((\d{4}-[a-z0-9-]+)\.md\) (.*)$/gm)].map(
    ([, file = "", title = ""]) => ({
      href: documentPath(`${DECISIONS}/${file}`),
      page: DECISIONS_PAGE,
      heading: plainText(title),
      text: "",
    }),
  );
}

/** The words that are searched for, in lower case. */
export function wordsIn(query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return [...new Set(words)].slice(0, MAX_WORDS);
}

/** The sections that contain all words: first those of chapters with all of them in the heading, at the end the decisions. */
export function searchSections(sections: readonly Section[], words: readonly string[]): FoundSection[] {
  if (words.length === 0) return [];
  const isIn = (text: string) => {
    const low = text.toLowerCase();
    return words.every((word) => low.includes(word));
  };
  const found = sections.filter(({ page, heading, text }) => isIn(`${page} ${heading} ${text}`));
  const rank = ({ page, heading }: Section) => (page === DECISIONS_PAGE ? 2 : isIn(heading) ? 0 : 1);
  return found
    .toSorted((one, other) => rank(one) - rank(other))
    .map((section) => ({ ...section, excerpt: excerptOf(section.text, words) }));
}

/** The text around the first word that is in it, from the beginning of a word. */
function excerptOf(text: string, words: readonly string[]): string {
  const low = text.toLowerCase();
  const places = words.map((word) => low.indexOf(word)).filter((at) => at >= 0);
  const at = Math.max(0, Math.min(...places, text.length) - BEFORE);
  const start = places.length === 0 || at === 0 ? 0 : text.indexOf(" ", at) + 1;
  const cut = text.slice(start, start + EXCERPT).trim();
  return `${start > 0 ? "… " : ""}${cut}${start + EXCERPT < text.length ? " …" : ""}`;
}

/** Markdown without its signs. */
function plainText(markdown: string): string {
  return markdown
    .replace(/<!--.*?-->/gs, "")
    .replace(/^```.*$/gm, "")
    .replace(/\[([^[\]]*)\]\([^()\s]*\)/g, "$1")
    .replace(/^[ \t]*\|?[\s:|-]*-{3}[\s:|-]*$/gm, "")
    .replace(/[*`]/g, "")
    .replace(/^[ \t]*(?:#+|[->])[ \t]+/gm, "")
    .replace(/\s*\|\s*/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
