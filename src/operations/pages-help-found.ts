/** The search of the help, and the sections that it found. */
import { bareCard, emptyState, pageHead } from "../ui/card.ts";
import { wholeNumber } from "../ui/count.ts";
import { type Html, html } from "../ui/html.ts";
import { table } from "../ui/table.ts";
import { filterBar } from "../ui/toolbar.ts";
import { type FoundSection, type Section, searchSections, wordsIn } from "./help-sections.ts";

const MAX_SHOWN = 30;

/** The form that searches the help. */
export function helpSearch(value: string): Html {
  return filterBar({
    label: "Search the help",
    action: "/-/help",
    search: { name: "search", value, placeholder: "Words of the help", label: "Search the help" },
    filters: [],
  });
}

/** What was found for the words. */
export function helpFound(query: string, sections: readonly Section[]): Html {
  const words = wordsIn(query);
  const found = searchSections(sections, words);
  const list = found.length > 0 ? foundTable(found.slice(0, MAX_SHOWN), words) : nothing(query);
  const more = html`${MAX_SHOWN} of ${wholeNumber(found.length)} sections are shown. Another word makes them fewer.`;
  return html`${pageHead({ heading: "Help", lead: `Sections with the words “${query}”` })}${bareCard("Found sections", html`${helpSearch(query)}${list}`, found.length > MAX_SHOWN ? more : undefined)}`;
}

function foundTable(found: readonly FoundSection[], words: readonly string[]): Html {
  return table<FoundSection>({
    caption: "Found sections",
    rows: found,
    columns: [
      {
        head: "Section",
        rowHeader: true,
        cell: ({ href, page, heading }) =>
          html`<a class="title" href="${href}">${heading}</a>${heading !== page && html`<br><span class="sub">${page}</span>`}`,
      },
      { head: "Text", hiddenHead: true, cell: ({ excerpt }) => withStrong(excerpt, words) },
    ],
  });
}

/** Emphasizes the words in a text. */
function withStrong(text: string, words: readonly string[]): Html {
  const any = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const parts = text.split(new RegExp(`(${any})`, "iu"));
  return html`<span class="wrap-any">${parts.map((part, index) => (index % 2 === 1 ? html`<strong>${part}</strong>` : part))}</span>`;
}

function nothing(query: string): Html {
  return emptyState({
    heading: "Nothing found",
    level: 2,
    text: html`No section has all of the words “${query}”. <a href="/-/help">All pages</a> are listed in the help.`,
  });
}
