/** Every page about alerts, incidents and what may send them. */
import type { Platform } from "../platform/platform.ts";
import type { ProjectPages } from "../projects/page-route.ts";
import { alertPages } from "./pages-alert.ts";
import { alertListPages } from "./pages-alerts.ts";
import { incidentPages } from "./pages-incidents.ts";
import { integrationPages } from "./pages-integrations.ts";
import { operationsPages } from "./pages-operations.ts";
import { receiptPages } from "./pages-receipts.ts";

export function operationPages(pages: ProjectPages, platform: Platform): void {
  alertListPages(pages, platform);
  alertPages(pages, platform);
  incidentPages(pages, platform);
  operationsPages(pages, platform);
  integrationPages(pages, platform);
  receiptPages(pages, platform);
}
