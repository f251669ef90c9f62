/** The tab of an application's pages with its refused requests and their reasons. */
import type { FastifyInstance } from "fastify";
import { queryPage, queryText } from "../platform/page-query.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { shownName } from "./application.ts";
import { EVENT_ENDPOINTS } from "./application-event.ts";
import { eventsMain } from "./pages-application-events-views.ts";
import { applicationAt, enterSite, type SiteOf, sendAt } from "./pages-application-site.ts";
import { flushRefusals } from "./record-refusal.ts";
import { countApplicationEvents, listApplicationEvents } from "./store-application-events.ts";

const PER_PAGE = 50;

/** Registers the page below the address of an application. */
export function eventPages(app: FastifyInstance, platform: Platform, base: string, siteOf: SiteOf): void {
  const slow = platform.db.pooled;

  app.get(`${base}/:id/events`, async (request, reply) => {
    const { browser, site } = await enterSite(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, site);
    const query = request.query as Readonly<Record<string, unknown>>;
    const endpoint = EVENT_ENDPOINTS.find((word) => word === query.endpoint);
    const search = queryText(request, "search");
    const filter = { endpoint, search: search || undefined };
    const page = queryPage(request);
    await flushRefusals(platform);
    const [total, events] = await Promise.all([
      countApplicationEvents(slow, found.id, filter),
      listApplicationEvents(slow, found.id, filter, rowsOf({ page, perPage: PER_PAGE })),
    ]);
    const totalPages = totalPagesOf(total, PER_PAGE);
    const main = eventsMain(site, found, { events, page, totalPages, endpoint, search });
    const crumbs = [{ label: shownName(found.name), href: `${site.home}/${found.id}` }, { label: "Events" }];
    return sendAt(reply, browser, site, { title: `Events of ${shownName(found.name)}`, main, crumbs });
  });
}
