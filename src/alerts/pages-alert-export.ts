/** Downloads the list of alerts as a file, with the filter in its address. */
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { SignInNeeded } from "../accounts/browser.ts";
import { viewerNow } from "../accounts/viewer-now.ts";
import type { Platform } from "../platform/platform.ts";
import { projectFor } from "../projects/access.ts";
import { askerOf } from "../projects/asker.ts";
import type { ProjectPages } from "../projects/page-route.ts";
import { EXPORT_FORMATS, type ExportFormat } from "./export.ts";
import { exportAlerts } from "./export-alerts.ts";
import { alertListQuery, filterOfQuery } from "./pages-alerts-query.ts";
import { type Visit, visit } from "./pages-frame.ts";
import { alertRecord } from "./wire.ts";
import { exportHeaders } from "./wire-export.ts";

export function alertExportPages(pages: ProjectPages, platform: Platform): void {
  for (const format of EXPORT_FORMATS) {
    pages.get(`/-/alerts/export.${format}`, async (request, reply, place) =>
      sendExport(await visit(platform, request, reply, place, "developer"), format),
    );
  }
}

function sendExport(visited: Visit, format: ExportFormat): FastifyReply {
  const { platform, request, reply, project } = visited;
  const { publicUrl } = platform.config;
  const pieces = exportAlerts(platform, project.id, filterOfQuery(alertListQuery(request)), format, {
    recordOf: (alert) => alertRecord(alert, project.fullPath, publicUrl),
    mayGoOn: async () => {
      const viewer = await viewerNow(platform, request);
      if (!viewer) throw new SignInNeeded();
      await projectFor(platform.db, askerOf(viewer), String(project.id), "developer");
    },
  });
  reply.headers(exportHeaders(format, project.fullPath));
  // A HEAD request would read the whole file, since it is not noticed when its client disconnects. There is no Content-Length,
  // as for GET.
  return reply.send(Readable.from(request.method === "HEAD" ? [] : pieces));
}
