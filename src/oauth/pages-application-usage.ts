/** The tab of an application's pages with its flows and its users. */
import type { FastifyInstance } from "fastify";
import { queryPage } from "../platform/page-query.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { shownName } from "./application.ts";
import { applicationAt, enterSite, type SiteOf, sendAt } from "./pages-application-site.ts";
import { usageMain } from "./pages-application-usage-views.ts";
import {
  countListedPeople,
  countPeopleOfApplication,
  listFlowsOfApplication,
  listPeopleOfApplication,
} from "./store-usage.ts";

const PER_PAGE = 50;

/** Registers the page below the address of an application. */
export function usagePages(app: FastifyInstance, platform: Platform, base: string, siteOf: SiteOf): void {
  const slow = platform.db.pooled;

  app.get(`${base}/:id/usage`, async (request, reply) => {
    const { browser, site } = await enterSite(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, site);
    const page = queryPage(request);
    const slice = rowsOf({ page, perPage: PER_PAGE });
    const [total, listed, people, flows] = await Promise.all([
      countPeopleOfApplication(slow, found.id),
      countListedPeople(slow, found.id),
      listPeopleOfApplication(slow, found.id, slice),
      listFlowsOfApplication(slow, found.id),
    ]);
    const totalPages = totalPagesOf(listed, PER_PAGE);
    const shown = { total, listed, people, flows, page, totalPages, now: new Date() };
    const main = usageMain(site, found, shown);
    const crumbs = [{ label: shownName(found.name), href: `${site.home}/${found.id}` }, { label: "Usage" }];
    return sendAt(reply, browser, site, { title: `Usage of ${shownName(found.name)}`, main, crumbs });
  });
}
