/** Bodies of monitoring tools, in the format of their documentation, and how they should be read. */

export interface ToolSample {
  name: string;
  /** Sent as a form instead of JSON. */
  form?: boolean;
  firing: object;
  /** The alert is acknowledged. */
  seen?: object;
  /** The alert is resolved. */
  over?: object;
  /** Expected members of the alert. */
  reads: Record<string, unknown>;
}

const zabbix = (more: object) => ({
  ...{ event_source: "0", event_id: "6931", event_name: "High CPU on web-1", event_nseverity: "4" },
  ...{ event_severity: "High", host_name: "web-1", trigger_id: "17", alert_message: "load 9", ...more },
});

const nagios = (more: object) => ({
  ...{ NOTIFICATIONTYPE: "PROBLEM", HOSTNAME: "db-1", SERVICEDESC: "Disk /", SERVICESTATE: "WARNING" },
  ...{ SERVICEOUTPUT: "DISK WARNING - 8% free", TIMET: "1777629600", ...more },
});

const kumaHome = (message: string, status: number) => ({
  ...{ title: "Uptime Kuma", message },
  data: { name: "Tent", status },
});

const kuma = (status: number, time: string, msg: string) => ({
  heartbeat: { monitorID: 3, status, time, msg, important: true, duration: 60 },
  monitor: { id: 3, name: "Shop", url: "https://shop.example.org", type: "http", hostname: null },
  msg: `[Shop] ${msg}`,
});

const robot = (more: Record<string, string>) => ({
  ...{ monitorID: "777712827", monitorURL: "https://shop.example.org", monitorFriendlyName: "Shop" },
  ...{ alertType: "1", alertTypeFriendlyName: "Down", alertDetails: "HTTP 500 - Internal Server Error" },
  ...{ alertDuration: "0", alertDateTime: "1777629600", sslExpiryDate: "", ...more },
});

const pingdom = (more: object) => ({
  ...{ check_id: 12345, check_name: "Name of HTTP check", check_type: "HTTP", previous_state: "UP" },
  check_params: { hostname: "www.example.org", full_url: "https://www.example.org/path", port: 443 },
  ...{ tags: ["example_tag"], current_state: "DOWN", importance_level: "HIGH" },
  ...{ state_changed_timestamp: 1777629600, state_changed_utc_time: "2026-05-01T10:00:00" },
  ...{ long_description: "Invalid hostname", description: "Could not resolve", ...more },
});

const site24x7 = (more: object) => ({
  ...{
    MONITORNAME: "Portal",
    MONITORTYPE: "URL",
    MONITORURL: "https://portal.example.org",
    STATUS: "TROUBLE",
  },
  ...{ MONITOR_ID: 42, INCIDENT_REASON: "Host is slow", INCIDENT_TIME_ISO: "2026-05-01T12:00:00+0200" },
  ...{ MONITOR_DASHBOARD_LINK: "https://www.site24x7.com/app/42", ...more },
});

const statusCake = (Status: string, StatusCode: string) => ({
  ...{ Token: "b9c2", Name: "Docs", URL: "https://docs.example.org", Status, StatusCode },
  ...{ IP: "192.0.2.7", Tags: "web", Checkrate: "300" },
});

const netdata = (severity: string, date: string) => ({
  ...{ message: "cpu usage on web-2", alarm: "10min_cpu_usage", info: "average cpu", chart: "system.cpu" },
  ...{ context: "system.cpu", space: "Ops", family: "cpu", class: "Utilization", severity, date },
  ...{ duration: "1m", alarm_url: "https://app.netdata.cloud/a/1" },
});

const sensu = (status: number, output: string) => ({
  timestamp: 1777629600 + (status === 0 ? 60 : 0),
  entity: { metadata: { name: "web-4", namespace: "default" } },
  check: { metadata: { name: "disk", namespace: "default" }, status, output },
});

/** Tools that monitor hosts, services and sites, from within or outside. */
export const WATCHER_SAMPLES: readonly ToolSample[] = [
  {
    name: "Zabbix",
    firing: zabbix({ event_value: "1" }),
    over: zabbix({ event_value: "0", event_name: "High CPU on web-1" }),
    reads: {
      ...{ title: "High CPU on web-1", severity: "high", monitoring_tool: "Zabbix", hosts: ["web-1"] },
      description: "load 9",
    },
  },
  {
    name: "Nagios, a service",
    firing: nagios({}),
    seen: nagios({ NOTIFICATIONTYPE: "ACKNOWLEDGEMENT" }),
    over: nagios({ NOTIFICATIONTYPE: "RECOVERY", SERVICESTATE: "OK", TIMET: "1777629900" }),
    reads: {
      ...{ title: "Disk / on db-1 is WARNING", severity: "low", service: "Disk /", hosts: ["db-1"] },
      ...{ description: "DISK WARNING - 8% free", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Nagios, a service that flapped",
    firing: nagios({ NOTIFICATIONTYPE: "FLAPPINGSTART" }),
    over: nagios({ NOTIFICATIONTYPE: "FLAPPINGSTOP", SERVICESTATE: "OK" }),
    reads: { title: "Disk / on db-1 is WARNING", severity: "low" },
  },
  {
    name: "Icinga, a host",
    firing: { notification_type: "Problem", host_name: "gw-1", host_state: "DOWN", service_name: "" },
    over: { notification_type: "Recovery", host_name: "gw-1", host_state: "UP", service_name: "" },
    reads: { title: "gw-1 is DOWN", severity: "critical", hosts: ["gw-1"], service: null },
  },
  {
    name: "Checkmk",
    firing: {
      ...{ NOTIFY_NOTIFICATIONTYPE: "PROBLEM", NOTIFY_HOSTNAME: "srv-9", NOTIFY_SERVICEDESC: "CPU load" },
      ...{ NOTIFY_SERVICESTATE: "CRITICAL", NOTIFY_SERVICEOUTPUT: "load 60", NOTIFY_WHAT: "SERVICE" },
    },
    over: {
      ...{ NOTIFY_NOTIFICATIONTYPE: "RECOVERY", NOTIFY_HOSTNAME: "srv-9", NOTIFY_SERVICEDESC: "CPU load" },
      ...{ NOTIFY_SERVICESTATE: "OK", NOTIFY_SERVICEOUTPUT: "load 1", NOTIFY_WHAT: "SERVICE" },
    },
    reads: { title: "CPU load on srv-9 is CRITICAL", severity: "critical", description: "load 60" },
  },
  {
    name: "a check script by curl",
    firing: { host: "web1", service: "HTTP", state: "UNKNOWN", output: "timeout" },
    over: { host: "web1", service: "HTTP", state: "OK", output: "200" },
    reads: { title: "HTTP on web1 is UNKNOWN", severity: "unknown", service: "HTTP" },
  },
  {
    name: "Uptime Kuma",
    firing: kuma(0, "2026-05-01 10:00:00.123", "[🔴 Down] connect ECONNREFUSED"),
    over: kuma(1, "2026-05-01 10:03:00.123", "[✅ Up] 200 - OK"),
    reads: {
      ...{ title: "[Shop] [🔴 Down] connect ECONNREFUSED", severity: "critical", service: "Shop" },
      ...{ hosts: ["https://shop.example.org"], started_at: "2026-05-01T10:00:00.123Z" },
    },
  },
  {
    name: "Uptime Kuma, a test",
    firing: { heartbeat: null, monitor: null, msg: "Gatehouse Testing" },
    reads: { title: "Gatehouse Testing", monitoring_tool: "Uptime Kuma" },
  },
  {
    name: "Uptime Kuma, a test to Squadcast",
    firing: {
      message: "Squadcast Testing",
      description: "",
      tags: {},
      heartbeat: null,
      source: "uptime-kuma",
    },
    reads: { title: "Squadcast Testing", monitoring_tool: "Uptime Kuma" },
  },
  {
    name: "Uptime Kuma, to Home Assistant",
    firing: kumaHome("[Tent] [🔴 Down] timeout", 0),
    over: kumaHome("[Tent] [✅ Up] 200 - OK", 1),
    reads: { title: "[Tent] [🔴 Down] timeout", severity: "critical", service: "Tent" },
  },
  {
    name: "UptimeRobot",
    form: true,
    firing: robot({}),
    over: robot({ alertType: "2", alertTypeFriendlyName: "Up", alertDateTime: "1777629900" }),
    reads: {
      ...{ title: "Shop is Down", severity: "critical", service: "Shop", monitoring_tool: "UptimeRobot" },
      ...{ started_at: "2026-05-01T10:00:00.000Z", description: "HTTP 500 - Internal Server Error" },
    },
  },
  {
    name: "UptimeRobot, a certificate, which no site that is up makes good",
    firing: robot({ alertType: "3", alertTypeFriendlyName: "SSL expiry", sslExpiryDate: "2026-06-01" }),
    reads: { title: "Shop is SSL expiry" },
  },
  {
    name: "Pingdom",
    firing: pingdom({}),
    over: pingdom({
      ...{ previous_state: "DOWN", current_state: "UP", state_changed_timestamp: 1777630000 },
    }),
    reads: {
      ...{ title: "Name of HTTP check is DOWN", severity: "high", hosts: ["www.example.org"] },
      ...{ description: "Invalid hostname", started_at: "2026-05-01T10:00:00.000Z" },
    },
  },
  {
    name: "Site24x7",
    firing: site24x7({}),
    over: site24x7({ STATUS: "UP", INCIDENT_REASON: "", INCIDENT_TIME_ISO: "2026-05-01T12:04:00+0200" }),
    reads: {
      ...{ title: "Portal is TROUBLE", severity: "low", description: "Host is slow" },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "StatusCake",
    form: true,
    firing: statusCake("Down", "503"),
    over: statusCake("Up", "200"),
    reads: { title: "Docs is Down", severity: "critical", hosts: ["192.0.2.7"] },
  },
  {
    name: "HetrixTools",
    firing: {
      ...{ monitor_id: "m1", monitor_name: "VPS", monitor_target: "192.0.2.1", monitor_status: "offline" },
      ...{ monitor_type: "ping", timestamp: 1777629600, monitor_errors: { London: "timeout" } },
    },
    over: {
      ...{ monitor_id: "m1", monitor_name: "VPS", monitor_target: "192.0.2.1", monitor_status: "online" },
      ...{ monitor_type: "ping", timestamp: 1777629700 },
    },
    reads: { title: "VPS is offline", hosts: ["192.0.2.1"] },
  },
  {
    name: "Netdata",
    firing: netdata("warning", "2026-05-01T10:00:00Z"),
    over: netdata("clear", "2026-05-01T10:05:00Z"),
    reads: {
      title: "cpu usage on web-2",
      severity: "low",
      service: "system.cpu",
      description: "average cpu",
    },
  },
  {
    name: "Netdata, a node that cannot be reached",
    firing: {
      ...{ message: "node-7 is unreachable", url: "https://app.netdata.cloud", host: "node-7" },
      ...{ severity: "critical", status: { reachable: false, text: "unreachable" } },
    },
    over: {
      ...{ message: "node-7 is reachable", url: "https://app.netdata.cloud", host: "node-7" },
      ...{ severity: "info", status: { reachable: true, text: "reachable" } },
    },
    reads: { title: "node-7 is unreachable", severity: "critical", hosts: ["node-7"] },
  },
  {
    name: "Sensu",
    firing: sensu(2, "disk 97 %"),
    over: sensu(0, "disk 40 %"),
    reads: { title: "disk on web-4", severity: "critical", hosts: ["web-4"], description: "disk 97 %" },
  },
  {
    name: "Falco",
    firing: {
      ...{ hostname: "node-1", output: "A shell was spawned in a container", priority: "Notice" },
      ...{ rule: "Terminal shell in container", source: "syscall", time: "2026-05-01T10:00:00.123456789Z" },
      output_fields: { "container.id": "5a1", "proc.name": "bash" },
    },
    reads: {
      ...{ title: "Terminal shell in container", severity: "info", hosts: ["node-1"] },
      started_at: "2026-05-01T10:00:00.123Z",
    },
  },
  {
    name: "Wazuh",
    firing: {
      ...{
        timestamp: "2026-05-01T10:00:00.000+0000",
        full_log: "Failed password",
        location: "/var/log/auth.log",
      },
      rule: { level: 10, description: "sshd: brute force", id: "5712" },
      agent: { id: "001", name: "bastion" },
    },
    reads: {
      title: "sshd: brute force",
      severity: "high",
      hosts: ["bastion"],
      description: "Failed password",
    },
  },
  {
    name: "Graylog",
    firing: {
      ...{ event_definition_id: "5d1", event_definition_title: "Many 500s", event_definition_type: "agg" },
      event: {
        id: "01D",
        message: "count() = 60",
        source: "graylog-1",
        priority: 2,
        key: "",
        timestamp: "2026-05-01T10:00:00.000Z",
      },
      backlog: [],
    },
    reads: { title: "Many 500s", severity: "medium", description: "count() = 60" },
  },
];
