/** Two tabs of an application's pages: its refused requests with their reasons, and its users. */
import type { FastifyInstance } from "fastify";
import { queryPage, queryText } from "../platform/page-query.ts";
import type { Platform } from "../platform/platform.ts";
import type { Html } from "../ui/html.ts";
import { shownName } from "./application.ts";
import { EVENT_ENDPOINTS, type EventEndpoint } from "./application-event.ts";
import { eventsMain } from "./pages-application-events-views.ts";
import { applicationAt, enterSite, type SiteOf, sendAt } from "./pages-application-site.ts";
import { usageMain } from "./pages-application-usage-views.ts";
import { flushRefusals } from "./record-refusal.ts";
import { countApplicationEvents, listApplicationEvents } from "./store-application-events.ts";
import {
  countListedPeople,
  countPeopleOfApplication,
  listFlowsOfApplication,
  listPeopleOfApplication,
} from "./store-usage.ts";

const PER_PAGE = 50;

/** Registers the two pages below the address of an application. */
export function eventPages(app: FastifyInstance, platform: Platform, base: string, siteOf: SiteOf): void {
  const slow = platform.db.pooled;

  app.get(`${base}/:id/events`, async (request, reply) => {
    const { browser, site } = await enterSite(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, site);
    const query = request.query as Readonly<Record<string, unknown>>;
    const endpoint = EVENT_ENDPOINTS.find((word) => word === query.endpoint);
    const search = queryText(request, "search");
    const filter: { endpoint: EventEndpoint | undefined; search: string | undefined } = {
      endpoint,
      search: search || undefined,
    };
    const page = queryPage(request);
    await flushRefusals(platform);
    const [total, events] = await Promise.all([
      countApplicationEvents(slow, found.id, filter),
      listApplicationEvents(slow, found.id, filter, { limit: PER_PAGE, offset: (page - 1) * PER_PAGE }),
    ]);
    const shown = { events, total, page, totalPages: pagesOf(total), endpoint, search };
    const main: Html = eventsMain(site, found, shown);
    const crumbs = [{ label: shownName(found.name), href: `${site.home}/${found.id}` }, { label: "Events" }];
    return sendAt(reply, browser, site, { title: `Events of ${shownName(found.name)}`, main, crumbs });
  });

  app.get(`${base}/:id/usage`, async (request, reply) => {
    const { browser, site } = await enterSite(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, site);
    const page = queryPage(request);
    const slice = { limit: PER_PAGE, offset: (page - 1) * PER_PAGE };
    const [total, listed, people, flows] = await Promise.all([
      countPeopleOfApplication(slow, found.id),
      countListedPeople(slow, found.id),
      listPeopleOfApplication(slow, found.id, slice),
      listFlowsOfApplication(slow, found.id),
    ]);
    const shown = { total, listed, people, flows, page, totalPages: pagesOf(listed), now: new Date() };
    const main = usageMain(site, found, shown);
    const crumbs = [{ label: shownName(found.name), href: `${site.home}/${found.id}` }, { label: "Usage" }];
    return sendAt(reply, browser, site, { title: `Usage of ${shownName(found.name)}`, main, crumbs });
  });
}

function pagesOf(total: number): number {
  return Math.max(1, Math.ceil(total / PER_PAGE));
}
