/** Tables that become cards in a narrow container, and the pager below them. */
import { wholeNumber } from "./count.ts";
import { attrs, type Html, html } from "./html.ts";
import { icon } from "./icon.ts";

/** The layout of a column: numbers right-aligned, no line breaks, actions at the end, dropped when narrow. */
export type ColumnClass =
  | "num"
  | "nowrap"
  | "act"
  | "pick"
  | "sev"
  | "main"
  | "occ-cell"
  | "nowrap drop"
  | "num drop"
  | "drop";

/** A column; exactly one should be the row's header. */
export type Column<Row> = {
  head: string;
  /** A number is a count and gets thousands separators; return ids as text. */
  cell: (row: Row) => Html | string | number | false;
  kind?: ColumnClass | "nowrap seen sub";
  rowHeader?: boolean;
  /** Shows the head to assistive technology only, and leaves it out of the stacked card. */
  hiddenHead?: boolean;
  /** Replaces the head's text, for a checkbox that ticks all rows. */
  headControl?: Html;
  /** Makes the head a sort link; `now` is the current order of the rows. */
  sort?: { href: string; now?: "ascending" | "descending" | undefined };
};

/** A table; `cards alerts` is the alert list with checkboxes, severity and occurrences. */
export type Table<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  look?: "cards" | "cards alerts";
};

/** A table whose rows stack as cards in a narrow container; roles are restated because CSS changes `display`. */
export function table<Row>(made: Table<Row>): Html {
  const rows = made.rows.map(
    (row) => html`<tr role="row">${made.columns.map((column) => cell(column, row))}</tr>
`,
  );
  return html`<table role="table" class="table ${made.look ?? "cards"}"><caption class="sr">${made.caption}</caption>
<thead role="rowgroup"${attrs({ class: made.columns.every((one) => one.hiddenHead) && "sr" })}><tr role="row">${made.columns.map(head)}</tr></thead>
<tbody role="rowgroup">
${rows}</tbody></table>`;
}

/** A wide table that scrolls sideways in a focusable region. */
export function scrollTable<Row>(made: Omit<Table<Row>, "look">): Html {
  const heads = made.columns.map((column) => {
    const words = column.hiddenHead ? html`<span class="sr">${column.head}</span>` : column.head;
    return html`<th scope="col"${attrs({ class: column.kind })}>${words}</th>`;
  });
  // If all cells are numbers, the body says so once, and not each of them.
  const numeric = made.columns.every(({ rowHeader, kind }) => rowHeader || kind === "num");
  const rows = made.rows.map((row) => {
    const cells = made.columns.map((column) => {
      const own = attrs({ class: numeric ? undefined : column.kind });
      if (column.rowHeader) return html`<th scope="row"${own}>${contents(column, row)}</th>`;
      return html`<td${own}>${contents(column, row)}</td>`;
    });
    return html`<tr>${cells}</tr>`;
  });
  return html`<div class="scroll-x" role="region" aria-label="${made.caption}" tabindex="0"><table class="table"><thead><tr>${heads}</tr></thead><tbody${attrs({ class: numeric && "num" })}>${rows}</tbody></table></div>`;
}

function head<Row>(column: Column<Row>): Html {
  const named = column.hiddenHead ? html`<span class="sr">${column.head}</span>` : column.head;
  const words = column.headControl ?? named;
  const arrow = column.sort?.now && icon("sortdown", 14);
  const sortable = column.sort ? html`<a href="${column.sort.href}">${words}${arrow}</a>` : words;
  const own = { class: headClass(column.kind), "aria-sort": column.sort?.now };
  return html`<th role="columnheader" scope="col"${attrs(own)}>${sortable}</th>`;
}

function headClass(kind: string | undefined): string | undefined {
  if (kind === "occ-cell" || kind === "num drop") return "num";
  return kind === "num" || kind === "pick" ? kind : undefined;
}

// Columns with a fixed place in the stacked card have no label there.
const placed = new Set([
  "act",
  "pick",
  "sev",
  "main",
  "occ-cell",
  "nowrap seen sub",
  "nowrap drop",
  "num drop",
  "drop",
]);

function contents<Row>(column: Column<Row>, row: Row): Html | string | false {
  const inside = column.cell(row);
  return typeof inside === "number" ? wholeNumber(inside) : inside;
}

function cell<Row>(column: Column<Row>, row: Row): Html {
  const inside = contents(column, row);
  if (column.rowHeader) {
    return html`<th role="rowheader" scope="row"${attrs({ class: column.kind })}>${inside}</th>`;
  }
  const unlabelled = column.hiddenHead || placed.has(column.kind ?? "");
  if (unlabelled) return html`<td role="cell"${attrs({ class: column.kind })}>${inside}</td>`;
  // The stacked card puts label and content side by side, so several lines need an element around them.
  const own = { class: column.kind, "data-label": column.head };
  return html`<td role="cell"${attrs(own)}>${typeof inside === "object" ? html`<div>${inside}</div>` : inside}</td>`;
}

/** Page numbers as links; empty if there is only one page. */
export function pager(pages: {
  page: number;
  totalPages: number;
  hrefFor: (page: number) => string;
  label?: string;
}): Html {
  const { page, totalPages, hrefFor, label = "Pages" } = pages;
  if (totalPages <= 1) return html``;
  const numbers = pageNumbers(page, totalPages).map((number) => {
    if (number === undefined) return html`<span>…</span>`;
    return html`<a href="${hrefFor(number)}"${attrs({ "aria-current": number === page ? "page" : undefined })}>${number}</a>`;
  });
  // Past the end, the previous page would be empty too, so the link leads to the last page.
  const previous = page > 1 ? hrefFor(Math.min(page - 1, totalPages)) : undefined;
  const next = page < totalPages ? hrefFor(page + 1) : undefined;
  return html`<nav class="pager" aria-label="${label}">${step("Previous", previous)}${numbers}${step("Next", next)}</nav>`;
}

/** A pager for lists without a total: only older and newer, or the newest where the next newer page is not known. */
export function stepPager(steps: {
  newerHref?: string | undefined;
  newestHref?: string | undefined;
  olderHref?: string | undefined;
  label: string;
}): Html {
  const { newerHref, newestHref, olderHref, label } = steps;
  if ((newerHref ?? newestHref ?? olderHref) === undefined) return html``;
  const back = (words: string, href: string | undefined) =>
    href && html`<a href="${href}">${icon("left", 14)}${words}</a>`;
  const older = olderHref && html`<a href="${olderHref}">Older${icon("right", 14)}</a>`;
  return html`<nav class="pager" aria-label="${label}">${back("Newest", newestHref)}${back("Newer", newerHref)}${older}</nav>`;
}

function step(words: "Previous" | "Next", href: string | undefined): Html {
  const inside = words === "Previous" ? html`${icon("left", 14)}Previous` : html`Next${icon("right", 14)}`;
  return href === undefined
    ? html`<span class="quiet-text">${inside}</span>`
    : html`<a href="${href}">${inside}</a>`;
}

/** The numbers of a pager, undefined where some are left out: 1 … 4 5 6 … 10. */
export function pageNumbers(page: number, totalPages: number): (number | undefined)[] {
  const near = [1, page - 1, page, page + 1, totalPages].filter(
    (number) => number >= 1 && number <= totalPages,
  );
  const numbers: (number | undefined)[] = [];
  let last = 0;
  for (const number of [...new Set(near)].sort((a, b) => a - b)) {
    if (number - last === 2) numbers.push(number - 1);
    else if (number - last > 2) numbers.push(undefined);
    numbers.push(number);
    last = number;
  }
  return numbers;
}
