/** `/-/docs`: every operation of the API with its parameters, its responses, and a command to copy; works without scripts. */
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
import {
  type Description,
  type Field,
  isAbout,
  type Operation,
  operationsOf,
  type Proof,
} from "./operation.ts";
import { type NamedRecord, recordsOf } from "./operation-answers.ts";
import { answerList, recordsCard, refusalsCard, withCode } from "./pages-explorer-answers.ts";
import { HELP_CRUMB, helpNav } from "./pages-help.ts";

const LONGEST_QUERY = 100;
/** Up to this many results are shown expanded. */
const FEW = 3;
/** Up to this many are shown with all details, collapsed; more are shown as one line each. */
const MAX_FOLDED = 20;

const MAKE_TOKEN = html`<a href="/profile/personal_access_tokens">make one</a>, then <code>export TOKEN=…</code>.`;

/** What to have ready before the command is run. */
const PROVEN: Readonly<Record<Proof, Html>> = {
  token: html`Calls need a token: ${MAKE_TOKEN}`,
  "maybe token": html`Calls may have a token: ${MAKE_TOKEN}`,
  application: html`Calls come from an <a href="/profile/applications">application</a>: <code>export CLIENT_ID=… CLIENT_SECRET=…</code>.`,
  none: html`Calls need no token.`,
};

/** What is kept of the document. */
interface Made {
  operations: readonly Operation[];
  shapes: NonNullable<NonNullable<Description["components"]>["schemas"]>;
}

function madeOf(description: Description): Made {
  return { operations: operationsOf(description), shapes: description.components?.schemas ?? {} };
}

/** The explorer; `describe` returns the document of `/openapi.json`. */
export function explorerPages(
  app: FastifyInstance,
  platform: Platform,
  describe: () => Promise<Description>,
): void {
  let made: Made | undefined;
  app.get<{ Querystring: { q?: unknown; operation?: unknown } }>("/-/docs", async (request, reply) => {
    const browser = await browserOf(platform, request, reply);
    made ??= madeOf(await describe());
    const { operations, shapes } = made;
    const { q, operation } = request.query;
    const one = operations.find(({ id }) => id === operation);
    if (operation !== undefined && !one) reply.code(404);
    const given = operation ?? q;
    const query = typeof given === "string" && !one ? given.trim().slice(0, LONGEST_QUERY) : "";
    const all = operation === undefined ? operations : [];
    const found = query === "" ? all : all.filter((each) => isAbout(each, query));
    const title = one ? `${one.method} ${one.path}` : query === "" ? "API" : `API: ${query}`;
    const crumbs = [
      HELP_CRUMB,
      one ? { label: "API", href: "/-/docs" } : { label: "API" },
      ...(one ? [{ label: title }] : []),
    ];
    const parts = one ? [one] : found;
    const records = parts.length > MAX_FOLDED ? [] : recordsIn(parts, shapes);
    const body = one ? operationPage(one, records) : operationList(found, records, query);
    const status = operation === undefined || one ? 200 : 404;
    return sendPage(reply, appPage({ ...frameOf(browser), title, crumbs, nav: helpNav("api"), main: body }), {
      status,
    });
  });
}

function recordsIn(operations: readonly Operation[], shapes: Made["shapes"]): NamedRecord[] {
  const answers = operations.flatMap((operation) => operation.answers);
  return recordsOf(shapes, answers);
}

function operationList(found: readonly Operation[], records: readonly NamedRecord[], query: string): Html {
  const tags = [...new Set(found.map(({ tag }) => tag))];
  const ofTag = (tag: string) => found.filter((operation) => operation.tag === tag);
  const groups = tags.map((tag) => {
    const parts =
      found.length > MAX_FOLDED
        ? { flush: operationTable(tag, ofTag(tag)) }
        : { body: collapsedOperations(ofTag(tag), found.length <= FEW) };
    return card({ id: tag, heading: tagTitle(tag), ...parts });
  });
  const contents = html`<nav class="body" aria-label="Groups"><span class="row">${tags.map((tag) => html`<a href="#${tag}">${tagTitle(tag)}</a>`)}</span></nav>`;
  const refusals = found.length > MAX_FOLDED ? false : refusalsCard(found);
  return html`${pageHead({
    heading: "API",
    lead: html`Every operation, from <a href="/openapi.json">the OpenAPI document</a> of this service. Most calls need a token: ${MAKE_TOKEN}`,
  })}
${stack([bareCard("Find an operation", html`${searchForm(query)}${found.length > 0 ? contents : noMatch(query)}`), ...groups, refusals, recordsCard(records)])}`;
}

function operationPage(operation: Operation, records: readonly NamedRecord[]): Html {
  const { method, path, tag, proof } = operation;
  return html`${pageHead({
    above: methodBadge(operation),
    heading: path,
    lead: html`One of the operations about <a href="/-/docs#${tag}">${tagTitle(tag)}</a>. ${PROVEN[proof]}`,
  })}
${stack([bareCard(`${method} ${path}`, html`<div class="body">${operationDetails(operation)}</div>`), refusalsCard([operation]), recordsCard(records)])}`;
}

function searchForm(query: string): Html {
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

function noMatch(query: string): Html {
  return emptyState({
    heading: "No matching operation",
    level: 2,
    text: html`No operation contains “${query}” in its path, description or parameters. <a href="/-/docs">Show all</a>.`,
  });
}

function collapsedOperations(operations: readonly Operation[], open: boolean): Html {
  return html`${operations.map(
    (
      operation,
    ) => html`<details class="more mt-s" id="${operation.id}"${attrs({ open })}><summary>${methodBadge(operation)} <code class="wrap-any">${operation.path}</code></summary>
${operationDetails(operation)}</details>`,
  )}`;
}

/** One line per operation; the details are on a page of its own. */
function operationTable(tag: string, operations: readonly Operation[]): Html {
  return table<Operation>({
    caption: `Operations about ${tagTitle(tag)}`,
    rows: operations,
    columns: [
      {
        head: "Operation",
        rowHeader: true,
        cell: (operation) =>
          html`${methodBadge(operation)} <a class="wrap-any" href="/-/docs?operation=${operation.id}"><code>${operation.path}</code></a>`,
      },
      { head: "Gives", cell: (operation) => withCode(successDescription(operation)) },
    ],
  });
}

function successDescription({ answers }: Operation): string {
  return answers.find(({ status }) => /^[23]/.test(status))?.description ?? "";
}

function methodBadge({ method }: Operation): Html {
  return badge(method, method === "GET" ? "line" : "accent");
}

function operationDetails(operation: Operation): Html {
  const { id, method, path, description, fields, command } = operation;
  return html`${description && html`<p class="mt-s">${withCode(description)}</p>`}${fields.length > 0 && html`<div class="mt-s">${fieldTable(operation)}</div>`}
<div class="mt-s">${codeBlock(`${id}-command`, `Command for ${method} ${path}`, command)}<p class="mt-s">${copyButton(`${id}-command`, `Command for ${method} ${path}`)}</p></div>
<div class="mt-s">${answerList(operation)}</div>`;
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
      { head: "Meaning", cell: ({ description }) => withCode(description || "–") },
    ],
  });
}

/** `alert_integrations` in plain words. */
function tagTitle(tag: string): string {
  const text = tag.replaceAll("_", " ");
  return text === "oauth" ? "OAuth" : text.charAt(0).toUpperCase() + text.slice(1);
}
