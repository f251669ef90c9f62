/** Renders descriptions and comments of alerts and incidents: the subset of Markdown that templates use. */
import { attrs, type Html, html } from "../ui/html.ts";

/** Consecutive lines of one kind. */
interface Block {
  kind: "text" | "code" | "bullets" | "numbers" | "quote" | "heading" | "rule";
  lines: string[];
  /** The number of the first item. */
  start?: number;
}

/**
 * Renders headings, lists, tasks, quotes, code, rules, bold words and links. Everything else is shown as typed, including
 * HTML.
 */
export function prose(text: string): Html {
  return html`<div class="prose wrap-any">${blocksOf(text).map(blockHtml)}</div>`;
}

/** The same for what a sender wrote: a link shows its address, so that its words cannot name another (reference alerts A8). */
export function foreignProse(text: string): Html {
  return prose(text.replaceAll("](", "]\u200b("));
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let fence = "";
  let last: Block | undefined;
  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1]?.slice(0, 3) ?? "";
    if (fence !== "") {
      if (mark === fence) {
        fence = "";
        last = undefined;
      } else if (last?.kind === "code") last.lines.push(line);
      continue;
    }
    if (mark !== "") fence = mark;
    const next: Block | undefined = mark === "" ? lineBlock(line, last) : { kind: "code", lines: [] };
    if (next && next !== last) blocks.push(next);
    last = next;
  }
  return blocks;
}

/**
 * Returns the block that a line begins or continues; undefined if it ends one. The patterns use the `s` flag: a dot that stops
 * at U+2028, for example, would backtrack over all splits of the text before it.
 */
function lineBlock(line: string, last: Block | undefined): Block | undefined {
  const trimmed = line.trim();
  if (trimmed === "") return undefined;
  if (/^(-{3,}|\*{3,}|_{3,})$/.test(trimmed)) return { kind: "rule", lines: [] };
  const heading = /^#{1,6}\s+(.*)$/s.exec(trimmed)?.[1];
  if (heading !== undefined) return { kind: "heading", lines: [heading.replace(/\s#+$/, "")] };
  const [, mark, item = ""] = /^([-*+]|\d{1,9}[.)])\s+(.*)$/s.exec(trimmed) ?? [];
  const start = Number.parseInt(mark ?? "", 10);
  if (mark)
    return Number.isNaN(start) ? withLine(last, "bullets", item) : withLine(last, "numbers", item, start);
  if (trimmed.startsWith(">")) return withLine(last, "quote", trimmed.slice(1).trim());
  // Two trailing spaces end the paragraph, as after each fact of an alert.
  const isOver = last?.kind === "text" && last.lines.at(-1)?.endsWith("  ");
  return withLine(isOver ? undefined : last, "text", line.trimStart());
}

function withLine(last: Block | undefined, kind: Block["kind"], line: string, start = 1): Block {
  const block = last?.kind === kind ? last : { kind, lines: [], start };
  block.lines.push(line);
  return block;
}

function blockHtml({ kind, lines, start = 1 }: Block): Html {
  switch (kind) {
    case "rule":
      return html`<hr>`;
    case "heading":
      return html`<h3>${words(lines.join(" "))}</h3>`;
    case "code":
      return html`<pre>${lines.join("\n")}</pre>`;
    case "quote":
      return html`<blockquote>${inLines(lines)}</blockquote>`;
    case "bullets":
      return html`<ul>${lines.map((line) => html`<li>${itemHtml(line)}</li>`)}</ul>`;
    case "numbers":
      return html`<ol${attrs({ start: start === 1 ? undefined : `${start}` })}>${lines.map((line) => html`<li>${itemHtml(line)}</li>`)}</ol>`;
    case "text":
      return html`<p>${inLines(lines)}</p>`;
  }
}

function itemHtml(line: string): Html {
  const task = /^\[([ xX])\]\s+(.*)$/s.exec(line);
  if (!task) return words(line);
  const checked = task[1] !== " ";
  return html`<label class="task"><input${attrs({ type: "checkbox", disabled: true, checked })}> <span>${words(task[2] ?? "")}</span></label>`;
}

function inLines(lines: readonly string[]): Html[] {
  return lines.map((line, index) => html`${index > 0 && html`<br>`}${words(line.trimEnd())}`);
}

const MARKS = /(`[^`]+`)|(\*\*[^*]+\*\*)|\[([^[\]]+)\]\((https?:\/\/[^\s()]+)\)|(https?:\/\/[^\s<>"`]+)/g;

/** Renders bold words, code and links of a line; each part of the pattern excludes its own delimiter, so it is linear. */
function words(text: string): Html {
  const parts: (Html | string)[] = [];
  let at = 0;
  for (const found of text.matchAll(MARKS)) {
    const [whole, code, bold, label, target, address] = found;
    parts.push(text.slice(at, found.index));
    at = found.index + whole.length;
    if (code) parts.push(html`<code>${code.slice(1, -1)}</code>`);
    else if (bold) parts.push(html`<strong>${bold.slice(2, -2)}</strong>`);
    else if (target) parts.push(html`<a href="${target}" rel="noopener noreferrer">${label}</a>`);
    else if (address) {
      const bare = bareAddress(address);
      parts.push(html`<a href="${bare}" rel="noopener noreferrer">${bare}</a>`, address.slice(bare.length));
    }
  }
  return html`${[...parts, text.slice(at)]}`;
}

/** Strips punctuation from the end of an address. A pattern would retry at each of a million dots. */
function bareAddress(address: string): string {
  let end = address.length;
  while (".,;:!?)'*".includes(address.charAt(end - 1))) end--;
  return address.slice(0, end);
}
