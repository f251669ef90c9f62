/** `/admin` and `/admin/users`: the overview and management of users. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import { listQuery, queryPage, queryText } from "../platform/page-query.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { linkButton } from "../ui/button.ts";
import { card, figures, pageHead, stack } from "../ui/card.ts";
import { html } from "../ui/html.ts";
import { checkFormOfAdministrator, needsAdminViewer } from "./admin-viewer.ts";
import type { Act } from "./audit.ts";
import { redirectWith } from "./browser.ts";
import { changeAdministrator } from "./change-administrator.ts";
import { changeState } from "./change-state.ts";
import { createPasswordLink } from "./create-password-link.ts";
import { createUser } from "./create-user.ts";
import { sendAdmin } from "./pages-admin-frame.ts";
import { type TypedUser, userQuestionMain, usersMain } from "./pages-admin-views.ts";
import { auditTable } from "./pages-audit-views.ts";
import { personForPage } from "./person-for-page.ts";
import type { RemovePerson } from "./removal.ts";
import { listAuditEntries } from "./store-audit.ts";
import { countUsers, listUsers } from "./store-users.ts";
import type { User } from "./user.ts";

const HOME = "/admin/users";
const PER_PAGE = 20;

/** Overview, list and search, create, block, password link, role; 404 for everybody but administrators. */
export function adminPages(app: FastifyInstance, platform: Platform, remove: RemovePerson): void {
  const { db } = platform;
  app.get("/admin", async (request, reply) => overview(platform, request, reply));
  app.get(HOME, async (request, reply) => usersPage(platform, request, reply, prefilled(request), {}));
  app.post(HOME, async (request, reply) => makeUser(platform, request, reply));

  for (const asked of ["block", "make_admin", "end_admin", "erase"] as const) {
    app.get<{ Params: { id: string } }>(`${HOME}/:id/${asked}`, async (request, reply) => {
      const browser = await needsAdminViewer(platform, request, reply);
      const user = await personForPage(platform, request.params.id);
      const { csrfToken } = browser;
      const main = userQuestionMain(asked, user, { csrfToken, query: listQueryOf(request) });
      return sendAdmin(reply, browser, { title: user.name, current: "users", main });
    });
  }
  for (const [verb, words, work] of [
    ["block", "is blocked.", (user, act) => changeState(db, user, "blocked", act)],
    ["unblock", "may come in again.", (user, act) => changeState(db, user, "active", act)],
    ["make_admin", "is an administrator.", (user, act) => changeAdministrator(db, user, true, act)],
    ["end_admin", "is no administrator any more.", (user, act) => changeAdministrator(db, user, false, act)],
    ["erase", "is erased.", (user, act) => remove(platform, user, true, act)],
  ] as const satisfies readonly (readonly [string, string, Work])[]) {
    app.post<{ Params: { id: string } }>(`${HOME}/:id/${verb}`, async (request, reply) => {
      const list = listAddress(request);
      const { act } = await checkFormOfAdministrator(platform, request, reply, list);
      const user = await personForPage(platform, request.params.id);
      await work(user, act);
      return redirectWith(platform, request, reply, list, { kind: "ok", text: `${user.name} ${words}` });
    });
  }
  app.post<{ Params: { id: string } }>(`${HOME}/:id/password_link`, async (request, reply) => {
    const list = listAddress(request);
    const { act } = await checkFormOfAdministrator(platform, request, reply, list);
    const user = await personForPage(platform, request.params.id);
    const link = await createPasswordLink(platform, user.id, act);
    const secrets = { name: user.name, link };
    return redirectWith(platform, request, reply, `${list}#link`, { kind: "ok", text: "", secrets });
  });
}

function listAddress(request: FastifyRequest): string {
  return `${HOME}${listQueryOf(request)}`;
}

function listQueryOf(request: FastifyRequest): string {
  return listQuery(request, { texts: ["search"] });
}

type Work = (user: User, act: Act) => Promise<void>;

async function overview(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const { db } = platform;
  const browser = await needsAdminViewer(platform, request, reply);
  const count = (state?: User["state"]) => countUsers(db.pooled, { byEmail: true, people: true, state });
  const [users, blocked, entries] = await Promise.all([
    count(),
    count("blocked"),
    listAuditEntries(db.pooled, {}, 10),
  ]);
  const all = linkButton("Full audit log", "/admin/audit", { size: "sm" });
  const flush = auditTable(entries, true);
  const main = html`${pageHead({
    heading: "Administration",
    lead: "Accounts, and the latest changes to access.",
    actions: [linkButton("Users", HOME, { icon: "users", tone: "primary" })],
  })}${stack([
    figures([
      { label: "People", value: users },
      { label: "Blocked", value: blocked },
    ]),
    card({ id: "latest", heading: "Latest entries of the audit log", aside: all, flush }),
  ])}`;
  return sendAdmin(reply, browser, { title: "Administration", current: "overview", main });
}

/** The query fills in the form, except the role: a link that grants it would be a trap. */
function prefilled(request: FastifyRequest): TypedUser {
  const value = (name: string) => queryText(request, name);
  return { username: value("username"), name: value("name"), email: value("email"), isAdmin: false };
}

async function makeUser(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const written = {
    username: formText(request, "username").trim(),
    name: formText(request, "name").trim(),
    email: formText(request, "email").trim(),
  };
  const again = `${HOME}?${new URLSearchParams(written)}#new`;
  const { act } = await checkFormOfAdministrator(platform, request, reply, again);
  const typed: TypedUser = { ...written, isAdmin: formText(request, "is_admin") === "yes" };
  try {
    const fields = { ...typed, password: formText(request, "password") };
    await createUser(platform, fields, undefined, act);
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return usersPage(platform, request, reply, typed, error.fields);
  }
  const text = `${typed.name} can sign in now.`;
  return redirectWith(platform, request, reply, `${HOME}#main`, { kind: "ok", text });
}

async function usersPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  typed: TypedUser,
  faults: FieldProblem["fields"],
) {
  const { db } = platform;
  const browser = await needsAdminViewer(platform, request, reply);
  const search = queryText(request, "search");
  const page = queryPage(request);
  const query = listQueryOf(request);
  const filter = { search: search || undefined, byEmail: true, people: true };
  const [total, users] = await Promise.all([
    countUsers(db.pooled, filter),
    listUsers(db.pooled, filter, rowsOf({ page, perPage: PER_PAGE })),
  ]);
  const totalPages = totalPagesOf(total, PER_PAGE);
  const main = usersMain(browser, { users, search, page, query, totalPages, now: new Date() }, typed, faults);
  const failed = Object.keys(faults).length > 0;
  return sendAdmin(reply, browser, { title: "Users", current: "users", main, failed });
}
