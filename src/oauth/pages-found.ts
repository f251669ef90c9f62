/** The applications among search results. */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { badge } from "../ui/badge.ts";
import { tile } from "../ui/face.ts";
import { FOUND_PAGE, type FoundCard, foundCard } from "../ui/found.ts";
import { type Html, html } from "../ui/html.ts";
import { named } from "../ui/named.ts";
import { table } from "../ui/table.ts";
import { shownName } from "./application.ts";
import { ownerWords } from "./owner.ts";
import { listAuthorizedApplications } from "./store.ts";
import { listManagedApplications, type ManagedApplication } from "./store-applications.ts";

interface Found {
  name: string;
  owner: string;
  href: string;
  isAuthorized: boolean;
}

type Seeker = Parameters<FoundCard>[0];

/** Applications that the viewer manages (administrators manage all), and those that may act for the viewer. */
export function foundApplications({ db }: Platform): FoundCard {
  return async (viewer, words) => {
    const list = viewer.isAdmin ? "/admin/applications?of=everybody&" : "/profile/applications?";
    return foundCard({
      id: "applications",
      heading: "Applications",
      rows: await findApplications(db.searching, viewer, words),
      list: applicationTable,
      others: html`More fit: say more of the name, or see <a href="${list + new URLSearchParams({ search: words })}">${viewer.isAdmin ? "all applications that fit" : "your applications"}</a>.`,
    });
  };
}

async function findApplications(db: Queries, viewer: Seeker, words: string): Promise<Found[]> {
  const place = viewer.isAdmin
    ? ({ kind: "everywhere" } as const)
    : ({ kind: "care", userId: viewer.id } as const);
  const [managed, authorized] = await Promise.all([
    listManagedApplications(db, place, { search: words, exactFirst: true, ...FOUND_PAGE }),
    listAuthorizedApplications(db, viewer.id, words),
  ]);
  const acting = new Set(authorized.map(({ id }) => id));
  const shown = new Set(managed.map(({ id }) => id));
  const found = [
    ...managed.map((application) => ({
      name: application.name,
      owner: ownerWords({ ...application, isOfGroup: application.ownerGroupId !== null }),
      href: hrefOf(application, viewer),
      isAuthorized: acting.has(application.id),
    })),
    ...authorized
      .filter(({ id }) => !shown.has(id))
      .map((application) => ({
        name: application.name,
        owner: ownerWords(application),
        href: "/profile/applications#authorized",
        isAuthorized: true,
      })),
  ];
  const isExact = ({ name }: Found) => name.toLowerCase() === words.toLowerCase();
  return [...found.filter(isExact), ...found.filter((one) => !isExact(one))];
}

/** The page of an application for somebody who manages it. */
function hrefOf({ id, ownerId, ownerGroupPath }: ManagedApplication, viewer: Seeker): string {
  if (ownerId === viewer.id) return `/profile/applications/${id}`;
  if (viewer.isAdmin) return `/admin/applications/${id}`;
  return `/groups/${encodeURIComponent(ownerGroupPath ?? "")}/-/settings/applications/${id}`;
}

function applicationTable(applications: readonly Found[]): Html {
  return table<Found>({
    caption: "Applications",
    rows: applications,
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: ({ name, owner, href }) =>
          named(tile(name, 2), html`<a class="title" href="${href}">${shownName(name)}</a>`, `by ${owner}`),
      },
      {
        head: "Marks",
        hiddenHead: true,
        cell: ({ isAuthorized }) => isAuthorized && badge("Acts for you", "accent"),
      },
    ],
  });
}
