/** Webhooks of unknown tools, recognised by common member names for an alert and its state (decision 0267). */
import type { Tool } from "./tools.ts";

/** Returns the places of each of these members in each of these objects. */
const ofEach = (objects: readonly string[], members: string): string =>
  objects.flatMap((one) => members.split(" ").map((member) => `${one}${member}`)).join("|");

/** Member names for the name of an alert, where no member identifies the tool. */
const NAMED = "alertname|alerttitle|alarmname|alert.name|alert.title|alarm.name|alarm.title";
/** Members for the alert's state, before `status` and `state`, which may describe the request. */
const NAMED_STATE =
  "alertstatus|alertstate|alarmstate|alarmstatus|alert.status|alert.state|alarm.status|alarm.state|status|state";

/** Words for a state. An alert opened by one of TROUBLE must be resolvable by any of GOOD, so both lists are long. */
const TROUBLE =
  "triggered|firing|fired|alerting|alarm|alert|active|activated|open(ed)?|raised|new|created|started|unresolved|problem|down|offline|unhealthy|unreachable|degraded|breached|critical|crit|warning|warn|error|failed|failing|failure";
const ACKNOWLEDGED = "ack(nowledged)?";
const GOOD =
  "resolved?|solved|fixed|recover(ed|y)|restored|ok|okay|closed?|clear(ed)?|normal|back to normal|inactive|deactivated|up|online|healthy|reachable|pass(ed|ing)?|ended";
const STATE = new RegExp(`^(${TROUBLE}|${ACKNOWLEDGED}|${GOOD})$`, "i");
/** Words for a run that succeeded. */
const RUN_SUCCEEDED = /^(success(ful)?|succeeded|finished|completed?|done)$/i;
/** Words of a status beside an alert's own object that may describe the request instead. */
const REQUEST_SUCCEEDED = /^(ok|okay|success(ful)?)$/i;
const BOOLEAN = /^(true|false)$/i;
const OVER = new RegExp(`^(${GOOD})$`, "i");

const HOSTS =
  "hostname|host.name|host.hostname|host|instance|device.name|device|devicename|resourcename|resource.name|resource";

const IDS = "alertid|alarmid|alert.id|alarm.id";

const OF_ALERT = {
  kind: "a tool that names its alert",
  titles: [`{${NAMED}}`],
  description: "description|message|summary|details|text|alert.description|alert.message|alarm.description",
  service: "service|application|component|alert.service",
  hosts: `${HOSTS}|monitorurl|alert.host`,
  link: "url|link|alerturl|alertlink|alert.url|alert.link",
  severity: "severity|alertseverity|priority|level|alert.severity|alert.priority|alarm.severity",
  acknowledged: new RegExp(`^${ACKNOWLEDGED}$`, "i"),
  time: "timestamp|time|datetime|occurredat|createdat",
  identity: [NAMED, IDS],
  // Only text is a host's name here; an object may hold measured values.
  tags: [HOSTS],
} as const;

/** Member names that other tools use for an alert's object. */
const OBJECTS = ["alert", "alarm", "incident", "problem", "rule", "check", "trigger"];
const IN_OBJECTS = OBJECTS.map((one) => `${one}.`);

/** Members for the kind of event, whose word may follow the object's: `alert.resolved`. */
const EVENT = "event|eventtype|eventname|action|notificationtype|type";
const BEGAN = "fired|firing|triggered|raised|opened|created|started|activated";
const ENDED = "resolved|recovered|cleared|closed|ended|fixed|deactivated";
const OBJECT_WORD = `(${OBJECTS.join("|")}|monitor|issue)`;

/**
 * Returns entries for payloads with an alert's object, at the top level or in a wrapping member; with `hasRequestStatus`, for
 * those whose `status` may describe the request.
 */
function alertObjectsIn(
  wrapping: "" | "data" | "payload",
  { hasRequestStatus = false } = {},
): readonly Tool[] {
  const within = (places: string): string =>
    places
      .split("|")
      .map((place) => (wrapping ? `${wrapping}.${place}` : place))
      .join("|");
  const said = (members: string): string => within(ofEach([...IN_OBJECTS, ""], members));
  const name = within(`${NAMED}|${ofEach([...IN_OBJECTS, ...OBJECTS], "name title")}`);
  const state = said("status state");
  const isOver = said("resolved isresolved recovered isrecovered cleared iscleared");
  const isOn = said("active isactive firing isfiring triggered istriggered");
  const end = said("resolvedat recoveredat clearedat closedat endedat");
  const base = {
    ...OF_ALERT,
    titles: [`{${name}}`],
    description: said("description message summary details text reason"),
    service: said("service application component"),
    hosts: within(HOSTS),
    link: said("url link htmlurl"),
    severity: said("severity priority level"),
    start: said("startedat starttime startsat triggeredat firedat openedat createdat"),
    end,
    time: within("timestamp|time|datetime|occurredat"),
    identity: [name, within(`${IDS}|incidentid|problemid|${ofEach(IN_OBJECTS, "id")}`)],
    tags: [within(HOSTS)],
  };
  const flat = within(ofEach(OBJECTS, "name title"));
  const went = within("status|state");
  const marks = wrapping ? [wrapping, name] : [name];
  const others: readonly (Tool & Required<Pick<Tool, "where">>)[] = [
    {
      ...base,
      marks: [...marks, EVENT],
      where: { [EVENT]: new RegExp(`^(${OBJECT_WORD}[._ :-]?)?(${BEGAN}|${ENDED}|acknowledged)$`, "i") },
      state: EVENT,
      over: new RegExp(`(${ENDED})$`, "i"),
      acknowledged: /acknowledged$/i,
    },
    { ...base, marks: [...marks, isOver], where: { [isOver]: BOOLEAN }, state: isOver, over: /^true$/i },
    { ...base, marks: [...marks, isOn], where: { [isOn]: BOOLEAN }, state: isOn, over: /^false$/i },
  ];
  if (hasRequestStatus) {
    // Only if the alert's own object has no status: one there describes the alert, not the request.
    const ownState = within(ofEach(IN_OBJECTS, "status state"));
    const ownName = within(ofEach(IN_OBJECTS, "name title"));
    return others.map((tool) => ({
      ...tool,
      marks: [...tool.marks, ownName],
      where: { ...tool.where, [ownState]: /^$/, [went]: REQUEST_SUCCEEDED },
    }));
  }
  return [
    { ...base, marks: [...marks, state], where: { [state]: STATE }, state, over: OVER },
    { ...base, marks: [flat, went], where: { [went]: RUN_SUCCEEDED }, state: went, over: RUN_SUCCEEDED },
    ...others,
    // An end time that is empty until the alert is resolved.
    { ...base, marks: [...marks, end], where: { [end]: /^$|^\d/ }, state: end, over: /^[1-9]/ },
  ];
}
/** Member names that tools monitoring sites use for the monitor and its state. */
const MONITOR =
  "monitor.name|monitor.label|monitor.url|data.monitor.name|data.monitor.url|monitorname|location";
const MONITOR_STATE = "monitorstate|event|check.status|status";
const UP_OR_DOWN =
  /^((monitor|site|check|incident|outage)[._ ])?(down|offline|failed|failing|up|online|recovered|resolved|successful)$|^(incident|outage)[._ ](created|opened|started|triggered)$/i;

const OF_MONITOR = {
  kind: "a tool that tells of a monitor",
  titles: ["{incident.title}", `{${MONITOR}} is down`],
  description: "incident.reason|data.alert.reason|check.error|check.failurereason|responsemessage|message",
  service: MONITOR,
  hosts: "monitor.url|data.monitor.url|location",
  severity: "incident.severity|data.alert.severity|severity",
  state: MONITOR_STATE,
  over: /(up|online|recovered|resolved|successful)$/i,
  time: "timestamp|triggeredat",
} as const;
const SITE = "monitorname|monitor.name|monitor.label|monitor.url|monitor";
const SITE_STATE = "status|state|monitorstatus|monitorstate|monitor.status|monitor.state|event";

export const UNKNOWN_TOOLS: readonly Tool[] = [
  ...alertObjectsIn("", { hasRequestStatus: true }),
  ...alertObjectsIn("data", { hasRequestStatus: true }),
  ...alertObjectsIn("payload", { hasRequestStatus: true }),
  {
    ...OF_ALERT,
    marks: [NAMED, NAMED_STATE],
    where: { [NAMED_STATE]: STATE },
    state: NAMED_STATE,
    over: OVER,
  },
  {
    ...OF_MONITOR,
    marks: ["monitor.id|data.monitor.id|monitorid", MONITOR, MONITOR_STATE],
    where: { [MONITOR_STATE]: UP_OR_DOWN },
    identity: [`monitor.id|data.monitor.id|monitorid|${MONITOR}`],
  },
  {
    // Without an id; `monitor` must be text, not an object.
    ...OF_MONITOR,
    marks: [SITE, SITE_STATE],
    where: { [SITE]: /^[^{[]/, [SITE_STATE]: UP_OR_DOWN },
    titles: [`{${SITE}} is down`],
    description: "reason|error|message|details|description",
    service: SITE,
    hosts: "monitorurl|monitor.url|url|target",
    state: SITE_STATE,
    identity: [SITE],
  },
  ...alertObjectsIn(""),
  ...alertObjectsIn("data"),
  ...alertObjectsIn("payload"),
];
