/**
 * Metric images on the pages of alerts and incidents: the files, and the forms that add and remove them (decisions 0201,
 * 0204).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import type { Flash } from "../accounts/flash.ts";
import { CLOSED_POLICY } from "../platform/closed-policy.ts";
import { matchesTag } from "../platform/entity-tag.ts";
import { formText } from "../platform/form-text.ts";
import { takesFiles } from "../platform/multipart.ts";
import { idIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { METRIC_FORM_BYTES, type Pictured, type PicturedKind, READERS } from "./metric-image.ts";
import { showAlert } from "./pages-alert.ts";
import { type Visit, visit } from "./pages-frame.ts";
import { showIncident } from "./pages-incidents.ts";
import { NEW_METRIC_IMAGE_PATH } from "./pages-metric-images-view.ts";
import { projectNow, signedInNow } from "./project-now.ts";
import { addMetricImage, removeMetricImage } from "./save-metric-image.ts";
import { findPicture, findPictureBytes, findPictured } from "./store-metric-images.ts";

export function metricImagePages(pages: ProjectPages, platform: Platform): void {
  for (const kind of KINDS) imagePages(pages, platform, kind);
}

const KINDS = Object.keys(READERS) as readonly PicturedKind[];

function imagePages(pages: ProjectPages, platform: Platform, kind: PicturedKind): void {
  const path = `/-/${kind}s/:iid/metric_images/:image`;
  pages.get(path, async (request, reply, place) => {
    const project = await projectNow(platform, request, place, READERS[kind]);
    const beside = await picturedAt({ platform, project }, kind, place.params.iid);
    const id = idIn(place.params.image);
    const picture = await findPicture(platform.db, beside, id);
    if (!picture) throw gone();
    // A restored database may assign an id again, but not with the same time.
    const etag = `"${id}-${picture.createdAt.getTime()}"`;
    const headers = {
      "content-type": picture.mediaType,
      // No script runs, even if the file is opened by itself.
      "content-security-policy": `${CLOSED_POLICY}; sandbox`,
      "content-disposition": `inline; filename*=UTF-8''${extended(picture.filename)}`,
      "cross-origin-resource-policy": "same-origin",
      // Cached, but revalidated so that access is checked again: several people may share a browser.
      "cache-control": "private, no-cache",
      etag,
    };
    if (matchesTag(request.headers["if-none-match"], etag)) return reply.code(304).headers(headers).send();
    const bytes = await findPictureBytes(platform.db.pooled, beside, id);
    if (!bytes) throw gone();
    return reply.headers(headers).send(bytes);
  });
  pages.post(path, async (request, reply, place) => {
    const visited = await visit(platform, request, reply, place, "developer");
    const beside = await picturedAt(visited, kind, place.params.iid);
    await removeMetricImage(platform.db, beside, idIn(place.params.image));
    return back(visited, beside, { kind: "ok", text: "The image is gone." });
  });
}

/** The pages with the form, which show its errors. */
const SHOWN = { alert: showAlert, incident: showIncident } as const;

/** Matches the path of the form's page, which the form's address carries as `beside`. */
const PICTURED = /^(?:\/[\w.-]+)+\/-\/(?:alert|incident)s\/\d+$/;

/** A route of its own for the form with a file: no other page takes bodies this large, and only signed-in users may send one. */
export async function newMetricImagePage(app: FastifyInstance, platform: Platform): Promise<void> {
  takesFiles(app, METRIC_FORM_BYTES);
  app.post(
    NEW_METRIC_IMAGE_PATH,
    {
      config: { undocumented: true, formOn: ({ beside }) => PICTURED.exec(String(beside))?.[0] },
      // Not kept: the session is read again with the form, which may come later (decision 0313).
      onRequest: async (request) => {
        await signedInNow(platform, request);
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
  const kind = KINDS.find((one) => one === formText(request, "kind"));
  if (!kind)
    throw new Problem(
      "invalid",
      "The form does not say whether the image belongs to an alert or an incident.",
    );
  const beside = await picturedAt(visited, kind, formText(request, "iid"));
  const { file } = request.body as { file?: unknown };
  const words = { url: formText(request, "url"), urlText: formText(request, "url_text") };
  try {
    await addMetricImage(platform, beside, visited.viewer.userId, file, words);
  } catch (error) {
    if (error instanceof FieldProblem) {
      const image = { ...words, faults: error.fields };
      return SHOWN[kind](visited, { ...place, params: { iid: String(beside.iid) } }, { image });
    }
    if (!(error instanceof Problem) || error.kind !== "unprocessable") throw error;
    return back(visited, beside, { kind: "bad", text: error.message });
  }
  return back(visited, beside, { kind: "ok", text: `The image stands beside the ${kind}.` });
}

function gone(): Problem {
  return new Problem("not_found", "404 Not Found");
}

/** Encodes a file name for a header (RFC 8187 §3.2). */
function extended(name: string): string {
  const escaped = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name).replaceAll(/['()*]/g, escaped);
}

/** @throws Problem not_found */
async function picturedAt(
  { platform, project }: Pick<Visit, "platform" | "project">,
  kind: PicturedKind,
  iid = "",
): Promise<Pictured> {
  const beside = await findPictured(platform.db, kind, project.id, idIn(iid));
  if (!beside) throw gone();
  return beside;
}

function back(visited: Visit, { kind, iid }: Pictured, told: Flash): Promise<FastifyReply> {
  const { platform, request, reply, home } = visited;
  return redirectWith(platform, request, reply, `${home}/-/${kind}s/${iid}`, told);
}
