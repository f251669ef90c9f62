/** Views of the list of members. */
import { linkButton, submitButton } from "../ui/button.ts";
import { card, emptyState, pageHead, stack } from "../ui/card.ts";
import { face } from "../ui/face.ts";
import { errorSummary, faultOf, postForm, selectField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { named } from "../ui/named.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { questionLink } from "../ui/question.ts";
import { pager, table } from "../ui/table.ts";
import { timeDay, timeExact } from "../ui/time.ts";
import type { Member } from "./member.ts";
import type { PeoplePage } from "./pages-people.ts";
import { ACCESS_LEVELS, roleName } from "./role.ts";

type Faults = Readonly<Record<string, readonly string[]>>;

/** What was typed into the form for a new member. */
export interface TypedMember {
  username: string;
  accessLevel: string;
  expiresAt: string;
}

export interface MembersShown {
  members: readonly Member[];
  pages: { page: number; totalPages: number };
  /** The query of the list's address. */
  query: string;
  /** Members of the groups above, or the owner of the namespace. */
  inherited: readonly Member[];
  /** No page: there are none. */
  inheritedPages: { page: number; totalPages: number };
}

/** The direct members with the forms to change them, the form for a new one, and the inherited members. */
export function membersMain(page: PeoplePage, shown: MembersShown, typed: TypedMember, faults: Faults): Html {
  const { kind, above } = page;
  const home = `${page.home}/members`;
  const mayChange = page.browser.csrfToken !== undefined;
  const head = pageHead({
    heading: "Members",
    lead: `Who may do what in this ${kind}${kind === "group" ? " and in everything below it" : ""}.${mayChange ? " Changes apply at once." : ""}`,
    actions: mayChange
      ? [
          linkButton("Invite by email", `${page.home}/invitations`, { icon: "send" }),
          linkButton("Add member", "#new", { tone: "primary", icon: "plus", key: "n" }),
        ]
      : [linkButton("Invitations", `${page.home}/invitations`, { icon: "send" })],
  });
  const none = shown.pages.page > 1 ? pastTheEnd("members", home) : nobody(mayChange);
  const direct = card({
    id: "direct",
    heading: `Members of this ${kind}`,
    flush: shown.members.length > 0 ? directTable(page, home, shown) : none,
  });
  const inherited =
    above !== undefined &&
    shown.inheritedPages.totalPages > 0 &&
    card({
      id: "inherited",
      heading: `Members by ${above.kind === "group" ? "group" : "ownership"}`,
      lead: `Their role comes from ${above.name}.`,
      flush:
        shown.inherited.length > 0
          ? inheritedTable(shown.inherited)
          : pastTheEnd("members", `${home}#inherited`),
      footer:
        shown.inheritedPages.totalPages > 1
          ? pager({
              ...shown.inheritedPages,
              hrefFor: (page) => `${home}?inherited=${page}#inherited`,
              label: "Pages of inherited members",
            })
          : undefined,
    });
  const pages = pager({ ...shown.pages, hrefFor: (page) => `${home}?page=${page}` });
  return html`${head}${stack([direct, pages, mayChange && addCard(page, home, typed, faults), inherited])}`;
}

/** Whether the viewer may change this member: nobody of a higher role, and nothing where all is read-only. */
export function mayChangeMember({ browser, place }: PeoplePage, { accessLevel }: Member): boolean {
  return browser.csrfToken !== undefined && accessLevel <= place.access;
}

function inheritedTable(members: readonly Member[]): Html {
  return table<Member>({
    caption: "Inherited members",
    rows: members,
    columns: [
      { head: "Name", rowHeader: true, cell: who },
      { head: "Role", cell: ({ accessLevel }) => roleName(accessLevel) },
      { head: "Ends", kind: "nowrap", cell: endOf },
    ],
  });
}

const nobody = (mayAdd: boolean) =>
  emptyState({
    heading: "Nobody was added here",
    text: mayAdd ? "Add the people who work here. They see it at once." : "It has no members of its own.",
    action: mayAdd ? linkButton("Add member", "#new", { icon: "plus" }) : undefined,
  });

function who({ name, username, state }: Member): Html {
  const blocked = state === "blocked" ? " · blocked" : "";
  return named(
    face(name, 2),
    html`<a class="title" href="/${username}">${name}</a>`,
    `@${username}${blocked}`,
  );
}

function directTable(page: PeoplePage, home: string, { members, query }: MembersShown): Html {
  return table<Member>({
    caption: `Members of this ${page.kind}`,
    rows: members,
    columns: [
      { head: "Name", rowHeader: true, cell: who },
      { head: "Role", cell: ({ accessLevel }) => roleName(accessLevel) },
      { head: "Added", kind: "nowrap", cell: ({ createdAt }) => timeDay(createdAt) },
      { head: "Ends", kind: "nowrap", cell: endOf },
      {
        head: "Actions",
        hiddenHead: true,
        kind: "act",
        cell: (member) =>
          mayChangeMember(page, member) && rowActions(`${home}/${member.userId}`, query, member),
      },
    ],
  });
}

const endOf = ({ expiresAt }: Member) => (expiresAt ? timeExact(expiresAt) : "Never");

/** Links to a form and a question: a whole form in each row would make the page three times as large. */
function rowActions(address: string, query: string, { name }: Member): Html {
  return html`<div class="btn-row">${questionLink("Change", name, `${address}${query}`)}${questionLink("Remove", name, `${address}/remove${query}`, "danger")}</div>`;
}

/** The roles that somebody of this level may give. */
export function rolesUpTo(level: number) {
  const allowed = ACCESS_LEVELS.filter((known) => known <= level);
  return allowed.map((known) => ({ value: String(known), label: roleName(known) }));
}

function addCard(page: PeoplePage, home: string, typed: TypedMember, faults: Faults): Html {
  const error = (field: string, label: string) => faultOf(faults, field, label);
  const [username, level, end] = [
    error("username", "This person"),
    error("access_level", "This role"),
    error("expires_at", "The end"),
  ];
  const summary = errorSummary([
    { id: "username", label: "Username", error: username },
    { id: "access_level", label: "Role", error: level },
    { id: "expires_at", label: "Ends", error: end },
  ]);
  return card({
    id: "new",
    heading: "Add member",
    body: postForm(
      { action: home, csrfToken: page.browser.csrfToken, two: true },
      html`${summary}
${textField({ name: "username", label: "Username", value: typed.username, error: username, required: true, spellcheck: false, autocomplete: "off" })}
${selectField({ name: "access_level", label: "Role", value: typed.accessLevel, error: level, options: rolesUpTo(page.place.access) })}
${textField({ name: "expires_at", label: "Ends", note: "optional", type: "date", value: typed.expiresAt, error: end, hint: "Access ends at the start of this day (UTC)." })}`,
      submitButton("Add member", { tone: "primary" }),
    ),
  });
}
