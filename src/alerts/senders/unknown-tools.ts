/** Webhooks of unknown tools that say by plain member names what is wrong and in which state it is (decision 0267). */
import type { Tool } from "./tools.ts";

/** Each of these members of each of these objects. */
const ofEach = (objects: readonly string[], members: string): string =>
  objects.flatMap((one) => members.split(" ").map((member) => `${one}${member}`)).join("|");

/** By which names tools call what they tell of, where there is none that says whose it is. */
const NAMED = "alertname|alerttitle|alarmname|alert.name|alert.title|alarm.name|alarm.title";
/** What is said of the alert goes before what may be said of the request. */
const NAMED_STATE =
  "alertstatus|alertstate|alarmstate|alarmstatus|alert.status|alert.state|alarm.status|alarm.state|status|state";

/** Words for a state; what is told by one of the former has to end by one of the latter, so that both lists are long. */
const TROUBLE =
  "triggered|firing|fired|alerting|alarm|alert|active|activated|open(ed)?|raised|new|created|started|unresolved|problem|down|offline|unhealthy|unreachable|degraded|breached|critical|crit|warning|warn|error|failed|failing|failure";
const SEEN = "ack(nowledged)?";
const GOOD =
  "resolved?|solved|fixed|recover(ed|y)|restored|ok|okay|closed?|clear(ed)?|normal|back to normal|inactive|deactivated|up|online|healthy|reachable|pass(ed|ing)?|ended";
const STATE = new RegExp(`^(${TROUBLE}|${SEEN}|${GOOD})$`, "i");
/** How what was run went. */
const WENT_WELL = /^(success(ful)?|succeeded|finished|completed?|done)$/i;
/** What is said beside an alert in an object of its own may be said of the request. */
const ANSWERED = /^(ok|okay|success(ful)?)$/i;
const IS_OR_NOT = /^(true|false)$/i;
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
  acknowledged: new RegExp(`^${SEEN}$`, "i"),
  time: "timestamp|time|datetime|occurredat|createdat",
  identity: [NAMED, IDS],
  // An object that holds no name may hold what was measured.
  tags: [HOSTS],
} as const;

/** What is an alert to others, by whatever name. */
const THINGS = ["alert", "alarm", "incident", "problem", "rule", "check", "trigger"];
const IN_THINGS = THINGS.map((one) => `${one}.`);

/** An event's word for what became of it, with that of what before. */
const EVENT = "event|eventtype|eventname|action|notificationtype|type";
const BEGAN = "fired|firing|triggered|raised|opened|created|started|activated";
const ENDED = "resolved|recovered|cleared|closed|ended|fixed|deactivated";
const OF_WHAT = `(${THINGS.join("|")}|monitor|issue)`;

/**
 * Those who call it so, in the object itself or in one member that all stands in; with `isAnswered`, those among them who say
 * besides what may be said of the request.
 */
function thingsIn(wrapping: "" | "data" | "payload", { isAnswered = false } = {}): readonly Tool[] {
  const within = (places: string): string =>
    places
      .split("|")
      .map((place) => (wrapping ? `${wrapping}.${place}` : place))
      .join("|");
  const said = (members: string): string => within(ofEach([...IN_THINGS, ""], members));
  const name = within(`${NAMED}|${ofEach([...IN_THINGS, ...THINGS], "name title")}`);
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
    identity: [name, within(`${IDS}|incidentid|problemid|${ofEach(IN_THINGS, "id")}`)],
    tags: [within(HOSTS)],
  };
  const flat = within(ofEach(THINGS, "name title"));
  const went = within("status|state");
  const marks = wrapping ? [wrapping, name] : [name];
  const others: readonly (Tool & Required<Pick<Tool, "where">>)[] = [
    {
      ...base,
      marks: [...marks, EVENT],
      where: { [EVENT]: new RegExp(`^(${OF_WHAT}[._ :-]?)?(${BEGAN}|${ENDED}|acknowledged)$`, "i") },
      state: EVENT,
      over: new RegExp(`(${ENDED})$`, "i"),
      acknowledged: /acknowledged$/i,
    },
    { ...base, marks: [...marks, isOver], where: { [isOver]: IS_OR_NOT }, state: isOver, over: /^true$/i },
    { ...base, marks: [...marks, isOn], where: { [isOn]: IS_OR_NOT }, state: isOn, over: /^false$/i },
  ];
  if (isAnswered) {
    // Where it is said of the alert itself how it stands, that is no word about the request.
    const [ofIts, inIts] = ["status state", "name title"].map((one) => within(ofEach(IN_THINGS, one)));
    return others.map((tool) => ({
      ...tool,
      marks: [...tool.marks, inIts ?? ""],
      where: { ...tool.where, [ofIts ?? ""]: /^$/, [went]: ANSWERED },
    }));
  }
  return [
    { ...base, marks: [...marks, state], where: { [state]: STATE }, state, over: OVER },
    { ...base, marks: [flat, went], where: { [went]: WENT_WELL }, state: went, over: WENT_WELL },
    ...others,
    // A time that is empty until then.
    { ...base, marks: [...marks, end], where: { [end]: /^$|^\d/ }, state: end, over: /^[1-9]/ },
  ];
}
/** By which names tools that watch sites call what they watch, and say how it is. */
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
  ...thingsIn("", { isAnswered: true }),
  ...thingsIn("data", { isAnswered: true }),
  ...thingsIn("payload", { isAnswered: true }),
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
    // Without a number; what it calls the monitor may be a text.
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
  ...thingsIn(""),
  ...thingsIn("data"),
  ...thingsIn("payload"),
];
