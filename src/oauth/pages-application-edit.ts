/** The pages that change an application: its form, a new secret, and its removal. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { frameOf, needsFreshProof, redirectWith } from "../accounts/browser.ts";
import { afterAnswer } from "../platform/after-answer.ts";
import { changedIn, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { type Application, OFFERED_GRANT_TYPES, shownName } from "./application.ts";
import { changeApplication } from "./change-application.ts";
import { MAX_GRACE_SECONDS } from "./lifetimes.ts";
import {
  applicationAt,
  applicationsQuery,
  type Entered,
  enterByForm,
  enterSite,
  lookOf,
  type SiteOf,
  sendAt,
  type TypedApplication,
} from "./pages-application-site.ts";
import { deletionMain, editPage } from "./pages-application-views.ts";
import { opensBy } from "./public-keys.ts";
import { goOnRemovingOne, removeApplication } from "./remove-application.ts";
import { renewSecret } from "./renew-secret.ts";
import type { ManagedApplication } from "./store-applications.ts";
import { applicationForm, applicationShown } from "./wire-application.ts";

/** Portions of a removal that a page waits for: some seconds. The rest is removed after the response (decision 0168). */
const AWAITED_PORTIONS = 20;

/** Where applications are managed, and how. */
interface Door {
  platform: Platform;
  siteOf: SiteOf;
}

/** Removes an application as long as `mayGoOn` says so; returns whether it is gone. */
type Removal = (mayGoOn: () => boolean) => Promise<boolean>;

/** For those who manage an application; for others it is not found (404). */
export function editPages(app: FastifyInstance, platform: Platform, base: string, siteOf: SiteOf): void {
  const door = { platform, siteOf };
  const later = afterAnswer(app);
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  const finishLater = (request: FastifyRequest, remove: Removal) =>
    later(
      request,
      remove(() => !isClosing),
      "not removed",
    );

  app.get(`${base}/:id/edit`, async (request, reply) => {
    const entered = await enterSite(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, entered.site);
    return showForm(platform, reply, { ...entered, found }, { fields: found, trusted: found.trusted });
  });
  app.post(`${base}/:id`, (request, reply) => save(door, request, reply));
  app.post(`${base}/:id/renew_secret`, (request, reply) => renew(door, request, reply));
  app.get(`${base}/:id/delete`, async (request, reply) => {
    const { browser, site } = await enterSite(platform, request, reply, siteOf);
    const found = await applicationAt(platform, request, site);
    const name = shownName(found.name);
    const main = deletionMain(site, frameOf(browser).viewer, found, applicationsQuery(request));
    const crumbs = [{ label: name, href: `${site.home}/${found.id}` }, { label: "Delete" }];
    return sendAt(reply, browser, site, { title: `Delete ${name}`, main, crumbs });
  });
  app.post(`${base}/:id/delete`, (request, reply) => remove(door, request, reply, finishLater));
}

async function save({ platform, siteOf }: Door, request: FastifyRequest, reply: FastifyReply) {
  const { browser, site, act } = await enterByForm(platform, request, reply, siteOf);
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
  const { mayTrust } = site;
  const changing = { act, policy: platform.config, mayTrust, trusted };
  let isTrustEnded: boolean;
  try {
    isTrustEnded = await changeApplication(platform.db, found.id, changed, changing);
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    const typed = { fields, trusted: ticked ?? false, shown, faults: error.fields };
    return showForm(platform, reply, { browser, site, found }, typed);
  }
  return redirectWith(platform, request, reply, `${site.home}/${found.id}`, {
    kind: "ok",
    text: isTrustEnded
      ? "Application saved. It is no longer trusted: people are asked for consent."
      : "Application saved.",
  });
}

async function renew({ platform, siteOf }: Door, request: FastifyRequest, reply: FastifyReply) {
  const { site, act } = await enterByForm(platform, request, reply, siteOf);
  const found = await applicationAt(platform, request, site);
  const href = `${site.home}/${found.id}`;
  const grace = graceOf(request);
  await needsFreshProof(platform, request, reply, `${href}?grace_seconds=${grace}#secret`);
  const { name, uid } = found;
  const secret = await renewSecret(platform.db, found, grace, act);
  const flash = { kind: "ok", text: "", secrets: { name, uid, secret } } as const;
  return redirectWith(platform, request, reply, href, flash);
}

async function remove(
  { platform, siteOf }: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  finishLater: (request: FastifyRequest, remove: Removal) => void,
) {
  const { site, act } = await enterByForm(platform, request, reply, siteOf);
  const found = await applicationAt(platform, request, site);
  await needsFreshProof(platform, request, reply, `${site.home}/${found.id}#danger`);
  let portions = 0;
  const isGone = await removeApplication(platform.db, found, act, () => portions++ < AWAITED_PORTIONS);
  if (!isGone) finishLater(request, (mayGoOn) => goOnRemovingOne(platform.db, found, act, mayGoOn));
  const name = shownName(found.name);
  const text = isGone
    ? `${name} is deleted.`
    : `${name} is being deleted. Much was granted to it: that ends within minutes, and it is gone from here at the end.`;
  return redirectWith(platform, request, reply, `${site.home}${applicationsQuery(request)}`, {
    kind: "ok",
    text,
  });
}

/** Sends the form, filled in as it was typed. */
async function showForm(
  platform: Platform,
  reply: FastifyReply,
  { browser, site, found }: Entered & { found: ManagedApplication },
  typed: TypedApplication,
): Promise<FastifyReply> {
  const crumbs = [{ label: shownName(found.name), href: `${site.home}/${found.id}` }, { label: "Edit" }];
  const { fields, trusted, faults } = typed;
  const { shown = { ...applicationShown(fields), ...(site.mayTrust && { trusted }) } } = typed;
  const form = { fields, shown, look: await lookOf(platform, site, trusted), faults };
  const main = editPage(site, frameOf(browser).viewer, found, form);
  const title = `Edit ${shownName(found.name)}`;
  return sendAt(reply, browser, site, { title, main, crumbs, failed: faults !== undefined });
}

function graceOf(request: FastifyRequest): number {
  const seconds = Number(formText(request, "grace_seconds"));
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, MAX_GRACE_SECONDS) : 0;
}
