/** The lists of applications and the pages for registering them: one's own, a group's, the instance's (spec: Application 1). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { frameOf, needsFreshProof, redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { queryPage, queryText } from "../platform/page-query.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { shownName } from "./application.ts";
import { findLifetimes } from "./find-lifetimes.ts";
import { editPages } from "./pages-application-edit.ts";
import { eventPages } from "./pages-application-events.ts";
import {
  adminSite,
  applicationAt,
  applicationsQuery,
  type Entered,
  enterByForm,
  enterSite,
  type GroupRights,
  groupSite,
  lookOf,
  personalSite,
  type SiteOf,
  sendAt,
  type TypedApplication,
} from "./pages-application-site.ts";
import { usagePages } from "./pages-application-usage.ts";
import { applicationPage } from "./pages-application-views.ts";
import { applicationsPage } from "./pages-applications-lists.ts";
import { registerApplication } from "./register-application.ts";
import { listAuthorizedApplications } from "./store.ts";
import { countManagedApplications, listManagedApplications, listValidSecrets } from "./store-applications.ts";
import { applicationForm, applicationQuery, prefillOf } from "./wire-application.ts";
import { withdrawConsent } from "./withdraw-consent.ts";

const PERSONAL = "/profile/applications";
const GROUP = "/groups/:path/-/settings/applications";
/** As many as fit into a page of 45 KB, beside those that the person authorized (decision 0325). */
const PER_PAGE = 20;

/** Registers lists and forms; an application that the viewer does not manage is not found (404). */
export function applicationPages(app: FastifyInstance, platform: Platform, groups: GroupRights): void {
  for (const [base, siteOf] of [
    [PERSONAL, personalSite],
    [GROUP, groupSite(groups)],
    ["/admin/applications", adminSite],
  ] as const) {
    listPages(app, platform, base, siteOf);
    editPages(app, platform, base, siteOf);
    eventPages(app, platform, base, siteOf);
    usagePages(app, platform, base, siteOf);
  }
  revokePage(app, platform);
}

/** The list with the form for a new application, and a single application. */
function listPages(app: FastifyInstance, platform: Platform, base: string, siteOf: SiteOf): void {
  const { db } = platform;
  app.get(base, async (request, reply) => {
    const entered = await enterSite(platform, request, reply, siteOf);
    const typed = { fields: applicationQuery(request.query), trusted: false };
    return listPage(platform, request, reply, entered, typed);
  });

  app.post(base, async (request, reply) => {
    const { browser, site, act } = await enterByForm(platform, request, reply, siteOf);
    const fields = applicationForm(request);
    await needsFreshProof(platform, request, reply, `${site.home}?${prefillOf(fields)}#new`);
    const trusted = site.mayTrust && formText(request, "trusted") !== "";
    try {
      const placing = { trusted, groupId: site.groupId, act, policy: platform.config };
      const { id, uid, secret } = await db.transaction((tx) =>
        registerApplication(tx, site.ownerId, fields, placing),
      );
      if (fields.onlyByKey) {
        // Its secret is not accepted, so nobody has to save it.
        const text = `${shownName(fields.name)} is ready, and proves itself by its key.`;
        return await redirectWith(platform, request, reply, `${site.home}/${id}`, { kind: "ok", text });
      }
      const secrets = { name: fields.name, uid, secret, redirectUris: fields.redirectUris.join("\n") };
      return await redirectWith(platform, request, reply, `${site.home}#main`, {
        kind: "ok",
        text: "",
        secrets,
      });
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      const typed = { fields, trusted, faults: error.fields };
      return listPage(platform, request, reply, { browser, site }, typed);
    }
  });

  app.get(`${base}/:id`, async (request, reply) => {
    const { browser, site } = await enterSite(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, site);
    const valid = await listValidSecrets(db, found.id);
    const lifetimes = await findLifetimes(platform, found);
    const { grace_seconds: grace } = request.query as { grace_seconds?: unknown };
    const shown = { secrets: browser.flash?.secrets, valid, lifetimes, grace, now: new Date() };
    const main = applicationPage(site, found, frameOf(browser).viewer, shown);
    return sendAt(reply, browser, site, {
      title: shownName(found.name),
      main,
      crumbs: [{ label: shownName(found.name) }],
    });
  });
}

/** Revokes what a person authorized. */
function revokePage(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  const place = { config: { formOn: PERSONAL } };
  app.post<{ Params: { id: string } }>(`${PERSONAL}/:id/revoke`, place, async (request, reply) => {
    const { browser, act } = await enterByForm(platform, request, reply, personalSite);
    const { userId } = browser.viewer;
    const held = await listAuthorizedApplications(db.pooled, userId);
    const found = held.find(({ id }) => String(id) === request.params.id);
    if (!found) throw new Problem("not_found", "404 Not Found");
    await withdrawConsent(db, userId, found, act);
    const text = `${shownName(found.name)} can no longer use your account.`;
    return redirectWith(platform, request, reply, `${PERSONAL}#main`, { kind: "ok", text });
  });
}

async function listPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { browser, site }: Entered,
  { fields, trusted, faults }: TypedApplication,
): Promise<FastifyReply> {
  // Counting tokens may take a while, and must not delay the statements of other requests.
  const slow = platform.db.pooled;
  const search = queryText(request, "search");
  const page = queryPage(request);
  const slice = { search, ...rowsOf({ page, perPage: PER_PAGE }) };
  const [made, total, authorized, look] = await Promise.all([
    listManagedApplications(slow, site.listed, slice),
    countManagedApplications(slow, site.listed, search),
    site.listed.kind === "person" ? listAuthorizedApplications(slow, site.listed.userId) : undefined,
    lookOf(platform, site, trusted),
  ]);
  const totalPages = totalPagesOf(total, PER_PAGE);
  const secrets = browser.flash?.secrets;
  const query = applicationsQuery(request);
  const lists = { made, total, search, page, query, totalPages, authorized, secrets, now: new Date() };
  const form = { fields, look, faults };
  const main = applicationsPage(site, frameOf(browser).viewer, lists, form);
  return sendAt(reply, browser, site, { title: site.heading, main, failed: faults !== undefined });
}
