/** `/<project>/-/settings/move` and `/groups/<group>/-/settings/move`: the move to another place, for owners (decision 0140). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { namespaceAt } from "../accounts/set-plan.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { errorSummary, type Option, postForm, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage, type Crumb } from "../ui/layout.ts";
import { groupNav, projectNav, type SideNav } from "../ui/navigation.ts";
import { type Asker, actOfAsker } from "./asker.ts";
import { type Lifecycle, readOnlyState } from "./lifecycle.ts";
import { moveGroup } from "./move-group.ts";
import { moveProject } from "./move-project.ts";
import { navGroup, type OpenGroupPage, openGroupPage } from "./open-group-page.ts";
import { openProjectPage, type SignedInPage } from "./open-project-page.ts";
import type { PageBrowser } from "./page-browser.ts";
import type { ProjectPages } from "./page-route.ts";
import { findPlaces, optionOf, type Places, placeField } from "./pages-place-field.ts";
import { findGroupEverAt } from "./store-groups.ts";
import { TransferRefused } from "./transfer-refused.ts";

const ADDRESS = "/-/settings/move";

/** The project or group to move, as the form needs it. */
interface MovablePlace {
  kind: "project" | "group";
  name: string;
  fullPath: string;
  lifecycle: Lifecycle;
  /** The address to which the form posts. */
  home: string;
  browser: PageBrowser;
  asker: Asker;
  crumbs: readonly Crumb[];
  nav: SideNav;
  /** The id of the group that is moved: no group with it in its lineage can be the new place. */
  groupId: number | undefined;
  /** The id of its present place. */
  placeId: number | null;
  move: (place: string, request: FastifyRequest) => Promise<string>;
}

interface Typed {
  place: string;
  confirm: string;
}

/** The form and its handler, for projects and groups. */
export function movePages(app: FastifyInstance, at: ProjectPages, platform: Platform): void {
  at.get(ADDRESS, async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, { role: "owner" });
    return page ? show(platform, reply, movableProject(platform, page)) : reply;
  });
  at.post(ADDRESS, async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, { role: "owner" });
    return page ? moveIt(platform, request, reply, movableProject(platform, page)) : reply;
  });
  app.get(`/groups/:path${ADDRESS}`, async (request, reply) => {
    const page = await openGroupPage(platform, request, reply);
    return page ? show(platform, reply, movableGroup(platform, page)) : reply;
  });
  app.post(`/groups/:path${ADDRESS}`, async (request, reply) => {
    const page = await openGroupPage(platform, request, reply);
    return page ? moveIt(platform, request, reply, movableGroup(platform, page)) : reply;
  });
}

function movableProject({ db }: Platform, { browser, asker, project, nav }: SignedInPage): MovablePlace {
  return {
    kind: "project",
    name: project.name,
    fullPath: project.fullPath,
    lifecycle: project,
    home: `/${project.fullPath}${ADDRESS}`,
    browser,
    asker,
    crumbs: [
      { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
      { label: project.name, href: `/${project.fullPath}` },
    ],
    nav: projectNav(nav.seesMove ? "move" : "general", nav),
    groupId: undefined,
    placeId: project.namespaceId,
    move: async (place, request) => {
      const act = actOfAsker(asker, request);
      const { id } = await namespaceAt(db, place);
      return `/${await moveProject(db, asker, act, project.id, id)}`;
    },
  };
}

function movableGroup({ db }: Platform, { browser, asker, group, crumbs }: OpenGroupPage): MovablePlace {
  return {
    kind: "group",
    name: group.name,
    fullPath: group.fullPath,
    lifecycle: group,
    home: `/groups/${encodeURIComponent(group.fullPath)}${ADDRESS}`,
    browser,
    asker,
    crumbs,
    nav: groupNav("settings", navGroup(group)),
    groupId: group.id,
    placeId: group.parentId,
    move: async (place, request) => {
      const parent = place === "" ? null : await findGroupEverAt(db, asker, place);
      if (parent === undefined) throw new Problem("not_found", "404 Group Not Found");
      const act = actOfAsker(asker, request);
      const to = { groupId: group.id, parentId: parent?.id ?? null };
      return `/${await moveGroup(db, asker, act, to)}`;
    },
  };
}

async function moveIt(platform: Platform, request: FastifyRequest, reply: FastifyReply, moved: MovablePlace) {
  const typed: Typed = {
    place: formText(request, "place").trim(),
    confirm: formText(request, "confirm").trim(),
  };
  if (typed.confirm !== moved.fullPath) {
    return show(platform, reply, moved, typed, { confirm: `Type ${moved.fullPath} to go on.` });
  }
  try {
    const path = await moved.move(typed.place, request);
    const told = { kind: "ok", text: `${moved.name} is at ${path.slice(1)} now.` } as const;
    return await redirectWith(platform, request, reply, path, told);
  } catch (error) {
    const words = faultOf(error);
    if (words === undefined) throw error;
    return show(platform, reply, moved, typed, { place: words });
  }
}

/** Why it cannot be moved there, as the fault of the field; undefined: another error. */
function faultOf(error: unknown): string | undefined {
  if (!(error instanceof Problem)) return undefined;
  if (error.kind === "not_found" || error.kind === "forbidden") return "This is no place that you own.";
  if (!(error instanceof TransferRefused)) return undefined;
  const { why } = error;
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}

async function show(
  { db }: Platform,
  reply: FastifyReply,
  moved: MovablePlace,
  typed: Typed = { place: "", confirm: "" },
  faults: { place?: string; confirm?: string } = {},
) {
  const { browser, kind, name, asker } = moved;
  const failed = Object.keys(faults).length > 0;
  const places = await findPlaces(db, asker, {
    role: "owner",
    typed: typed.place,
    fit: ({ id, lineage }) => id !== moved.placeId && !lineage.includes(moved.groupId ?? 0),
  });
  const isWritable = browser.csrfToken !== undefined;
  const lead = `What is in ${name} moves along, and old addresses lead to the new ones. Who has a role through the place it leaves loses it; who has one through the new place gets it.`;
  const form = moveForm(moved, typed, faults, places);
  const main = html`${pageHead({ heading: `Move ${kind}`, lead: isWritable ? lead : undefined })}${stack([card({ id: "move", heading: isWritable ? `Where ${name} goes` : "Not now", body: form })])}`;
  const shown = appPage({
    ...frameOf(browser.session),
    title: `Move ${kind} · ${name}`,
    failed,
    crumbs: [...moved.crumbs, { label: "Move" }],
    nav: moved.nav,
    main,
  });
  return sendPage(reply, shown, { failed });
}

/** The choices besides groups: the top level, or one's own namespace. */
function beside({ kind, placeId, fullPath, browser }: MovablePlace): Option[] {
  if (kind === "project") {
    const own = browser.viewer?.username;
    return own === undefined || fullPath.startsWith(`${own}/`) ? [] : [optionOf(own)];
  }
  return placeId === null ? [] : [{ value: "", label: "To the top, in no other group" }];
}

function moveForm(
  moved: MovablePlace,
  typed: Typed,
  faults: { place?: string; confirm?: string },
  places: Places,
): Html {
  const { browser, kind, fullPath, home, lifecycle } = moved;
  const back = kind === "group" ? home.slice(0, -"/move".length) : `/${fullPath}`;
  if (browser.csrfToken === undefined) {
    return html`<p>What is ${readOnlyState(lifecycle)} can’t be moved.</p><div class="btn-row mt">${linkButton(`Back to the ${kind}`, back)}</div>`;
  }
  const others = beside(moved);
  if (places.groups?.length === 0 && others.length === 0) {
    return html`<p>You own no other group that it could go into.</p><div class="btn-row">${linkButton("Back", back)}</div>`;
  }
  const summary = errorSummary([
    { id: "place", label: "New place", error: faults.place },
    { id: "confirm", label: "Path, to confirm", error: faults.confirm },
  ]);
  const isOwnOffered = others.some(({ value }) => value === browser.viewer?.username);
  const hints = {
    chosen: isOwnOffered ? "Groups that you own, and yourself." : "Groups that you own.",
    typed:
      kind === "group"
        ? "The path of a group that you own; empty for the top."
        : "The path of a group that you own, or your username.",
  };
  const place = { name: "place", label: "New place", value: typed.place, error: faults.place, hints };
  const field = placeField(place, places, others);
  const confirm = textField({
    name: "confirm",
    label: "Path, to confirm",
    value: typed.confirm,
    error: faults.confirm,
    hint: html`Type <code class="wrap-any">${fullPath}</code>.`,
    required: true,
    spellcheck: false,
    autocomplete: "off",
  });
  return postForm(
    { action: home, csrfToken: browser.csrfToken, two: true },
    html`${summary}
${field}
${confirm}`,
    html`${submitButton(`Move ${kind}`, { tone: "primary" })}${linkButton("Cancel", back)}`,
  );
}
