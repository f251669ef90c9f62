/** What a payload without a title most likely means: what it is called, how bad it is, and whether it is over. */
import { type Fingerprint, pickedFingerprint } from "../fingerprint.ts";
import { type Severity, severityOfLabel } from "../severity.ts";
import { foldedMembers, valueIn } from "./folded.ts";
import { type Members, textOf } from "./member.ts";

/** Under which names other tools say what we call otherwise, the likeliest first. */
const TITLES = [
  ...["subject", "headline", "summary", "alertname", "alerttitle", "eventname", "rulename", "checkname"],
  ...["monitorname", "problemtitle", "displayname", "name", "message", "msg", "text"],
].join("|");
const DESCRIPTIONS = "details|detail|body|message|msg|output|text|reason";
const SEVERITIES = "level|priority|importance|urgency|criticality";
const STATES = "status|state|alertstatus|alertstate|eventaction|action|event|type";
const NAMES = "dedupkey|dedup|alias|incidentid|alertid|problemid|checkid|monitorid|ruleid|key|id|code";
const HOSTS = "hosts|host|hostname|instance|node|server|device";
const OVER =
  /^(resolved?|ok|okay|up|recover(ed|y)|closed?|clear(ed)?|healthy|normal|inactive|success|passing|online)$/i;
const GOES_ON =
  /^(firing|fired|trigger(ed)?|alert(ing)?|active|open(ed)?|new|created?|down|problem|fail(ed|ing|ure)?|unhealthy|offline|degraded|critical|error|warn(ing)?)$/i;

/** What was found, by the names of our own members; `said` tells where. */
export interface Guess {
  title: string;
  description: unknown;
  severity: Severity | undefined;
  hosts: unknown;
  isOver: boolean;
  /** Where the payload says of itself whether it goes on, the name of what it speaks of; else undefined. */
  fingerprint: Fingerprint | undefined;
}

/** What can be made of a payload without a title (decision 0124); undefined where nothing in it could be one. */
export function guessOf(payload: Members): Guess | undefined {
  const members = foldedMembers(payload);
  const found = valueIn(members, TITLES);
  if (typeof found !== "string") return undefined;
  const title = found.trim().split("\n", 1)[0] ?? "";
  const state = textOf(valueIn(members, STATES))?.trim() ?? "";
  const isOver = OVER.test(state);
  const details = [payload.description, valueIn(members, DESCRIPTIONS)].find((text) => textOf(text)?.trim());
  return {
    title,
    description: details === title ? undefined : details,
    severity: severityOfLabel(valueIn(members, SEVERITIES)),
    hosts: valueIn(members, HOSTS),
    isOver,
    fingerprint: isOver || GOES_ON.test(state) ? nameIn(members, title) : undefined,
  };
}

/** What the payload calls its trouble, else who has it and what it is. */
function nameIn(members: ReadonlyMap<string, unknown>, title: string): Fingerprint | undefined {
  const name = valueIn(members, NAMES);
  if (name !== undefined) return pickedFingerprint([["guessed name", name]]);
  return pickedFingerprint([
    ["guessed title", title],
    ["guessed host", valueIn(members, HOSTS) ?? null],
    ["guessed service", valueIn(members, "service") ?? null],
  ]);
}
