/** `/profile/security_log`: a person's own audit log. */
import type { FastifyInstance } from "fastify";
import { queryText } from "../platform/page-query.ts";
import type { Platform } from "../platform/platform.ts";
import { card, emptyState, pageHead, stack } from "../ui/card.ts";
import { bareSelect } from "../ui/form.ts";
import { html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { headerFilter } from "../ui/toolbar.ts";
import { AUDIT_KINDS, actionsOfKind } from "./audit-kinds.ts";
import { needsViewer } from "./browser.ts";
import { auditPager, auditTable, ENTRIES_A_PAGE, entryNumber } from "./pages-audit-views.ts";
import { sendSettings } from "./pages-settings-frame.ts";
import { listAuditEntries } from "./store-audit.ts";

const HOME = "/profile/security_log";

/** Sign-ins, including refused ones, and every change to password, second factor and tokens. */
export function securityLogPages(app: FastifyInstance, platform: Platform): void {
  app.get<{ Querystring: { before?: unknown } }>(HOME, async (request, reply) => {
    const browser = await needsViewer(platform, request, reply);
    const before = entryNumber(request.query.before);
    const asked = queryText(request, "kind");
    const actions = actionsOfKind(asked);
    const kind = actions === undefined ? "" : asked;
    const filter = { userId: browser.viewer.userId, before, actions };
    const entries = await listAuditEntries(platform.db.pooled, filter, ENTRIES_A_PAGE);
    const hrefOf = (number: number | undefined) => {
      const query = new URLSearchParams({
        ...(kind ? { kind } : {}),
        ...(number ? { before: String(number) } : {}),
      });
      return query.size === 0 ? HOME : `${HOME}?${query}`;
    };
    const none =
      kind === ""
        ? { heading: "Nothing yet", text: "Sign-ins and changes to your account are listed here." }
        : { heading: "No such entry", text: "No entry is of this kind." };
    const empty = before ? pastTheEnd("entries", hrefOf(undefined)) : emptyState(none);
    const kinds = [{ value: "", label: "Everything" }, ...AUDIT_KINDS];
    const aside = headerFilter({
      label: "Filter entries",
      action: HOME,
      isFiltered: kind !== "",
      filters: [bareSelect("kind", "Kind of entry", kind, kinds)],
    });
    const head = pageHead({
      heading: "Security log",
      lead: "Sign-ins and changes to your account. If you don’t recognize one, change your password.",
    });
    const flush = entries.length > 0 ? auditTable(entries, false) : empty;
    const pages = auditPager(entries, hrefOf, before === undefined);
    const main = html`${head}${stack([card({ id: "entries", heading: "Entries", aside, flush }), pages])}`;
    return sendSettings(reply, browser, { title: "Security log", current: "security-log", main });
  });
}
