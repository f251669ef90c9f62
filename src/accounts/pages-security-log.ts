/** `/profile/security_log`: a person's own audit log. */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { card, emptyState, pageHead, stack } from "../ui/card.ts";
import { html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
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
    const filter = { userId: browser.viewer.userId, before };
    const entries = await listAuditEntries(platform.db.pooled, filter, ENTRIES_A_PAGE);
    const empty = before
      ? pastTheEnd("entries", HOME)
      : emptyState({ heading: "Nothing yet", text: "Sign-ins and changes to your account are listed here." });
    const head = pageHead({
      heading: "Security log",
      lead: "Sign-ins and changes to your account. If you don’t recognize one, change your password.",
    });
    const flush = entries.length > 0 ? auditTable(entries, false) : empty;
    const pages = auditPager(
      entries,
      (number) => (number ? `${HOME}?before=${number}` : HOME),
      before === undefined,
    );
    const main = html`${head}${stack([card({ id: "entries", heading: "Entries", flush }), pages])}`;
    return sendSettings(reply, browser, { title: "Security log", current: "security-log", main });
  });
}
