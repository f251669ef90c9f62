/** The lists of applications: those that one manages, with the form for a new one, and those that one authorized. */
import { badge, refs } from "../ui/badge.ts";
import { iconLink, linkButton, submitButton } from "../ui/button.ts";
import { card, emptyState, pageHead, stack } from "../ui/card.ts";
import { shownCount } from "../ui/count.ts";
import { confirmDialog } from "../ui/dialog.ts";
import { tile } from "../ui/face.ts";
import { bareSelect, csrfField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { named } from "../ui/named.ts";
import type { Viewer } from "../ui/navigation.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { questionIcon } from "../ui/question.ts";
import { type Column, pager, table } from "../ui/table.ts";
import { timeAgo, timeDay } from "../ui/time.ts";
import { filterBar } from "../ui/toolbar.ts";
import { type ApplicationFields, shownName } from "./application.ts";
import { ownerWords } from "./owner.ts";
import { applicationFormFields, type FormFaults, type FormLook } from "./pages-application-form.ts";
import type { Site } from "./pages-application-site.ts";
import { ownerCell, peopleWords, type Secrets, secretCard } from "./pages-application-views.ts";
import { isOutOfBand, originOf } from "./redirect-uri.ts";
import type { AuthorizedApplication } from "./store.ts";
import type { ManagedApplication } from "./store-applications.ts";

export interface Lists {
  made: readonly ManagedApplication[];
  total: number;
  search: string;
  page: number;
  /** The query of the list's address. */
  query: string;
  totalPages: number;
  /** Undefined if the page is not about the viewer. */
  authorized: readonly AuthorizedApplication[] | undefined;
  secrets: Secrets;
  now: Date;
}

/** The applications of the place, the form for a new one, and on one's own page the applications that one authorized. */
export function applicationsPage(
  site: Site,
  viewer: Viewer,
  lists: Lists,
  form: { fields: ApplicationFields; look: FormLook; faults: FormFaults | undefined },
): Html {
  const head = pageHead({
    heading: site.heading,
    lead: site.lead,
    actions: [
      linkButton("OAuth guide", "/-/help/oauth", { icon: "book" }),
      linkButton("New application", "#new", { tone: "primary", icon: "plus", key: "n" }),
    ],
  });
  const made = card({
    id: "new",
    heading: "New application",
    body: html`<form class="form two" action="${site.home}" method="post">${csrfField(viewer.csrfToken)}${applicationFormFields(form.fields, form.faults, form.look)}
<div class="btn-row full">${submitButton("Create application", { tone: "primary" })}</div></form>`,
  });
  return html`${head}${stack([
    secretCard(lists.secrets, site.home),
    listCard(site, lists),
    // Before the form, which is long, above all on a phone.
    lists.authorized && authorizedCard(site, viewer, lists.authorized, lists.now),
    made,
  ])}`;
}

function listCard(site: Site, lists: Lists): Html {
  const { made, total, search, page, totalPages } = lists;
  const bar = (site.mayTrust || search !== "" || total > 20) && searchBar(site, search);
  const hrefFor = (number: number) =>
    `${site.home}?${new URLSearchParams({ ...placeQuery(site), ...(search ? { search } : {}), page: String(number) })}`;
  const none = page > 1 ? pastTheEnd("applications", hrefFor(1)) : nothingHere(search);
  const list = made.length > 0 ? applicationTable(site, lists) : none;
  return card({
    id: "yours",
    heading: site.ofWhom,
    flush: html`${bar}${list}`,
    footer: totalPages > 1 ? pager({ page, totalPages, hrefFor }) : undefined,
  });
}

function placeQuery({ listed }: Site): Record<string, string> {
  if (listed.kind === "themselves") return { of: "themselves" };
  return listed.kind === "everywhere" ? { of: "everybody" } : {};
}

function searchBar(site: Site, search: string): Html {
  const whose = [
    { value: "", label: "Of the instance" },
    { value: "themselves", label: "Self-registered" },
    { value: "everybody", label: "Everybody’s" },
  ];
  return filterBar({
    label: "Find applications",
    action: site.home,
    search: { name: "search", value: search, placeholder: "Name, ID or owner", label: "Name, ID or owner" },
    filters: site.mayTrust ? [bareSelect("of", "Whose", placeQuery(site).of ?? "", whose)] : [],
  });
}

function nothingHere(search: string): Html {
  if (search !== "") return emptyState({ heading: "No such application", text: "Try other words." });
  return emptyState({
    heading: "None yet",
    text: "An application lets people sign in elsewhere with their account here, or lets a program act for them.",
    action: linkButton("New application", "#new", { icon: "plus" }),
  });
}

function applicationTable(site: Site, { made, query, now }: Lists): Html {
  const owner: Column<ManagedApplication>[] =
    site.listed.kind === "everywhere" ? [{ head: "Owner", cell: ownerCell }] : [];
  return table<ManagedApplication>({
    caption: site.ofWhom,
    rows: made,
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: ({ id, name, redirectUris, trusted, selfRegistered }) =>
          named(
            tile(name, 2),
            html`<a class="title" href="${site.home}/${id}">${shownName(name)}</a>${trusted && html` ${badge("Trusted", "brass")}`}${selfRegistered && html` ${badge("Unverified", "brass")}`}`,
            placeOf(redirectUris),
          ),
      },
      ...owner,
      { head: "Scopes", cell: ({ scopes }) => refs(scopes) },
      { head: "Authorized by", kind: "num", cell: ({ people }) => peopleWords(people) },
      {
        head: "Last token",
        kind: "nowrap",
        cell: ({ lastTokenAt }) => (lastTokenAt ? timeAgo(lastTokenAt, now) : "Never"),
      },
      {
        head: "Actions",
        hiddenHead: true,
        kind: "act",
        cell: (application) =>
          html`<span class="btn-row">${iconLink("pencil", `Edit ${shownName(application.name)}`, `${site.home}/${application.id}/edit`)}${questionIcon("trash", `Delete ${application.name}`, `${site.home}/${application.id}/delete${query}`)}</span>`,
      },
    ],
  });
}

function authorizedCard(
  site: Site,
  viewer: Viewer,
  authorized: readonly AuthorizedApplication[],
  now: Date,
): Html {
  const lead = "They can act as you within the scopes listed. Revoking ends every token at once.";
  if (authorized.length === 0) {
    const text =
      "Applications that you allow to use your account are listed here, and you can revoke their access.";
    return card({
      id: "authorized",
      heading: "Applications you authorized",
      body: emptyState({ heading: "No application acts for you", text }),
    });
  }
  return card({
    id: "authorized",
    heading: "Applications you authorized",
    lead,
    flush: table<AuthorizedApplication>({
      caption: "Applications you authorized",
      rows: authorized,
      columns: [
        {
          head: "Name",
          rowHeader: true,
          cell: (application) =>
            named(
              tile(application.name, 2),
              html`<strong>${shownName(application.name)}</strong>`,
              `by ${ownerWords(application)}`,
            ),
        },
        { head: "Can use", cell: ({ scopes }) => refs(scopes) },
        { head: "Authorized", kind: "nowrap", cell: ({ authorizedAt }) => timeDay(authorizedAt) },
        {
          head: "Last used",
          kind: "nowrap",
          cell: ({ lastUsedAt }) => (lastUsedAt ? timeAgo(lastUsedAt, now) : "Never"),
        },
        {
          head: "Actions",
          hiddenHead: true,
          kind: "act",
          cell: (application) =>
            html`<span class="btn-row">${revokeDialog(site, viewer, application)}</span>`,
        },
      ],
    }),
  });
}

function revokeDialog(site: Site, viewer: Viewer, { id, name, liveTokens }: AuthorizedApplication): Html {
  const tokens = liveTokens === 1 ? "1 active token stops" : `${shownCount(liveTokens)} active tokens stop`;
  return confirmDialog(
    { words: "Revoke", about: name, size: "sm" },
    {
      id: `revoke-${id}`,
      heading: `Revoke ${name}?`,
      text: `It loses access to your account now. Its ${tokens} working, and you may have to sign in there again.`,
      action: `${site.home}/${id}/revoke`,
      csrfToken: viewer.csrfToken,
      confirm: "Revoke access",
      keep: "Keep access",
    },
  );
}

function placeOf(redirectUris: readonly string[]): string {
  const [first] = redirectUris;
  if (first === undefined) return "no redirect URI";
  if (isOutOfBand(first)) return "a code to copy";
  const more = redirectUris.length > 1 ? ` and ${redirectUris.length - 1} more` : "";
  return originOf(first).replace(/^https?:\/\//, "") + more;
}
