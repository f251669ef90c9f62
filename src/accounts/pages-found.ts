/** The people among the results of a search. */
import type { Platform } from "../platform/platform.ts";
import { badge } from "../ui/badge.ts";
import { face } from "../ui/face.ts";
import { FOUND_PAGE, type FoundCard, foundCard } from "../ui/found.ts";
import { type Html, html } from "../ui/html.ts";
import { named } from "../ui/named.ts";
import { table } from "../ui/table.ts";
import { peopleFound } from "./people-found.ts";
import type { User } from "./user.ts";

/** Finds people by name, username or mail address; administrators get a link to the full list. */
export function foundPeople({ db }: Platform): FoundCard {
  return async (viewer, words) =>
    foundCard({
      id: "people",
      heading: "People",
      rows: await peopleFound(db.searching, viewer, words, { ...FOUND_PAGE, exactFirst: true }),
      list: peopleTable,
      others: viewer.isAdmin
        ? html`More fit: see <a href="${`/admin/users?${new URLSearchParams({ search: words })}`}">all users that fit</a>.`
        : "More fit: say more of the name, or the whole username.",
    });
}

function peopleTable(people: readonly User[]): Html {
  return table<User>({
    caption: "People",
    rows: people,
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: ({ name, username }) =>
          named(face(name, 2), html`<a class="title" href="/${username}">${name}</a>`, `@${username}`),
      },
      { head: "Marks", hiddenHead: true, cell: marks },
    ],
  });
}

function marks({ isPlaceholder, bot, state, privateProfile }: User): Html | false {
  const all = [
    isPlaceholder && badge(bot === null ? "Outside person" : "Account of an application", "line"),
    state === "blocked" && badge("Blocked", "line"),
    privateProfile && badge("Private profile", "line"),
  ].filter((mark) => mark !== false);
  return all.length > 0 && html`<span class="row">${all}</span>`;
}
