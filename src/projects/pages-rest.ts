/** `…/-/settings/archive` of projects and groups: the forms at the foot of their settings, for owners (decision 0153). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import type { Platform } from "../platform/platform.ts";
import { archivePlace } from "./archive-place.ts";
import type { Asker } from "./asker.ts";
import { openGroupPage } from "./open-group-page.ts";
import { openProjectPage } from "./open-project-page.ts";
import type { ProjectPages } from "./page-route.ts";
import { type PlaceKind, restHome } from "./rest.ts";

/** A project or group whose owner sent a form. */
interface Owned {
  kind: PlaceKind;
  place: { id: number; name: string; fullPath: string };
  owner: Asker;
}

type Handler = (request: FastifyRequest, reply: FastifyReply, owned: Owned) => Promise<unknown>;

export function restPages(app: FastifyInstance, at: ProjectPages, platform: Platform): void {
  const form = (suffix: string, handler: Handler) => {
    at.post(`/-/settings/${suffix}`, async (request, reply, { projectPath }) => {
      const page = await openProjectPage(platform, request, reply, projectPath, "owner", true);
      // Nobody but a signed-in owner gets here.
      return page
        ? handler(request, reply, { kind: "project", place: page.project, owner: page.asker as Asker })
        : reply;
    });
    app.post(`/groups/:path/-/settings/${suffix}`, async (request, reply) => {
      const page = await openGroupPage(platform, request, reply, true);
      return page ? handler(request, reply, { kind: "group", place: page.group, owner: page.asker }) : reply;
    });
  };
  form("archive", async (request, reply, owned) => {
    const isArchived = formText(request, "archived") === "true";
    const { kind, place, owner } = owned;
    const act = { actorId: owner.id, ip: request.ip };
    await archivePlace(platform.db, owner, act, kind, String(place.id), isArchived);
    const text = isArchived ? `${place.name} is archived.` : `${place.name} takes new things in again.`;
    return redirectWith(platform, request, reply, `${restHome(kind, place)}#main`, { kind: "ok", text });
  });
}
