/** The alarms of Netdata and Monika in chat messages, whose headlines alone do not tell one alarm from another. */

/** An alarm as its tool's message describes it in full. */
export interface ToolAlarm {
  tool: string;
  isOver: boolean;
  /** The tool's word for the severity, if the message has one. */
  word?: string;
  host: string;
  service?: string;
  title: string;
  /** Whether `title` replaces the headline in every case; else only a headline that names nothing but the tool. */
  isTitled: boolean;
  /** What identifies the alarm over its occurrences and its end. */
  name: readonly string[];
}

type Facts = readonly (readonly [string, string])[];

/** The parts of a message that name an alarm: its links, its headline, its texts and its facts. */
export interface Said {
  links: readonly unknown[];
  headline: string;
  texts: readonly string[];
  facts: Facts;
}

/** Returns the alarm that a message is about; undefined if it is none of these tools'. */
export function alarmIn({ links, headline, texts, facts }: Said): ToolAlarm | undefined {
  return linkedAlarm(links) ?? pushedAlarm(headline, texts) ?? monikaAlarm(headline, texts, facts);
}

/** Netdata's messages link to the alarm; the query of the link names it in full. */
function linkedAlarm(links: readonly unknown[]): ToolAlarm | undefined {
  for (const link of links) {
    const url = typeof link === "string" && link.length <= 4000 ? URL.parse(link) : null;
    const status = url?.searchParams.get("alarm_status");
    const alarm = url?.searchParams.get("alarm");
    if (!url || !status || !alarm) continue;
    const host = url.searchParams.get("host") ?? "";
    return netdataAlarm(status, alarm, host, url.searchParams.get("chart") ?? "");
  }
  return undefined;
}

const PUSHED = /^(WARNING|CRITICAL|CLEAR), (\S{1,200}) = [^\n]{1,60}, on (\S{1,253})$/;
const CHART = /^[^\n]{1,60}: ([a-z][\w-]{0,60}\.\S{1,200})(?: |$)/im;

/** Netdata's push notifications have no link: the headline names the alarm, and the chart follows the time in the text. */
function pushedAlarm(headline: string, texts: readonly string[]): ToolAlarm | undefined {
  const [, status, alarm, host] = PUSHED.exec(headline.slice(0, 600)) ?? [];
  const chart = CHART.exec(texts[0] ?? "")?.[1];
  if (!status || !alarm || !host || !chart) return undefined;
  return { ...netdataAlarm(status, alarm, host, chart), isTitled: true };
}

function netdataAlarm(status: string, alarm: string, host: string, chart: string): ToolAlarm {
  return {
    tool: "Netdata",
    isOver: /^clear$/i.test(status),
    word: status,
    host,
    service: chart,
    title: host ? `${alarm} on ${host}` : alarm,
    isTitled: false,
    name: ["Netdata", host, chart, alarm],
  };
}

/** The first line of Monika's messages, and its assertion, which is part of the alert's name. */
const MONIKA = /^New '?(Incident|Recovery)'? (?:event )?from Monika\b/m;
const ASSERTION = /(?:did not pass the query|passed the assertion): (.{1,200}?)(?:\. The actual response|$)/m;

/** The first line of Monika's messages gives only the state; the site and the assertion stand elsewhere. */
function monikaAlarm(headline: string, texts: readonly string[], facts: Facts): ToolAlarm | undefined {
  const state = firstMatch(MONIKA, [headline, ...texts]);
  const site = facts.find(([name]) => /^(?:url|probe ?id)$/.test(name))?.[1];
  if (!state || !site) return undefined;
  const assertion = firstMatch(ASSERTION, [...texts, ...facts.map(([, value]) => value)]);
  return {
    tool: "Monika",
    isOver: state === "Recovery",
    host: site,
    title: assertion ? `${assertion} at ${site}` : `Incident at ${site}`,
    isTitled: true,
    name: ["Monika", site, assertion ?? "-"],
  };
}

function firstMatch(pattern: RegExp, texts: readonly string[]): string | undefined {
  return texts.map((text) => pattern.exec(text)?.[1]).find((found) => found);
}
