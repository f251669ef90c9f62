/** The sentences by which tools begin their messages: what is troubled, and whether it is over. */

import { plainText } from "./message-text.ts";

/** What such a sentence says. */
export interface Said {
  /** The word of a state, and one that may say how bad it is. */
  words: string[];
  /** What is troubled, which the end of the trouble names likewise. */
  name: string;
  /** What it says of hosts and services. */
  facts: [string, string][];
  /** The sentence without what only says that it is an alert. */
  title: string | undefined;
  /** It tells neither host nor service, which stand in lines of their own then. */
  isVague: boolean;
}

interface Sentence {
  /** Groups: `host` and `service` are told, `device` and `rule` name the trouble only; `state` says more of it. */
  says: RegExp;
  word: "alerting" | "recovered";
  /** Which of several troubles of one thing it is. */
  of?: string;
  isVague?: boolean;
}

/** Of Nagios' default letters, and of scripts for chats that write alike: in capitals, as its macros are. */
const NAGIOS = "(?:(?:Service|Host) Alert: )?(?<title>(?<host>[^/\\s]+)(?:/(?<service>.+?))? is (?<state>";
/** What it tells while the trouble goes on: a downtime that begins is no trouble of its own, which nothing would end. */
const BESIDE = "(?:FLAPPING|DOWNTIME)[A-Z]{3,9}";
/** What Beszel measures, of which much is bad. */
const MEASURED =
  "(?<host>.{1,100}?) (?<rule>(?:CPU|GPU|Memory|Swap|Disk|Temperature|Bandwidth|Load)(?: .{1,60}?)?)";
/** The script for Slack that most use says the state by a sign alone, and the true host in its link. */
const SIGNED = "HOST: (?<host>\\S*) +SERVICE: (?<service>\\S.*?) +(?:STATE: \\w* +)?MESSAGE: ";

const SENTENCES: readonly Sentence[] = [
  // What LibreNMS calls its messages unless it is told otherwise.
  {
    says: /^Alert for device (?<device>.+?) - (?<rule>.+?)(?: got (?:worse|better|acknowledged))?$/i,
    word: "alerting",
  },
  { says: /^Device (?<device>.+?) recovered from (?<rule>.+)$/i, word: "recovered" },
  // Gatus titles all its messages by its own name.
  {
    says: /^(?<title>An alert for (?<service>.+?) has been triggered due to having failed \d+ time\(s\) in a row)/,
    word: "alerting",
  },
  {
    says: /^An alert for (?<service>.+?) has been resolved after passing successfully \d+ time\(s\) in a row/,
    word: "recovered",
  },
  // To Telegram it says how often on another line.
  { says: /^(?<title>An alert for (?<service>.+?) has been triggered):$/, word: "alerting" },
  { says: /^An alert for (?<service>.+?) has been resolved:$/, word: "recovered" },
  {
    says: new RegExp(
      `^(?:PROBLEM|CUSTOM|ACKNOWLEDGEMENT|${BESIDE}) ${NAGIOS}WARNING|CRITICAL|UNKNOWN|DOWN|UNREACHABLE)\\s*(?:[:!(-].*)?)$`,
    ),
    word: "alerting",
  },
  {
    says: new RegExp(`^(?:RECOVERY|CUSTOM|FLAPPINGSTOP) ${NAGIOS}OK|UP)\\s*(?:[:!(-].*)?)$`),
    word: "recovered",
  },
  { says: new RegExp(`^:(?<state>exclamation|warning|question): ${SIGNED}`), word: "alerting" },
  { says: new RegExp(`^:(?:white_check_mark|ballot_box_with_check): ${SIGNED}`), word: "recovered" },
  // Argo CD's templates, for Slack titled by the application alone. What is in sync may still be degraded.
  {
    says: /^(?:The sync operation of|Failed to sync) application (?<service>\S+?)(?: has failed\b|\.?$)/,
    ...{ word: "alerting", of: "sync" },
  },
  { says: /^Application (?<service>\S+) sync (?:status )?is 'Unknown'/, word: "alerting", of: "sync" },
  {
    says: /^Application (?<service>\S+) has been successfully synced\b/,
    ...{ word: "recovered", of: "sync" },
  },
  { says: /^Application (?<service>\S+) has degraded\b/, word: "alerting", of: "health" },
  {
    says: /^(?:Application|New version of an application) (?<service>\S+) is (?:now running new version|up and running)\b/,
    ...{ word: "recovered", of: "health" },
  },
  // Beszel, and what it measures.
  { says: /^(?<title>Connection to (?<host>.{1,100}?) is down)\b/, word: "alerting", of: "connection" },
  { says: /^Connection to (?<host>.{1,100}?) is up\b/, word: "recovered", of: "connection" },
  { says: new RegExp(`^${MEASURED} above threshold$`, "i"), word: "alerting" },
  { says: new RegExp(`^${MEASURED} below threshold$`, "i"), word: "recovered" },
  // Uptime Kuma, as most of its ways of telling say it. Where it says by a sign alone whether it is up, that stands in brackets.
  { says: /^\[(?<service>.{1,200}?)\] \[🔴 Down\]/u, word: "alerting" },
  { says: /^\[(?<service>.{1,200}?)\] \[✅ Up\]/u, word: "recovered" },
  // UptimeRobot.
  { says: /^Monitor is DOWN: (?<service>.{1,200}?) \( ?https?:/, word: "alerting" },
  { says: /^Monitor is UP: (?<service>.{1,200}?) \( ?https?:/, word: "recovered" },
  // OpenSearch, as its documentation has it write: all on one line, behind it the minutes that it looked at.
  {
    says: /^(?<title>Monitor (?<service>.{1,200}?) just entered alert status)\..{0,100}? - Trigger: (?<rule>.{1,200}?) - Severity: (?<state>[1-5])\b/,
    word: "alerting",
  },
  // Jenkins' plugin for Slack.
  {
    says: /^(?<title>(?<service>\S.{0,200}?) - #\d+ (?:Failure|Still failing|Regression|Unstable)\b)/i,
    word: "alerting",
  },
  { says: /^(?<service>\S.{0,200}?) - #\d+ (?:Success|Back to normal)\b/i, word: "recovered" },
  // Backups of Proxmox VE.
  { says: /^vzdump backup status \((?<host>[^)]{1,100})\): backup failed\b/, word: "alerting", of: "backup" },
  {
    says: /^vzdump backup status \((?<host>[^)]{1,100})\): backup successful\b/,
    ...{ word: "recovered", of: "backup" },
  },
  // TrueNAS, a message for each of its lines (`envelopes.ts`).
  {
    says: /^(?:True|Free)NAS(?: \w{1,20})? @ (?<host>\S{1,253}): New alert: (?<title>(?<rule>.+))$/,
    word: "alerting",
  },
  {
    says: /^(?:True|Free)NAS(?: \w{1,20})? @ (?<host>\S{1,253}): Cleared alert: (?<rule>.+)$/,
    word: "recovered",
  },
  // Checkmk's script for Slack.
  {
    says: /^(?:Service|Host) (?<state>PROBLEM) notification\b/,
    word: "alerting",
    of: "check",
    isVague: true,
  },
  {
    says: /^(?:Service|Host) (?<state>RECOVERY) notification\b/,
    word: "recovered",
    of: "check",
    isVague: true,
  },
];

const SIGNS: Readonly<Record<string, string>> = {
  ...{ exclamation: "critical", question: "unknown" },
  ...{ 1: "critical", 2: "high", 3: "medium", 4: "low", 5: "info" },
};

/** As far as a headline is read: some patterns try again at each space. */
const MAX_READ = 500;

/** What a line says, with or without the signs before it; undefined where it is no such sentence. */
export function sentenceIn(...lines: string[]): Said | undefined {
  for (const line of lines) {
    for (const { says, word, of, isVague = false } of SENTENCES) {
      const groups = says.exec(line.slice(0, MAX_READ))?.groups;
      if (!groups) continue;
      const { device, rule, host, service, state, title } = groups;
      const words = state ? [word, (SIGNS[state] ?? state).toLowerCase()] : [word];
      const named = (name: string, value: string | undefined): [string, string][] =>
        value ? [[name, value]] : [];
      return {
        words,
        name: [of, device, rule, host, service].filter((part) => part).join(" "),
        facts: [...named("host", host), ...named("service", service)],
        title,
        isVague,
      };
    }
  }
  return undefined;
}

/** Such a line of Uptime Kuma or of Gatus, behind others that say the same of everything, or nothing. */
const OWN_LINE =
  /^.{0,60}?(\[.{1,200}?\] \[(?:🔴 Down|✅ Up)\].*|(?:🔴|✅) Application \[.{1,200}?\] (?:went down|is back online)|An alert for .{1,200}? has been (?:triggered|resolved):)[ \t]*$/mu;
/** What Gatus writes to Google Chat beside the name of what it watches. */
const BESIDE_NAME = /^An alert has been ((?:triggered|resolved) .{1,60}? time\(s\) in a row)/;

/** The line by which Uptime Kuma or Gatus tells of what it watches, wherever it stands in a message. */
export function ownLineIn(texts: readonly string[], facts: readonly [string, string][]): string | undefined {
  for (const text of texts) {
    const line = OWN_LINE.exec(text)?.[1];
    if (line) return line;
  }
  for (const [name, value] of facts) {
    const said = BESIDE_NAME.exec(plainText(value))?.[1];
    if (said) return `An alert for ${plainText(name)} has been ${said}`;
  }
  return undefined;
}

/** How Monika begins to tell of a site, or of a probe without an address, and by which of its questions. */
const MONIKA = /^New '?(Incident|Recovery)'? (?:event )?from Monika\b/m;
const MONIKA_ASKED =
  /(?:did not pass the query|passed the assertion): (.{1,200}?)(?:\. The actual response|$)/m;

/** An alarm of Monika, of which the line that comes first says only whether it began or is over. */
export function monikaAlarm(headline: string, texts: readonly string[], facts: readonly [string, string][]) {
  const state = [headline, ...texts].map((text) => MONIKA.exec(text)?.[1]).find((word) => word);
  const [site] = facts.filter(([name]) => /^(?:url|probe ?id)$/.test(name)).map(([, value]) => value);
  if (!state || !site) return undefined;
  const asked = [...texts, ...facts.map(([, value]) => value)]
    .map((text) => MONIKA_ASKED.exec(text)?.[1])
    .find((query) => query);
  return {
    tool: "Monika",
    isOver: state === "Recovery",
    word: undefined,
    host: site,
    chart: undefined,
    title: asked ? `${asked} at ${site}` : `Incident at ${site}`,
    name: ["Monika", site, asked ?? "-"],
    isTitled: true,
  };
}

/** The host to which a script of Nagios links, which stands nowhere else in its message. */
export function linkedHost(texts: readonly string[]): [string, string][] {
  for (const text of texts) {
    const host = /[?&]host=([^&|>\s]{1,200})\|See Nagios>/.exec(text.slice(0, 4000))?.[1];
    if (host) return [["host", host]];
  }
  return [];
}
