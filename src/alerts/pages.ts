/** Registers all pages about alerts, incidents and their integrations. */
import type { Platform } from "../platform/platform.ts";
import type { ProjectPages } from "../projects/page-route.ts";
import { alertPages } from "./pages-alert.ts";
import { alertExportPages } from "./pages-alert-export.ts";
import { alertStreamPages, type BeforeClose } from "./pages-alert-stream.ts";
import { alertListPages } from "./pages-alerts.ts";
import { channelPages } from "./pages-channels.ts";
import { heartbeatPages } from "./pages-heartbeats.ts";
import { incidentPages } from "./pages-incidents.ts";
import { integrationPages } from "./pages-integrations.ts";
import { metricImagePages } from "./pages-metric-images.ts";
import { newIncidentPages } from "./pages-new-incident.ts";
import { operationsSettingsPages } from "./pages-operations.ts";
import { receiptPages } from "./pages-receipts.ts";
import { rulesPages } from "./pages-rules.ts";
import { savedViewPages } from "./pages-saved-views.ts";
import { silencePages } from "./pages-silences.ts";
import { templatePages } from "./pages-templates.ts";

/** The first match among paths of the same length wins, so those with a word come before those with an id. */
export function pagesOfAlerts(pages: ProjectPages, platform: Platform, beforeClose: BeforeClose): void {
  alertListPages(pages, platform);
  savedViewPages(pages, platform);
  alertExportPages(pages, platform);
  alertStreamPages(pages, platform, beforeClose);
  alertPages(pages, platform);
  metricImagePages(pages, platform);
  newIncidentPages(pages, platform);
  incidentPages(pages, platform);
  operationsSettingsPages(pages, platform);
  silencePages(pages, platform);
  channelPages(pages, platform);
  heartbeatPages(pages, platform);
  templatePages(pages, platform);
  integrationPages(pages, platform);
  rulesPages(pages, platform);
  receiptPages(pages, platform);
}
