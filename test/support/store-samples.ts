/** Webhooks of databases, backups, storage and further cluster monitors, in the format of their documentation. */
import type { ToolSample } from "./tool-samples.ts";

const icinga = (severity: string, message: string, type?: string) => ({
  contact: { full_name: "icingaadmin", addresses: [{ type: "webhook", address: "x" }] },
  object: {
    name: "db-1!disk",
    url: "https://icinga.example.org/icingadb/service?name=disk&host.name=db-1",
    tags: { host: "db-1", service: "disk" },
  },
  incident: { id: 1437, url: "https://icinga.example.org/notifications/incident?id=1437", severity },
  event: { time: "2026-05-01T10:00:00.445439055Z", message, ...(type ? { type } : {}) },
});

const databricks = (status: string) => ({
  ...{ event: "alert_state_change", url_base: "https://dbc.example.org/sql?o=1" },
  alert: {
    title: `Alert "Daily revenue" changed status to ${status}`,
    description: "Below the threshold",
    alert: { id: "9876543210987654", name: "Daily revenue", owner: { id: 2 }, created_at: 1767225600000 },
  },
});

const rubrik = (status: string, severity: string, series: string) => ({
  ...{ summary: `Backup of db-1: ${status}`, source: "Rubrik Security Cloud", severity, class: "Backup" },
  timestamp: "2026-05-01T10:00:00.000Z",
  custom_details: {
    ...{ seriesId: series, id: `e-${series}`, status, objectId: "VirtualMachine:::db-1", objectName: "db-1" },
    ...{ objectType: "VmwareVm", clusterId: "c1", clusterName: "edge", eventName: "Snapshot.BackupFailed" },
  },
});

const scale = (event: string, state: string, severity: string) => ({
  ...{ version: "2", reportingController: "mmhealth", reportingInstance: "gpfs-1" },
  events: [
    {
      ...{ cause: "A disk failed", code: "999728", component: "DISK", entity_name: "disk1" },
      ...{
        entity_type: "DISK",
        event,
        event_type: "STATE_CHANGE",
        identifier: "disk1",
        is_resolvable: false,
      },
      ...{ message: `Disk disk1: ${event}`, node: "gpfs-1", severity, state },
      ...{ time: "2026-05-01T10:00:00Z", full_identifier: "cluster/node/DISK/disk1" },
    },
  ],
});

const curity = (cleared: boolean, severity: string) => ({
  ...{
    alarm_id: "a-17",
    alarm_type: "failed-connection",
    resource_id: "ldap-1",
    resource_type: "data-source",
  },
  ...{ node_id: "node-2", cleared: String(cleared), severity, last_updated: "2026-05-01T10:00:00Z" },
  ...{ brief_description: "The directory does not answer", detailed_description: "Since ten o'clock" },
  dashboard_link: "https://curity.example.org/alarms/17",
});

export const STORE_SAMPLES: readonly ToolSample[] = [
  {
    name: "Icinga Notifications, all that it knows",
    firing: icinga("crit", "DISK CRITICAL - 2% free"),
    seen: icinga("crit", "I look", "acknowledgement-set"),
    over: icinga("ok", "DISK OK - 40% free", "state"),
    reads: {
      ...{ title: "disk on db-1", severity: "critical", service: "disk", hosts: ["db-1"] },
      ...{ monitoring_tool: "Icinga", description: "DISK CRITICAL - 2% free" },
      started_at: "2026-05-01T10:00:00.445Z",
    },
  },
  {
    name: "Botkube",
    firing: {
      source: "k8s-err-events",
      data: {
        ...{ APIVersion: "v1", Action: "", Cluster: "live", Count: 1, Kind: "Pod", Level: "error" },
        ...{ Messages: ["Failed to pull image"], Name: "shop-1", Namespace: "default", Reason: "Failed" },
        ...{ Recommendations: null, Resource: "v1/pods", TimeStamp: "2026-05-01T10:00:00Z" },
        ...{ Title: "v1/pods error", Type: "error", Warnings: null },
      },
      timeStamp: "0001-01-01T00:00:00Z",
    },
    reads: {
      ...{ title: "Pod default/shop-1: Failed", severity: "medium", service: "default", hosts: ["live"] },
      ...{ monitoring_tool: "Botkube", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "UniFi Network",
    firing: {
      ...{
        alarm_id: "6841",
        app: "network",
        custom_content: null,
        device_event_class_id: "401",
        version: "9.3",
      },
      ...{ name: "WiFi Client Disconnected", message: "The door lost its network.", severity: 2 },
      parameters: {
        ...{ UNIFIcategory: "Monitoring", UNIFIhost: "Gateway", UNIFIclientAlias: "Door" },
        ...{ UNIFIclientMac: "aa:bb:cc:dd:ee:01", UNIFIutcTime: "2026-05-01T10:00:00.000Z" },
      },
    },
    reads: {
      ...{ title: "WiFi Client Disconnected: Door", severity: "medium", hosts: ["Gateway"] },
      ...{ monitoring_tool: "UniFi Network", description: "The door lost its network." },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "Databricks, an alert of a query",
    firing: databricks("TRIGGERED"),
    over: databricks("OK"),
    reads: { title: "Daily revenue", monitoring_tool: "Databricks", description: "Below the threshold" },
  },
  {
    name: "PlanetScale",
    firing: {
      ...{ timestamp: 1777629600, event: "keyspace.storage", organization: "acme", database: "shop" },
      resource: { branch_name: "main", keyspace_name: "shop", storage_percentage: 91, shards: [] },
    },
    reads: {
      ...{ title: "shop/main: keyspace.storage", severity: "medium", service: "shop" },
      ...{ monitoring_tool: "PlanetScale", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Couchbase Capella",
    firing: {
      details: {
        ...{ kind: "cpu_usage_high_warning", name: "High CPU Usage Warning", severity: "warning" },
        ...{ summary: "Over 85 % for five minutes", description: "Long" },
      },
      ...{ tenant: { id: "t1", name: "Acme" }, project: { id: "p1", name: "Shop" } },
      ...{ resource: { kind: "cluster", id: "c1", name: "live" }, createdAt: "2026-05-01T10:00:00Z" },
    },
    reads: {
      ...{ title: "High CPU Usage Warning: live", severity: "low", service: "live" },
      ...{ monitoring_tool: "Couchbase Capella", description: "Over 85 % for five minutes" },
    },
  },
  {
    name: "Rubrik",
    firing: rubrik("Failure", "critical", "s1"),
    over: rubrik("Success", "info", "s2"),
    reads: {
      ...{ title: "Backup of db-1: Failure", severity: "critical", service: "Backup", hosts: ["db-1"] },
      ...{ monitoring_tool: "Rubrik", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Commvault",
    firing: {
      ...{ Alert: "Job failed", Type: "Job Management - Data Protection", "Detected Criteria": "Job Failed" },
      ...{ "Detected Time": "2026-05-01T10:00:00Z", CommCell: "commserve", "Job ID": "17", Status: "Failed" },
      ...{ Client: "db-1", "Agent Type": "Windows File System", "Failure Reason": "No network" },
    },
    reads: {
      ...{ title: "Job failed: db-1", severity: "high", service: "Windows File System", hosts: ["db-1"] },
      ...{ monitoring_tool: "Commvault", description: "No network" },
    },
  },
  {
    name: "IBM Storage Scale",
    firing: scale("disk_failed", "FAILED", "ERROR"),
    over: scale("disk_ok", "HEALTHY", "INFO"),
    reads: {
      ...{ title: "Disk disk1: disk_failed", severity: "medium", service: "DISK", hosts: ["gpfs-1"] },
      ...{ monitoring_tool: "IBM Storage Scale", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Curity",
    firing: curity(false, "MAJOR"),
    over: curity(true, "CLEARED"),
    reads: {
      ...{ title: "The directory does not answer", severity: "high", service: "ldap-1", hosts: ["node-2"] },
      ...{ monitoring_tool: "Curity", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
];
