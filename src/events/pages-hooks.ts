/** The pages of hooks, for the Maintainers of a project (decision 0109). */
import type { FastifyReply, FastifyRequest } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { findDeliveries } from "../outbox/find-deliveries.ts";
import { changedIn, shownIn } from "../platform/form-shown.ts";
import { formList, formText } from "../platform/form-text.ts";
import { idIn } from "../platform/number-in.ts";
import { queryPage } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import { rowsOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { openProjectPage, type SignedInPage } from "../projects/open-project-page.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { linkButton } from "../ui/button.ts";
import { pageHead, stack } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage, type Crumb } from "../ui/layout.ts";
import { projectNav } from "../ui/navigation.ts";
import { changeHook, createHook, removeHook, rotateHookSecret, urlOfHook } from "./configure-hook.ts";
import { ACTIONS } from "./event.ts";
import { TARGET_FILTERS } from "./filter.ts";
import { type Hook, type HookFields, purposeOf } from "./hook.ts";
import {
  DELIVERIES_A_PAGE,
  deliveriesCard,
  EMPTY_HOOK,
  type HookForm,
  hookDangerCard,
  hookFormCard,
  hookSecretCard,
  hooksCard,
  stateOf,
} from "./pages-hooks-view.ts";
import { sendAgain } from "./send-again.ts";
import { findHook, listHooks } from "./store-hooks.ts";
import { tryHook } from "./try-hook.ts";

const HOOKS = "/-/settings/hooks";

/** A request for a page of hooks that the viewer may open. */
interface Visit {
  platform: Platform;
  request: FastifyRequest;
  reply: FastifyReply;
  open: SignedInPage;
  /** The address of the list. */
  home: string;
}

export function hookPages(pages: ProjectPages, platform: Platform): void {
  type Handle<More extends unknown[]> = (visit: Visit, ...more: More) => Promise<FastifyReply>;
  const withProject =
    (handle: Handle<[PagePlace]>) =>
    async (request: FastifyRequest, reply: FastifyReply, place: PagePlace) => {
      const open = await openProjectPage(platform, request, reply, place.projectPath, { role: "maintainer" });
      if (!open) return reply;
      const home = `/${open.project.fullPath}${HOOKS}`;
      return handle({ platform, request, reply, open, home }, place);
    };
  const withHook = (handle: Handle<[Hook, PagePlace]>) =>
    withProject(async (visit, place) => {
      const id = idIn(place.params.hook_id);
      const hook = await findHook(platform.db, visit.open.project.id, id);
      if (!hook) throw new Problem("not_found", "404 Not Found");
      return handle(visit, hook, place);
    });
  pages.get(
    HOOKS,
    withProject((visit) => showAll(visit, { fields: EMPTY_HOOK, faults: {} })),
  );
  pages.post(HOOKS, withProject(make));
  pages.get(
    `${HOOKS}/:hook_id`,
    withHook((visit, hook) => showOne(visit, hook)),
  );
  pages.post(`${HOOKS}/:hook_id`, withHook(save));
  pages.post(`${HOOKS}/:hook_id/test`, withHook(tryOut));
  pages.post(`${HOOKS}/:hook_id/rotate`, withHook(rotate));
  pages.post(`${HOOKS}/:hook_id/delete`, withHook(remove));
  pages.post(`${HOOKS}/:hook_id/events/:event_id/resend`, withHook(repeat));
}

async function showAll(visit: Visit, form: HookForm): Promise<FastifyReply> {
  const { platform, open, home } = visit;
  const hooks = await listHooks(platform.db, open.project.id);
  const { csrfToken } = open.browser;
  const head = pageHead({
    heading: "Webhooks",
    lead: "Send each event of this project to other services as it happens.",
    actions: [
      csrfToken !== undefined &&
        linkButton("New webhook", "#new", { tone: "primary", icon: "plus", key: "n" }),
    ],
  });
  const main = html`${head}${stack([
    hooksCard(home, hooks, csrfToken !== undefined),
    csrfToken !== undefined && hookFormCard(home, csrfToken, form, true),
  ])}`;
  return send(visit, "Webhooks", [{ label: "Webhooks" }], main, Object.keys(form.faults).length > 0);
}

async function showOne(visit: Visit, hook: Hook, form?: HookForm): Promise<FastifyReply> {
  const { platform, request, open, home } = visit;
  const { csrfToken, flash } = open.browser;
  const path = `${home}/${hook.id}`;
  const page = queryPage(request);
  const limits = rowsOf({ page, perPage: DELIVERIES_A_PAGE });
  const filter = { projectId: hook.projectId, purpose: purposeOf(hook) };
  const found = await findDeliveries(platform.db, filter, limits);
  const shown = form ?? filled(platform, hook);
  const secret = flash?.secrets?.hookSecret;
  const main = html`${pageHead({ heading: hook.name, above: stateOf(hook) })}${stack([
    secret !== undefined && hookSecretCard(secret),
    deliveriesCard(path, csrfToken, { ...found, page, now: new Date() }),
    hookFormCard(path, csrfToken, shown, false),
    csrfToken !== undefined && hookDangerCard(path, csrfToken, hook),
  ])}`;
  const crumbs = [{ label: "Webhooks", href: home }, { label: hook.name }];
  return send(visit, hook.name, crumbs, main, form !== undefined);
}

async function make(visit: Visit): Promise<FastifyReply> {
  const { platform, request, reply, open, home } = visit;
  const fields = fieldsOf(request);
  const maker = { projectId: open.project.id, makerId: open.asker.id };
  try {
    const { hook, secret } = await createHook(platform, maker, fields);
    const flash = {
      kind: "ok",
      text: `${hook.name} now receives events.`,
      secrets: { hookSecret: secret },
    } as const;
    return await redirectWith(platform, request, reply, `${home}/${hook.id}`, flash);
  } catch (error) {
    return showAll(visit, { fields, faults: faultsOf(error) });
  }
}

async function save(visit: Visit, hook: Hook): Promise<FastifyReply> {
  const { platform, request, reply, open, home } = visit;
  const fields = fieldsOf(request);
  const shown = shownIn(request);
  try {
    await changeHook(platform, open.asker.id, hook, changedIn(fields, shown));
    return await redirectWith(platform, request, reply, `${home}/${hook.id}`, { kind: "ok", text: "Saved." });
  } catch (error) {
    return showOne(visit, hook, { fields, shown, faults: faultsOf(error) });
  }
}

async function tryOut({ platform, request, reply, home }: Visit, hook: Hook): Promise<FastifyReply> {
  await tryHook(platform, hook);
  const text = "A test is on its way. Load this page again in a moment to see how it went.";
  return redirectWith(platform, request, reply, `${home}/${hook.id}`, { kind: "ok", text });
}

async function rotate({ platform, request, reply, open, home }: Visit, hook: Hook): Promise<FastifyReply> {
  const secrets = { hookSecret: await rotateHookSecret(platform, open.asker.id, hook) };
  const flash = { kind: "ok", text: "There is a new secret.", secrets } as const;
  return redirectWith(platform, request, reply, `${home}/${hook.id}`, flash);
}

async function remove({ platform, request, reply, open, home }: Visit, hook: Hook): Promise<FastifyReply> {
  await removeHook(platform, open.asker.id, hook);
  return redirectWith(platform, request, reply, home, { kind: "ok", text: `${hook.name} is removed.` });
}

async function repeat(visit: Visit, hook: Hook, { params }: PagePlace): Promise<FastifyReply> {
  const { platform, request, reply, home } = visit;
  const isDue = await sendAgain(platform, hook, idIn(params.event_id));
  const text = isDue ? "It is sent again now." : "It is no longer kept.";
  const path = `${home}/${hook.id}`;
  return redirectWith(platform, request, reply, path, { kind: isDue ? "ok" : "note", text });
}

/** The form with the stored values. */
function filled(platform: Platform, hook: Hook): HookForm {
  const { name, active, confidential } = hook;
  const fields = { url: urlOfHook(platform, hook), name, active, ...ticked(hook), confidential };
  return { fields, shown: fields, faults: {} };
}

/** The known words among the given ones, in the order of the form. */
function ticked(of: { actions: readonly string[]; targetTypes: readonly string[] }) {
  return {
    actions: ACTIONS.filter((word) => of.actions.includes(word)),
    targetTypes: TARGET_FILTERS.filter((word) => of.targetTypes.includes(word)),
  };
}

function fieldsOf(request: FastifyRequest): HookFields {
  const actions = formList(request, "actions");
  const targetTypes = formList(request, "target_types");
  return {
    url: formText(request, "url").trim(),
    name: formText(request, "name").trim(),
    active: formText(request, "active") === "true",
    ...ticked({ actions, targetTypes }),
    confidential: formText(request, "confidential") === "true",
  };
}

function faultsOf(error: unknown): FieldProblem["fields"] {
  if (error instanceof FieldProblem) return error.fields;
  if (error instanceof Problem && error.kind === "unprocessable") {
    return { url: ["cannot be added: a project has at most 20 webhooks"] };
  }
  throw error;
}

function send(
  { open, reply }: Visit,
  title: string,
  crumbs: readonly Crumb[],
  main: Html,
  failed: boolean,
): FastifyReply | Promise<FastifyReply> {
  const { project, browser, nav } = open;
  const page = appPage({
    ...frameOf(browser.session),
    title: `${title} · ${project.name}`,
    failed,
    crumbs: [
      { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
      { label: project.name, href: `/${project.fullPath}` },
      ...crumbs,
    ],
    nav: projectNav("hooks", nav),
    main,
  });
  return sendPage(reply, page, { failed });
}
