/** What the lists of groups and of projects have in common: heading, search and pager around the table. */
import { linkButton } from "../ui/button.ts";
import { bareCard, emptyState, pageHead } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { SIGN_IN_FROM_HERE } from "../ui/navigation.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager } from "../ui/table.ts";
import { filterBar } from "../ui/toolbar.ts";

/** What is listed, in words. */
export interface Kind {
  one: "group" | "project";
  heading: "Groups" | "Projects";
  lead: string;
}

export interface Search {
  search: string;
  page: number;
  totalPages: number;
  signedIn: boolean;
}

/** @param list undefined: nothing was found */
export function placesMain(
  kind: Kind,
  { search, page, totalPages, signedIn }: Search,
  list: Html | undefined,
): Html {
  const { one, heading, lead } = kind;
  const home = `/${one}s`;
  const create = linkButton(`New ${one}`, `${home}/new`, { tone: "primary", icon: "plus", key: "n" });
  const label = `Find ${one}s`;
  const bar = filterBar({
    label,
    action: home,
    search: { name: "search", value: search, placeholder: "Find by name or path", label },
    filters: [],
  });
  const hrefFor = (number: number) =>
    `${home}?${new URLSearchParams({ ...(search ? { search } : {}), page: String(number) })}`;
  const none =
    page > 1 ? pastTheEnd(`${one}s`, hrefFor(1), 2) : nothing(kind, search, signedIn ? create : undefined);
  return html`${pageHead({ heading, lead, actions: [signedIn && create] })}${bareCard(heading, html`${bar}${list ?? none}`)}${pager({ page, totalPages, hrefFor })}`;
}

/** @param create the button for people who are signed in */
function nothing({ one, heading }: Kind, search: string, create: Html | undefined): Html {
  if (search) {
    return emptyState({
      level: 2,
      heading: `No ${one} matches`,
      text: html`Nothing you may see has “${search}” in its name or path.`,
      action: linkButton("Show all", `/${one}s`),
    });
  }
  return emptyState({
    level: 2,
    heading: create ? `No ${one}s yet` : `No public ${one}s`,
    text: create
      ? `The ${one}s that you create or are added to are listed here.`
      : `${heading} that everybody can see are listed here. Sign in to see others.`,
    action: create ?? linkButton("Sign in", SIGN_IN_FROM_HERE),
  });
}
