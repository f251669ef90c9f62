/**
 * `…/-/settings/archive`, `/delete` and `/restore` of projects and groups: the last forms of their settings, for owners
 * (decisions 0152, 0153).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Act } from "../accounts/audit.ts";
import { needsFreshProof, redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import type { Platform } from "../platform/platform.ts";
import { archivePlace } from "./archive-place.ts";
import { type Asker, actOfAsker } from "./asker.ts";
import { type PlaceKind, settingsAddress } from "./lifecycle.ts";
import { markPlace } from "./mark-place.ts";
import { openGroupPage } from "./open-group-page.ts";
import { openProjectPage } from "./open-project-page.ts";
import type { ProjectPageHandler, ProjectPages } from "./page-route.ts";
import { showGroupSettings } from "./pages-group-settings.ts";
import type { TypedPath } from "./pages-lifecycle-views.ts";
import { showProjectSettings } from "./pages-settings.ts";
import { restorePlace } from "./restore-place.ts";

/** A project or group whose owner sent a form. */
interface Owned {
  kind: PlaceKind;
  place: { id: number; name: string; fullPath: string };
  owner: Asker;
  act: Act;
  /** Sends the settings again, with the fault. */
  again: (wrong: TypedPath) => unknown;
}

type Handler = (request: FastifyRequest, reply: FastifyReply, owned: Owned) => Promise<unknown>;

export function lifecyclePages(app: FastifyInstance, at: ProjectPages, platform: Platform): void {
  const form = (suffix: string, handler: Handler) => {
    const ofProject: ProjectPageHandler = async (request, reply, { projectPath }) => {
      const page = await openProjectPage(platform, request, reply, projectPath, {
        role: "owner",
        allowsReadOnly: true,
      });
      if (!page) return reply;
      const { project: place, asker: owner } = page;
      const again = (wrong: TypedPath) => showProjectSettings(platform, reply, page, { typed: place }, wrong);
      return handler(request, reply, {
        kind: "project",
        place,
        owner,
        act: actOfAsker(owner, request),
        again,
      });
    };
    at.post(`/-/settings/${suffix}`, ofProject, "/-/settings/general");
    app.post(`/groups/:path/-/settings/${suffix}`, async (request, reply) => {
      const page = await openGroupPage(platform, request, reply, { allowsReadOnly: true });
      if (!page) return reply;
      const { group: place, asker: owner } = page;
      const again = (wrong: TypedPath) => showGroupSettings(platform, reply, page, { typed: place }, wrong);
      return handler(request, reply, { kind: "group", place, owner, act: actOfAsker(owner, request), again });
    });
  };
  form("archive", async (request, reply, owned) => {
    const isArchived = formText(request, "archived") === "true";
    const { kind, place, owner, act } = owned;
    await archivePlace(platform.db, owner, act, { kind, reference: String(place.id) }, isArchived);
    const text = isArchived ? `${place.name} is archived.` : `${place.name} takes new things in again.`;
    return redirectWith(platform, request, reply, `${settingsAddress(kind, place)}#main`, {
      kind: "ok",
      text,
    });
  });
  form("delete", async (request, reply, owned) => {
    const { kind, place, owner, act, again } = owned;
    const typed = formText(request, "confirm").trim();
    if (typed !== place.fullPath) return again({ typed, error: `Type ${place.fullPath} to go on.` });
    const home = settingsAddress(kind, place);
    await needsFreshProof(platform, request, reply, `${home}#delete`);
    const days = platform.config.deletionDelayDays;
    const isNow = formText(request, "now") === "true";
    const reference = String(place.id);
    const atOnce = isNow ? { fullPath: typed } : undefined;
    await markPlace(platform, owner, act, { kind, reference, days, atOnce });
    const isSoon = isNow || days === 0;
    const text = isSoon
      ? `${place.name} is being deleted. It is gone within a few minutes.`
      : `${place.name} is marked for deletion.`;
    return redirectWith(platform, request, reply, isSoon ? `/${kind}s#main` : `${home}#main`, {
      kind: "ok",
      text,
    });
  });
  form("restore", async (request, reply, { kind, place, owner, act }) => {
    await restorePlace(platform.db, owner, act, { kind, reference: String(place.id) });
    const text = `${place.name} is restored.`;
    return redirectWith(platform, request, reply, `${settingsAddress(kind, place)}#main`, {
      kind: "ok",
      text,
    });
  });
}
