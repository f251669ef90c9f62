/** `/-/docs`: every operation of the API with its parameters, what it answers, and a command to copy; works without script. */
import type { FastifyInstance } from "fastify";
import { browserOf, frameOf } from "../accounts/browser.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { badge } from "../ui/badge.ts";
import { bareCard, card, emptyState, pageHead, stack } from "../ui/card.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { codeBlock, copyButton } from "../ui/secret.ts";
import { table } from "../ui/table.ts";
import { filterBar } from "../ui/toolbar.ts";
import { type Description, type Field, isAbout, type Operation, operationsOf } from "./operation.ts";
import { type NamedRecord, recordsOf } from "./operation-answers.ts";
import { answersOf, recordsCard, refusalsCard } from "./pages-explorer-answers.ts";

const LONGEST_QUERY = 100;
/** So few results are shown whole. */
const FEW = 3;

/** The explorer; `describe` gives the document that `/openapi.json` answers. */
export function explorerPages(app: FastifyInstance, platform: Platform, describe: () => Description): void {
  let operations: Operation[] | undefined;
  app.get<{ Querystring: { q?: unknown } }>("/-/docs", async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    operations ??= operationsOf(describe());
    const { q } = request.query;
    const query = typeof q === "string" ? q.trim().slice(0, LONGEST_QUERY) : "";
    const found = query === "" ? operations : operations.filter((operation) => isAbout(operation, query));
    const answers = found.flatMap((operation) => operation.answers);
    const records = recordsOf(describe().components?.schemas ?? {}, answers);
    const title = query === "" ? "API" : `API: ${query}`;
    return sendPage(
      reply,
      appPage({ ...frameOf(browser), title, crumbs: [{ label: "API" }], main: main(found, records, query) }),
    );
  });
}

function main(found: readonly Operation[], records: readonly NamedRecord[], query: string): Html {
  const tags = [...new Set(found.map(({ tag }) => tag))];
  const groups = tags.map((tag) =>
    group(
      tag,
      found.filter((operation) => operation.tag === tag),
      found.length <= FEW,
    ),
  );
  const contents = html`<nav class="body" aria-label="Groups"><span class="row">${tags.map((tag) => html`<a href="#${tag}">${words(tag)}</a>`)}</span></nav>`;
  return html`${pageHead({
    heading: "API",
    lead: html`Every operation, from <a href="/openapi.json">the OpenAPI document</a> of this service. Calls need a token: <a href="/profile/personal_access_tokens">make one</a>, then <code>export TOKEN=…</code>.`,
  })}
${stack([bareCard("Find an operation", html`${search(query)}${found.length > 0 ? contents : nothing(query)}`), ...groups, refusalsCard(found), recordsCard(records)])}`;
}

function search(query: string): Html {
  return filterBar({
    label: "Find an operation",
    action: "/-/docs",
    search: {
      name: "q",
      value: query || undefined,
      placeholder: "Path, word or parameter",
      label: "Find an operation",
    },
    filters: [],
  });
}

function nothing(query: string): Html {
  return emptyState({
    heading: "No operation is like that",
    text: html`Nothing has “${query}” in its path, its words or its parameters. <a href="/-/docs">Show all</a>.`,
  });
}

function group(tag: string, operations: readonly Operation[], open: boolean): Html {
  return card({ id: tag, heading: words(tag), body: html`${operations.map((one) => shown(one, open))}` });
}

function shown(operation: Operation, open: boolean): Html {
  const { id, method, path, description, fields, command } = operation;
  return html`<details class="more mt-s" id="${id}"${attrs({ open })}><summary>${badge(method, method === "GET" ? "line" : "accent")} <code class="wrap-any">${path}</code></summary>
${description && html`<p class="mt-s">${description}</p>`}${fields.length > 0 && html`<div class="mt-s">${fieldTable(operation)}</div>`}
<div class="mt-s">${codeBlock(`${id}-command`, `Command for ${method} ${path}`, command)}<p class="mt-s">${copyButton(`${id}-command`, `Command for ${method} ${path}`)}</p></div>
<div class="mt-s">${answersOf(operation)}</div></details>`;
}

function fieldTable({ method, path, fields }: Operation): Html {
  return table<Field>({
    caption: `Parameters of ${method} ${path}`,
    rows: fields,
    columns: [
      { head: "Name", rowHeader: true, cell: ({ name }) => html`<code>${name}</code>` },
      { head: "In", cell: ({ place }) => place },
      { head: "Type", cell: ({ type }) => html`<span class="wrap-any">${type}</span>` },
      { head: "Required", cell: ({ required }) => (required ? "yes" : "no") },
      { head: "Meaning", cell: ({ description }) => description || "–" },
    ],
  });
}

/** `alert_integrations` as people write it. */
function words(tag: string): string {
  const text = tag.replaceAll("_", " ");
  return text === "oauth" ? "OAuth" : text.charAt(0).toUpperCase() + text.slice(1);
}
