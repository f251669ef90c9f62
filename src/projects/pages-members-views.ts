/** Views of the list of members. */
import type { Shown } from "../platform/form-shown.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, emptyState, pageHead, stack } from "../ui/card.ts";
import { confirmDialog } from "../ui/dialog.ts";
import { face } from "../ui/face.ts";
import {
  bareSelect,
  csrfField,
  errorSummary,
  faultOf,
  fieldError,
  postForm,
  selectField,
  shownField,
  textField,
} from "../ui/form.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import { message } from "../ui/message.ts";
import { named } from "../ui/named.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
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

/** A change of a member that was refused: what was typed, and what is wrong with the end. */
export interface RefusedMember {
  userId: number;
  role: string;
  end: string;
  /** What the form showed when its sender began. */
  shown: Shown;
  error: string;
}

export interface MembersShown {
  members: readonly Member[];
  pages: { page: number; totalPages: number };
  /** The query of the list's address. */
  query: string;
  refused?: RefusedMember | undefined;
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
  return html`${head}${stack([refusal(page, shown), direct, pages, mayChange && addCard(page, home, typed, faults), inherited])}`;
}

/** What is wrong, with a link to the field; the row may be gone, or beyond the viewer's role. */
function refusal(page: PeoplePage, { members, refused }: MembersShown): Html | undefined {
  if (!refused) return undefined;
  const row = members.find(({ userId }) => userId === refused.userId);
  if (!row || !mayChange(page, row)) return message({ kind: "bad", text: refused.error });
  return errorSummary([{ id: `end-${row.userId}`, label: `End of ${row.name}`, error: refused.error }]);
}

function mayChange({ browser, place }: PeoplePage, { accessLevel }: Member): boolean {
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

function directTable(page: PeoplePage, home: string, { members, query, refused }: MembersShown): Html {
  const { csrfToken } = page.browser;
  const addressOf = ({ userId }: Member, what = "") => `${home}/${userId}${what}${query}`;
  const refusedOf = ({ userId }: Member) => (refused?.userId === userId ? refused : undefined);
  return table<Member>({
    caption: `Members of this ${page.kind}`,
    rows: members,
    columns: [
      { head: "Name", rowHeader: true, cell: who },
      {
        head: "Role",
        cell: (member) =>
          mayChange(page, member)
            ? roleSelect(page, member, refusedOf(member)?.role)
            : roleName(member.accessLevel),
      },
      { head: "Added", kind: "nowrap", cell: ({ createdAt }) => timeDay(createdAt) },
      {
        head: "Ends",
        cell: (member) =>
          csrfToken !== undefined && mayChange(page, member)
            ? endForm({ csrfToken, action: addressOf(member), refused: refusedOf(member) }, member)
            : endOf(member),
      },
      {
        head: "Actions",
        hiddenHead: true,
        kind: "act",
        cell: (member) =>
          mayChange(page, member) ? removeButton(page, addressOf(member, "/remove"), member) : "",
      },
    ],
  });
}

const endOf = ({ expiresAt }: Member) => (expiresAt ? timeExact(expiresAt) : "Never");

/** Belongs to the form with the end date, so that both are saved together. */
function roleSelect(page: PeoplePage, { userId, name, accessLevel }: Member, typed?: string): Html {
  const roles = rolesUpTo(page.place.access);
  return bareSelect(
    "access_level",
    `Role of ${name}`,
    typed ?? String(accessLevel),
    roles,
    `member-${userId}`,
  );
}

type MemberForm = { csrfToken: string; action: string; refused: RefusedMember | undefined };

/** If role or end is left unchanged in the form, it stays as it is, to the minute, even if others have changed it meanwhile. */
function endForm(form: MemberForm, member: Member): Html {
  const { csrfToken, action, refused } = form;
  const { userId, name, accessLevel, expiresAt } = member;
  const day = expiresAt?.toISOString().slice(0, 10) ?? "";
  const id = `end-${userId}`;
  const described = refused && { "aria-invalid": "true", "aria-describedby": `${id}-err` };
  const date = html`<input class="input" type="date" name="expires_at" aria-label="${`End of ${name}, a day in UTC`}"${attrs({ id, value: refused?.end ?? day, ...described })}>`;
  const shown = refused?.shown ?? { role: String(accessLevel), end: day };
  const save = submitButton(html`Save<span class="sr"> role and end of ${name}</span>`);
  return html`<form id="member-${userId}" action="${action}" method="post">${csrfField(csrfToken)}${shownField(shown)}<div class="join">${date}${save}</div>${refused && fieldError(id, refused.error)}<span class="sub">${endOf(member)}</span></form>`;
}

function removeButton(page: PeoplePage, action: string, member: Member): Html | false {
  const isSelf = member.userId === page.asker.id;
  return confirmDialog(
    { words: "Remove", about: member.name, size: "sm" },
    {
      id: `remove-${member.userId}`,
      heading: isSelf ? "Remove yourself?" : `Remove ${member.name}?`,
      text: isSelf
        ? `You can no longer work in ${page.name} as a member of it, until somebody adds you again. What you did stays.`
        : `${member.name} (@${member.username}) can no longer work in ${page.name}. What they did stays.`,
      action,
      csrfToken: page.browser.csrfToken,
      confirm: "Remove",
      keep: "Keep",
    },
  );
}

function rolesUpTo(level: number) {
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
