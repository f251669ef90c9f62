/** Notifications of Amazon SNS, and CloudWatch alarms, in a notification or delivered raw. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { givenFingerprint, payloadFingerprint } from "../fingerprint.ts";
import { jsonWithin } from "../payload.ts";
import type { ReadingRules } from "../reading-rules.ts";
import type { AlertReport, Reading } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { readPayload } from "./generic.ts";
import { readTool, toolOf } from "./known-tool.ts";
import {
  hostList,
  LONGEST,
  objectIn,
  ownValue,
  severityWord,
  shortText,
  textOf,
  UNTITLED,
  type Warn,
} from "./member.ts";
import { noAlertIn } from "./no-alert.ts";
import { isSpecified } from "./specified.ts";

const TYPES = ["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"];

/** Reads a message of SNS or a raw alarm; undefined for other payloads. */
export function readSns(value: unknown, rules: ReadingRules): Reading | undefined {
  if (isAlarm(value)) {
    const warnings: string[] = [];
    return { shape: "sns", reports: [readAlarm(value, (text) => warnings.push(text))], warnings };
  }
  if (!isObject(value) || !TYPES.some((type) => type === value.Type) || typeof value.TopicArn !== "string") {
    return undefined;
  }
  const named = nameOf(value);
  if (value.Type !== "Notification") {
    return { shape: "sns", reports: [], warnings: [confirmation(value)], ...named };
  }
  const warnings = ["The signature of Amazon SNS is not checked: its certificate would have to be fetched."];
  const report = readMessage(value, rules, (text) => warnings.push(text));
  return { shape: "sns", reports: report ? [report] : [], warnings, ...named };
}

/** Returns what identifies a message that is sent again; nothing for one without an id, which would be a repeat of every other. */
function nameOf({ TopicArn, MessageId }: JsonObject): { messageId?: string } {
  return typeof MessageId === "string" && MessageId.trim() ? { messageId: `${TopicArn} ${MessageId}` } : {};
}

/** Returns the warning for a confirmation; its URL is not fetched, since a key's holder chooses it: a person opens it. */
function confirmation({ Type, TopicArn, SubscribeURL }: JsonObject): string {
  const url = typeof SubscribeURL === "string" ? URL.parse(SubscribeURL) : null;
  const isAmazons = url?.protocol === "https:" && /^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/.test(url.host);
  if (Type === "UnsubscribeConfirmation") {
    return `Amazon SNS says that the subscription of ${TopicArn} ended; nothing else comes from it.`;
  }
  return isAmazons
    ? `Amazon SNS asks to confirm the subscription of ${TopicArn}. Open this address to confirm it: ${url.href}`
    : `A subscription of ${TopicArn} is to be confirmed at an address that is not Amazon's. Do not open it.`;
}

function readMessage(notification: JsonObject, rules: ReadingRules, warn: Warn): AlertReport | undefined {
  const message = parsed(notification.Message, warn);
  if (isAlarm(message) && !isSpecified(message))
    return { ...readAlarm(message, warn), payload: notification };
  // A known tool's payload, such as EventBridge's, is read as if the tool had sent it directly.
  const own: JsonObject = isObject(message) ? message : {};
  const notice = noAlertIn(own);
  if (notice) return void warn(notice);
  const tool = toolOf(own);
  if (tool) return { ...readTool(tool, own, rules, warn), payload: notification };
  const text = textOf(notification.Message)?.trim() ?? "";
  const subject = ownValue(notification, "Subject");
  const fields: JsonObject = isObject(message) ? message : { description: text };
  const read = readPayload(
    {
      start_time: notification.Timestamp,
      ...fields,
      title: ownValue(fields, "title") ?? subject ?? text.split("\n")[0],
    },
    rules,
    warn,
  );
  const { TopicArn, Message } = notification;
  return {
    ...read,
    monitoringTool: read.monitoringTool ?? "Amazon SNS",
    fingerprint:
      givenFingerprint(fields.fingerprint) ??
      payloadFingerprint({ TopicArn, subject, ...(isObject(message) ? message : { Message }) }),
    payload: notification,
  };
}

function isAlarm(value: unknown): value is JsonObject {
  return isObject(value) && typeof value.AlarmName === "string" && typeof value.NewStateValue === "string";
}

function readAlarm(alarm: JsonObject, warn: Warn): AlertReport {
  const state = String(alarm.NewStateValue).toUpperCase();
  const isOver = state === "OK";
  if (!["OK", "ALARM", "INSUFFICIENT_DATA"].includes(state))
    warn(`The state ${state} is not known; it counts as an alarm.`);
  const trigger = objectIn(alarm, "Trigger");
  const dimensions = Array.isArray(trigger.Dimensions) ? trigger.Dimensions.filter(isObject) : [];
  const at = reportedTime(alarm.StateChangeTime) ?? null;
  if (!at) warn("StateChangeTime cannot be read as a time. The time of receipt is used.");
  return {
    action: isOver ? "recovery" : "firing",
    title: shortText("AlarmName", alarm.AlarmName, LONGEST.title, warn) ?? UNTITLED,
    description: shortText(
      "description",
      ownValue(alarm, "AlarmDescription") ?? ownValue(alarm, "NewStateReason"),
      LONGEST.description,
      warn,
    ),
    // An alarm without data gives no severity.
    severity: severityWord(undefined, state === "INSUFFICIENT_DATA" ? "unknown" : "critical", warn),
    service: shortText("Namespace", ownValue(trigger, "Namespace"), LONGEST.service, warn),
    monitoringTool: "Amazon CloudWatch",
    hosts: hostList(
      dimensions
        .filter(({ name }) => /instance|host|container|cluster/i.test(textOf(name) ?? ""))
        .map(({ value }) => value),
      warn,
    ),
    environmentName: null,
    runbookUrl: null,
    startedAt: isOver ? null : at,
    endedAt: isOver ? at : null,
    fingerprint:
      givenFingerprint(ownValue(alarm, "AlarmArn")) ??
      givenFingerprint([alarm.AWSAccountId, alarm.Region, alarm.AlarmName]) ??
      payloadFingerprint(alarm),
    counting: "starts",
    customNames: [],
    payload: alarm,
  };
}

function parsed(text: unknown, warn: Warn): unknown {
  if (typeof text !== "string") return text;
  const read = jsonWithin(text);
  read?.warnings.forEach(warn);
  return read?.value;
}
