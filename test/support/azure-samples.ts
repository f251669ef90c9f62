/** Bodies that Azure Monitor sends for resource and service health, in its common schema and the older one. */
import type { ToolSample } from "./tool-samples.ts";

const VM = "/subscriptions/11/resourceGroups/r/providers/Microsoft.Compute/virtualMachines/vm-1";

const essentials = (alertId: string, monitoringService: string) => ({
  alertId: `/subscriptions/11/providers/Microsoft.AlertsManagement/alerts/${alertId}`,
  ...{ alertRule: "Health", severity: "Sev1", signalType: "Activity Log", monitorCondition: "Fired" },
  ...{ monitoringService, alertTargetIDs: [VM], configurationItems: ["vm-1"] },
  firedDateTime: "2026-05-01T10:00:00.000Z",
});

/** Azure gives every change its own alert, and resolves none. */
const health = (alertId: string, currentHealthStatus: string, title: string) => ({
  schemaId: "azureMonitorCommonAlertSchema",
  data: {
    essentials: essentials(alertId, "Resource Health"),
    alertContext: {
      ...{ eventSource: "ResourceHealth", level: "Informational", status: "Active" },
      properties: { title, currentHealthStatus, previousHealthStatus: "Unknown", cause: "PlatformInitiated" },
    },
  },
});

const service = (alertId: string, stage: string) => ({
  schemaId: "azureMonitorCommonAlertSchema",
  data: {
    essentials: essentials(alertId, "ServiceHealth"),
    alertContext: {
      properties: { title: "Storage is slow", service: "Storage", trackingId: "NA0F-BJG", stage },
      status: stage,
    },
  },
});

const logged = (more: object, properties: object) => ({
  schemaId: "Microsoft.Insights/activityLogs",
  data: {
    status: "Activated",
    context: {
      activityLog: {
        ...{ operationName: "Microsoft.Resourcehealth/healthevent/Activated/action", resourceId: VM },
        ...{ eventTimestamp: "2026-05-01T10:00:00.000+00:00", properties, ...more },
      },
    },
  },
});

const reads = { monitoring_tool: "Azure Monitor", started_at: "2026-05-01T10:00:00.000Z" };

export const AZURE_SAMPLES: readonly ToolSample[] = [
  {
    name: "Azure Monitor, the health of a resource",
    firing: health("a", "Unavailable", "Unplanned reboot"),
    over: health("b", "Available", "Running"),
    reads: { ...reads, title: "Health: Unplanned reboot", severity: "high", hosts: ["vm-1"] },
  },
  {
    name: "Azure Monitor, the health of a service",
    ...{ firing: service("c", "Active"), over: service("d", "Resolved") },
    reads: { ...reads, title: "Storage is slow", service: "ServiceHealth" },
  },
  {
    name: "Azure Monitor, the health of a resource without the common schema",
    firing: logged(
      { eventSource: "ResourceHealth", level: "Critical" },
      { title: "Unavailable", currentHealthStatus: "Unavailable" },
    ),
    over: logged(
      { eventSource: "ResourceHealth", level: "Informational" },
      { title: "Available", currentHealthStatus: "Available" },
    ),
    reads: { ...reads, title: "Unavailable", severity: "critical", service: "ResourceHealth", hosts: [VM] },
  },
  {
    name: "Azure Monitor, the health of a service without the common schema",
    firing: logged({ level: "Warning", status: "Active" }, { title: "SQL is away", trackingId: "AB-1" }),
    over: logged({ level: "Warning", status: "Resolved" }, { title: "SQL is away", trackingId: "AB-1" }),
    reads: { ...reads, title: "SQL is away", severity: "low" },
  },
  {
    name: "Azure Monitor, what somebody did, without the common schema",
    firing: logged(
      { operationName: "Microsoft.Compute/virtualMachines/restart/action", level: "Informational" },
      { eventCategory: "Administrative" },
    ),
    reads: { ...reads, title: "Microsoft.Compute/virtualMachines/restart/action", severity: "info" },
  },
];
