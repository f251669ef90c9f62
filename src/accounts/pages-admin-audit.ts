/** `/admin/audit`: the whole audit log, for administrators. */
import type { FastifyInstance } from "fastify";
import { queryText } from "../platform/page-query.ts";
import type { Platform } from "../platform/platform.ts";
import { bareCard, emptyState, pageHead, stack } from "../ui/card.ts";
import { bareSelect } from "../ui/form.ts";
import { html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { filterBar } from "../ui/toolbar.ts";
import { needsAdminViewer } from "./admin-viewer.ts";
import { AUDIT_ACTIONS } from "./audit.ts";
import { sendAdmin } from "./pages-admin-frame.ts";
import { auditPager, auditTable, ENTRIES_A_PAGE, entryNumber } from "./pages-audit-views.ts";
import { listAuditEntries } from "./store-audit.ts";

const HOME = "/admin/audit";

/** Filters by person and action; older entries by number. */
export function adminAuditPages(app: FastifyInstance, platform: Platform): void {
  app.get<{ Querystring: Record<string, unknown> }>(HOME, async (request, reply) => {
    const browser = await needsAdminViewer(platform, request, reply);
    const before = entryNumber(request.query.before);
    const name = queryText(request, "name");
    const action = queryText(request, "action");
    const filter = { before, name: name || undefined, action: action || undefined };
    const entries = await listAuditEntries(platform.db.pooled, filter, ENTRIES_A_PAGE);
    const all = Object.entries(AUDIT_ACTIONS).map(([value, label]) => ({ value, label }));
    const bar = filterBar({
      label: "Filter entries",
      action: HOME,
      isFiltered: action !== "",
      search: { name: "name", value: name, placeholder: "Username", label: "Username" },
      filters: [bareSelect("action", "What happened", action, [{ value: "", label: "Everything" }, ...all])],
    });
    const hrefOf = (number: number | undefined) => {
      const query = new URLSearchParams({ name, action, ...(number ? { before: String(number) } : {}) });
      return `${HOME}?${query}`;
    };
    const empty = before
      ? pastTheEnd("entries", hrefOf(undefined), 2)
      : emptyState({ heading: "No such entry", text: "No entry matches these filters.", level: 2 });
    const head = pageHead({
      heading: "Audit log",
      lead: html`Entries are chained: <code>gatehouse admin verify-audit</code> tells whether one was changed or removed. Keep the hash that it prints elsewhere: without it, missing newest entries go unnoticed.`,
    });
    const list = entries.length > 0 ? auditTable(entries, true) : empty;
    const pages = auditPager(entries, hrefOf, before === undefined);
    const main = html`${head}${stack([bareCard("Entries", html`${bar}${list}`), pages])}`;
    return sendAdmin(reply, browser, { title: "Audit log", current: "audit", main });
  });
}
