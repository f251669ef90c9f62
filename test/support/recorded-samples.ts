/** Bodies recorded from programs of Debian 12 that ran and sent to this service, shortened, with invented hosts. */

/** The stages of a problem that a program can report. */
export type Word = "begins" | "worse" | "seen" | "over";

export interface RecordedSample {
  /** The program with its version, and the format in which it sends. */
  name: string;
  /** Sent as a form instead of JSON. */
  form?: boolean;
  /** The body about the host; undefined if the program never reports that stage. */
  say(host: string, word: Word): object | undefined;
  /** The alert of `web-1` after it began. */
  reads: Record<string, unknown>;
  /** The severity after it got worse, if the program reports one. */
  worse?: string;
}

const NETDATA: Readonly<Record<Word, [status: string, value: string] | undefined>> = {
  ...{ begins: ["WARNING", "91.2"], worse: ["CRITICAL", "98.7"], seen: undefined, over: ["CLEAR", "40.1"] },
};

/** One message of `alarm-notify.sh`, from host, status, value and link. */
const netdata =
  (write: (host: string, status: string, value: string, link: string) => object): RecordedSample["say"] =>
  (host, word) => {
    const [status, value] = NETDATA[word] ?? [];
    if (!status || !value) return undefined;
    const link = `https://app.netdata.cloud/alarms/redirect?agentId=abc&host=${host}&chart=disk_space._&family=/&alarm=disk_space_usage&alarm_unique_id=1700&alarm_id=12&alarm_event_id=1&alarm_when=1795384447&alarm_status=${status}&alarm_chart=disk_space._&alarm_value=${value}%`;
    return write(host, status, value, link);
  };
const NETDATA_READS = {
  severity: "low",
  hosts: ["web-1"],
  service: "disk_space._",
  monitoring_tool: "Netdata",
};

const ZABBIX: Readonly<Record<Word, [before: string, severity: string]>> = {
  ...{ begins: ["Problem", "High"], worse: ["Updated problem in 2m", "Disaster"] },
  ...{ seen: ["Updated problem in 5m", "High"], over: ["Resolved in 10m", "High"] },
};
const ZABBIX_DID: Readonly<Record<Word, string>> = {
  ...{
    begins: "Disk is filling",
    worse: "Zabbix Administrator (Admin) changed severity from High to Disaster.",
  },
  ...{ seen: "Zabbix Administrator (Admin) acknowledged, commented.\nMessage:\nI look", over: "" },
};

export const RECORDED_SAMPLES: readonly RecordedSample[] = [
  {
    name: "netdata 1.37.1, to Slack",
    form: true,
    say: netdata((host, status, value, link) => ({
      payload: JSON.stringify({
        ...{
          channel: "#alarms",
          username: `netdata on ${host}`,
          icon_url: "https://registry.my-netdata.io/i.png",
        },
        text: `${host} needs attention, \`disk_space._\` (_/_), *disk space usage = ${value}%*`,
        attachments: [
          {
            fallback: `disk space usage = ${value}% - disk_space._ (/) - Total space utilization of disk _`,
            ...{ color: status.toLowerCase(), title: `disk space usage = ${value}%`, title_link: link },
            text: "Total space utilization of disk _",
            fields: [
              { title: "disk_space._", short: true },
              { title: "/", short: true },
            ],
            ...{ footer: `by ${host}`, ts: 1795384447 },
          },
        ],
      }),
    })),
    reads: { title: "disk space usage = 91.2%", ...NETDATA_READS },
    worse: "critical",
  },
  {
    name: "netdata 1.37.1, to Teams",
    say: netdata((host, status, value, link) => ({
      ...{ "@context": "http://schema.org/extensions", "@type": "MessageCard", themeColor: "FFA500" },
      title: `⚠️ Alert ${status} from netdata for ${host}`,
      text: `${host} needs attention, disk_space._ (_/_), *disk space usage = ${value}%*`,
      potentialAction: [{ "@type": "OpenUri", name: "Netdata", targets: [{ os: "default", uri: link }] }],
    })),
    reads: { title: "disk_space_usage on web-1", ...NETDATA_READS },
    worse: "critical",
  },
  {
    name: "netdata 1.37.1, to Google Chat",
    say: netdata((host, _status, value, link) => ({
      cards: [
        {
          header: { title: `Netdata on ${host}`, imageStyle: "IMAGE" },
          sections: [
            {
              header: `<b>${host}</b>`,
              widgets: [
                {
                  keyValue: {
                    ...{ topLabel: "Status Message", content: "<b>needs attention</b>" },
                    onClick: { openLink: { url: link } },
                  },
                },
                {
                  keyValue: {
                    topLabel: "disk_space._ | /",
                    content: `<font>disk space usage = ${value}%</font>`,
                  },
                },
              ],
            },
          ],
        },
      ],
      thread: {},
    })),
    reads: { title: "disk_space_usage on web-1", ...NETDATA_READS },
    worse: "critical",
  },
  {
    name: "netdata 1.37.1, to Opsgenie's own integration",
    say: netdata((host, status, value) => ({
      ...{ host, unique_id: "1700", alarmId: 12, eventId: 1, chart: "disk_space._", when: 1795384447 },
      ...{ name: "disk_space_usage", family: "/", status, old_status: "CLEAR", value: Number(value) },
      ...{ old_value: 71.2, duration: 60, non_clear_duration: 600, units: "%" },
      ...{
        info: "needs attention, Total space utilization of disk _",
        total_warnings: "1",
        src: "4@disks.conf",
      },
    })),
    reads: {
      ...{ title: "disk_space_usage on web-1", started_at: "2026-11-22T21:54:07.000Z" },
      ...{ description: "needs attention, Total space utilization of disk _", ...NETDATA_READS },
    },
    worse: "critical",
  },
  {
    name: "zabbix 6.0.14, to Teams",
    say: (host, word) => {
      const [before, severity] = ZABBIX[word];
      const title = `${before}: Disk space is low on /`;
      return {
        ...{ themeColor: "FFA059", summary: title },
        sections: [
          {
            ...{ markdown: "false", activityTitle: title, activitySubtitle: "", text: ZABBIX_DID[word] },
            facts: [
              { name: "Host", value: `${host} [10.0.0.7]` },
              { name: "Severity", value: severity },
              { name: "Operational data", value: "Free: 3 %" },
              { name: "Event tags", value: "scope:capacity, service:web" },
            ],
          },
        ],
        potentialAction: [
          {
            ...{ "@type": "OpenUri", name: "Event Info" },
            targets: [
              { os: "default", uri: "https://zabbix.example.org/tr_events.php?triggerid=17&eventid=6931" },
            ],
          },
        ],
      };
    },
    reads: { title: "Disk space is low on /", severity: "high", hosts: ["web-1"] },
    worse: "critical",
  },
  {
    name: "zabbix 6.0.14, to Discord",
    say: (host, word) => {
      const [before, severity] = ZABBIX[word];
      const sign = { Problem: "PROBLEM", Resolved: "OK", Updated: "UPDATE" }[before.split(" ")[0] ?? ""];
      const told = ["begins", "over"].includes(word) ? {} : { description: ZABBIX_DID[word] };
      return {
        embeds: [
          {
            ...{ color: 16737408, title: `${sign}: Disk space is low on /`, ...told },
            url: "https://zabbix.example.org/tr_events.php?triggerid=17&eventid=6931",
            footer: { text: `Event ID: ${host === "web-1" ? 6931 : 6932}\nEvent tags: service:web` },
            fields: [
              { name: "Host", value: `${host} [10.0.0.7]` },
              { name: "Event time", value: "21:00:00 2026.11.22", inline: "True" },
              { name: "Severity", value: severity, inline: "True" },
            ],
          },
        ],
      };
    },
    reads: { title: "Disk space is low on /", severity: "high", hosts: ["web-1"] },
    worse: "critical",
  },
  {
    name: "zabbix 6.0.14, to Pushover, which does not say whose problem was updated",
    say: (host, word) => {
      if (word === "worse" || word === "seen") return undefined;
      const id = host === "web-1" ? 6931 : 6932;
      return {
        ...{ token: "t", user: "u", title: `${ZABBIX[word][0]}: Disk space is low on /`, priority: "0" },
        message: `Problem name: Disk space is low on /\nHost: ${host}\nSeverity: High\nOriginal problem ID: ${id}\n`,
        ...{ url: "https://zabbix.example.org/tr_events.php?triggerid=17&eventid=6931", url_title: "Zabbix" },
      };
    },
    reads: { title: "Disk space is low on /", severity: "high", hosts: ["web-1"] },
  },
  {
    name: "nagios 4.4.6, by curl as a form",
    form: true,
    say: (HOSTNAME, word) => ({
      ...{ HOSTNAME, SERVICEDESC: "Disk /", HOSTSTATE: "UP", LONGDATETIME: "Sun Nov 22 22:05:31 UTC 2026" },
      NOTIFICATIONTYPE: { begins: "PROBLEM", worse: "PROBLEM", seen: "ACKNOWLEDGEMENT", over: "RECOVERY" }[
        word
      ],
      SERVICESTATE: { begins: "WARNING", worse: "CRITICAL", seen: "CRITICAL", over: "OK" }[word],
      SERVICEOUTPUT: 'DISK WARNING - 8% free ("root" & \\tmp)',
    }),
    reads: {
      ...{ title: "Disk / on web-1 is WARNING", severity: "low", hosts: ["web-1"], service: "Disk /" },
      description: 'DISK WARNING - 8% free ("root" & \\tmp)',
    },
    worse: "critical",
  },
  {
    name: "elastalert 0.2.4, to VictorOps, without the name of an entity",
    say: (host, word) =>
      word === "begins"
        ? {
            ...{
              message_type: "CRITICAL",
              entity_display_name: "Too many 500s",
              monitoring_tool: "ElastAlert",
            },
            state_message: `Too many 500s\n\nAt least 50 events occurred\n\nhost: ${host}\nstatus: 500\n`,
          }
        : undefined,
    reads: { title: "Too many 500s", severity: "critical", monitoring_tool: "ElastAlert" },
  },
  {
    name: "prometheus-alertmanager 0.25.0, to Telegram",
    say: (host, word) =>
      word === "begins" || word === "over"
        ? {
            ...{ chat_id: "-100", disable_web_page_preview: "true", parse_mode: "HTML" },
            text: `\n\nAlerts ${word === "over" ? "Resolved" : "Firing"}:\nLabels:\n - alertname = DiskFull\n - instance = ${host}\n - severity = warning\nAnnotations:\n - summary = Disk is full\nSource: \n\n\n\n`,
          }
        : undefined,
    reads: { title: "DiskFull", severity: "low", hosts: ["web-1"] },
  },
  {
    name: "monit 5.33.0, by curl in a script, as a form",
    form: true,
    say: (MONIT_HOST, word) =>
      word === "begins" || word === "over"
        ? {
            ...{ MONIT_HOST, MONIT_SERVICE: "local", MONIT_DATE: "Sun, 22 Nov 2026 22:37:51" },
            MONIT_EVENT: word === "over" ? "Connection succeeded" : "Connection failed",
            MONIT_DESCRIPTION:
              word === "over"
                ? "connection succeeded to [127.0.0.1]:18090 [TCP/IP]"
                : "failed protocol test [DEFAULT] at [127.0.0.1]:18090 [TCP/IP] -- Connection refused",
          }
        : undefined,
    reads: {
      ...{ title: "local: Connection failed", hosts: ["web-1"], service: "local", monitoring_tool: "Monit" },
      description: "failed protocol test [DEFAULT] at [127.0.0.1]:18090 [TCP/IP] -- Connection refused",
    },
  },
];
