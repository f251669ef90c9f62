/** The pictures on the page of an alert: the pictures themselves, and the forms that add and remove them (decision 0201). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { needsViewer, redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { takesFiles } from "../platform/multipart.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { METRIC_FORM_BYTES } from "./metric-image.ts";
import { NEW_METRIC_IMAGE_PATH } from "./pages-alert-images.ts";
import { type Visit, visit } from "./pages-frame.ts";
import { addMetricImage, removeMetricImage } from "./save-metric-image.ts";
import { findAlert } from "./store.ts";
import { findPicture } from "./store-metric-images.ts";
import { numberIn } from "./wire.ts";

export function metricImagePages(pages: ProjectPages, platform: Platform): void {
  pages.get("/-/alerts/:iid/metric_images/:image", async (request, reply, place) => {
    const { alertId } = await alertAt(
      await visit(platform, request, reply, place, "developer"),
      place.params.iid,
    );
    const picture = await findPicture(platform.db, alertId, numberIn(place.params.image ?? "") ?? 0);
    if (!picture) throw new Problem("not_found", "404 Not Found");
    return reply
      .headers({
        "content-type": picture.mediaType,
        // Nothing of it runs, wherever it is opened.
        "content-security-policy": "default-src 'none'; sandbox",
        "content-disposition": `inline; filename*=UTF-8''${extended(picture.filename)}`,
        "cross-origin-resource-policy": "same-origin",
        // What stands under a number never changes; whoever may no longer see it has seen it.
        "cache-control": "private, max-age=86400, immutable",
      })
      .send(picture.bytes);
  });
  pages.post("/-/alerts/:iid/metric_images/:image", async (request, reply, place) => {
    const visited = await visit(platform, request, reply, place, "developer");
    const { alertId } = await alertAt(visited, place.params.iid);
    await removeMetricImage(platform.db, alertId, numberIn(place.params.image ?? "") ?? 0);
    return back(visited, place.params.iid, { kind: "ok", text: "The image is gone." });
  });
}

/** The form with a file has a door of its own: no other form of a page is as large, and strangers send none. */
export async function newMetricImagePage(app: FastifyInstance, platform: Platform): Promise<void> {
  takesFiles(app);
  app.post(
    NEW_METRIC_IMAGE_PATH,
    {
      bodyLimit: METRIC_FORM_BYTES,
      config: { undocumented: true },
      onRequest: async (request, reply) => {
        await needsViewer(platform, request, reply);
      },
    },
    (request, reply) => addOne(platform, request, reply),
  );
}

async function addOne(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const place: PagePlace = { projectPath: formText(request, "project"), params: {} };
  const visited = await visit(platform, request, reply, place, "developer");
  const iid = formText(request, "iid");
  const { alertId } = await alertAt(visited, iid);
  const { file } = request.body as { file?: unknown };
  const words = { url: formText(request, "url"), urlText: formText(request, "url_text") };
  try {
    await addMetricImage(platform.db, alertId, visited.viewer.userId, file, words);
  } catch (error) {
    if (!(error instanceof Problem) || !["invalid", "unprocessable"].includes(error.kind)) throw error;
    return back(visited, iid, { kind: "bad", text: `The image was not added: ${error.message}.` });
  }
  return back(visited, iid, { kind: "ok", text: "The image stands beside the alert." });
}

/** A name as a header bears it (RFC 8187 §3.2). */
function extended(name: string): string {
  const escaped = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name).replaceAll(/['()*]/g, escaped);
}

/** @throws Problem not_found */
async function alertAt({ platform, project }: Visit, iid = ""): Promise<{ alertId: number }> {
  const alert = await findAlert(platform.db, project.id, numberIn(iid) ?? 0, { isBare: true });
  if (!alert) throw new Problem("not_found", "404 Alert Not Found");
  return { alertId: alert.id };
}

function back(visited: Visit, iid = "", told: { kind: "ok" | "bad"; text: string }): Promise<FastifyReply> {
  const { platform, request, reply, home } = visited;
  return redirectWith(platform, request, reply, `${home}/-/alerts/${numberIn(iid)}`, told);
}
