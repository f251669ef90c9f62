/** Descriptions of incidents as they are read: the part of Markdown that templates are written in. */
import { attrs, type Html, html } from "../ui/html.ts";

/** Lines that belong together. */
interface Block {
  kind: "text" | "code" | "bullets" | "numbers" | "quote" | "heading" | "rule";
  lines: string[];
}

/**
 * Headings, lists, tasks, quotes, code, rules, bold words and links. Whatever else it holds stands there as it was
 * typed, markup of HTML too.
 */
export function prose(text: string): Html {
  return html`<div class="prose wrap-any">${blocksOf(text).map(blockHtml)}</div>`;
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
 * The block that a line begins, or the last one where it goes on; undefined: it ends one. Dots stand for every letter: where
 * they stopped at one, such as U+2028, all the ways of parting what is before it would be tried.
 */
function lineBlock(line: string, last: Block | undefined): Block | undefined {
  const trimmed = line.trim();
  if (trimmed === "") return undefined;
  if (/^(-{3,}|\*{3,}|_{3,})$/.test(trimmed)) return { kind: "rule", lines: [] };
  const heading = /^#{1,6}\s+(.*)$/s.exec(trimmed)?.[1];
  if (heading !== undefined) return { kind: "heading", lines: [heading.replace(/\s#+$/, "")] };
  const [, mark, item = ""] = /^([-*+]|\d{1,9}[.)])\s+(.*)$/s.exec(trimmed) ?? [];
  if (mark) return withLine(last, /\d/.test(mark) ? "numbers" : "bullets", item);
  if (trimmed.startsWith(">")) return withLine(last, "quote", trimmed.slice(1).trim());
  // Two spaces end a line for good; so do the facts of an alert, each of which is told by itself.
  const isOver = last?.kind === "text" && last.lines.at(-1)?.endsWith("  ");
  return withLine(isOver ? undefined : last, "text", line.trimStart());
}

function withLine(last: Block | undefined, kind: Block["kind"], line: string): Block {
  const block = last?.kind === kind ? last : { kind, lines: [] };
  block.lines.push(line);
  return block;
}

function blockHtml({ kind, lines }: Block): Html {
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
      return html`<ol>${lines.map((line) => html`<li>${itemHtml(line)}</li>`)}</ol>`;
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

/** Bold words, code and links of a line; every part of the pattern stops at its own first letter, so it is linear. */
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

/** An address without what ends the sentence around it. A pattern would try each of a million dots anew. */
function bareAddress(address: string): string {
  let end = address.length;
  while (".,;:!?)'*".includes(address.charAt(end - 1))) end--;
  return address.slice(0, end);
}
