/** The fixed sentences in tools' messages that name what is affected and its state. */

import { plainText } from "./message-text.ts";

/** The content of a known sentence. */
export interface Said {
  /** A state, and possibly a word for the severity. */
  words: string[];
  /** The name of what is affected; the same when it begins and when it is resolved. */
  name: string;
  /** The host and service. */
  facts: [string, string][];
  /** The sentence without words that only say that it is an alert. */
  title: string | undefined;
  /** The host and service are on lines of their own. */
  isVague: boolean;
}

interface Sentence {
  /** Groups: `host` and `service` become facts, `device` and `rule` are only part of the name; `state` adds a word. */
  says: RegExp;
  word: "alerting" | "recovered";
  /** Distinguishes several alerts about one thing. */
  of?: string;
  isVague?: boolean;
}

/** The subject of Nagios' default e-mails, also used by scripts for chats; states are in capitals, as in its macros. */
const NAGIOS = "(?:(?:Service|Host) Alert: )?(?<title>(?<host>[^/\\s]+)(?:/(?<service>.+?))? is (?<state>";
/** The subject of what Proxmox Backup Server says of a job, by its default templates. */
const PROXMOX_JOB =
  "(?<rule>(?:Garbage Collect|Verify|Prun(?:e|ing)|Sync (?:remote '[^']{1,100}'|local)|Tape Backup(?: '[^']{1,100}')?) [Dd]atastore '[^']{1,100}')";
/** Notification types sent while a problem lasts: a downtime must not open an alert of its own, which nothing would resolve. */
const BESIDE = "(?:FLAPPING|DOWNTIME)[A-Z]{3,9}";
/** The start of Beszel's messages: a host and a metric for which high values are bad. */
const MEASURED =
  "(?<host>.{1,100}?) (?<rule>(?:CPU|GPU|Memory|Swap|Disk|Temperature|Bandwidth|Load)(?: .{1,60}?)?)";
/** The most used script for Slack gives the state as an emoji only, and the full host name in its link. */
const SIGNED = "HOST: (?<host>\\S*) +SERVICE: (?<service>\\S.*?) +(?:STATE: \\w* +)?MESSAGE: ";

const SENTENCES: readonly Sentence[] = [
  // LibreNMS' default titles.
  {
    says: /^Alert for device (?<device>.+?) - (?<rule>.+?)(?: got (?:worse|better|acknowledged))?$/i,
    word: "alerting",
  },
  { says: /^Device (?<device>.+?) recovered from (?<rule>.+)$/i, word: "recovered" },
  // Gatus: the title of all its messages is its own name.
  {
    says: /^(?<title>An alert for (?<service>.+?) has been triggered due to having failed \d+ time\(s\) in a row)/,
    word: "alerting",
  },
  {
    says: /^An alert for (?<service>.+?) has been resolved after passing successfully \d+ time\(s\) in a row/,
    word: "recovered",
  },
  // Gatus to Telegram: the count is on another line.
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
  // Argo CD's templates; for Slack the title is the application only. An application in sync may still be degraded.
  {
    says: /^(?:The sync operation of|Failed to sync) application (?<service>\S+?)(?: has failed\b|\.?$)/,
    word: "alerting",
    of: "sync",
  },
  { says: /^Application (?<service>\S+) sync (?:status )?is 'Unknown'/, word: "alerting", of: "sync" },
  {
    says: /^Application (?<service>\S+) has been successfully synced\b/,
    word: "recovered",
    of: "sync",
  },
  { says: /^Application (?<service>\S+) has degraded\b/, word: "alerting", of: "health" },
  {
    says: /^(?:Application|New version of an application) (?<service>\S+) is (?:now running new version|up and running)\b/,
    word: "recovered",
    of: "health",
  },
  // Beszel: connections and metrics.
  { says: /^(?<title>Connection to (?<host>.{1,100}?) is down)\b/, word: "alerting", of: "connection" },
  { says: /^Connection to (?<host>.{1,100}?) is up\b/, word: "recovered", of: "connection" },
  { says: new RegExp(`^${MEASURED} above threshold$`, "i"), word: "alerting" },
  { says: new RegExp(`^${MEASURED} below threshold$`, "i"), word: "recovered" },
  // Uptime Kuma, in most of its notification types.
  { says: /^\[(?<service>.{1,200}?)\] \[🔴 Down\]/u, word: "alerting" },
  { says: /^\[(?<service>.{1,200}?)\] \[✅ Up\]/u, word: "recovered" },
  // UptimeRobot.
  { says: /^Monitor is DOWN: (?<service>.{1,200}?) \( ?https?:/, word: "alerting" },
  { says: /^Monitor is UP: (?<service>.{1,200}?) \( ?https?:/, word: "recovered" },
  // OpenSearch, by the template of its documentation: all on one line, followed by the period.
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
    word: "recovered",
    of: "backup",
  },
  // Jobs of Proxmox Backup Server.
  { says: new RegExp(`^${PROXMOX_JOB} failed$`), word: "alerting", of: "job" },
  { says: new RegExp(`^${PROXMOX_JOB} successful$`), word: "recovered", of: "job" },
  // Replication in Proxmox VE, of which only failures are reported.
  { says: /^(?<rule>Replication Job: '[^']{1,100}') failed$/, word: "alerting", of: "job" },
  // TrueNAS, split into a message per alert (`envelopes.ts`).
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
  exclamation: "critical",
  question: "unknown",
  1: "critical",
  2: "high",
  3: "medium",
  4: "low",
  5: "info",
};

/** The most characters of a line that are matched, which bounds the backtracking of some patterns. */
const MAX_READ = 500;

/** Returns the content of the known sentence that one of these lines begins with; undefined if none does. */
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

/** A line of Uptime Kuma or Gatus that names the monitored thing; the lines before it are the same for everything. */
const OWN_LINE =
  /^.{0,60}?(\[.{1,200}?\] \[(?:🔴 Down|✅ Up)\].*|(?:🔴|✅) Application \[.{1,200}?\] (?:went down|is back online)|An alert for .{1,200}? has been (?:triggered|resolved):)[ \t]*$/mu;
/** Gatus' text in Google Chat, in a fact whose name is the monitored endpoint. */
const BESIDE_NAME = /^An alert has been ((?:triggered|resolved) .{1,60}? time\(s\) in a row)/;

/** Returns the line of Uptime Kuma or Gatus that names the monitored thing, wherever it is in a message. */
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

/** Returns the host in the link of a Nagios script's message, which names it nowhere else. */
export function linkedHost(texts: readonly string[]): [string, string][] {
  for (const text of texts) {
    const host = /[?&]host=([^&|>\s]{1,200})\|See Nagios>/.exec(text.slice(0, 4000))?.[1];
    if (host) return [["host", host]];
  }
  return [];
}
