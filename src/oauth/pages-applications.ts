/** The pages for registering and managing applications: one's own, a group's, the instance's (spec: Application 1). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { frameOf, needsFreshProof, redirectWith } from "../accounts/browser.ts";
import { afterAnswer } from "../platform/after-answer.ts";
import { changedIn, type Shown, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import { queryPage, queryText } from "../platform/page-query.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { Viewer } from "../ui/navigation.ts";
import { type Application, type ApplicationFields, OFFERED_GRANT_TYPES, shownName } from "./application.ts";
import { changeApplication } from "./change-application.ts";
import { findLives } from "./find-lives.ts";
import { findSettings } from "./find-settings.ts";
import { MOST_GRACE_SECONDS } from "./lifetimes.ts";
import { eventPages } from "./pages-application-events.ts";
import type { FormFaults, FormLook } from "./pages-application-form.ts";
import {
  adminSite,
  applicationAt,
  enterByForm,
  enterSite,
  groupSite,
  personalSite,
  type SeesGroup,
  type Site,
  type SiteOf,
  sendAt,
} from "./pages-application-site.ts";
import { applicationPage, editPage } from "./pages-application-views.ts";
import { applicationsPage } from "./pages-applications-lists.ts";
import { opensBy } from "./public-keys.ts";
import { registerApplication } from "./register-application.ts";
import { removeApplication } from "./remove-application.ts";
import { renewSecret } from "./renew-secret.ts";
import { listAuthorizedApplications } from "./store.ts";
import {
  countManagedApplications,
  listManagedApplications,
  listValidSecrets,
  type ManagedApplication,
} from "./store-applications.ts";
import { applicationForm, applicationQuery, applicationShown, prefillOf } from "./wire-application.ts";
import { withdrawConsent } from "./withdraw-consent.ts";

const PERSONAL = "/profile/applications";
const GROUP = "/groups/:path/-/settings/applications";
const PER_PAGE = 50;

/** Portions of a removal that a page waits for: some seconds. The rest is removed after the response (decision 0168). */
const AWAITED_PORTIONS = 20;

/** Registers lists and forms; an application that the viewer does not manage is not found (404). */
export function applicationPages(app: FastifyInstance, platform: Platform, seesGroup: SeesGroup): void {
  for (const [base, siteOf] of [
    [PERSONAL, personalSite],
    [GROUP, groupSite(seesGroup)],
    ["/admin/applications", adminSite],
  ] as const) {
    listPages(app, platform, base, siteOf);
    changePages(app, platform, base, siteOf);
    eventPages(app, platform, base, siteOf);
  }
  revokePage(app, platform);
}

/** The list with the form for a new application, a single application, and its form. */
function listPages(app: FastifyInstance, platform: Platform, base: string, siteOf: SiteOf): void {
  const { db } = platform;
  app.get(base, async (request, reply) => {
    const typed = applicationQuery(request.query);
    return listPage(platform, request, reply, siteOf, { fields: typed, trusted: false });
  });

  app.post(base, async (request, reply) => {
    const { site, act } = await enterByForm(platform, request, reply, siteOf);
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
      return listPage(platform, request, reply, siteOf, { fields, trusted, faults: error.fields });
    }
  });

  app.get(`${base}/:id`, async (request, reply) => {
    const { browser, site } = await enterSite(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, site);
    const valid = await listValidSecrets(db, found.id);
    const lives = await findLives(platform, found);
    const { grace_seconds: grace } = request.query as { grace_seconds?: unknown };
    const shown = { secrets: browser.flash?.secrets, valid, lives, grace, now: new Date() };
    const main = applicationPage(site, found, frameOf(browser).viewer as Viewer, shown);
    return sendAt(reply, browser, site, {
      title: shownName(found.name),
      main,
      crumbs: [{ label: shownName(found.name) }],
    });
  });

  app.get(`${base}/:id/edit`, async (request, reply) => {
    const { site } = await enterSite(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, site);
    return formPage(platform, request, reply, siteOf, found, { fields: found, trusted: found.trusted });
  });
}

/** Changes by those who manage an application. */
function changePages(app: FastifyInstance, platform: Platform, base: string, siteOf: SiteOf): void {
  const { db } = platform;
  const later = afterAnswer(app);
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });

  app.post(`${base}/:id`, async (request, reply) => {
    const { site, act } = await enterByForm(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, site);
    const kept = found.grantTypes.filter((type) => !OFFERED_GRANT_TYPES.includes(type));
    const fields = applicationForm(request, kept);
    const shown = shownIn(request);
    const ticked = site.mayTrust ? formText(request, "trusted") !== "" : undefined;
    const isLeft = ticked === shown.trusted && fields.confidential === shown.confidential;
    const trusted = isLeft ? undefined : ticked;
    const changed = (before: Application) => ({ ...before, ...changedIn(fields, shown) });
    if (opensBy(found, changed(found))) {
      // A key is as good as a secret. What was typed is not filled in again: a link that fills in a key would be a trap.
      await needsFreshProof(platform, request, reply, `${site.home}/${found.id}/edit`);
    }
    try {
      await changeApplication(db, found.id, changed, { act, policy: platform.config, trusted });
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      const typed = { fields, trusted: ticked ?? false, shown, faults: error.fields };
      return formPage(platform, request, reply, siteOf, found, typed);
    }
    return redirectWith(platform, request, reply, `${site.home}/${found.id}`, {
      kind: "ok",
      text: "Application saved.",
    });
  });

  app.post(`${base}/:id/renew_secret`, async (request, reply) => {
    const { site, act } = await enterByForm(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, site);
    const href = `${site.home}/${found.id}`;
    const grace = graceOf(request);
    await needsFreshProof(platform, request, reply, `${href}?grace_seconds=${grace}#secret`);
    const { name, uid } = found;
    const secret = await renewSecret(db, found, grace, act);
    const flash = { kind: "ok", text: "", secrets: { name, uid, secret } } as const;
    return redirectWith(platform, request, reply, href, flash);
  });

  app.post(`${base}/:id/delete`, async (request, reply) => {
    const { site, act } = await enterByForm(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, site);
    await needsFreshProof(platform, request, reply, `${site.home}/${found.id}#danger`);
    let portions = 0;
    const isGone = await removeApplication(db, found, act, () => portions++ < AWAITED_PORTIONS);
    const name = shownName(found.name);
    const text = isGone
      ? `${name} is deleted.`
      : `${name} is being deleted. Much was granted to it: that ends within minutes, and it is gone from here at the end.`;
    if (!isGone)
      later(
        request,
        removeApplication(db, found, act, () => !isClosing),
        "not removed",
      );
    return redirectWith(platform, request, reply, site.home, { kind: "ok", text });
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

interface Typed {
  fields: ApplicationFields;
  trusted: boolean;
  /** The values that the form showed when its sender began; undefined: the current ones. */
  shown?: Shown;
  /** The faults; undefined: the form was not sent yet. */
  faults?: FormFaults;
}

async function listPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  siteOf: SiteOf,
  typed: Typed,
): Promise<FastifyReply> {
  // Counting tokens may take a while, and must not delay the statements of other requests.
  const slow = platform.db.pooled;
  const { browser, site } = await enterSite(platform, request, reply, siteOf);
  const search = queryText(request, "search");
  const page = queryPage(request);
  const slice = { search, limit: PER_PAGE, offset: (page - 1) * PER_PAGE };
  const [made, total, authorized, look] = await Promise.all([
    listManagedApplications(slow, site.listed, slice),
    countManagedApplications(slow, site.listed, search),
    site.listed.kind === "person" ? listAuthorizedApplications(slow, site.listed.userId) : undefined,
    lookOf(platform, site, typed),
  ]);
  const totalPages = Math.max(1, Math.ceil(total / PER_PAGE));
  const secrets = browser.flash?.secrets;
  const lists = { made, total, search, page, totalPages, authorized, secrets, now: new Date() };
  const { fields, faults } = typed;
  const form = { fields, look, faults };
  const main = applicationsPage(site, frameOf(browser).viewer as Viewer, lists, form);
  return sendAt(reply, browser, site, { title: site.heading, main, failed: faults !== undefined });
}

async function formPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  siteOf: SiteOf,
  application: ManagedApplication,
  typed: Typed,
): Promise<FastifyReply> {
  const { browser, site } = await enterSite(platform, request, reply, siteOf);
  const crumbs = [
    { label: shownName(application.name), href: `${site.home}/${application.id}` },
    { label: "Edit" },
  ];
  const { fields, trusted, faults } = typed;
  const { shown = { ...applicationShown(fields), ...(site.mayTrust && { trusted }) } } = typed;
  const form = { fields, shown, look: await lookOf(platform, site, typed), faults };
  const main = editPage(site, frameOf(browser).viewer as Viewer, application, form);
  const title = `Edit ${shownName(application.name)}`;
  return sendAt(reply, browser, site, { title, main, crumbs, failed: faults !== undefined });
}

async function lookOf(platform: Platform, site: Site, { trusted }: Typed): Promise<FormLook> {
  const { allowImplicit, allowPassword, allowLongLives: allowsLong } = await findSettings(platform);
  const closed = [
    ...(allowImplicit ? [] : (["implicit"] as const)),
    ...(allowPassword ? [] : (["password"] as const)),
  ];
  return { closed, trusted: site.mayTrust ? trusted : undefined, allowsLong };
}

function graceOf(request: FastifyRequest): number {
  const seconds = Number(formText(request, "grace_seconds"));
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, MOST_GRACE_SECONDS) : 0;
}
