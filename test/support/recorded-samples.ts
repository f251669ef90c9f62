/** Bodies recorded from programs of Debian 12 that ran and sent to this service, shortened, with hosts of no one. */

/** What a program has to say of one trouble. */
export type Word = "begins" | "worse" | "seen" | "over";

export interface RecordedSample {
  /** The program with its version, and as what it sends. */
  name: string;
  /** Sent as a form instead of JSON. */
  form?: boolean;
  /** What it sends of the host; undefined where it never says that. */
  say(host: string, word: Word): object | undefined;
  /** What the alert of `web-1` says once it began. */
  reads: Record<string, unknown>;
  /** How severe it is once it is worse, where it says so. */
  worse?: string;
}

const NETDATA: Readonly<Record<Word, [status: string, value: string] | undefined>> = {
  ...{ begins: ["WARNING", "91.2"], worse: ["CRITICAL", "98.7"], seen: undefined, over: ["CLEAR", "40.1"] },
};

/** One message of `alarm-notify.sh`, from the host, its status, the value and its link. */
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
];
