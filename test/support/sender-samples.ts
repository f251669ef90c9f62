/** Bodies of senders written for other alert services and pointed at this one, in the format of their sources. */
import type { ToolSample } from "./tool-samples.ts";

const kuma = (status: number, title: string) => ({
  heartbeat: { monitorID: 7, status, time: "2026-05-01 10:00:00.000", msg: "503", important: true },
  monitor: { id: 7, name: "Shop", url: "https://shop.example.org", type: "http" },
  ...{ msg: `[Shop] [${status ? "Up" : "Down"}] 503`, title, monitorUrl: "https://shop.example.org" },
  "X-S4-SourceSystem": "UptimeKuma",
  "X-S4-ExternalID": "UptimeKuma-undefined",
  "X-S4-Status": status ? "resolved" : "new",
});

const signl4 = (status: string, Title: string) => ({
  ...{ Title, Message: "Pressure is at 0.3 bar", Severity: "WARNING", "X-S4-Service": "Water" },
  ...{ "X-S4-ExternalID": "pump-7", "X-S4-Status": status, "X-S4-SourceSystem": "Yard" },
});

/** The form that Zabbix's media type for SIGNL4 makes of its parameters, with the JSON as the name of a field. */
export const ZABBIX_FOR_SIGNL4 = (status: "PROBLEM" | "OK", subject: string, done = "") => ({
  ...{ Event_Update_Action: done, Event_Update_Status: done ? "1" : "0" },
  ...{ Event_Ack_Status: "No", Event_Date_Time: "2026.05.01 10:00:00", Event_ID: "88123", Hostname: "web-3" },
  ...{ Host_IP: "10.0.0.3", Message: "Problem name: Load is high", Severity: "High", Subject: subject },
  ...{ Trigger_ID: "22111", Trigger_Status: status, User: "", Zabbix_URL: "https://zabbix.example.org/" },
  "X-S4-ExternalID": "ZabbixEventID: 88123 ZabbixURL: https://zabbix.example.org/",
  Link: "https://zabbix.example.org/tr_events.php?triggerid=22111&eventid=88123",
  "X-S4-Status": status === "OK" ? "resolved" : "new",
});

const freshping = (check_state_name: string) => ({
  text: `Shop (https://shop.example.org) is ${check_state_name}`,
  webhook_event_data: {
    ...{ application_name: "Yard", check_id: 7, check_name: "Shop", check_state_name, http_status_code: 503 },
    ...{ request_url: "https://shop.example.org", request_start_time: "2026-05-01T10:00:00.000000+00:00" },
  },
});

const uptime = (event: string, state: string, id: number) => ({
  event,
  data: {
    service: { id: 12, name: "Shop", display_name: "Shop", msp_address: "shop.example.org" },
    alert: { id, state, output: "HTTP 503", short_output: "503", is_up: state === "OK" },
    account: { id: 1 },
  },
});

const axiom = (action: string, word: string) => ({
  action,
  event: {
    ...{ monitorID: "CabI3w142069", title: `${word}: Too many errors`, body: "12 of 10", description: "" },
    ...{ timestamp: "2026-05-01T10:00:00Z", value: 12, matchedEvent: null },
  },
});

const aria = (status: string, cancelDate: number) => ({
  ...{ alertId: "a-17", alertName: "Datastore is full", status, cancelDate, info: "2 % free" },
  ...{ criticality: "ALERT_CRITICALITY_LEVEL_IMMEDIATE", resourceName: "store-1", resourceKind: "Datastore" },
  ...{ startDate: 1777629600000, updateDate: 1777629600000, type: "t", subType: "s", Health: 1, Risk: 4 },
});

const trivy = (verb: string) => ({
  verb,
  operatorObject: {
    kind: "VulnerabilityReport",
    metadata: { name: "replicaset-shop-nginx", namespace: "shop" },
    report: { artifact: { repository: "library/nginx", tag: "1.16" }, summary: { criticalCount: 3 } },
  },
});

const raygun = (error: object, event = "error_notification", eventType = "NewErrorOccurred") => ({
  ...{ event, eventType, application: { name: "Shop", url: "https://app.example.org/shop" } },
  error: { url: "https://app.example.org/shop/errors/1", message: "Null reference", ...error },
});

export const SENDER_SAMPLES: readonly ToolSample[] = [
  {
    name: "Senders for SIGNL4",
    firing: signl4("new", "Pump stands"),
    seen: signl4("acknowledged", "Pump stands"),
    over: signl4("resolved", "Pump runs"),
    reads: {
      title: "Pump stands",
      description: "Pressure is at 0.3 bar",
      severity: "low",
      service: "Water",
      monitoring_tool: "SIGNL4 sender",
    },
  },
  {
    name: "Apprise for SIGNL4",
    firing: { title: "", body: "Backup failed", "X-S4-SourceSystem": "Apprise", "X-S4-ExternalID": "b1" },
    over: { title: "", body: "Backup ran", "X-S4-ExternalID": "b1", "X-S4-Status": "resolved" },
    reads: { title: "Backup failed", severity: "critical" },
  },
  {
    name: "Uptime Kuma for SIGNL4",
    firing: kuma(0, "Uptime Kuma Monitor 🔴 Down"),
    over: kuma(1, "Uptime Kuma Monitor ✅ Up"),
    reads: { title: "[Shop] [Down] 503", service: "Shop", monitoring_tool: "Uptime Kuma" },
  },
  {
    name: "Zabbix for SIGNL4",
    firing: ZABBIX_FOR_SIGNL4("PROBLEM", "Problem: Load is high"),
    seen: ZABBIX_FOR_SIGNL4("PROBLEM", "Updated problem: Load is high", "acknowledged, commented"),
    over: ZABBIX_FOR_SIGNL4("OK", "Resolved in 5m: Load is high"),
    reads: { title: "Problem: Load is high", severity: "high", hosts: ["web-3"] },
  },
  {
    name: "Squadcast's short end",
    firing: { message: "Cellar floods", description: "30 cm", status: "trigger", event_id: "9" },
    seen: { status: "acknowledge", event_id: "9" },
    over: { status: "resolve", event_id: "9" },
    reads: { title: "Cellar floods", description: "30 cm" },
  },
  {
    name: "Freshping",
    ...{ firing: freshping("Not Responding"), over: freshping("Available") },
    reads: { title: "Shop is Not Responding", service: "Shop", hosts: ["https://shop.example.org"] },
  },
  {
    name: "Uptime.com",
    ...{ firing: uptime("alert_raised", "CRITICAL", 5), over: uptime("alert_cleared", "OK", 6) },
    reads: { title: "Shop is CRITICAL", description: "503", severity: "critical" },
  },
  {
    name: "Axiom",
    ...{ firing: axiom("Open", "Triggered"), over: axiom("Closed", "Resolved") },
    reads: { title: "Triggered: Too many errors", description: "12 of 10" },
  },
  {
    name: "VMware Aria Operations",
    ...{ firing: aria("ACTIVE", 0), over: aria("CANCELED", 1777633200000) },
    reads: {
      title: "Datastore is full",
      severity: "high",
      hosts: ["store-1"],
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "Scrutiny",
    firing: {
      ...{ device_type: "ATA", device_name: "/dev/sda", device_serial: "WDDJ324KSO", test: false },
      ...{ date: "2026-05-01T10:00:00Z", failure_type: "SmartFailure", host_id: "nas" },
      ...{ subject: "Scrutiny SMART error (SmartFailure) detected on device: /dev/sda", message: "Details" },
    },
    reads: {
      title: "Scrutiny SMART error (SmartFailure) detected on device: /dev/sda",
      severity: "high",
      hosts: ["nas"],
    },
  },
  {
    name: "UniFi Protect",
    firing: {
      alarm: {
        name: "Gate",
        sources: [],
        conditions: [],
        triggers: [{ key: "person", device: "74ACB99F4E24" }],
      },
      timestamp: 1777629600000,
    },
    reads: { title: "Gate: person", severity: "info", hosts: ["74ACB99F4E24"] },
  },
  {
    name: "Trivy",
    ...{ firing: trivy("update"), over: trivy("delete") },
    reads: {
      title: "VulnerabilityReport shop/replicaset-shop-nginx",
      severity: "medium",
      service: "library/nginx",
    },
  },
  {
    name: "Airbrake",
    firing: {
      error: {
        ...{
          id: 37463546,
          error_class: "RuntimeError",
          error_message: "Nothing to eat",
          severity: "warning",
        },
        ...{ project: { id: 1055, name: "Shop" }, environment: "production", times_occurred: 4 },
        first_occurred_at: "2026-05-01T10:00:00Z",
      },
      airbrake_error_url: "https://airbrake.example.org/37463546",
    },
    reads: { title: "RuntimeError: Nothing to eat", severity: "low", service: "Shop" },
  },
  {
    name: "Raygun",
    firing: raygun({ firstOccurredOn: "2026-05-01T10:00:00Z", totalOccurrences: 1 }),
    over: raygun({ status: "Resolved" }, "error_activity", "StatusChanged"),
    reads: { title: "Null reference", service: "Shop", severity: "critical" },
  },
];
