/**
 * Renders Markdown documents as parts of pages: headings with anchors, tables, code to copy, no foreign markup (decision 0191).
 */
import type { MarkedToken, Token, Tokens } from "marked";
import { attrs, type Html, html } from "../ui/html.ts";
import { codeBlock, copyButton } from "../ui/secret.ts";
import { table } from "../ui/table.ts";

/** A heading below the title; its id is made as forges do, so that links made there work here too. */
export interface Heading {
  id: string;
  text: string;
  depth: number;
}

/** A rendered document. */
export interface HelpText {
  title: string;
  headings: readonly Heading[];
  body: Html;
}

/** State while a document is rendered. */
interface Writing {
  title: string;
  headings: Heading[];
  ids: Map<string, number>;
  codes: number;
  linkOf: (href: string) => string | undefined;
}

/** Renders the tokens of a document; `linkOf` returns the target of a link, undefined leaves its text unlinked. */
export function helpText(tokens: readonly Token[], linkOf: Writing["linkOf"]): HelpText {
  const writing: Writing = { title: "Help", headings: [], ids: new Map(), codes: 0, linkOf };
  const body = html`${blocks(tokens, writing)}`;
  return { title: writing.title, headings: writing.headings, body };
}

function blocks(tokens: readonly Token[], writing: Writing): Html[] {
  return tokens.map((token) => block(token as MarkedToken, writing));
}

function block(token: MarkedToken, writing: Writing): Html {
  switch (token.type) {
    case "space":
    case "def":
      return html``;
    case "heading":
      return heading(token, writing);
    case "paragraph":
      return html`<p>${inline(token.tokens, writing)}</p>`;
    case "code":
      return code(token, writing);
    case "list":
      return list(token, writing);
    case "table":
      return tableHtml(token, writing);
    case "blockquote":
      return html`<blockquote>${blocks(token.tokens, writing)}</blockquote>`;
    case "hr":
      return html`<hr>`;
    case "html":
      return markup(token);
    default:
      return inlineToken(token, writing);
  }
}

/** The first heading is the title of the page, which is above the text. */
function heading({ depth, tokens }: Tokens.Heading, writing: Writing): Html {
  const text = plain(tokens);
  if (depth === 1) {
    writing.title = text;
    return html``;
  }
  const id = idOf(text, writing.ids);
  writing.headings.push({ id, text, depth });
  const inside = inline(tokens, writing);
  if (depth === 2) return html`<h2 id="${id}">${inside}</h2>`;
  return depth === 3 ? html`<h3 id="${id}">${inside}</h3>` : html`<h4 id="${id}">${inside}</h4>`;
}

/** Lower case, spaces as hyphens, other punctuation removed; a repeated id gets a number. */
function idOf(text: string, ids: Map<string, number>): string {
  const bare = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
  const before = ids.get(bare) ?? 0;
  ids.set(bare, before + 1);
  return before === 0 ? bare : `${bare}-${before}`;
}

/** A focusable region, labelled by its section; commands and programs can be copied. */
function code({ text, lang }: Tokens.Code, writing: Writing): Html {
  const id = `example-${++writing.codes}`;
  const label = `Example ${writing.codes}: ${writing.headings.at(-1)?.text ?? writing.title}`;
  const isRun = lang !== "json";
  return html`<div>${codeBlock(id, label, text)}${isRun && html`<p class="mt-s">${copyButton(id, label)}</p>`}</div>`;
}

function list({ ordered, start, items }: Tokens.List, writing: Writing): Html {
  const lines = items.map(({ tokens }) => html`<li>${blocks(tokens, writing)}</li>`);
  const from = typeof start === "number" && start !== 1 ? start : undefined;
  return ordered ? html`<ol${attrs({ start: from })}>${lines}</ol>` : html`<ul>${lines}</ul>`;
}

function tableHtml({ header, rows }: Tokens.Table, writing: Writing): Html {
  return table({
    caption: writing.headings.at(-1)?.text ?? writing.title,
    rows,
    columns: header.map(({ tokens }, index) => ({
      head: plain(tokens),
      rowHeader: index === 0,
      cell: (row: Tokens.TableCell[]) => inline(row[index]?.tokens ?? [], writing),
    })),
  });
}

/** Removes comments, which are for tools; other markup is shown as text. */
function markup({ text }: Tokens.HTML | Tokens.Tag): Html {
  return html`${text.replace(/<!--.*?-->/gs, "").trim()}`;
}

function inline(tokens: readonly Token[], writing: Writing): Html {
  return html`${tokens.map((token) => inlineToken(token as MarkedToken, writing))}`;
}

function inlineToken(token: MarkedToken, writing: Writing): Html {
  switch (token.type) {
    case "strong":
      return html`<strong>${inline(token.tokens, writing)}</strong>`;
    case "em":
      return html`<em>${inline(token.tokens, writing)}</em>`;
    case "codespan":
      return html`<code>${token.text}</code>`;
    case "br":
      return html`<br>`;
    case "link":
      return link(token, writing);
    case "html":
      return markup(token);
    case "text":
      return token.tokens ? inline(token.tokens, writing) : html`${token.text}`;
    case "escape":
      return html`${token.text}`;
    default:
      return html`${token.raw}`;
  }
}

function link({ href, tokens }: Tokens.Link, writing: Writing): Html {
  const target = writing.linkOf(href);
  const inside = inline(tokens, writing);
  if (target === undefined) return inside;
  const rel = /^https?:/.test(target) ? "noopener noreferrer" : undefined;
  return html`<a href="${target}"${attrs({ rel })}>${inside}</a>`;
}

/** The plain text, without emphasis and links. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      "tokens" in token && token.tokens ? plain(token.tokens) : "text" in token ? token.text : "",
    )
    .join("");
}
