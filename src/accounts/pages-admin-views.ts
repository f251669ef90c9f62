/** Views of the administrators' list of users. */
import { badge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { bareCard, card, emptyState, pageHead, stack, tabs } from "../ui/card.ts";
import { checkbox } from "../ui/choice.ts";
import { postButton } from "../ui/dialog.ts";
import { face } from "../ui/face.ts";
import { csrfField, errorSummary, faultOf, passwordField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { named } from "../ui/named.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { questionLink, questionMain } from "../ui/question.ts";
import { secretField } from "../ui/secret.ts";
import { pager, table } from "../ui/table.ts";
import { timeAgo } from "../ui/time.ts";
import { filterBar } from "../ui/toolbar.ts";
import type { SignedInBrowser } from "./browser.ts";
import type { Flash } from "./flash.ts";
import type { User } from "./user.ts";

const HOME = "/admin/users";
/** The address of the list of application accounts. */
export const USERS_APPLICATIONS = `${HOME}/applications`;

/** The tabs of the two lists of users. */
export function usersTabs(current: "people" | "applications"): Html {
  return tabs("Users", [
    { label: "People", href: HOME, current: current === "people" },
    { label: "Accounts of applications", href: USERS_APPLICATIONS, current: current === "applications" },
  ]);
}

/** The values typed into the form for a new user; the password is never sent back. */
export interface TypedUser {
  username: string;
  name: string;
  email: string;
  isAdmin: boolean;
}

export interface UsersShown {
  users: readonly User[];
  search: string;
  page: number;
  /** The query of the list's address. */
  query: string;
  totalPages: number;
  now: Date;
}

type Faults = Readonly<Record<string, readonly string[]>>;

/** The link that was just made, if any, the list, and the form for a new user. */
export function usersMain(
  browser: SignedInBrowser,
  shown: UsersShown,
  typed: TypedUser,
  faults: Faults,
): Html {
  const head = pageHead({
    heading: "Users",
    lead: "Everybody with an account on this Gatehouse.",
    actions: [
      linkButton("Invite by email", "/admin/invitations#new", { icon: "send" }),
      linkButton("New user", "#new", { tone: "primary", icon: "plus", key: "n" }),
    ],
  });
  const bar = filterBar({
    label: "Search users",
    action: HOME,
    search: { name: "search", value: shown.search, placeholder: "Name, username or email", label: "Search" },
    filters: [],
  });
  const hrefFor = (page: number) =>
    `${HOME}?${new URLSearchParams({ search: shown.search, page: String(page) })}`;
  const none =
    shown.page > 1
      ? pastTheEnd("users", hrefFor(1))
      : emptyState({ heading: "Nobody found", text: "No name, username or email address matches." });
  const list = shown.users.length > 0 ? userTable(browser, shown) : none;
  return html`${head}${usersTabs("people")}${stack([
    linkCard(browser.flash),
    bareCard("Users", html`${bar}${list}`),
    pager({ page: shown.page, totalPages: shown.totalPages, hrefFor }),
    newCard(browser.csrfToken, typed, faults),
  ])}`;
}

function linkCard(flash: Flash | undefined): Html | false {
  const { link, name } = flash?.secrets ?? {};
  if (link === undefined) return false;
  return card({
    id: "link",
    heading: `A link for ${name}`,
    lead: "Send this link to them yourself. It works once, within 24 hours, and can’t be shown again.",
    once: true,
    body: secretField({ id: "password-link", label: "Link for a new password", value: link }),
  });
}

function userTable(browser: SignedInBrowser, { users, query, now }: UsersShown): Html {
  return table<User>({
    caption: "Users",
    rows: users,
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: ({ name, username, email }) =>
          named(
            face(name, 2),
            html`<a class="title" href="/${username}">${name}</a>`,
            `@${username} · ${email}`,
          ),
      },
      { head: "State", cell: stateOf },
      {
        head: "Signed in",
        kind: "nowrap",
        cell: ({ currentSignInAt: at }) => (at ? timeAgo(at, now) : "Never"),
      },
      { head: "What to do", hiddenHead: true, cell: (user) => actions(browser, query, user) },
    ],
  });
}

function stateOf({ state, isAdmin, twoFactor }: User): Html {
  return html`<span class="row">${state === "blocked" ? badge("Blocked", "brass") : badge("Active", "ok")}${isAdmin && badge("Administrator", "accent")}${twoFactor && badge("Two-factor", "line")}</span>`;
}

/** A question before something is done to a user. */
interface Question {
  /** The words of the link that asks, and of the button that confirms. */
  words: string;
  heading: (name: string) => string;
  text: string;
  harmless?: boolean;
}

/** By the last part of the address at which it is asked and answered. */
const QUESTIONS = {
  block: {
    words: "Block",
    heading: (name) => `Block ${name}?`,
    text: "Their sessions end, and their tokens are refused.",
  },
  make_admin: {
    words: "Make admin",
    heading: (name) => `Make ${name} an administrator?`,
    text: "They see and manage everything here.",
    harmless: true,
  },
  end_admin: {
    words: "End role",
    heading: (name) => `End the administrator role of ${name}?`,
    text: "Their sessions end.",
  },
  erase: {
    words: "Erase",
    heading: (name) => `Erase ${name}?`,
    text: "The account, its keys and its memberships end for good. What they did stays, under a pseudonym, and counts.",
  },
} as const satisfies Readonly<Record<string, Question>>;

/** What administrators are asked about before they do it. */
export type UserQuestion = keyof typeof QUESTIONS;

/** The page of a question about a user; the answer is posted to its own address. */
export function userQuestionMain(
  asked: UserQuestion,
  { id, name }: User,
  { csrfToken, query }: { csrfToken: string; query: string },
): Html {
  const { words, heading, text, harmless }: Question = QUESTIONS[asked];
  return questionMain({
    heading: heading(name),
    text,
    action: `${HOME}/${id}/${asked}${query}`,
    csrfToken,
    confirm: words,
    keep: harmless ? "Cancel" : "Keep",
    back: `${HOME}${query}`,
    harmless,
  });
}

function actions({ csrfToken, viewer }: SignedInBrowser, query: string, user: User): Html {
  const { id, name, state, isAdmin } = user;
  const button = (path: string, words: string) => {
    const inside = html`${words}<span class="sr"> for ${name}</span>`;
    return postButton(`${HOME}/${id}/${path}${query}`, csrfToken, submitButton(inside, { size: "sm" }));
  };
  const ask = (asked: UserQuestion) => {
    const { words, harmless }: Question = QUESTIONS[asked];
    return questionLink(words, name, `${HOME}/${id}/${asked}${query}`, harmless ? undefined : "danger");
  };
  const myself = id === viewer.userId;
  const role = ask(isAdmin ? "end_admin" : "make_admin");
  const block = state === "blocked" ? button("unblock", "Unblock") : ask("block");
  return html`<div class="btn-row">${linkButton(html`Username<span class="sr"> of ${name}</span>`, `${HOME}/${id}/username`, { size: "sm" })}${state === "active" && button("password_link", "Password link")}${!myself && role}${!myself && block}${!myself && ask("erase")}</div>`;
}

function newCard(csrfToken: string, typed: TypedUser, faults: Faults): Html {
  const error = (field: string, label: string) => faultOf(faults, field, label);
  const labels = { name: "Name", username: "Username", email: "Email", password: "Password" } as const;
  const all = Object.entries(labels).map(([id, label]) => ({ id, label, error: error(id, label) }));
  const of = (name: "name" | "username" | "email") => ({
    name,
    label: labels[name],
    value: typed[name],
    error: error(name, labels[name]),
    required: true,
    autocomplete: "off",
  });
  return card({
    id: "new",
    heading: "New user",
    body: html`<form class="form two" action="${HOME}" method="post">${csrfField(csrfToken)}${errorSummary(all)}
${textField(of("name"))}
${textField({ ...of("username"), spellcheck: false })}
${textField({ ...of("email"), type: "email", hint: "They can sign in with it too." })}
${passwordField({ name: "password", label: "Password", error: error("password", "Password"), hint: "At least 12 characters.", autocomplete: "new-password", required: true })}
<div class="full">${checkbox("is_admin", { value: "yes", label: "Administrator", hint: "Sees and manages everything in this Gatehouse.", checked: typed.isAdmin })}</div>
<div class="btn-row full">${submitButton("Create user", { tone: "primary" })}</div></form>`,
  });
}
