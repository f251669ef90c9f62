/** Avatars of people, drawn from their initials. */
import type { FastifyInstance } from "fastify";
import { CLOSED_POLICY } from "../platform/closed-policy.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { hueOf, initialsOf } from "../ui/face.ts";
import { html } from "../ui/html.ts";
import { findUser } from "./store.ts";

/** Colours with a contrast of at least 4.5:1 to the letters; the same hues as the faces on pages. */
const COLOURS = ["#0f6b5c", "#7a4a1e", "#3d5a99", "#8a2f4a", "#5b4b8a", "#3f6212"] as const;

/**
 * `/-/avatars/:id.svg`: public, because avatars appear beside everything that a person did. It reveals only the initials: ids can
 * be enumerated, and not every profile is public.
 */
export function avatarPages(app: FastifyInstance, platform: Platform): void {
  app.get<{ Params: { file: string } }>("/-/avatars/:file", async (request, reply) => {
    const id = /^(\d{1,15})\.svg$/.exec(request.params.file)?.[1];
    const user = id === undefined ? undefined : await findUser(platform.db, Number(id));
    if (!user) throw new Problem("not_found", "404 Not Found");
    const colour = COLOURS[hueOf(user.name) - 1] ?? COLOURS[0];
    const initials = initialsOf(user.name);
    const picture = html`<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96" role="img" aria-label="${initials}"><circle cx="48" cy="48" r="48" fill="${colour}"/><text x="48" y="50" fill="#fff" font-family="system-ui, sans-serif" font-size="38" font-weight="600" text-anchor="middle" dominant-baseline="central">${initials}</text></svg>`;
    return reply
      .headers({
        "content-type": "image/svg+xml",
        "cache-control": "public, max-age=3600",
        "content-security-policy": `${CLOSED_POLICY}; sandbox`,
        "cross-origin-resource-policy": "cross-origin",
      })
      .send(picture.toString());
  });
}
