/** Webhooks of Zabbix, whose members are macros under names that its users choose. */
import type { Severity } from "../severity.ts";
import type { Tool } from "./tools.ts";

/** As Zabbix numbers them. */
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
  // A new webhook has the subject and the message alone, as `Subject` and `Message`.
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

/** In this order: what people did comes before the problem that they did it to. */
export const ZABBIX: readonly Tool[] = [
  {
    // Somebody looks at it; a severity that they changed is told like the problem (decision 0141).
    ...EVENT,
    where: {
      "eventupdatestatus|eventupdate": /^1$/,
      eventupdateaction: /^(?!.*\b(changed severity|unacknowledged)\b)/i,
    },
    acknowledged: /./,
  },
  EVENT,
  {
    // By the macros of the event alone, whose names others use as well, but not with these words.
    ...EVENT,
    marks: ["eventid", "eventname", "eventstatus"],
    where: { eventstatus: /^(problem|resolved|ok)$/i },
  },
];
