/** `/<project>/-/settings/sources`: the event sources of a project and what became of their deliveries, for Maintainers. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { nameFault } from "../accounts/name.ts";
import type { Queries } from "../platform/db.ts";
import { formText } from "../platform/form-text.ts";
import { idIn } from "../platform/number-in.ts";
import { listQuery, queryPage } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { openProjectPage, type SignedInPage } from "../projects/open-project-page.ts";
import type { PagePlace, ProjectPageHandler, ProjectPages } from "../projects/page-route.ts";
import type { FormToken } from "../ui/form.ts";
import type { Html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { projectNav } from "../ui/navigation.ts";
import { changeSource, createSource, rotateSourceSecret } from "./configure-source.ts";
import { answerWithMessage } from "./pages-claims.ts";
import { projectClaimsCard } from "./pages-claims-views.ts";
import { refusalMain, refusedCard } from "./pages-refusals-views.ts";
import { deliveryMain, type SourceFaults, sourceMain, sourcesMain } from "./pages-sources-views.ts";
import { removeSource } from "./remove-source.ts";
import { readAgain, replayDelivery } from "./replay-delivery.ts";
import { SOURCE_TYPES, type Source } from "./source.ts";
import { countOutsideEvents, countProjectClaims, listProjectClaims } from "./store-claims.ts";
import { findRefusal, listRefusalCounts, listRefusals } from "./store-refusals.ts";
import {
  countDeliveries,
  countSources,
  findKeptDelivery,
  findSource,
  listDeliveries,
  listSources,
} from "./store-sources.ts";
import { readerFor, sourceUrl } from "./wire-sources.ts";

const ROOT = "/-/settings/sources";
const PER_PAGE = 30;
const MAX_REFUSALS = 20;
const SOURCES_PER_PAGE = 50;
const CLAIMS_PER_PAGE = 100;
const PAGES = { pages: ["page", "claims"] };

type Of = { page: SignedInPage; home: string };
type OfSource = Of & { source: Source };
type Work<T> = (request: FastifyRequest, reply: FastifyReply, of: T, place: PagePlace) => Promise<unknown>;

/** The pages of event sources, for Maintainers of the project. */
export function sourcePages(at: ProjectPages, platform: Platform): void {
  listPages(at, platform);
  claimAnswers(at, platform);
  oneSourcePages(at, platform);
  deliveryPages(at, platform);
}

/** Makes a page handler that opens the project first. */
function opened(platform: Platform, work: Work<Of>): ProjectPageHandler {
  return async (request, reply, place) => {
    const page = await openProjectPage(platform, request, reply, place.projectPath, { role: "maintainer" });
    return page ? work(request, reply, { page, home: `/${page.project.fullPath}${ROOT}` }, place) : reply;
  };
}

/** Makes a page handler that opens the project and finds the source that `:id` names. */
function ofSource(platform: Platform, work: Work<OfSource>): ProjectPageHandler {
  return opened(platform, async (request, reply, of, place) => {
    const source = await findSource(platform.db, of.page.project.id, idIn(place.params.id));
    if (!source) throw new Problem("not_found", "404 Not Found");
    return work(request, reply, { ...of, source }, place);
  });
}

/** Returns a function that redirects to a page with a message about what was done. */
function messageRedirect(platform: Platform) {
  return (request: FastifyRequest, reply: FastifyReply, path: string, text: string, secrets = {}) =>
    redirectWith(platform, request, reply, path, { kind: "ok", text, secrets });
}

/** The list of sources, and the creation of another. */
function listPages(at: ProjectPages, platform: Platform): void {
  const redirect = messageRedirect(platform);
  at.get(
    ROOT,
    opened(platform, (request, reply, of) => {
      const pages = { sources: queryPage(request), claims: queryPage(request, "claims") };
      return listPage(platform, reply, of, {}, { ...pages, query: listQuery(request, PAGES) });
    }),
  );
  at.post(
    ROOT,
    opened(platform, async (request, reply, of) => {
      const name = formText(request, "name").trim();
      const type = SOURCE_TYPES.find((word) => word === formText(request, "type"));
      const fault = nameFault(name);
      if (!type || fault) {
        return listPage(platform, reply, of, { name: fault && `Name ${fault}.`, typed: { name, type } });
      }
      const made = await createSource(platform, of.page.asker.id, {
        projectId: of.page.project.id,
        name,
        type,
        secret: undefined,
        identities: undefined,
      });
      const secrets = { secret: made.secret, sourceId: String(made.source.id) };
      return redirect(request, reply, `${of.home}/${made.source.id}`, `${name} is ready.`, secrets);
    }),
  );
}

/** The answers to claims that users are people whom the sources name. */
function claimAnswers(at: ProjectPages, platform: Platform): void {
  for (const word of ["approve", "refuse"] as const) {
    at.post(
      `${ROOT}/claims/:claim/${word}`,
      opened(platform, async (request, reply, { page, home }, { params }) => {
        const claimId = idIn(params.claim);
        const answer = { claimId, project: page.project, granted: word === "approve" };
        const act = { actorId: page.asker.id, ip: request.ip };
        const told = await answerWithMessage(platform, answer, act);
        return redirectWith(platform, request, reply, `${home}${listQuery(request, PAGES)}`, told);
      }),
    );
  }
}

/** The page of one source, and its forms. */
function oneSourcePages(at: ProjectPages, platform: Platform): void {
  const redirect = messageRedirect(platform);
  at.get(
    `${ROOT}/:id`,
    ofSource(platform, (request, reply, of) => sourcePage(platform, request, reply, of)),
  );
  at.post(
    `${ROOT}/:id/rotate`,
    ofSource(platform, async (request, reply, { page, source, home }) => {
      const secret = await rotateSourceSecret(platform, page.asker.id, source);
      const secrets = { secret, sourceId: String(source.id) };
      return redirect(request, reply, `${home}/${source.id}`, "The old secret no longer works.", secrets);
    }),
  );
  at.post(
    `${ROOT}/:id/switch`,
    ofSource(platform, async (request, reply, { page, source, home }) => {
      // As the button said, even if somebody else has switched it meanwhile.
      const active = formText(request, "active") === "true";
      await changeSource(platform, page.asker.id, source, { active });
      const text = active ? "It accepts deliveries." : "It refuses deliveries.";
      return redirect(request, reply, `${home}/${source.id}`, text);
    }),
  );
  at.post(
    `${ROOT}/:id/delete`,
    ofSource(platform, async (request, reply, { page, source, home }) => {
      await removeSource(platform.db, page.asker.id, source);
      return redirect(request, reply, home, `${source.name} is deleted. Its events stay.`);
    }),
  );
}

/** What a source delivered, and what it refused. */
function deliveryPages(at: ProjectPages, platform: Platform): void {
  const { db } = platform;
  const redirect = messageRedirect(platform);
  at.get(
    `${ROOT}/:id/deliveries/:delivery`,
    ofSource(platform, async (_request, reply, of, { params }) => {
      // Its body may be of 25 MiB.
      const delivery = await findKeptDelivery(db.pooled, of.source.id, idIn(params.delivery));
      if (!delivery) throw new Problem("not_found", "404 Not Found");
      const letter = readAgain(delivery, readerFor);
      const { csrfToken } = of.page.browser;
      const main = deliveryMain({ ...of, delivery, reading: letter?.reading, csrfToken });
      return send(reply, of, { title: `Delivery ${delivery.id}`, main, under: of.source });
    }),
  );
  at.get(
    `${ROOT}/:id/refusals/:refusal`,
    ofSource(platform, async (_request, reply, of, { params }) => {
      const refusal = await findRefusal(db, of.source.id, idIn(params.refusal));
      if (!refusal) throw new Problem("not_found", "404 Not Found");
      const main = refusalMain(of.source, refusal);
      return send(reply, of, { title: `Refused ${refusal.id}`, main, under: of.source });
    }),
  );
  at.post(
    `${ROOT}/:id/deliveries/:delivery/replay`,
    ofSource(platform, async (request, reply, { source, home }, { params }) => {
      const id = idIn(params.delivery);
      const recorded = await replayDelivery(platform, source, id, readerFor);
      const text =
        recorded > 0 ? `Events made of it: ${recorded}.` : "It still has no counterpart among events.";
      return redirect(request, reply, `${home}/${source.id}/deliveries/${id}`, text);
    }),
  );
}

async function listPage(
  { db, config }: Platform,
  reply: FastifyReply,
  of: Of,
  faults: SourceFaults,
  current = { sources: 1, claims: 1, query: "" },
) {
  const range = rowsOf({ page: current.sources, perPage: SOURCES_PER_PAGE });
  const [sources, total] = await Promise.all([
    listSources(db, of.page.project.id, range),
    countSources(db, of.page.project.id),
  ]);
  const counted = await listRefusalCounts(
    db,
    sources.map(({ id }) => id),
  );
  const refused = new Map(counted.map(({ sourceId, n }) => [sourceId, n]));
  const shown = sources.map((source) => ({
    ...source,
    url: sourceUrl(source, config.publicUrl),
    refused: refused.get(source.id) ?? 0,
  }));
  const { csrfToken } = of.page.browser;
  const claims = await claimsCard(db.pooled, of, csrfToken, current);
  const pages = { page: current.sources, totalPages: totalPagesOf(total, SOURCES_PER_PAGE) };
  const main = sourcesMain({ home: of.home, sources: shown, pages, claims, csrfToken, faults });
  return send(reply, of, { title: "Event sources", main, failed: faults.name !== undefined });
}

async function claimsCard(
  db: Queries,
  { page, home }: Of,
  csrfToken: FormToken,
  current: { claims: number; query: string },
) {
  const projectId = page.project.id;
  const [total, claims] = await Promise.all([
    countProjectClaims(db, projectId),
    listProjectClaims(db, projectId, rowsOf({ page: current.claims, perPage: CLAIMS_PER_PAGE })),
  ]);
  const outsiderIds = claims.flatMap(({ outsiderId }) => outsiderId ?? []);
  const counted = await countOutsideEvents(db, projectId, outsiderIds);
  const counts = new Map(counted.map(({ outsiderId, n }) => [outsiderId, n]));
  const now = new Date();
  const pages = { page: current.claims, totalPages: totalPagesOf(total, CLAIMS_PER_PAGE) };
  const { query } = current;
  return projectClaimsCard({ claims, pages, projectId, list: home, query, counts, csrfToken, now });
}

async function sourcePage(
  { db, config }: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  of: OfSource,
) {
  const { source, page, home } = of;
  const current = queryPage(request);
  const [total, deliveries, refusals, [refused]] = await Promise.all([
    countDeliveries(db, source.id),
    listDeliveries(db, source.id, rowsOf({ page: current, perPage: PER_PAGE })),
    listRefusals(db, source.id, { limit: MAX_REFUSALS, offset: 0 }),
    listRefusalCounts(db, [source.id]),
  ]);
  const { secret, sourceId } = page.browser.flash?.secrets ?? {};
  const main = sourceMain({
    home,
    source,
    url: sourceUrl(source, config.publicUrl),
    secret: sourceId === String(source.id) ? secret : undefined,
    deliveries,
    refused: refusedCard({ own: `${home}/${source.id}`, refusals, count: refused?.n ?? 0, now: new Date() }),
    page: current,
    totalPages: totalPagesOf(total, PER_PAGE),
    now: new Date(),
    csrfToken: page.browser.csrfToken,
  });
  return send(reply, of, { title: source.name, main });
}

/** `under`: the source to which the page belongs; `failed`: a form was refused. */
function send(
  reply: FastifyReply,
  { page, home }: Of,
  { title, main, under, failed = false }: { title: string; main: Html; under?: Source; failed?: boolean },
) {
  const isList = title === "Event sources";
  const crumbs = [
    { label: page.project.namespaceName, href: `/${page.project.namespaceFullPath}` },
    { label: page.project.name, href: `/${page.project.fullPath}` },
    ...(isList ? [] : [{ label: "Event sources", href: home }]),
    ...(under ? [{ label: under.name, href: `${home}/${under.id}` }] : []),
    { label: title },
  ];
  const nav = projectNav("sources", page.nav);
  const frame = frameOf(page.browser.session);
  return sendPage(
    reply,
    appPage({ ...frame, title: `${title} · ${page.project.name}`, failed, crumbs, nav, main }),
    { failed },
  );
}
