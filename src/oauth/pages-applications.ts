/** `/profile/applications`: a person's own applications, and those that may act for them (spec: Application 1). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { checkForm, frameOf, needsViewer, redirectWith, SignInNeeded } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { Html } from "../ui/html.ts";
import { appPage, type Crumb } from "../ui/layout.ts";
import { settingsNav, type Viewer } from "../ui/navigation.ts";
import {
  type Application,
  type ApplicationFields,
  DEFAULT_GRANT_TYPES,
  OFFERED_GRANT_TYPES,
} from "./application.ts";
import { changeApplication } from "./change-application.ts";
import { MOST_GRACE_SECONDS } from "./lifetimes.ts";
import type { FormFaults } from "./pages-application-form.ts";
import { applicationPage, applicationsPage, editPage } from "./pages-application-views.ts";
import { registerApplication } from "./register-application.ts";
import { renewSecret } from "./renew-secret.ts";
import {
  deleteApplication,
  findOwnApplication,
  findOwnApplicationUse,
  listAuthorizedApplications,
  listOwnApplications,
} from "./store.ts";
import { applicationForm } from "./wire-application.ts";
import { withdrawConsent } from "./withdraw-consent.ts";

const HOME = "/profile/applications";
type ById = { Params: { id: string } };

/** Lists and forms; whatever is another person's is missing (404). */
export function applicationPages(app: FastifyInstance, platform: Platform): void {
  homePages(app, platform);
  viewPages(app, platform);
  changePages(app, platform);
}

/** All of a person's at one address, the form for a new one, and the end of what they authorized. */
function homePages(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;

  app.get(HOME, (request, reply) => listPage(platform, request, reply));

  app.post(HOME, async (request, reply) => {
    const { viewer } = await checkedViewer(platform, request, reply);
    const fields = applicationForm(request);
    try {
      const { uid, secret } = await registerApplication(db, viewer.userId, fields);
      const secrets = { name: fields.name, uid, secret, redirectUris: fields.redirectUris.join("\n") };
      return await redirectWith(platform, request, reply, HOME, { kind: "ok", text: "", secrets });
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return listPage(platform, request, reply, fields, error.fields);
    }
  });

  app.post<ById>(`${HOME}/:id/revoke`, async (request, reply) => {
    const { viewer } = await checkedViewer(platform, request, reply);
    const held = await listAuthorizedApplications(db, viewer.userId);
    const found = held.find(({ id }) => id === idOf(request));
    if (!found) throw missing();
    await withdrawConsent(db, viewer.userId, found.id);
    const text = `${found.name} can no longer use your account.`;
    return redirectWith(platform, request, reply, `${HOME}#authorized`, { kind: "ok", text });
  });
}

/** One of a person's own, and its form. */
function viewPages(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;

  app.get<ById>(`${HOME}/:id`, async (request, reply) => {
    const browser = await needsViewer(platform, request, reply);
    const found = await findOwnApplicationUse(db, browser.viewer.userId, idOf(request));
    if (!found) throw missing();
    const frame = frameOf(browser);
    const main = applicationPage(found, frame.viewer as Viewer, browser.flash?.secrets, new Date());
    return show(reply, frame, main, found.name, [{ label: found.name }]);
  });

  app.get<ById>(`${HOME}/:id/edit`, async (request, reply) => {
    const { viewer } = await needsViewer(platform, request, reply);
    const found = await own(platform, request, viewer.userId);
    return formPage(platform, request, reply, found, found);
  });
}

/** What a person does with one of their own. */
function changePages(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;

  app.post<ById>(`${HOME}/:id`, async (request, reply) => {
    const { viewer } = await checkedViewer(platform, request, reply);
    const found = await own(platform, request, viewer.userId);
    const kept = found.grantTypes.filter((type) => !OFFERED_GRANT_TYPES.includes(type));
    const fields = applicationForm(request, kept);
    try {
      await changeApplication(db, found.id, fields);
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return formPage(platform, request, reply, found, fields, error.fields);
    }
    return redirectWith(platform, request, reply, `${HOME}/${found.id}`, {
      kind: "ok",
      text: "Application saved.",
    });
  });

  app.post<ById>(`${HOME}/:id/renew_secret`, async (request, reply) => {
    const { viewer } = await checkedViewer(platform, request, reply);
    const { id, name, uid } = await own(platform, request, viewer.userId);
    const secret = await renewSecret(db, id, graceOf(request));
    const flash = { kind: "ok", text: "", secrets: { name, uid, secret } } as const;
    return redirectWith(platform, request, reply, `${HOME}/${id}`, flash);
  });

  app.post<ById>(`${HOME}/:id/delete`, async (request, reply) => {
    const { viewer } = await checkedViewer(platform, request, reply);
    const { id, name } = await own(platform, request, viewer.userId);
    await deleteApplication(db, id);
    return redirectWith(platform, request, reply, HOME, { kind: "ok", text: `${name} is deleted.` });
  });
}

async function listPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  fields: ApplicationFields = NEW,
  faults?: FormFaults,
): Promise<FastifyReply> {
  const browser = await needsViewer(platform, request, reply);
  const { userId } = browser.viewer;
  const [made, authorized] = await Promise.all([
    listOwnApplications(platform.db, userId),
    listAuthorizedApplications(platform.db, userId),
  ]);
  const frame = frameOf(browser);
  const lists = { made, authorized, secrets: browser.flash?.secrets, now: new Date() };
  return show(
    reply,
    frame,
    applicationsPage(frame.viewer as Viewer, lists, fields, faults),
    "Applications",
    [],
    faults,
  );
}

async function formPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  application: Application,
  fields: ApplicationFields,
  faults?: FormFaults,
): Promise<FastifyReply> {
  const frame = frameOf(await needsViewer(platform, request, reply));
  const crumbs = [{ label: application.name, href: `${HOME}/${application.id}` }, { label: "Edit" }];
  const main = editPage(frame.viewer as Viewer, application, fields, faults);
  return show(reply, frame, main, `Edit ${application.name}`, crumbs, faults);
}

/** What the form for a new application begins with. */
const NEW: ApplicationFields = {
  name: "",
  redirectUris: [],
  scopes: [],
  grantTypes: DEFAULT_GRANT_TYPES,
  confidential: true,
  omitIss: false,
  idTokenAlgorithm: "RS256",
  homePage: "",
};

function show(
  reply: FastifyReply,
  frame: ReturnType<typeof frameOf>,
  main: Html,
  title: string,
  crumbs: readonly Crumb[],
  faults?: FormFaults,
): FastifyReply {
  const list: Crumb = crumbs.length > 0 ? { label: "Applications", href: HOME } : { label: "Applications" };
  const page = appPage({
    ...frame,
    title,
    failed: faults !== undefined,
    crumbs: [{ label: "Settings", href: HOME }, list, ...crumbs],
    nav: settingsNav("applications", frame.viewer as Viewer),
    main,
  });
  return sendPage(reply, page, faults ? { status: 422 } : {});
}

async function checkedViewer(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const { viewer } = await checkForm(platform, request, reply);
  if (!viewer) throw new SignInNeeded();
  return { viewer };
}

/** @throws Problem not_found: none, or another person's */
async function own(platform: Platform, request: FastifyRequest<ById>, userId: number): Promise<Application> {
  const found = await findOwnApplication(platform.db, userId, idOf(request));
  if (!found) throw missing();
  return found;
}

function idOf(request: FastifyRequest<ById>): number {
  return /^\d{1,15}$/.test(request.params.id) ? Number(request.params.id) : 0;
}

function missing(): Problem {
  return new Problem("not_found", "404 Not Found");
}

function graceOf(request: FastifyRequest): number {
  const seconds = Number(formText(request, "grace_seconds"));
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, MOST_GRACE_SECONDS) : 0;
}
