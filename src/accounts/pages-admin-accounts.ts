/** `/admin/users/applications`: the accounts of applications, with the application of each (decision 0139). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { idIn } from "../platform/number-in.ts";
import { listQuery, queryPage, queryText } from "../platform/page-query.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { badge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { bareCard, emptyState, pageHead, stack } from "../ui/card.ts";
import { confirmDialog, postButton } from "../ui/dialog.ts";
import { face } from "../ui/face.ts";
import { type Html, html } from "../ui/html.ts";
import { named } from "../ui/named.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager, table } from "../ui/table.ts";
import { filterBar } from "../ui/toolbar.ts";
import { checkFormOfAdministrator, needsAdminViewer } from "./admin-viewer.ts";
import { redirectWith } from "./browser.ts";
import { changeState } from "./change-state.ts";
import { sendAdmin } from "./pages-admin-frame.ts";
import { USERS_APPLICATIONS, usersTabs } from "./pages-admin-views.ts";
import { findUser } from "./store.ts";
import {
  type AccountOfApplication,
  countAccountsOfApplications,
  listAccountsOfApplications,
} from "./store-bots.ts";
import type { User } from "./user.ts";

const PER_PAGE = 20;

/** List, search, block and unblock; such an account cannot be deleted here, since it remains as the author of what it did. */
export function adminAccountPages(app: FastifyInstance, platform: Platform): void {
  app.get(USERS_APPLICATIONS, async (request, reply) => accountsPage(platform, request, reply));
  for (const [verb, state, words] of [
    ["block", "blocked", "is blocked: its tokens are refused."],
    ["unblock", "active", "may come in again."],
  ] as const) {
    app.post<{ Params: { id: string } }>(`${USERS_APPLICATIONS}/:id/${verb}`, async (request, reply) => {
      const list = `${USERS_APPLICATIONS}${listQuery(request, { texts: ["search"] })}`;
      const { act } = await checkFormOfAdministrator(platform, request, reply, list);
      const user = await accountOf(platform, request.params.id);
      await changeState(platform.db, user, state, act);
      const told = { kind: "ok", text: `${user.name} ${words}` } as const;
      return redirectWith(platform, request, reply, list, told);
    });
  }
}

/** @throws Problem not_found: not the account of an application */
async function accountOf({ db }: Platform, id: string): Promise<User> {
  const user = await findUser(db, idIn(id));
  if (user?.bot !== "application") throw new Problem("not_found", "404 Not Found");
  return user;
}

async function accountsPage(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const { db } = platform;
  const browser = await needsAdminViewer(platform, request, reply);
  const search = queryText(request, "search");
  const page = queryPage(request);
  const query = listQuery(request, { texts: ["search"] });
  const [total, accounts] = await Promise.all([
    countAccountsOfApplications(db.pooled, search),
    listAccountsOfApplications(db.pooled, { search, ...rowsOf({ page, perPage: PER_PAGE }) }),
  ]);
  const bar = filterBar({
    label: "Search accounts",
    action: USERS_APPLICATIONS,
    search: { name: "search", value: search, placeholder: "Name, username or application", label: "Search" },
    filters: [],
  });
  const none =
    search === ""
      ? {
          heading: "None yet",
          text: "An application of a group or of this Gatehouse gets an account when it first requests a token for itself.",
        }
      : { heading: "Nothing found", text: "No name, username or application matches." };
  const hrefFor = (number: number) =>
    `${USERS_APPLICATIONS}?${new URLSearchParams({ search, page: String(number) })}`;
  const empty = page > 1 ? pastTheEnd("accounts", hrefFor(1), 2) : emptyState({ ...none, level: 2 });
  const list = accounts.length > 0 ? accountTable({ csrfToken: browser.csrfToken, query }, accounts) : empty;
  const lead =
    "Nobody signs in as one of these, and none has a password or a token of its own making. To end one, delete its application.";
  const main = html`${pageHead({ heading: "Users", lead })}${usersTabs("applications")}${stack([
    bareCard("Accounts of applications", html`${bar}${list}`),
    pager({ page, totalPages: totalPagesOf(total, PER_PAGE), hrefFor }),
  ])}`;
  return sendAdmin(reply, browser, { title: "Accounts of applications", current: "users", main });
}

/** The token of the list's forms, and the query of its address. */
type Forms = { csrfToken: string; query: string };

function accountTable(forms: Forms, accounts: readonly AccountOfApplication[]): Html {
  return table<AccountOfApplication>({
    caption: "Accounts of applications",
    rows: accounts,
    columns: [
      {
        head: "Account",
        rowHeader: true,
        cell: ({ name, username }) =>
          named(face(name, 2), html`<a class="title" href="/${username}">${name}</a>`, `@${username}`),
      },
      { head: "Application", cell: applicationCell },
      {
        head: "State",
        cell: ({ state }) => (state === "blocked" ? badge("Blocked", "brass") : badge("Active", "ok")),
      },
      { head: "What to do", hiddenHead: true, cell: (account) => action(forms, account) },
    ],
  });
}

function applicationCell({ applicationId, applicationName, ownerGroupPath }: AccountOfApplication): Html {
  if (applicationId === null) return html`Deleted`;
  const owner =
    ownerGroupPath === null ? "Of the instance" : html`<a href="/${ownerGroupPath}">${ownerGroupPath}</a>`;
  return html`<span><a class="wrap-any" href="/admin/applications/${applicationId}">${applicationName}</a><br><span class="sub wrap-any">${owner}</span></span>`;
}

function action({ csrfToken, query }: Forms, { id, name, state }: AccountOfApplication): Html {
  const path = `${USERS_APPLICATIONS}/${id}`;
  if (state === "blocked") {
    const inside = html`Unblock<span class="sr"> ${name}</span>`;
    return postButton(`${path}/unblock${query}`, csrfToken, submitButton(inside, { size: "sm" }));
  }
  return confirmDialog(
    { words: "Block", about: name, size: "sm" },
    {
      id: `block-${id}`,
      heading: `Block ${name}?`,
      text: "Tokens that the application holds for itself stop working, and it gets no new ones.",
      action: `${path}/block${query}`,
      csrfToken,
      confirm: "Block",
      keep: "Keep",
    },
  );
}
