/** Webhooks of Zabbix, whose members are macros under names that users choose. */
import type { Severity } from "../severity.ts";
import type { Tool } from "./tools.ts";

/** Zabbix' severities, by number and by name. */
export const ZABBIX_SEVERITIES: Readonly<Record<string, Severity>> = {
  ...{ 0: "unknown", 1: "info", 2: "low", 3: "medium", 4: "high", 5: "critical" },
  ...{ "not classified": "unknown", average: "medium", disaster: "critical" },
};

const EVENT = {
  name: "Zabbix",
  marks: [
    "eventid",
    "eventvalue|eventnseverity|triggerid|eventrecoveryvalue|triggername|triggerstatus|triggerseverity",
  ],
  // A new webhook has only the parameters `Subject` and `Message`.
  titles: ["{eventname|triggername|alertsubject|triggerdescription|subject}", "Event {eventid}"],
  description: "alertmessage|eventopdata|triggerdescription|message",
  hosts: "hostname|hosthost|host|hostip",
  link: "eventurl|triggerurl|zabbixurl",
  severity: "eventnseverity|eventseverity|triggernseverity|triggerseverity|nseverity|severity",
  severities: ZABBIX_SEVERITIES,
  state: "eventvalue|eventstatus|triggerstatus|triggervalue",
  over: /^(0|ok|resolved)$/i,
  identity: ["eventid"],
} as const;

/** The entry for operators' updates precedes the one for problems. */
export const ZABBIX: readonly Tool[] = [
  {
    // An update is an acknowledgement; a changed severity is read like the problem (decision 0141).
    ...EVENT,
    where: {
      "eventupdatestatus|eventupdate": /^1$/,
      eventupdateaction: /^(?!.*\b(changed severity|unacknowledged)\b)/i,
    },
    acknowledged: /./,
  },
  EVENT,
  {
    // Only the event's macros, whose names other tools use as well, but with other states.
    ...EVENT,
    marks: ["eventid", "eventname", "eventstatus"],
    where: { eventstatus: /^(problem|resolved|ok)$/i },
  },
];
