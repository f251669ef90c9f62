/** The parts of `/-/docs` about responses and the records in them. */
import { card } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { table } from "../ui/table.ts";
import type { Operation } from "./operation.ts";
import type { NamedRecord, OperationAnswer } from "./operation-answers.ts";
import type { Member } from "./schema-words.ts";

/** The responses specific to an operation, and the statuses of its usual refusals. */
export function answerList({ method, path, answers }: Operation): Html {
  const usual = answers.filter((one) => one.usual).map(({ status }) => status);
  const own = answers.filter((one) => !one.usual);
  return html`${answerTable(`Answers of ${method} ${path}`, own)}${usual.length > 0 && html`<p class="mt-s">Refused like many others with ${usual.join(", ")}: <a href="#refusals">what that means</a>.</p>`}`;
}

/** The refusals that many operations share. */
export function refusalsCard(operations: readonly Operation[]): Html | false {
  const usual = operations.flatMap(({ answers }) => answers.filter((one) => one.usual));
  const byStatus = new Map(usual.map((one) => [one.status, one]));
  const refusals = [...byStatus.values()].sort((a, b) => Number(a.status) - Number(b.status));
  return (
    refusals.length > 0 &&
    card({
      id: "refusals",
      heading: "Common errors",
      flush: answerTable("Refusals of many operations", refusals),
    })
  );
}

function answerTable(caption: string, rows: readonly OperationAnswer[]): Html {
  return table<OperationAnswer>({
    caption,
    rows,
    columns: [
      { head: "Answer", rowHeader: true, cell: ({ status }) => html`<code>${status}</code>` },
      { head: "Body", cell: ({ body, records }) => (body === undefined ? "none" : linked(body, records)) },
      { head: "Meaning", cell: ({ description }) => withCode(description) },
    ],
  });
}

/** The records, each collapsed. */
export function recordsCard(records: readonly NamedRecord[]): Html | false {
  return (
    records.length > 0 &&
    card({
      id: "records",
      heading: "Records",
      lead: "The objects that responses contain.",
      body: html`${records.map(shown)}`,
    })
  );
}

/** The anchor is inside the collapsed part, so that browsers open it for links to it. */
function shown({ name, description, members }: NamedRecord): Html {
  return html`<details class="more mt-s"><summary><code>${name}</code></summary>
<div id="record-${name}">${description && html`<p class="mt-s">${withCode(description)}</p>`}${members.length > 0 && html`<div class="mt-s">${memberTable(name, members)}</div>`}</div></details>`;
}

function memberTable(name: string, members: readonly Member[]): Html {
  return table<Member>({
    caption: `Members of ${name}`,
    rows: members,
    columns: [
      { head: "Name", rowHeader: true, cell: (member) => html`<code>${member.name}</code>` },
      {
        head: "Type",
        cell: ({ type, records }) => html`<span class="wrap-any">${linked(type, records)}</span>`,
      },
      { head: "Always", cell: ({ required }) => (required ? "yes" : "no") },
      { head: "Meaning", cell: ({ description }) => withCode(description || "–") },
    ],
  });
}

/** Renders a description: of CommonMark (OpenAPI 3.1 §4.4) our descriptions only use backticks for code. */
export function withCode(description: string): Html {
  const parts = description.split("`");
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** Links the names of records in a text. */
function linked(words: string, records: readonly string[]): Html {
  const parts = words.split(/([A-Za-z]+)/);
  return html`${parts.map((part) => (records.includes(part) ? html`<a href="#record-${part}">${part}</a>` : part))}`;
}
