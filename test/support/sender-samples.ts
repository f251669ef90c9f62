/** Bodies of senders that were written for another alert service, pointed at us, in the shape of their sources. */
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

/** What Zabbix' media type for SIGNL4 makes of its parameters; its JSON stands behind the name of a form's field. */
export const ZABBIX_FOR_SIGNL4 = (status: "PROBLEM" | "OK", subject: string) => ({
  ...{ Event_Ack_Status: "No", Event_Date_Time: "2026.05.01 10:00:00", Event_ID: "88123", Hostname: "web-3" },
  ...{ Host_IP: "10.0.0.3", Message: "Problem name: Load is high", Severity: "High", Subject: subject },
  ...{ Trigger_ID: "22111", Trigger_Status: status, User: "", Zabbix_URL: "https://zabbix.example.org/" },
  "X-S4-ExternalID": "ZabbixEventID: 88123 ZabbixURL: https://zabbix.example.org/",
  Link: "https://zabbix.example.org/tr_events.php?triggerid=22111&eventid=88123",
  "X-S4-Status": status === "OK" ? "resolved" : "new",
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
    over: ZABBIX_FOR_SIGNL4("OK", "Resolved in 5m: Load is high"),
    reads: { title: "Problem: Load is high", severity: "high", hosts: ["web-3"] },
  },
];
