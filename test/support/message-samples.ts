/** Chat and phone messages as tools write them, and how they should be read as alerts. */
import type { ToolSample } from "./tool-samples.ts";

const link = (status: string) =>
  `https://registry.my-netdata.io/goto-host-from-alarm.html?host=web-1&chart=disk.sda&alarm=disk_full&alarm_id=1&alarm_status=${status}`;

/** As the agent's own script sends it to Slack and Rocket.Chat: JSON in a form field. */
const netdata = (status: string, color: string, title: string) => ({
  payload: JSON.stringify({
    ...{ channel: "#alarms", username: "netdata on web-1", icon_url: "https://registry.my-netdata.io/i.png" },
    text: `web-1 needs attention, \`disk.sda\` (_sda_), *${title}*`,
    attachments: [
      {
        ...{
          fallback: `${title} - disk.sda`,
          color,
          title,
          title_link: link(status),
          text: "space of the disk",
        },
        fields: [{ title: "disk.sda", short: true }],
        ...{ footer: "by web-1", ts: "1777629600" },
      },
    ],
  }),
});

const managerSlack = (state: string, color: string) => ({
  ...{ channel: "#a", username: "Alertmanager" },
  attachments: [
    {
      title: `[${state}] DiskFull (db-1 warning)`,
      ...{
        title_link: "http://am.example.org:9093/#/alerts?receiver=r",
        text: "",
        callback_id: "",
        footer: "",
      },
      fallback: `[${state}] DiskFull (db-1 warning) | http://am.example.org:9093/#/alerts?receiver=r`,
      ...{ color, mrkdwn_in: ["fallback", "pretext", "text"] },
    },
  ],
});

const labels = "Labels:\n - alertname = DiskFull\n - instance = db-2\n - severity = warning\nSource: \n";
const managerDiscord = (state: string, word: string, color: number) => ({
  content: "",
  embeds: [{ title: `[${state}] DiskFull (db-2)`, description: `\n\nAlerts ${word}:\n${labels}`, color }],
});

const zabbixDiscord = (title: string, color: number, when: string) => ({
  embeds: [
    {
      ...{ color, title, url: "https://zabbix.example.org/tr_events.php?triggerid=17&eventid=6931" },
      footer: { text: "Event ID: 6931\nEvent tags: service:web" },
      fields: [
        { name: "Host", value: "web-1 [10.0.0.7]" },
        { name: when, value: "10:00:00 2026.05.01", inline: "True" },
        { name: "Severity", value: "High", inline: "True" },
      ],
    },
  ],
});

/** Zabbix omits the card's `@type`. */
const zabbixTeams = (subject: string, themeColor: string) => ({
  ...{ themeColor, summary: subject },
  sections: [
    {
      ...{ markdown: "false", activityTitle: subject, text: "CPU is busy" },
      facts: [
        { name: "Host", value: "web-2 [10.0.0.8]" },
        { name: "Severity", value: "Average" },
      ],
    },
  ],
  potentialAction: [
    {
      "@type": "OpenUri",
      name: "Event Info",
      targets: [{ os: "default", uri: "https://zabbix.example.org/x" }],
    },
  ],
});

const adaptive = (title: string, color: string) => ({
  type: "message",
  attachments: [
    {
      ...{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null },
      content: {
        ...{
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
        },
        body: [
          {
            ...{ type: "Container", items: [{ type: "TextBlock", text: title, weight: "Bolder", color }] },
          },
          { type: "TextBlock", text: "No answer for five minutes" },
          { type: "FactSet", facts: [{ title: "Service", value: "checkout" }] },
        ],
        actions: [{ type: "Action.OpenUrl", title: "View", url: "https://watch.example.org/7" }],
      },
    },
  ],
});

const kuma = (state: string, color: string, said: string) => ({
  text: "Uptime Kuma Alert",
  ...{ channel: null, username: "Uptime Kuma", icon_emoji: ":robot:" },
  attachments: [
    {
      color,
      blocks: [
        { type: "header", text: { type: "plain_text", text: "Uptime Kuma Alert" } },
        {
          type: "section",
          fields: [
            { type: "mrkdwn", text: `*Message*\n[Shop] [${state}] ${said}` },
            { type: "mrkdwn", text: "*Time (UTC)*\n2026-05-01 10:00:00" },
          ],
        },
      ],
    },
  ],
});

const kumaNtfy = (state: string, priority: number, tag: string, message: string) => ({
  ...{ topic: "alerts", title: `Shop ${state} [Uptime-Kuma]`, message, priority, tags: [tag] },
  actions: [{ action: "view", label: "Open Shop", url: "https://shop.example.org" }],
});

const libre = (title: string, color: string) => ({
  attachments: [{ fallback: title, color, title, text: "Severity: critical", author_name: "LibreNMS" }],
  username: "LibreNMS",
});

/** As its `alerting/provider/slack/slack.go` writes it, with the same title for every endpoint. */
const gatus = (said: string, color: string, sign: string) => ({
  text: "",
  attachments: [
    {
      ...{ title: ":helmet_with_white_cross: Gatus", text: `An alert for *core/front-end* ${said}:\n> Shop` },
      ...{ short: false, color },
      fields: [{ title: "Condition results", value: `:${sign}: - \`[STATUS] == 200\`\n`, short: false }],
    },
  ],
});

/** As its `alerting/provider/telegram/telegram.go` and `…/googlechat/googlechat.go` do. */
const gatusTelegram = (state: string, so: string) => ({
  ...{ chat_id: "123", parse_mode: "MARKDOWN" },
  text: `⛑ *Gatus* \nAn alert for *core/Quay* has been ${state}:\n—\n    _healthcheck ${so} time(s) in a row_\n—   \n*Description* \nlong  \n`,
});
const gatusGoogle = (said: string) => ({
  cards: [
    {
      sections: [
        {
          widgets: [
            {
              keyValue: {
                ...{ topLabel: "core/Mole", contentMultiline: "true", bottomLabel: ":: long" },
                content: `<font color='#DD0000'>An alert has been ${said} time(s) in a row</font>`,
              },
            },
            { keyValue: { topLabel: "Condition results", content: "❌   [STATUS] == 200<br>" } },
          ],
        },
      ],
    },
  ],
});

const glitchTip = (text: string) => ({
  ...{ alias: "GlitchTip", text: "GlitchTip Uptime Alert", sections: [] },
  attachments: [
    {
      title: "Shop",
      title_link: "https://g.example.org/2",
      text,
      image_url: null,
      color: null,
      fields: null,
    },
  ],
});

const jenkins = (said: string, color: string) => ({
  ...{ channel: "#ci", text: "" },
  attachments: [
    {
      ...{ fallback: `rocket - ${said}`, text: `rocket - ${said} (<https://ci.example.org/1|Open>)`, color },
      ...{ mrkdwn_in: ["pretext", "text"], fields: [] },
    },
  ],
});

const checkmk = (type: string, state: string, color: string, output: string) => ({
  attachments: [
    {
      ...{ color, title: `Service ${type} notification` },
      text: `Host: <https://c.example.org/h|db-1> (IP: 192.0.2.7)\nService: <https://c.example.org/s|Disk />\nState: ${state}`,
    },
    {
      color,
      title: "Additional Info",
      text: `${output}\nPlease take a look: @ops`,
      footer: "Check_MK notification: now",
    },
  ],
});

/** The common script for Slack (`slack_nagios.sh`): the state is an emoji, the host is only in the link. */
const nagiosSlack = (host: string, sign: string, output: string) => ({
  payload: JSON.stringify({
    ...{ channel: "#alerts", username: "nagios" },
    text: `:${sign}: HOST: nagios.example.org   SERVICE: HTTP     MESSAGE: ${output} <https://nagios.example.org/cgi-bin/nagios3/extinfo.cgi?type=1&host=${host}|See Nagios>`,
  }),
});

/** From its `notifications_catalog/templates`. */
const argo = (text: string, color: string, field: string, value: string) => ({
  text: `${text}\nSync operation details are available at: https://argocd.example.org/applications/guestbook?operation=true .`,
  attachments: [
    {
      ...{ title: "guestbook", title_link: "https://argocd.example.org/applications/guestbook", color },
      fields: [
        { title: field, value, short: true },
        { title: "Repository", value: ":arrow_heading_up: https://git.example.org/x", short: true },
      ],
    },
  ],
});

const hangouts = (said: string, status: string) => ({
  cards: [
    {
      header: {
        title: "disk_full on web-2",
        imageUrl: "https://registry.my-netdata.io/i.png",
        imageStyle: "IMAGE",
      },
      sections: [
        {
          header: "<b>web-2</b>",
          widgets: [
            {
              keyValue: {
                ...{ topLabel: "Status Message", content: `<b>${said}</b>` },
                onClick: { openLink: { url: link(status).replace("web-1", "web-2") } },
              },
            },
          ],
        },
      ],
    },
  ],
});

const ntfy = (title: string, message: string, tag: string) => ({
  ...{ topic: "ops", title, message, tags: [tag], priority: 4, click: "https://watch.example.org/1" },
});

const letter = (subject: string, message: string) => ({
  ...{
    to: "ops@example.org",
    subject,
    message: `${message}\nHost: web-3\nSeverity: Disaster\nOriginal problem ID: 77`,
  },
});

/** Each fires, repeats, and is resolved if the tool reports that. */
/** The older of its cards for Teams, which begin with its own name. */
const kumaTeams = (summary: string, themeColor: string, text: string) => ({
  ...{ "@context": "https://schema.org/extensions", "@type": "MessageCard", themeColor, summary },
  sections: [
    { activityImage: "https://kuma.example.org/icon.png", activityTitle: "**Uptime Kuma**" },
    { activityTitle: summary },
    {
      ...{ activityTitle: "**Description**", text },
      facts: [
        { name: "Monitor", value: "Shop" },
        { name: "URL", value: "https://shop.example.org" },
      ],
    },
  ],
});

const MONIKA_FAILED =
  "The request failed because the response did not pass the query: response.status != 200. The actual response status is 503 and the response time is";
const MONIKA_FINE = "The request is back to normal and passed the assertion: response.status != 200";
const monikaSlack = (word: string, said: string) => ({
  text: `New '${word}' event from Monika`,
  blocks: [
    `New *\`${word}\`* from Monika`,
    `*Message*: ${said}`,
    "*URL*: <https://pond.example.org|https://pond.example.org>",
    "*Time*: 2026-05-01 10:00:00 +00:00",
  ].map((text) => ({ type: "section", text: { type: "mrkdwn", text } })),
});
const monikaTeams = (word: string, themeColor: string, value: string) => ({
  ...{ "@type": "MessageCard", themeColor, summary: `New ${word} from Monika` },
  sections: [
    {
      activityTitle: `New ${word} from Monika`,
      facts: [
        { name: "Message", value },
        { name: "URL", value: "[https://lake.example.org](https://lake.example.org)" },
      ],
    },
  ],
});
const monikaGoogle = (word: string, mark: string, said: string) => ({
  cards: [
    {
      header: { title: "Monika Notification", subtitle: `New ${word} from Monika` },
      sections: [
        {
          widgets: [
            `<b>Message: <font color=#ff0000>${mark}</font></b> ${said}`,
            "<b>URL:</b> <a href>https://brook.example.org</a>",
          ].map((text) => ({ textParagraph: { text } })),
        },
      ],
    },
  ],
});
const monika = (type: string, alert: string) => ({
  ...{ type, alert, url: "https://well.example.org", monika: "box (10.0.0.2)" },
  time: "2026-05-01 10:00:00 +00:00",
});

const kumaPushover = (said: string, time: string) => ({
  ...{ message: `${said}\n<b>Time (UTC)</b>:2026-05-01 ${time}`, user: "u", token: "t", sound: "pushover" },
  ...{ priority: 1, title: "Kuma", retry: "30", expire: "3600", html: 1 },
});

const netdataPush = (status: string, value: string, priority: number) => ({
  ...{ title: `${status}, disk_space_usage = ${value}, on db-51`, priority },
  message: `Fri May 1 10:00:00 UTC 2026: disk_space._ ${value}`,
});

const kumaRocket = (state: string, time: string) => ({
  ...{ text: "Uptime Kuma Alert", channel: "#ops", username: "kuma", icon_emoji: ":bear:" },
  attachments: [
    {
      title: `Uptime Kuma Alert *Time (UTC)*\n2026-05-01 ${time}`,
      ...{
        title_link: "https://kuma.example.org",
        text: `*Message*\n[Forum] [${state}] said`,
        color: "#32cd32",
      },
    },
  ],
});

const dingtalk = (state: string, why: string) => ({
  msgtype: "markdown",
  markdown: {
    title: `[${state}] Wiki`,
    text: `## [${state}] Wiki \n> ${why}\n> Time(UTC): 2026-05-01 10:00:00`,
  },
});

const feishuPost = (state: string, why: string) => ({
  msg_type: "post",
  content: {
    post: { zh_cn: { title: `UptimeKuma Alert: [${state}] Wiki`, content: [[{ tag: "text", text: why }]] } },
  },
});

const feishuCard = (title: string, template: string) => ({
  msg_type: "interactive",
  card: {
    header: { template, title: { tag: "plain_text", content: title } },
    elements: [
      { tag: "div", text: { tag: "lark_md", content: "**Host**: db-8\n**Severity**: high" } },
      { tag: "markdown", content: "3 % are free" },
    ],
  },
});

const signal = (state: string, why: string) => ({
  ...{ message: `[Mail] [${state}] ${why}`, number: "+491", recipients: ["+492"] },
});

const telegram = (text: string) => ({
  chat_id: -1001,
  text,
  parse_mode: "HTML",
  disable_web_page_preview: true,
});

export const MESSAGE_SAMPLES: readonly ToolSample[] = [
  {
    name: "Netdata's agent, to Slack",
    form: true,
    firing: netdata("WARNING", "warning", "disk space = 91%"),
    over: netdata("CLEAR", "good", "disk space (alarm was raised for 3 minutes)"),
    reads: {
      ...{ title: "disk space = 91%", severity: "low", hosts: ["web-1"], monitoring_tool: "Netdata" },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "Netdata's agent, to Google Chat",
    firing: hangouts("needs attention", "CRITICAL"),
    over: hangouts("recovered", "CLEAR"),
    reads: { title: "disk_full on web-2", severity: "critical", hosts: ["web-2"] },
  },
  {
    name: "Alertmanager, to Slack",
    firing: managerSlack("FIRING:1", "danger"),
    over: managerSlack("RESOLVED", "good"),
    reads: { title: "DiskFull (db-1 warning)", severity: "critical", monitoring_tool: "Alertmanager" },
  },
  {
    name: "Alertmanager, to Discord",
    firing: managerDiscord("FIRING:1", "Firing", 0x992d22),
    over: managerDiscord("RESOLVED", "Resolved", 0x2ecc71),
    reads: { title: "DiskFull (db-2)", severity: "low", hosts: ["db-2"] },
  },
  {
    name: "Alertmanager, to Webex",
    firing: { markdown: `Disk of db-3 is full\n\nAlerts Firing:\n${labels}`, roomId: "x" },
    over: { markdown: `Disk of db-3 is full\n\n\nAlerts Resolved:\n${labels}`, roomId: "x" },
    reads: { title: "Disk of db-3 is full", severity: "low" },
  },
  {
    name: "Zabbix, to Discord",
    firing: zabbixDiscord("PROBLEM: High CPU utilization", 15300185, "Event time"),
    over: zabbixDiscord("OK: High CPU utilization", 39168, "Recovery time"),
    reads: { title: "High CPU utilization", severity: "high", hosts: ["web-1"] },
  },
  {
    name: "Zabbix, to Teams",
    firing: zabbixTeams("Problem: High CPU utilization", "FFA059"),
    over: zabbixTeams("Resolved in 20m: High CPU utilization", "009900"),
    reads: {
      title: "High CPU utilization",
      severity: "medium",
      hosts: ["web-2"],
    },
  },
  {
    name: "Zabbix, as a letter",
    firing: letter("Problem: Free disk space is low", "Problem started at 10:00:00"),
    over: letter("Resolved in 1m: Free disk space is low", "Problem has been resolved at 10:01:00"),
    reads: { title: "Free disk space is low", severity: "critical", hosts: ["web-3"] },
  },
  {
    name: "an adaptive card of Teams",
    firing: adaptive("🔥 Triggered: checkout does not answer", "attention"),
    over: adaptive("✅ Recovered: checkout does not answer", "good"),
    reads: {
      ...{ title: "checkout does not answer", severity: "critical", service: "checkout" },
      runbook: "https://watch.example.org/7",
    },
  },
  {
    name: "Uptime Kuma, to Slack",
    firing: kuma("🔴 Down", "#e01e5a", "timeout"),
    over: kuma("✅ Up", "#2eb886", "200 - OK"),
    reads: { title: "[Shop] timeout", severity: "critical", monitoring_tool: "Uptime Kuma" },
  },
  {
    name: "Uptime Kuma, to ntfy",
    firing: kumaNtfy("Down", 5, "red_circle", "timeout"),
    over: kumaNtfy("Up", 4, "green_circle", "200 - OK"),
    reads: { title: "Shop Down [Uptime-Kuma]", severity: "critical", description: "timeout" },
  },
  {
    name: "Uptime Kuma, to Gotify",
    firing: { title: "Uptime-Kuma", message: "[Mail] [🔴 Down] timeout", priority: 8 },
    over: { title: "Uptime-Kuma", message: "[Mail] [✅ Up] 200 - OK", priority: 8 },
    reads: { title: "[Mail] timeout", severity: "high" },
  },
  {
    name: "LibreNMS, to Slack",
    firing: libre("Alert for device sw-1.example.org - Device Down! Due to no ICMP response", "#ff0000"),
    over: libre("Device sw-1.example.org recovered from Device Down! Due to no ICMP response", "#00ff00"),
    reads: { severity: "critical", monitoring_tool: "LibreNMS" },
  },
  {
    name: "Beszel, by shoutrrr as a letter",
    firing: {
      subject: "Connection to web-1 is down \u{1f534}",
      message: "It is down\n\nhttps://b.example.org",
    },
    over: { subject: "Connection to web-1 is up \u{1f7e2}", message: "It is up" },
    reads: { title: "Connection to web-1 is down", hosts: ["web-1"] },
  },
  {
    name: "Beszel, what it measures",
    firing: {
      subject: "web-1 CPU above threshold",
      message: "CPU averaged 91.20% for the previous 10 minutes.",
    },
    over: {
      subject: "web-1 CPU below threshold",
      message: "CPU averaged 11.00% for the previous 10 minutes.",
    },
    reads: { title: "web-1 CPU above threshold", hosts: ["web-1"] },
  },
  {
    name: "GlitchTip, a site",
    firing: glitchTip("The monitored site has gone down."),
    over: glitchTip("The monitored site is back up."),
    reads: {
      title: "Shop",
      monitoring_tool: "GlitchTip",
      description: "GlitchTip Uptime Alert\nThe monitored site has gone down.",
    },
  },
  {
    name: "Komodo, to Discord",
    firing: { content: "\u{1f6a8} **CRITICAL** \u{1f6a8} | **nas**(eu) is **unreachable** \u{274c}" },
    over: { content: "\u{2705} **OK** \u{2705} | **nas**(eu) is now **reachable**" },
    reads: { title: "nas(eu) is unreachable", severity: "critical" },
  },
  {
    name: "UptimeRobot, to Discord",
    firing: { content: "Monitor is DOWN: Shop ( https://shop.example.org ) - Reason: Connection Timeout" },
    over: { content: "Monitor is UP: Shop ( https://shop.example.org ). It was down for 3 minutes." },
    reads: { service: "Shop" },
  },
  {
    name: "Jenkins, to Slack",
    firing: jenkins("#12 Failure after 1 min 2 sec", "danger"),
    over: jenkins("#13 Back to normal after 58 sec", "good"),
    reads: { title: "rocket - #12 Failure", service: "rocket", severity: "critical" },
  },
  {
    name: "Proxmox VE, to Gotify",
    firing: { title: "vzdump backup status (pve1): backup failed", message: "100: failed", priority: 8 },
    over: { title: "vzdump backup status (pve1): backup successful", message: "100: ok", priority: 2 },
    reads: { title: "vzdump backup status (pve1): backup failed", severity: "high", hosts: ["pve1"] },
  },
  ...[
    "Garbage Collect Datastore 'tank'",
    "Verify Datastore 'tank'",
    "Pruning datastore 'tank'",
    "Sync remote 'pbs-2' datastore 'tank'",
    "Tape Backup 'week' datastore 'tank'",
  ].map(
    (job): ToolSample => ({
      name: `Proxmox Backup Server, ${job}, to ntfy`,
      firing: { topic: "nas", title: `${job} failed`, message: "Job ID: s-1", priority: 4 },
      over: { topic: "nas", title: `${job} successful`, message: "Job ID: s-1\nSee the log", priority: 3 },
      reads: { title: `${job} failed`, severity: "high" },
    }),
  ),
  {
    name: "Checkmk, to Slack",
    firing: checkmk("PROBLEM", "CRITICAL", "#EE0000", "97 % used"),
    over: checkmk("RECOVERY", "OK", "#00CC00", "7 % used"),
    reads: { title: "Disk / on db-1", severity: "critical", hosts: ["db-1"], service: "Disk /" },
  },
  {
    name: "Gatus, to Slack",
    firing: gatus("has been triggered due to having failed 3 time(s) in a row", "#DD0000", "x"),
    over: gatus(
      "has been resolved after passing successfully 2 time(s) in a row",
      ...(["#36A64F", "white_check_mark"] as const),
    ),
    reads: {
      title: "An alert for core/front-end has been triggered due to having failed 3 time(s) in a row",
      ...{ severity: "critical", service: "core/front-end" },
    },
  },
  {
    name: "Nagios, to Slack by a script that tells the state by a sign",
    form: true,
    firing: nagiosSlack("web-5", "warning", "HTTP WARNING: 404 Not Found"),
    over: nagiosSlack("web-5", "white_check_mark", "HTTP OK: 200 OK"),
    reads: { severity: "low", service: "HTTP", hosts: ["web-5"], monitoring_tool: "nagios" },
  },
  {
    name: "Nagios, to Slack in one line",
    firing: { text: "*PROBLEM* web-6/HTTP is CRITICAL: Connection refused" },
    over: { text: "*RECOVERY* web-6/HTTP is OK: HTTP OK: 200 OK" },
    reads: {
      ...{ title: "web-6/HTTP is CRITICAL: Connection refused", severity: "critical" },
      ...{ service: "HTTP", hosts: ["web-6"] },
    },
  },
  {
    // As in its sample configuration for mail subjects.
    name: "Nagios, as a letter",
    firing: { subject: "** PROBLEM Host Alert: web-7 is DOWN **", body: "***** Nagios *****\nno answer" },
    over: { subject: "** RECOVERY Host Alert: web-7 is UP **", body: "***** Nagios *****\nPING OK" },
    reads: { title: "web-7 is DOWN", severity: "critical", hosts: ["web-7"] },
  },
  {
    name: "Argo CD, to Slack, a sync that failed",
    firing: argo(
      ":exclamation:  The sync operation of application guestbook has failed at 2026-05-01T10:00:00Z with the following error: denied",
      ...(["#E96D76", "Sync Status", "OutOfSync"] as const),
    ),
    over: argo(
      ":white_check_mark: Application guestbook has been successfully synced at 2026-05-01T10:09:00Z.",
      ...(["#18be52", "Sync Status", "Synced"] as const),
    ),
    reads: {
      title:
        "The sync operation of application guestbook has failed at 2026-05-01T10:00:00Z with the following error: denied",
      ...{ service: "guestbook", runbook: "https://argocd.example.org/applications/guestbook" },
    },
  },
  {
    name: "Argo CD, to Slack, an application that is not well",
    firing: argo(
      ":exclamation: Application guestbook has degraded.",
      ...(["#f4c030", "Health Status", "Degraded"] as const),
    ),
    over: argo(
      ":white_check_mark: Application guestbook is now running new version of deployments manifests.",
      ...(["#18be52", "Sync Status", "Synced"] as const),
    ),
    reads: { title: "Application guestbook has degraded.", severity: "low", service: "guestbook" },
  },
  {
    name: "ElastAlert, to Mattermost",
    firing: {
      attachments: [
        { fallback: "Too many 500s: ", color: "danger", title: "Too many 500s", pretext: "", fields: [] },
      ],
      ...{ text: "Too many 500s\n\nAny match\n\nhost: web-4\nstatus: 500\n", username: "elastalert" },
    },
    reads: { title: "Too many 500s", hosts: ["web-4"], severity: "critical" },
  },
  {
    name: "a line of a log, to Slack",
    firing: { text: "error: disk full", mrkdwn: false, channel: "", username: "", icon_emoji: "" },
    reads: { title: "error: disk full", severity: "medium", monitoring_tool: null },
  },
  {
    name: "ntfy",
    firing: ntfy("Shop", "Shop has been triggered: timeout", "rotating_light"),
    over: ntfy("Shop", "Shop has been resolved", "white_check_mark"),
    reads: { title: "Shop", severity: "high", description: "Shop has been triggered: timeout" },
  },
  {
    name: "Gotify",
    firing: { title: "Backup is down", message: "no disk", priority: 9, extras: {} },
    over: { title: "Backup is up", message: "again", priority: 2 },
    reads: { title: "Backup is down", severity: "high", description: "no disk" },
  },
  {
    name: "Pushover",
    form: true,
    firing: { token: "a", user: "u", title: "PROBLEM: Door is open", message: "since noon", priority: "1" },
    over: { token: "a", user: "u", title: "OK: Door is open", message: "shut", priority: "-1" },
    reads: { title: "Door is open", severity: "high", description: "since noon" },
  },
  {
    name: "Apprise, as a form",
    form: true,
    firing: { version: "1.0", title: "Backup of db-1", message: "disk is full", type: "failure" },
    reads: { title: "Backup of db-1", severity: "critical", description: "disk is full" },
  },
  {
    name: "Uptime Kuma, to Teams",
    firing: kumaTeams("🔴 Application [Shop] went down", "ff0000", "timeout"),
    over: kumaTeams("✅ Application [Shop] is back online", "00e804", "200 - OK"),
    reads: { title: "Application [Shop] went down", severity: "critical", service: "Shop" },
  },
  {
    name: "Uptime Kuma, to DingTalk",
    ...{ firing: dingtalk("DOWN", "timeout"), over: dingtalk("UP", "200 - OK") },
    reads: { title: "Wiki", severity: "critical" },
  },
  {
    name: "Uptime Kuma, to Feishu",
    ...{ firing: feishuPost("Down", "timeout"), over: feishuPost("Up", "200 - OK") },
    reads: { title: "UptimeKuma Alert: Wiki", severity: "critical", description: "timeout" },
  },
  {
    name: "a card of Feishu",
    firing: feishuCard("[FIRING] Disk is nearly full", "orange"),
    over: feishuCard("[RESOLVED] Disk is nearly full", "green"),
    reads: { title: "Disk is nearly full", severity: "high", hosts: ["db-8"] },
  },
  {
    name: "WeCom",
    firing: {
      msgtype: "markdown",
      markdown: { content: "# Problem: Clock of **db-9** is off\n> Host: db-9" },
    },
    over: { msgtype: "text", text: { content: "OK: Clock of db-9 is off\nHost: db-9", mentioned_list: [] } },
    reads: { title: "Clock of db-9 is off", hosts: ["db-9"], severity: "critical" },
  },
  {
    name: "Uptime Kuma, to Signal",
    ...{ firing: signal("🔴 Down", "no route"), over: signal("✅ Up", "250 - OK") },
    reads: { title: "[Mail] no route", severity: "critical" },
  },
  {
    name: "Telegram",
    firing: telegram("<b>[FIRING:1]</b> Queue is long\nSeverity: warning"),
    over: telegram("<b>[RESOLVED]</b> Queue is long"),
    reads: { title: "Queue is long", severity: "low" },
  },
  {
    name: "Uptime Kuma, to Rocket.Chat, where all is green",
    ...{ firing: kumaRocket("🔴 Down", "10:00:00"), over: kumaRocket("✅ Up", "10:05:00") },
    reads: { title: "[Forum] said", severity: "critical" },
  },
  {
    name: "Uptime Kuma, to Grafana OnCall",
    firing: { title: "Lighthouse is down", message: "timeout", state: "alerting" },
    over: { title: "Lighthouse is up", message: "200 - OK", state: "ok" },
    reads: { title: "Lighthouse is down", severity: "critical", description: "timeout" },
  },
  {
    name: "Grafana OnCall, in a title without a state",
    firing: { title: "Fog horn", message: "silent", state: "alerting", image_url: null },
    over: { title: "Fog horn", message: "loud", state: "ok", image_url: null },
    reads: { title: "Fog horn", severity: "critical" },
  },
  {
    name: "Uptime Kuma, to Google Chat",
    firing: { text: "🔴 Application went down\n*Attic*\n[Attic] [🔴 Down] timeout" },
    over: { text: "✅ Application is back online\n*Attic*\n[Attic] [✅ Up] 200 - OK" },
    reads: { title: "[Attic] timeout", severity: "critical", service: "Attic" },
  },
  {
    name: "Uptime Kuma, to Zoho Cliq",
    firing: {
      text: "### Uptime Kuma\n\n🔴 Application [Barn] went down\n\n*Description:* timeout\n*Monitor:* Barn",
    },
    over: {
      text: "### Uptime Kuma\n\n✅ Application [Barn] is back online\n\n*Description:* 200 - OK\n*Monitor:* Barn",
    },
    reads: { title: "Application [Barn] went down", severity: "critical", service: "Barn" },
  },
  {
    name: "Uptime Kuma, to OneBot",
    firing: {
      auto_escape: true,
      message: "UptimeKuma Alert: [Coop] [🔴 Down] timeout",
      message_type: "group",
      group_id: "4",
    },
    over: {
      auto_escape: true,
      message: "UptimeKuma Alert: [Coop] [✅ Up] 200 - OK",
      message_type: "group",
      group_id: "4",
    },
    reads: { title: "[Coop] timeout", severity: "critical", service: "Coop" },
  },
  {
    name: "Uptime Kuma, to Pushover, where people choose the title",
    firing: kumaPushover("[Deck] [🔴 Down] timeout", "10:00:00"),
    over: kumaPushover("[Deck] [✅ Up] 200 - OK", "10:05:00"),
    reads: { title: "[Deck] timeout", severity: "high", service: "Deck" },
  },
  {
    name: "Netdata, to Gotify",
    firing: netdataPush("WARNING", "85.1%", 4),
    over: netdataPush("CLEAR", "50.2%", 1),
    reads: {
      ...{ title: "disk_space_usage on db-51", severity: "low", service: "disk_space._", hosts: ["db-51"] },
      monitoring_tool: "Netdata",
    },
  },
  {
    name: "Monika, to Slack",
    firing: monikaSlack("Incident", `${MONIKA_FAILED} 532.`),
    over: monikaSlack("Recovery", MONIKA_FINE),
    reads: {
      ...{ title: "response.status != 200 at https://pond.example.org", monitoring_tool: "Monika" },
      ...{ hosts: ["https://pond.example.org"], severity: "critical" },
    },
  },
  {
    name: "Monika, to Teams",
    firing: monikaTeams("Incident", "DF202E", `${MONIKA_FAILED} 796.`),
    over: monikaTeams("Recovery", "8CC152", MONIKA_FINE),
    reads: { title: "response.status != 200 at https://lake.example.org", severity: "critical" },
  },
  {
    name: "Monika, to Google Chat",
    firing: monikaGoogle("Incident", "Alert!", `${MONIKA_FAILED} 12.`),
    over: monikaGoogle("Recovery", "Recovery", MONIKA_FINE),
    reads: { title: "response.status != 200 at https://brook.example.org", monitoring_tool: "Monika" },
  },
  {
    name: "Monika, to an address of one's own",
    firing: monika("incident", `${MONIKA_FAILED} 166.`),
    over: monika("recovery", MONIKA_FINE),
    reads: {
      ...{ title: "response.status != 200 at https://well.example.org", monitoring_tool: "Monika" },
      started_at: "2026-05-01T10:00:00.000Z",
    },
  },
  {
    name: "Gatus, to Telegram",
    firing: gatusTelegram("triggered", "failed 3"),
    over: gatusTelegram("resolved", "passing successfully 5"),
    reads: { title: "An alert for core/Quay has been triggered", severity: "critical", service: "core/Quay" },
  },
  {
    name: "Gatus, to Google Chat",
    firing: gatusGoogle("triggered due to having failed 3"),
    over: gatusGoogle("resolved after passing successfully 5"),
    reads: {
      title: "An alert for core/Mole has been triggered due to having failed 3 time(s) in a row",
      ...{ severity: "critical", service: "core/Mole" },
    },
  },
];
