/** The rows above a list: a search field with filters, and actions on ticked rows. */
import { fieldError } from "./form.ts";
import { attrs, type Html, html } from "./html.ts";
import { icon } from "./icon.ts";

/** A filter form; it uses GET, so that every view has an address. The `/` key focuses its search field. */
export type Toolbar = {
  label: string;
  action: string;
  search?: { name: string; value?: string | undefined; placeholder: string; label: string };
  /** Selects and dates without visible labels: bareSelect(), dateFilter(). */
  filters: readonly Html[];
  /** Kept as hidden fields, such as sort order and tab. */
  keep?: Record<string, string | undefined>;
  /** Whether filters other than the search are set: then a link beside the button clears all of them. */
  isFiltered?: boolean;
};

/** A filter form at the top of a card. */
export function filterBar(bar: Toolbar): Html {
  return html`<form class="toolbar in-card" action="${bar.action}" method="get" role="search" aria-label="${bar.label}">${kept(bar.keep)}${bar.search && searchField(bar.search)}<div class="filters">${bar.filters}<button class="btn" type="submit">Filter</button>${clear(bar)}</div></form>`;
}

/** A form that searches for words only, at the top of a card; `error` says what is wrong with them. */
export function searchBar(bar: {
  label: string;
  action: string;
  name: string;
  value: string;
  placeholder: string;
  error?: string | undefined;
}): Html {
  const { label, action, name, value, placeholder, error } = bar;
  const wrong = error && { "aria-invalid": "true", "aria-describedby": "words-err" };
  // Without words, or with refused ones, typing comes next.
  const own = { name, value, placeholder, "aria-label": label, autofocus: value === "" || !!error };
  return html`<form class="toolbar in-card" action="${action}" method="get" role="search" aria-label="${label}"><div class="with-icon">${icon("search", 16)}<input class="input" type="search"${attrs({ ...own, ...wrong })}></div><button class="btn primary" type="submit">Search</button>${error && fieldError("words", error)}</form>`;
}

/** A filter form inside a card's header, beside the heading. */
export function headerFilter(bar: Omit<Toolbar, "search">): Html {
  return html`<form class="toolbar" action="${bar.action}" method="get" aria-label="${bar.label}">${kept(bar.keep)}<div class="filters">${bar.filters}<button class="btn" type="submit">Filter</button>${clear(bar)}</div></form>`;
}

/** A date filter. */
export function dateFilter(name: string, label: string, value: string | undefined): Html {
  return html`<input class="input" type="date" name="${name}" aria-label="${label}"${attrs({ value })}>`;
}

/** A text filter, such as a name. */
export function wordFilter(
  name: string,
  label: string,
  placeholder: string,
  value: string | undefined,
): Html {
  return html`<input class="input" type="text"${attrs({ name, "aria-label": label, placeholder, value, autocapitalize: "none", spellcheck: "false", autocomplete: "off", size: "12" })}>`;
}

/** The actions on ticked rows; the script replaces the words by the number of ticked rows. */
export function bulkBar(label: string, words: string, buttons: readonly Html[]): Html {
  return html`<div class="bulk" role="group" aria-label="${label}"><strong data-ticked>${words}</strong><span class="btn-row">${buttons}</span></div>`;
}

/** The checkbox in a table's head that ticks all checkboxes of that name; needs the script. */
export function tickAll(name: string): Html {
  return html`<label class="js"><input type="checkbox" data-all="${name}" aria-label="Select all on this page"></label>`;
}

/** The checkbox of a row; `form` if the table is outside the form. */
export function tick(name: string, value: string, label: string, form?: string): Html {
  return html`<label><input type="checkbox"${attrs({ name, value, form })} aria-label="${label}"></label>`;
}

/** The link that clears search and filters, if there are any. */
function clear({ action, keep = {}, search, isFiltered }: Toolbar): Html | undefined {
  if (!isFiltered && !search?.value) return undefined;
  const stays = Object.entries(keep).filter((pair): pair is [string, string] => !!pair[1]);
  const query = new URLSearchParams(stays).toString();
  return html`<a class="btn quiet" href="${query === "" ? action : `${action}?${query}`}" aria-label="Clear filters">Clear</a>`;
}

function kept(keep: Record<string, string | undefined> = {}): Html[] {
  return Object.entries(keep)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

function searchField(search: NonNullable<Toolbar["search"]>): Html {
  return html`<div class="with-icon">${icon("search", 16)}<input class="input" type="search"${attrs({ name: search.name, value: search.value, placeholder: search.placeholder, "aria-label": search.label })}></div>`;
}
